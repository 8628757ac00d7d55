package widget

import (
	"cmp"
	"image/color"
	"maps"
	"slices"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Palette is a color for each meaning. A nil color is the terminal's default;
// without a Selection the cursor is shown in reverse video. Colors are defined in
// themes.txt and markColors only.
type Palette struct {
	Text      color.Color // plain text on a colored surface
	Muted     color.Color // labels and notes
	Faint     color.Color // placeholders, separators, decoration
	Border    color.Color // frames without focus
	Accent    color.Color // focus, titles, the cursor
	Key       color.Color // keys of the keyboard, names of attributes
	Good      color.Color // done, approved, added
	Warn      color.Color // needs attention
	Bad       color.Color // failed, rejected, removed
	Info      color.Color // in progress, numbers
	Bar       color.Color // background of the bars at the top and bottom
	Selection color.Color // background of the row under the cursor
	Alert     color.Color // background of production warnings
}

// colorNames are the names of the colors in the configuration, in the order of the
// fields.
var colorNames = [...]string{
	"text", "muted", "faint", "border", "accent", "key", "good", "warn", "bad", "info", "bar", "selection", "alert",
}

// ColorNames lists the colors of a palette by their names in the configuration. The caller must
// not change the slice.
func ColorNames() []string { return colorNames[:] }

func (p *Palette) slots() [len(colorNames)]*color.Color {
	return [...]*color.Color{
		&p.Text, &p.Muted, &p.Faint, &p.Border, &p.Accent, &p.Key, &p.Good, &p.Warn, &p.Bad, &p.Info, &p.Bar, &p.Selection, &p.Alert,
	}
}

// mark is the background color of a context and a readable text color.
type mark struct{ text, back color.Color }

// markColors are the colors of contexts with 24 bits, with 256 colors, and with 16
// colors, there with the color of the text. Red is reserved for production.
var markColors = [...]struct{ name, full, few, sixteen, sixteenText string }{
	{"blue", "#2C5FB8", "25", "4", "15"},
	{"green", "#1E7342", "22", "2", "0"},
	{"teal", "#0C6E79", "23", "6", "0"},
	{"violet", "#6D4BB8", "55", "5", "15"},
	{"magenta", "#A33A86", "90", "13", "0"},
	{"orange", "#A85300", "130", "3", "0"},
	{"gray", "#5A6273", "240", "8", "15"},
}

const markCount = len(markColors)

// oldMarkNames maps earlier spellings of context colors to the present ones.
var oldMarkNames = map[string]string{"grey": "gray"}

// MarkNames lists the colors that a context can have in the configuration.
func MarkNames() []string {
	names := make([]string, 0, markCount)
	for _, m := range markColors {
		names = append(names, m.name)
	}
	return names
}

// OldMarkNames lists the earlier names of context colors that MarkSurface still accepts.
func OldMarkNames() []string { return slices.Sorted(maps.Keys(oldMarkNames)) }

// MarkSurface returns the surface of a top line in the color of a context;
// SurfaceBar for an unknown name.
func MarkSurface(name string) Surface {
	name = cmp.Or(oldMarkNames[name], name)
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
		text, back := "#FFFFFF", m.full
		switch profile {
		case colorprofile.ANSI256:
			text, back = "231", m.few
		case colorprofile.ANSI:
			text, back = m.sixteenText, m.sixteen
		default:
		}
		list[i] = mark{lipgloss.Color(text), lipgloss.Color(back)}
	}
	return list
}
