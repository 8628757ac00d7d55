package widget

// strongPalette is the high-contrast theme: strong colors on black or white.
func strongPalette(isDark bool) Palette {
	if isDark {
		return colorCodes{
			text: "#FFFFFF", muted: "#DADADA", faint: "#B8B8B8", border: "#9E9E9E", accent: "#9FC5FF", key: "#FFD866",
			good: "#6CF08F", warn: "#FFC24D", bad: "#FFA8A8", info: "#7FE3FF", bar: "#262626", selection: "#0A3166", alert: "#A80020",
		}.palette()
	}
	return colorCodes{
		text: "#000000", muted: "#333333", faint: "#4D4D4D", border: "#6B6B6B", accent: "#0A2F9E", key: "#5A3400",
		good: "#004D22", warn: "#6A3B00", bad: "#8E0015", info: "#00405F", bar: "#E4E4E4", selection: "#CFE0FF", alert: "#A80020",
	}.palette()
}

func strongPalette256(isDark bool) Palette {
	if isDark {
		return colorCodes{
			text: "231", muted: "253", faint: "250", border: "247", accent: "153", key: "222",
			good: "120", warn: "221", bad: "217", info: "159", bar: "235", selection: "17", alert: "88",
		}.palette()
	}
	return colorCodes{
		text: "16", muted: "236", faint: "239", border: "242", accent: "18", key: "53",
		good: "22", warn: "52", bad: "88", info: "17", bar: "254", selection: "195", alert: "88",
	}.palette()
}

func strongPalette16(isDark bool) Palette {
	if isDark {
		return colorCodes{
			muted: "15", faint: "7", border: "7", accent: "14", key: "11",
			good: "10", warn: "11", bad: "9", info: "14", alert: "1",
		}.palette()
	}
	return colorCodes{
		muted: "0", faint: "0", border: "8", accent: "4", key: "5",
		good: "0", warn: "5", bad: "1", info: "4", alert: "1",
	}.palette()
}
