package widget

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Palette is a color for each meaning. A nil color is the terminal's default;
// without a Selection the cursor is shown in reverse video. Colors are defined in
// the files palette*.go and mark.go only.
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

// slots returns the colors of a palette with their names in the configuration, in
// the order of the fields.
func (p *Palette) slots() []slot {
	return []slot{
		{"text", &p.Text},
		{"muted", &p.Muted},
		{"faint", &p.Faint},
		{"border", &p.Border},
		{"accent", &p.Accent},
		{"key", &p.Key},
		{"good", &p.Good},
		{"warn", &p.Warn},
		{"bad", &p.Bad},
		{"info", &p.Info},
		{"bar", &p.Bar},
		{"selection", &p.Selection},
		{"alert", &p.Alert},
	}
}

type slot struct {
	name  string
	color *color.Color
}

// ColorNames lists the colors of a palette by their names in the configuration.
func ColorNames() []string {
	slots := (&Palette{}).slots()
	names := make([]string, len(slots))
	for i, s := range slots {
		names[i] = s.name
	}
	return names
}

// darkPalette is the default theme for dark terminals: blue grays, periwinkle for
// focus and sand for keys.
func darkPalette() Palette {
	return colorCodes{
		text: "#DDE1EC", muted: "#9AA3B8", faint: "#737B91", border: "#4B536D", accent: "#9DB0FF", key: "#E3C08D",
		good: "#86CFA6", warn: "#F0B75E", bad: "#F58088", info: "#76C3DE", bar: "#232838", selection: "#2E385C", alert: "#B3243B",
	}.palette()
}

// lightPalette is the default theme for light terminals.
func lightPalette() Palette {
	return colorCodes{
		text: "#1F2430", muted: "#565F73", faint: "#7C8598", border: "#B4BCCB", accent: "#3B50C8", key: "#855312",
		good: "#19704A", warn: "#8A5A00", bad: "#B3243B", info: "#0C678D", bar: "#E7EAF2", selection: "#DDE4FF", alert: "#B3243B",
	}.palette()
}

// colorCodes is a palette as text: "#RRGGBB", or an index of the terminal's table;
// "" is the terminal's default.
type colorCodes struct {
	text, muted, faint, border, accent, key, good, warn, bad, info, bar, selection, alert string
}

func (x colorCodes) palette() Palette {
	var p Palette
	for i, text := range []string{
		x.text, x.muted, x.faint, x.border, x.accent, x.key, x.good, x.warn, x.bad, x.info, x.bar, x.selection, x.alert,
	} {
		if text != "" {
			*p.slots()[i].color = lipgloss.Color(text)
		}
	}
	return p
}
