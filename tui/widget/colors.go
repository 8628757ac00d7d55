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
// this file only.
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

// ColorNames lists the colors of a palette by their names in the configuration.
func ColorNames() []string { return colorNames[:] }

// slots returns the colors of a palette in the order of colorNames.
func (p *Palette) slots() [len(colorNames)]*color.Color {
	return [...]*color.Color{
		&p.Text, &p.Muted, &p.Faint, &p.Border, &p.Accent, &p.Key, &p.Good, &p.Warn, &p.Bad, &p.Info, &p.Bar, &p.Selection, &p.Alert,
	}
}

// colorCodes is a palette as text: "#RRGGBB", or an index of the terminal's table;
// "" is the terminal's default.
type colorCodes struct {
	text, muted, faint, border, accent, key, good, warn, bad, info, bar, selection, alert string
}

func (x colorCodes) palette() Palette {
	var p Palette
	slots := p.slots()
	for i, text := range [...]string{
		x.text, x.muted, x.faint, x.border, x.accent, x.key, x.good, x.warn, x.bad, x.info, x.bar, x.selection, x.alert,
	} {
		if text != "" {
			*slots[i] = lipgloss.Color(text)
		}
	}
	return p
}

// shades are the colors of a theme for one number of colors: on a dark and on a light
// terminal.
type shades struct{ dark, light colorCodes }

// The default theme: blue grays, periwinkle for focus and sand for keys.
var (
	defaultFull = shades{
		dark: colorCodes{
			text: "#DDE1EC", muted: "#9AA3B8", faint: "#737B91", border: "#4B536D", accent: "#9DB0FF", key: "#E3C08D",
			good: "#86CFA6", warn: "#F0B75E", bad: "#F58088", info: "#76C3DE", bar: "#232838", selection: "#2E385C", alert: "#B3243B",
		},
		light: colorCodes{
			text: "#1F2430", muted: "#565F73", faint: "#7C8598", border: "#B4BCCB", accent: "#3B50C8", key: "#855312",
			good: "#19704A", warn: "#8A5A00", bad: "#B3243B", info: "#0C678D", bar: "#E7EAF2", selection: "#DDE4FF", alert: "#B3243B",
		},
	}
	// With 256 colors they are chosen by hand: the nearest to a dark blue gray would be
	// a bright navy.
	default256 = shades{
		dark: colorCodes{
			text: "254", muted: "250", faint: "243", border: "240", accent: "147", key: "180",
			good: "115", warn: "215", bad: "217", info: "116", bar: "235", selection: "238", alert: "124",
		},
		light: colorCodes{
			text: "235", muted: "240", faint: "244", border: "249", accent: "61", key: "58",
			good: "23", warn: "94", bad: "124", info: "24", bar: "255", selection: "195", alert: "124",
		},
	}
	// With 16 colors only the alert has a background: the user chooses the shades, so
	// text may be unreadable on others.
	default16 = shades{
		dark:  colorCodes{faint: "8", border: "8", accent: "12", key: "3", good: "2", warn: "11", bad: "9", info: "6", alert: "1"},
		light: colorCodes{faint: "8", border: "8", accent: "4", key: "5", good: "2", warn: "5", bad: "1", info: "6", alert: "1"},
	}
)

// The theme for red-green and blue-yellow color vision deficiency, after Okabe and
// Ito, "Color Universal Design" (2008): good is blue, bad orange, a warning yellow.
// They differ in lightness as well.
var (
	blindFull = shades{
		dark: colorCodes{
			text: "#E4E6EB", muted: "#A6ACB8", faint: "#757C8A", border: "#525968", accent: "#C7B8FF", key: "#D9D2B0",
			good: "#56B4F0", warn: "#F5EC78", bad: "#F29434", info: "#B9DCE6", bar: "#252830", selection: "#303A56", alert: "#B3243B",
		},
		light: colorCodes{
			text: "#1F2430", muted: "#565F73", faint: "#747C8D", border: "#A9B1C0", accent: "#5B3FA8", key: "#5C5420",
			good: "#005AAE", warn: "#695B00", bad: "#641A00", info: "#505A69", bar: "#E7EAF2", selection: "#D3DDFB", alert: "#B3243B",
		},
	}
	blind256 = shades{
		dark: colorCodes{
			text: "254", muted: "250", faint: "243", border: "240", accent: "183", key: "187",
			good: "75", warn: "228", bad: "208", info: "152", bar: "235", selection: "237", alert: "124",
		},
		light: colorCodes{
			text: "235", muted: "240", faint: "243", border: "248", accent: "55", key: "58",
			good: "25", warn: "94", bad: "52", info: "240", bar: "254", selection: "195", alert: "124",
		},
	}
	blind16 = shades{
		dark:  colorCodes{faint: "8", border: "8", accent: "13", key: "7", good: "12", warn: "11", bad: "3", info: "14", alert: "1"},
		light: colorCodes{faint: "8", border: "8", accent: "5", key: "8", good: "4", warn: "3", bad: "1", info: "8", alert: "1"},
	}
)

// The high-contrast theme: strong colors on black or white.
var (
	strongFull = shades{
		dark: colorCodes{
			text: "#FFFFFF", muted: "#DADADA", faint: "#B8B8B8", border: "#9E9E9E", accent: "#9FC5FF", key: "#FFD866",
			good: "#6CF08F", warn: "#FFC24D", bad: "#FFA8A8", info: "#7FE3FF", bar: "#262626", selection: "#0A3166", alert: "#A80020",
		},
		light: colorCodes{
			text: "#000000", muted: "#333333", faint: "#4D4D4D", border: "#6B6B6B", accent: "#0A2F9E", key: "#5A3400",
			good: "#004D22", warn: "#6A3B00", bad: "#8E0015", info: "#00405F", bar: "#E4E4E4", selection: "#CFE0FF", alert: "#A80020",
		},
	}
	strong256 = shades{
		dark: colorCodes{
			text: "231", muted: "253", faint: "250", border: "247", accent: "153", key: "222",
			good: "120", warn: "221", bad: "217", info: "159", bar: "235", selection: "17", alert: "88",
		},
		light: colorCodes{
			text: "16", muted: "236", faint: "239", border: "242", accent: "18", key: "53",
			good: "22", warn: "52", bad: "88", info: "17", bar: "254", selection: "195", alert: "88",
		},
	}
	strong16 = shades{
		dark: colorCodes{
			muted: "15", faint: "7", border: "7", accent: "14", key: "11", good: "10", warn: "11", bad: "9", info: "14", alert: "1",
		},
		light: colorCodes{muted: "0", faint: "0", border: "8", accent: "4", key: "5", good: "0", warn: "5", bad: "1", info: "4", alert: "1"},
	}
)

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
