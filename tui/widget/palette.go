// This file holds the palettes of the default theme. Colours are written down
// in the files palette*.go and nowhere else.

package widget

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Palette is a colour for each meaning. A nil colour is the terminal's own;
// without a Selection the cursor is shown in reverse video.
type Palette struct {
	Text      color.Color // plain text on a coloured surface
	Muted     color.Color // labels, notes, what may be overlooked
	Faint     color.Color // placeholders, separators, decoration
	Border    color.Color // frames without focus
	Accent    color.Color // focus, titles, the cursor
	Key       color.Color // keys of the keyboard, names of attributes
	Good      color.Color // done, approved, added
	Warn      color.Color // look here before you go on
	Bad       color.Color // failed, rejected, removed
	Info      color.Color // in progress, numbers
	Bar       color.Color // background of the bars at the top and bottom
	Selection color.Color // background of the row under the cursor
	Alert     color.Color // background of what must not be missed: production
}

// slots are the colours of a palette with the names that a configuration gives
// them, in the order of the fields.
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
	name   string
	colour *color.Color
}

// ColourNames lists the colours of a palette as a configuration names them.
func ColourNames() []string {
	slots := (&Palette{}).slots()
	names := make([]string, len(slots))
	for i, s := range slots {
		names[i] = s.name
	}
	return names
}

// DarkPalette is the theme for dark terminals: dusk over the savanna, blue
// greys with periwinkle for focus and sand for keys.
func DarkPalette() Palette {
	return written{
		text: "#DDE1EC", muted: "#9AA3B8", faint: "#737B91", border: "#4B536D", accent: "#9DB0FF", key: "#E3C08D",
		good: "#86CFA6", warn: "#F0B75E", bad: "#F58088", info: "#76C3DE", bar: "#232838", selection: "#2E385C", alert: "#B3243B",
	}.palette()
}

// LightPalette is the theme for light terminals: the same meanings at noon.
func LightPalette() Palette {
	return written{
		text: "#1F2430", muted: "#565F73", faint: "#7C8598", border: "#B4BCCB", accent: "#3B50C8", key: "#855312",
		good: "#19704A", warn: "#8A5A00", bad: "#B3243B", info: "#0C678D", bar: "#E7EAF2", selection: "#DDE4FF", alert: "#B3243B",
	}.palette()
}

// written is a palette as it is written down: "#RRGGBB", or an index of the
// terminal's own table; "" is none.
type written struct {
	text, muted, faint, border, accent, key, good, warn, bad, info, bar, selection, alert string
}

func (x written) palette() Palette {
	var p Palette
	for i, text := range []string{
		x.text, x.muted, x.faint, x.border, x.accent, x.key, x.good, x.warn, x.bad, x.info, x.bar, x.selection, x.alert,
	} {
		if text != "" {
			*p.slots()[i].colour = lipgloss.Color(text)
		}
	}
	return p
}
