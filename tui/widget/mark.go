// This file holds the colours by which a person tells contexts apart: the top
// line of one that has a mark is in its colour.

package widget

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// mark is a background with the text that can be read on it.
type mark struct{ text, back color.Color }

// markColours are the marks for 24 bit, 256 and 16 colours. Red is not among
// them: it says production.
var markColours = []struct{ name, full, few, sixteen string }{
	{"blue", "#2C5FB8", "25", "4"},
	{"green", "#1E7342", "22", "2"},
	{"teal", "#0C6E79", "23", "6"},
	{"violet", "#6D4BB8", "55", "5"},
	{"magenta", "#A33A86", "90", "13"},
	{"orange", "#A85300", "130", "3"},
	{"grey", "#5A6273", "240", "8"},
}

const markCount = 7

// MarkNames lists the colours that a context can have.
func MarkNames() []string {
	names := make([]string, 0, markCount)
	for _, m := range markColours {
		names = append(names, m.name)
	}
	return names
}

// MarkSurface is the surface of a top line in the colour of a context; that of
// every other bar when there is none of this name.
func MarkSurface(name string) Surface {
	for i, m := range markColours {
		if m.name == name {
			return surfaceMarks + Surface(i)
		}
	}
	return SurfaceBar
}

func marksFor(profile colorprofile.Profile) [markCount]mark {
	var list [markCount]mark
	for i, m := range markColours {
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
