package widget

// blindPalette is the theme for red-green and blue-yellow color vision deficiency,
// after Okabe and Ito, "Color Universal Design" (2008): good is blue, bad orange,
// a warning yellow. They differ in lightness as well.
func blindPalette(isDark bool) Palette {
	if isDark {
		return colorCodes{
			text: "#E4E6EB", muted: "#A6ACB8", faint: "#757C8A", border: "#525968", accent: "#C7B8FF", key: "#D9D2B0",
			good: "#56B4F0", warn: "#F5EC78", bad: "#F29434", info: "#B9DCE6", bar: "#252830", selection: "#303A56", alert: "#B3243B",
		}.palette()
	}
	return colorCodes{
		text: "#1F2430", muted: "#565F73", faint: "#747C8D", border: "#A9B1C0", accent: "#5B3FA8", key: "#5C5420",
		good: "#005AAE", warn: "#695B00", bad: "#641A00", info: "#505A69", bar: "#E7EAF2", selection: "#D3DDFB", alert: "#B3243B",
	}.palette()
}

func blindPalette256(isDark bool) Palette {
	if isDark {
		return colorCodes{
			text: "254", muted: "250", faint: "243", border: "240", accent: "183", key: "187",
			good: "75", warn: "228", bad: "208", info: "152", bar: "235", selection: "237", alert: "124",
		}.palette()
	}
	return colorCodes{
		text: "235", muted: "240", faint: "243", border: "248", accent: "55", key: "58",
		good: "25", warn: "94", bad: "52", info: "240", bar: "254", selection: "195", alert: "124",
	}.palette()
}

func blindPalette16(isDark bool) Palette {
	if isDark {
		return colorCodes{
			faint: "8", border: "8", accent: "13", key: "7", good: "12", warn: "11", bad: "3", info: "14", alert: "1",
		}.palette()
	}
	return colorCodes{faint: "8", border: "8", accent: "5", key: "8", good: "4", warn: "3", bad: "1", info: "8", alert: "1"}.palette()
}
