// This file holds the themes to choose from.

package widget

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// A Theme is a look with its variants: for dark and light terminals, and for
// what they can show. The zero Theme is the default one.
type Theme struct {
	name  string
	about string
	mono  bool
	// The palettes for 24 bit, for 256 and for 16 colours.
	full, few, sixteen func(isDark bool) Palette

	own, ownDark, ownLight map[string]string // replace colours of every variant
}

// DefaultTheme is the name of the theme of who has chosen none.
const DefaultTheme = "default"

// Themes lists the built-in themes.
func Themes() []Theme {
	return []Theme{
		defaultTheme(),
		{name: "high-contrast", about: "strong colours on black or white", full: strongPalette, few: strongPalette256, sixteen: strongPalette16},
		{name: "colour-blind", about: "blue, orange and yellow instead of green and red", full: blindPalette, few: blindPalette256, sixteen: blindPalette16},
		{name: "16", about: "the sixteen colours that the terminal is set to", full: Palette16, few: Palette16, sixteen: Palette16},
		{name: "mono", about: "no colour: bold, underline and reverse video", mono: true, full: noPalette, few: noPalette, sixteen: noPalette},
	}
}

func defaultTheme() Theme {
	full := func(isDark bool) Palette {
		if isDark {
			return DarkPalette()
		}
		return LightPalette()
	}
	return Theme{name: DefaultTheme, about: "blue greys with periwinkle and sand", full: full, few: Palette256, sixteen: Palette16}
}

func noPalette(bool) Palette { return Palette{} }

// ThemeNames lists the names of the built-in themes.
func ThemeNames() []string {
	var names []string
	for _, t := range Themes() {
		names = append(names, t.name)
	}
	return names
}

// ThemeNamed returns a built-in theme; the default for "", false for a name that
// no theme has.
func ThemeNamed(name string) (Theme, bool) {
	for _, t := range Themes() {
		if t.name == name || name == "" {
			return t, true
		}
	}
	return Theme{}, false
}

// Name is the theme's name.
func (t Theme) Name() string {
	if t.name == "" {
		return DefaultTheme
	}
	return t.name
}

// About says in a few words what the theme is like.
func (t Theme) About() string { return t.about }

// With returns the theme with other colours, by the names of ColourNames:
// "#RRGGBB", "#RGB", or an index of the terminal's table. Those of dark and of
// light are for one kind of terminal and win.
func (t Theme) With(colours, dark, light map[string]string) Theme {
	t.own, t.ownDark, t.ownLight = colours, dark, light
	return t
}

// Palette returns the colours for a terminal.
func (t Theme) Palette(isDark bool, profile colorprofile.Profile) Palette {
	if t.full == nil {
		own := t
		t = defaultTheme()
		t.own, t.ownDark, t.ownLight = own.own, own.ownDark, own.ownLight
	}
	var p Palette
	switch profile {
	case colorprofile.ANSI256:
		p = t.few(isDark)
	case colorprofile.ANSI:
		p = t.sixteen(isDark)
	default:
		p = t.full(isDark)
	}
	kind := t.ownLight
	if isDark {
		kind = t.ownDark
	}
	for _, s := range p.slots() {
		for _, colours := range []map[string]string{t.own, kind} {
			if c, ok := colours[s.name]; ok && shows(profile, c) {
				*s.colour = lipgloss.Color(c)
			}
		}
	}
	return p
}

// shows reports whether a terminal can show a colour about as it was meant: of
// 16 colours the nearest is seldom near.
func shows(profile colorprofile.Profile, colour string) bool {
	return profile != colorprofile.ANSI || len(colour) == 1 && colour[0] >= '0' && colour[0] <= '9' ||
		len(colour) == 2 && colour[0] == '1' && colour[1] <= '5'
}

// Styles returns the look of the theme on a terminal, as Bubble Tea reports it in
// tea.ColorProfileMsg; Unknown is as good as 24 bit. With noColor (NO_COLOR, no
// colour in the terminal) meaning is told by reverse video, bold and underline.
func (t Theme) Styles(isDark bool, profile colorprofile.Profile, noColor bool) *Styles {
	none := noColor || t.mono && len(t.own)+len(t.ownDark)+len(t.ownLight) == 0 ||
		profile == colorprofile.ASCII || profile == colorprofile.NoTTY
	s := newStyles(t.Palette(isDark, profile), marksFor(profile), none)
	return s
}
