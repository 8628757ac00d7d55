package widget

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// themeColors are the palettes of the themes: a line for each kind of terminal and number of colors.
//
//go:embed themes.txt
var themeColors string

// A Theme is a set of palettes for dark and light terminals with 24-bit, 256 or 16
// colors. The zero Theme is the default theme.
type Theme struct {
	name   string
	about  string
	mono   bool   // no colors, as long as none are configured
	ground string // DarkGround or LightGround regardless of the terminal, or ""

	own, ownDark, ownLight map[string]string // colors from the configuration
}

// The kinds of terminals, by their background. AutoGround is the kind that the terminal reports.
const (
	AutoGround  = "auto"
	DarkGround  = "dark"
	LightGround = "light"
)

// Grounds lists the kinds of terminals that a theme can be fixed to.
func Grounds() []string { return []string{AutoGround, DarkGround, LightGround} }

// DefaultTheme is the name of the theme that is used if none is configured.
const DefaultTheme = "default"

// terminalTheme is the name of the theme that has sixteen colors on every terminal.
const terminalTheme = "16"

// oldThemeNames maps earlier spellings of theme names to the present ones.
var oldThemeNames = map[string]string{"colour-blind": "color-blind"}

// themes are the built-in themes; the first is the default.
var themes = []Theme{
	{name: DefaultTheme, about: "blue grays with periwinkle and sand"},
	{name: "high-contrast", about: "strong colors on black or white"},
	{name: "color-blind", about: "blue, orange and yellow instead of green and red"},
	{name: terminalTheme, about: "the sixteen colors of the terminal"},
	{name: "mono", about: "no colors: bold, underline and reverse video", mono: true},
	{name: "catppuccin", about: "pastels: Mocha on dark, Latte on light"},
	{name: "dracula", about: "vivid colors; Alucard on light"},
	{name: "everforest", about: "soft greens and browns"},
	{name: "gruvbox", about: "warm and retro"},
	{name: "kanagawa", about: "ink and washed colors: Wave on dark, Lotus on light"},
	{name: "nord", about: "cool blue grays"},
	{name: "one", about: "One Dark and One Light of the Atom editor"},
	{name: "rose-pine", about: "muted rose and pine; Dawn on light"},
	{name: "solarized", about: "the accents of Solarized, on dark and on light"},
	{name: "tokyo-night", about: "neon on dark blue; Day on light"},
}

// Themes lists the built-in themes. The caller may change the slice.
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
// terminal and take precedence over colors. Colors are not checked here; the configuration
// does. Other names than those of ColorNames are ignored. The maps belong to the theme.
func (t Theme) With(colors, dark, light map[string]string) Theme {
	t.own, t.ownDark, t.ownLight = colors, dark, light
	return t
}

// On returns the theme for one kind of terminal, whatever the terminal reports;
// AutoGround and "" follow the terminal.
func (t Theme) On(ground string) Theme {
	t.ground = ground
	if ground == AutoGround {
		t.ground = ""
	}
	return t
}

// Palette returns the colors for a terminal. A theme without colors for this kind of terminal
// has those of the default theme, except mono.
func (t Theme) Palette(isDark bool, profile colorprofile.Profile) Palette {
	kind, own := LightGround, t.ownLight
	if isDark && t.ground == "" || t.ground == DarkGround {
		kind, own = DarkGround, t.ownDark
	}
	count := "full"
	switch {
	case profile == colorprofile.ANSI || t.name == terminalTheme:
		count = "16"
	case profile == colorprofile.ANSI256:
		count = "256"
	}
	p, found := paletteOf(t.Name(), kind, count)
	if !found && !t.mono {
		p, _ = paletteOf(DefaultTheme, kind, count)
	}
	for i, slot := range p.slots() {
		for _, colors := range []map[string]string{t.own, own} {
			if c, ok := colors[colorNames[i]]; ok && shows(profile, c) {
				*slot = lipgloss.Color(c)
			}
		}
	}
	return p
}

func paletteOf(theme, kind, count string) (p Palette, found bool) {
	for line := range strings.Lines(themeColors) {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] != theme || f[1] != kind || f[2] != count {
			continue
		}
		slots := p.slots()
		for i, code := range f[4:] { // after the background it was made for
			if code != "-" {
				*slots[i] = lipgloss.Color(code)
			}
		}
		return p, true
	}
	return p, false
}

// shows accepts with 16 colors only indexes of the terminal's table: the nearest of 16 is rarely close.
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
