package widget

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// mark is a background color and a readable text color.
type mark struct{ text, back color.Color }

// markColors are the colors of contexts in 24-bit, 256-color and 16-color
// terminals. Red is reserved for production.
var markColors = []struct{ name, full, few, sixteen string }{
	{"blue", "#2C5FB8", "25", "4"},
	{"green", "#1E7342", "22", "2"},
	{"teal", "#0C6E79", "23", "6"},
	{"violet", "#6D4BB8", "55", "5"},
	{"magenta", "#A33A86", "90", "13"},
	{"orange", "#A85300", "130", "3"},
	{"grey", "#5A6273", "240", "8"},
}

const markCount = 7

// MarkNames lists the colors that a context can have in the configuration.
func MarkNames() []string {
	names := make([]string, 0, markCount)
	for _, m := range markColors {
		names = append(names, m.name)
	}
	return names
}

// MarkSurface returns the surface of a top line in the color of a context;
// SurfaceBar for an unknown name.
func MarkSurface(name string) Surface {
	for i, m := range markColors {
		if m.name == name {
			return surfaceMarks + Surface(i)
		}
	}
	return SurfaceBar
}

func marksFor(profile colorprofile.Profile) [markCount]mark {
	var list [markCount]mark
	for i, m := range markColors {
		list[i] = mark{lipgloss.Color("#FFFFFF"), lipgloss.Color(m.full)}
		switch profile {
		case colorprofile.ANSI256:
			list[i] = mark{lipgloss.Color("231"), lipgloss.Color(m.few)}
		case colorprofile.ANSI:
			list[i] = mark{lipgloss.Color("15"), lipgloss.Color(m.sixteen)}
			if m.sixteen == "2" || m.sixteen == "3" || m.sixteen == "6" || m.sixteen == "13" {
				list[i].text = lipgloss.Color("0")
			}
		default:
		}
	}
	return list
}
