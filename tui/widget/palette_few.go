package widget

// palette256 is the default theme for terminals with 256 colors. They are chosen by
// hand: the nearest to a dark blue gray would be a bright navy.
func palette256(isDark bool) Palette {
	if isDark {
		return colorCodes{
			text: "254", muted: "250", faint: "243", border: "240", accent: "147", key: "180",
			good: "115", warn: "215", bad: "217", info: "116", bar: "235", selection: "238", alert: "124",
		}.palette()
	}
	return colorCodes{
		text: "235", muted: "240", faint: "244", border: "249", accent: "61", key: "58",
		good: "23", warn: "94", bad: "124", info: "24", bar: "255", selection: "195", alert: "124",
	}.palette()
}

// palette16 is the theme for terminals with 16 colors. Only the alert has a
// background: the user chooses the shades, so text may be unreadable on others.
func palette16(isDark bool) Palette {
	if isDark {
		return colorCodes{faint: "8", border: "8", accent: "12", key: "3", good: "2", warn: "11", bad: "9", info: "6", alert: "1"}.palette()
	}
	return colorCodes{faint: "8", border: "8", accent: "4", key: "5", good: "2", warn: "5", bad: "1", info: "6", alert: "1"}.palette()
}
