// This file holds the themes for terminals with few colours. They are chosen by
// hand: the nearest of 256 to a dark blue grey is a loud navy, and of 16 there
// is none that text can be read on.

package widget

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// indexed are colours of the terminal's own table, by meaning; "" is none.
type indexed struct {
	text, muted, faint, border, accent, key, good, warn, bad, info, bar, selection, alert string
}

func (x indexed) palette() Palette {
	at := func(index string) color.Color {
		if index == "" {
			return nil
		}
		return lipgloss.Color(index)
	}
	return Palette{
		Text: at(x.text), Muted: at(x.muted), Faint: at(x.faint), Border: at(x.border), Accent: at(x.accent), Key: at(x.key),
		Good: at(x.good), Warn: at(x.warn), Bad: at(x.bad), Info: at(x.info), Bar: at(x.bar), Selection: at(x.selection),
		Alert: at(x.alert),
	}
}

// Palette256 is the theme for terminals with 256 colours.
func Palette256(isDark bool) Palette {
	if isDark {
		return indexed{
			text: "254", muted: "248", faint: "243", border: "240", accent: "111", key: "180",
			good: "115", warn: "215", bad: "210", info: "116", bar: "236", selection: "60", alert: "124",
		}.palette()
	}
	return indexed{
		text: "235", muted: "240", faint: "244", border: "249", accent: "62", key: "94",
		good: "23", warn: "130", bad: "124", info: "24", bar: "254", selection: "189", alert: "124",
	}.palette()
}

// Palette16 is the theme for terminals with 16 colours, whose exact shades the
// user has chosen: nothing but the alert has a background.
func Palette16(isDark bool) Palette {
	if isDark {
		return indexed{faint: "8", border: "8", accent: "12", key: "3", good: "2", warn: "11", bad: "9", info: "6", alert: "1"}.palette()
	}
	return indexed{faint: "8", border: "8", accent: "4", key: "5", good: "2", warn: "5", bad: "1", info: "6", alert: "1"}.palette()
}
