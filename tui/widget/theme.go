package widget

import (
	"cmp"
	"maps"
	"slices"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// A Theme is a set of palettes for dark and light terminals with 24-bit, 256 or 16
// colors. The zero Theme is the default theme.
type Theme struct {
	name               string
	about              string
	mono               bool // no colors, as long as none are configured
	full, few, sixteen shades

	own, ownDark, ownLight map[string]string // colors from the configuration
}

// DefaultTheme is the name of the theme that is used if none is configured.
const DefaultTheme = "default"

// oldThemeNames maps earlier spellings of theme names to the present ones.
var oldThemeNames = map[string]string{"colour-blind": "color-blind"}

// themes are the built-in themes; the first is the default.
var themes = []Theme{
	{name: DefaultTheme, about: "blue grays with periwinkle and sand", full: defaultFull, few: default256, sixteen: default16},
	{name: "high-contrast", about: "strong colors on black or white", full: strongFull, few: strong256, sixteen: strong16},
	{name: "color-blind", about: "blue, orange and yellow instead of green and red", full: blindFull, few: blind256, sixteen: blind16},
	{name: "16", about: "the sixteen colors of the terminal", full: default16, few: default16, sixteen: default16},
	{name: "mono", about: "no colors: bold, underline and reverse video", mono: true},
}

// Themes lists the built-in themes.
func Themes() []Theme { return slices.Clone(themes) }

// ThemeNames lists the names of the built-in themes.
func ThemeNames() []string {
	var names []string
	for _, t := range themes {
		names = append(names, t.name)
	}
	return names
}

// OldThemeNames lists the earlier names of themes that ThemeNamed still accepts.
func OldThemeNames() []string { return slices.Sorted(maps.Keys(oldThemeNames)) }

// ThemeNamed returns a built-in theme; the default for "", false for an unknown
// name.
func ThemeNamed(name string) (Theme, bool) {
	name = cmp.Or(oldThemeNames[name], name)
	for _, t := range themes {
		if t.name == name || name == "" {
			return t, true
		}
	}
	return Theme{}, false
}

// Name returns the theme's name.
func (t Theme) Name() string {
	return cmp.Or(t.name, DefaultTheme)
}

// About describes the theme in a few words.
func (t Theme) About() string { return t.about }

// With returns the theme with other colors by the names of ColorNames: "#RRGGBB",
// "#RGB", or an index of the terminal's table. dark and light apply to one kind of
// terminal and take precedence over colors.
func (t Theme) With(colors, dark, light map[string]string) Theme {
	t.own, t.ownDark, t.ownLight = colors, dark, light
	return t
}

// Palette returns the colors for a terminal.
func (t Theme) Palette(isDark bool, profile colorprofile.Profile) Palette {
	if t.name == "" {
		t = themes[0].With(t.own, t.ownDark, t.ownLight)
	}
	codes := t.full
	switch profile {
	case colorprofile.ANSI256:
		codes = t.few
	case colorprofile.ANSI:
		codes = t.sixteen
	default:
	}
	p, kind := codes.light.palette(), t.ownLight
	if isDark {
		p, kind = codes.dark.palette(), t.ownDark
	}
	for i, slot := range p.slots() {
		for _, colors := range []map[string]string{t.own, kind} {
			if c, ok := colors[colorNames[i]]; ok && shows(profile, c) {
				*slot = lipgloss.Color(c)
			}
		}
	}
	return p
}

// shows reports whether a terminal can show a configured color. With 16 colors, only
// indexes of the terminal's table qualify: the nearest of 16 is rarely close.
func shows(profile colorprofile.Profile, code string) bool {
	return profile != colorprofile.ANSI || len(code) == 1 && code[0] >= '0' && code[0] <= '9' ||
		len(code) == 2 && code[0] == '1' && code[1] <= '5'
}

// Styles returns the styles of the theme for a terminal, as Bubble Tea reports it in
// tea.ColorProfileMsg; Unknown counts as 24-bit color. With noColor (NO_COLOR,
// TERM=dumb) they use reverse video, bold and underline instead of colors.
func (t Theme) Styles(isDark bool, profile colorprofile.Profile, noColor bool) *Styles {
	none := noColor || t.mono && len(t.own)+len(t.ownDark)+len(t.ownLight) == 0 ||
		profile == colorprofile.ASCII || profile == colorprofile.NoTTY
	return newStyles(t.Palette(isDark, profile), marksFor(profile), none)
}
