// This file holds the colours: the only place where one is written down.

package widget

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Palette is a theme: a colour for each meaning. A nil colour is the
// terminal's own; without a Selection the cursor is shown in reverse video.
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

// DarkPalette is the theme for dark terminals: dusk over the savanna, blue
// greys with periwinkle for focus and sand for keys.
func DarkPalette() Palette {
	return Palette{
		Text:      lipgloss.Color("#DDE1EC"),
		Muted:     lipgloss.Color("#9AA3B8"),
		Faint:     lipgloss.Color("#6B7389"),
		Border:    lipgloss.Color("#454D66"),
		Accent:    lipgloss.Color("#9DB0FF"),
		Key:       lipgloss.Color("#E3C08D"),
		Good:      lipgloss.Color("#86CFA6"),
		Warn:      lipgloss.Color("#F0B75E"),
		Bad:       lipgloss.Color("#F58088"),
		Info:      lipgloss.Color("#76C3DE"),
		Bar:       lipgloss.Color("#232838"),
		Selection: lipgloss.Color("#323C63"),
		Alert:     lipgloss.Color("#B3243B"),
	}
}

// LightPalette is the theme for light terminals: the same meanings at noon.
func LightPalette() Palette {
	return Palette{
		Text:      lipgloss.Color("#1F2430"),
		Muted:     lipgloss.Color("#565F73"),
		Faint:     lipgloss.Color("#7C8598"),
		Border:    lipgloss.Color("#B4BCCB"),
		Accent:    lipgloss.Color("#3B50C8"),
		Key:       lipgloss.Color("#855312"),
		Good:      lipgloss.Color("#19704A"),
		Warn:      lipgloss.Color("#8F5D00"),
		Bad:       lipgloss.Color("#B3243B"),
		Info:      lipgloss.Color("#0C678D"),
		Bar:       lipgloss.Color("#E7EAF2"),
		Selection: lipgloss.Color("#D5DDFF"),
		Alert:     lipgloss.Color("#B3243B"),
	}
}
