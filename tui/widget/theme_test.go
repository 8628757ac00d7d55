package widget

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// channels returns the linear red, green and blue of a color, from 0 to 1.
func channels(c color.Color) [3]float64 {
	if i, ok := c.(ansi.IndexedColor); ok {
		c = lipgloss.Color(fmt.Sprintf("#%06x", table256(int(i))))
	}
	r, g, b, _ := c.RGBA()
	var lin [3]float64
	for i, v := range []uint32{r, g, b} {
		x := float64(v) / 0xffff
		if lin[i] = x / 12.92; x > 0.04045 {
			lin[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return lin
}

// table256 returns xterm's color for an index of at least 16.
func table256(i int) int {
	if i >= 232 {
		v := 8 + 10*(i-232)
		return v<<16 | v<<8 | v
	}
	step := [6]int{0, 95, 135, 175, 215, 255}
	i -= 16
	return step[i/36]<<16 | step[i/6%6]<<8 | step[i%6]
}

func contrast(a, b color.Color) float64 {
	light := func(c color.Color) float64 {
		v := channels(c)
		return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2] + 0.05
	}
	x, y := light(a), light(b)
	return max(x, y) / min(x, y)
}

// backgrounds returns common terminal backgrounds.
func backgrounds(isDark bool) []string {
	if isDark {
		return []string{"#000000", "#1E1E1E"}
	}
	return []string{"#FFFFFF", "#F6F6F6"}
}

// expectedBackgrounds returns the background that a theme expects, if any.
func expectedBackgrounds(theme string, isDark bool) []string {
	kind := LightBackground
	if isDark {
		kind = DarkBackground
	}
	for line := range strings.Lines(themeColors) {
		if f := strings.Fields(line); f[0] == theme && f[1] == kind && f[3] != "-" {
			return f[3:4]
		}
	}
	return nil
}

// eachTheme calls f for every theme and variant with colors from ddbdesk.
func eachTheme(t *testing.T, f func(t *testing.T, name string, isDark bool, p Palette)) {
	for _, theme := range Themes() {
		if theme.mono || theme.name == "16" {
			continue
		}
		for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			for _, isDark := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%v/dark=%v", theme.name, profile, isDark), func(t *testing.T) {
					f(t, theme.name, isDark, theme.Palette(isDark, profile))
				})
			}
		}
	}
}

func TestThemesHaveEnoughContrast(t *testing.T) {
	eachTheme(t, func(t *testing.T, name string, isDark bool, p Palette) {
		text, faint, border := 4.5, 3.0, 1.5
		if name == "high-contrast" {
			text, faint, border = 7, 4.5, 3
		}
		check := func(subject string, fg, bg color.Color, minimum float64) {
			t.Helper()
			if got := contrast(fg, bg); got < minimum {
				t.Errorf("%s: got contrast %.2f, want %.1f", subject, got, minimum)
			}
		}
		backgroundColors := append(backgrounds(isDark), expectedBackgrounds(name, isDark)...)
		for i, fg := range p {
			name := colorNames[i]
			switch name {
			case "bar", "selection", "alert":
				continue
			}
			for _, background := range backgroundColors {
				bg := lipgloss.Color(background)
				switch name {
				case "faint":
					check("faint on "+background, fg, bg, faint)
				case "border":
					check("border on "+background, fg, bg, border)
				default:
					check(name+" on "+background, fg, bg, text)
				}
			}
			if name != "faint" && name != "border" { // Other surfaces use muted for these.
				check(name+" on a bar", fg, p[colorBar], 4.5)
				check(name+" on the selection", fg, p[colorSelection], 4.5)
			}
		}
		white := lipgloss.Color("#FFFFFF")
		check("the alert", white, p[colorAlert], text)
	})
	for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
		for i, m := range contextColorsFor(profile) {
			if got := contrast(m.text, m.bg); got < 4.5 {
				t.Errorf("mark %s: got contrast %.2f, want 4.5", ContextColors()[i], got)
			}
		}
	}
}

// deficiencies contains the matrices for full color vision deficiency from Machado, Oliveira and Fernandes, "A
// Physiologically-based Model for Simulation of Color Vision Deficiency" (2009).
var deficiencies = map[string][3][3]float64{
	"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// colorDistance returns the perceived distance of two colors in CIELAB. Side by side, a distance of about 2 is just
// visible.
func colorDistance(a, b color.Color, eye [3][3]float64) float64 {
	x, y := lab(seen(channels(a), eye)), lab(seen(channels(b), eye))
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

func seen(v [3]float64, eye [3][3]float64) [3]float64 {
	var out [3]float64
	for i, row := range eye {
		out[i] = min(max(row[0]*v[0]+row[1]*v[1]+row[2]*v[2], 0), 1)
	}
	return out
}

func lab(v [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.95047)
	y := f(0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2])
	z := f((0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// Every theme in the file has all colors, and every line belongs to a theme.
func TestThemesAreComplete(t *testing.T) {
	lines := 0
	for line := range strings.Lines(themeColors) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		if _, ok := ThemeNamed(f[0]); !ok || len(f) != 4+len(colorNames) {
			t.Errorf("got %d colors in theme %s: %s", len(f)-4, f[0], line)
		}
		lines++
	}
	if minimum := 4 * (len(themes) - 2); lines < minimum { // The themes 16 and mono have no lines.
		t.Errorf("got %d palettes, want at least %d", lines, minimum)
	}
	for _, theme := range themes {
		for _, kind := range []string{DarkBackground, LightBackground} {
			for _, count := range []string{"full", "256"} {
				if _, ok := paletteOf(theme.name, kind, count); !ok && !theme.mono && theme.name != terminalTheme {
					t.Errorf("%s has no colors for %s, %s", theme.name, kind, count)
				}
			}
		}
	}
}

// Each theme shows good, warning and bad states in different colors.
func TestStatusColorsDiffer(t *testing.T) {
	eachTheme(t, func(t *testing.T, _ string, _ bool, p Palette) {
		for _, pair := range [][2]color.Color{{p[colorGood], p[colorWarn]}, {p[colorGood], p[colorBad]}, {p[colorWarn], p[colorBad]}, {p[colorInfo], p[colorBad]}} {
			if d := colorDistance(pair[0], pair[1], deficiencies["none"]); d < 10 {
				t.Errorf("%v and %v are %.1f apart, want at least 10", pair[0], pair[1], d)
			}
		}
	})
}

// In every theme, only warnings are amber. Accents and keys have another hue or none.
func TestWarningsAreAmber(t *testing.T) {
	eachTheme(t, func(t *testing.T, _ string, _ bool, p Palette) {
		for name, c := range map[string]color.Color{"accent": p[colorAccent], "key": p[colorKey]} {
			v := lab(channels(c))
			hue := math.Mod(math.Atan2(v[2], v[1])*180/math.Pi+360, 360)
			if math.Hypot(v[1], v[2]) > 20 && hue > 45 && hue < 105 {
				t.Errorf("%s %v has the hue %.0f, which is the color of warnings", name, c, hue)
			}
		}
	})
}

func TestThemeUsesConfiguredBackground(t *testing.T) {
	nord, _ := ThemeNamed("nord")
	dark, light := nord.Palette(true, colorprofile.TrueColor), nord.Palette(false, colorprofile.TrueColor)
	for background, want := range map[string]Palette{AutoBackground: light, "": light, DarkBackground: dark, LightBackground: light} {
		if got := nord.On(background).Palette(false, colorprofile.TrueColor); got != want {
			t.Errorf("on %q: got accent %v, want %v", background, got[colorAccent], want[colorAccent])
		}
	}
}

func TestColorBlindThemeKeepsRolesDistinct(t *testing.T) {
	eachTheme(t, func(t *testing.T, name string, _ bool, p Palette) {
		if name != "color-blind" {
			return
		}
		meanings := map[string]color.Color{"good": p[colorGood], "warn": p[colorWarn], "bad": p[colorBad], "info": p[colorInfo]}
		for eye, matrix := range deficiencies {
			for a, x := range meanings {
				for b, y := range meanings {
					if a >= b {
						continue
					}
					if d := colorDistance(x, y, matrix); d < 15 {
						t.Errorf("%s: %s and %s are %.1f apart, want at least 15", eye, a, b, d)
					}
				}
			}
		}
	})
}

func TestConfiguredColorsReplaceThemeColors(t *testing.T) {
	base, ok := ThemeNamed("high-contrast")
	if !ok {
		t.Fatal("the theme high-contrast does not exist")
	}
	configured := base.WithColors(map[string]string{"accent": "#123456", "good": "2"}, map[string]string{"accent": "#654321"}, nil)
	for _, c := range []struct {
		dark    bool
		profile colorprofile.Profile
		want    string
	}{
		{false, colorprofile.TrueColor, "#123456"},
		{true, colorprofile.TrueColor, "#654321"},
		{true, colorprofile.Unknown, "#654321"},
	} {
		if got := configured.Palette(c.dark, c.profile)[colorAccent]; got != lipgloss.Color(c.want) {
			t.Errorf("dark %v, %v: got accent %v, want %s", c.dark, c.profile, got, c.want)
		}
	}
	few := configured.Palette(true, colorprofile.ANSI)
	if few[colorAccent] != base.Palette(true, colorprofile.ANSI)[colorAccent] || few[colorGood] != lipgloss.Color("2") {
		t.Error("with 16 colors, only the terminal's color indexes can replace colors")
	}
	mono, _ := ThemeNamed("mono")
	if !mono.Styles(true, colorprofile.TrueColor, false).NoColor() {
		t.Error("the theme mono has colors")
	}
	if s := configured.Styles(true, colorprofile.TrueColor, true); !s.NoColor() || strings.Contains(s.Paint(RoleGood, "x"), "38;") {
		t.Error("NO_COLOR does not override the theme")
	}
	if _, ok := ThemeNamed("neon"); ok {
		t.Error("the unknown theme neon exists")
	}
}

func TestContextColorsDiffer(t *testing.T) {
	s := NewStyles(true, false)
	previous := map[string]string{}
	for _, name := range append(ContextColors(), "", "nonsense") {
		line := TopBar{App: "ddbdesk", ContextColor: name}.Render(s, 20)
		if name == "nonsense" {
			name = ""
		}
		if other, ok := previous[line]; ok && other != name {
			t.Errorf("%q looks like %q", name, other)
		}
		previous[line] = name
	}
	production := TopBar{App: "ddbdesk", ContextColor: "blue", Production: true}.Render(s, 20)
	if production != (TopBar{App: "ddbdesk", Production: true}).Render(s, 20) {
		t.Error("the context color replaces the alert color of production")
	}
}
