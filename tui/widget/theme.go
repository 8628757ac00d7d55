package widget

import (
	"cmp"
	_ "embed"
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// themeColors contains the palettes of the themes, with one line for each background and number of colors.
//
//go:embed themes.txt
var themeColors string

// A Theme is a set of palettes for dark and light terminals with 24-bit, 256 or 16 colors. The zero Theme is the
// default theme.
type Theme struct {
	name            string
	about           string
	mono            bool   // uses only configured colors
	fixedBackground string // DarkBackground or LightBackground if fixed; "" follows the terminal

	configured, configuredDark, configuredLight map[string]string // configured colors
}

// These are the kinds of terminal backgrounds. AutoBackground uses the one that the terminal reports.
const (
	AutoBackground  = "auto"
	DarkBackground  = "dark"
	LightBackground = "light"
)

// Backgrounds returns the possible arguments of Theme.On.
func Backgrounds() []string { return []string{AutoBackground, DarkBackground, LightBackground} }

// DefaultTheme is the name of the theme to use if none is configured.
const DefaultTheme = "default"

// terminalTheme is the name of the theme that uses 16 colors on every terminal.
const terminalTheme = "16"

// themes contains the built-in themes. The first one is the default.
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

// Themes returns the built-in themes. The caller may change the slice.
func Themes() []Theme { return slices.Clone(themes) }

// ThemeNames returns the names of the built-in themes.
func ThemeNames() []string { return models.MapSlice(themes, Theme.Name) }

// ThemeNamed returns a built-in theme; "" means the default theme. It returns false for an unknown name.
func ThemeNamed(name string) (Theme, bool) {
	for _, t := range themes {
		if t.name == name || name == "" {
			return t, true
		}
	}
	return Theme{}, false
}

// Name returns the theme's name.
func (t Theme) Name() string { return cmp.Or(t.name, DefaultTheme) }

// About describes the theme in a few words.
func (t Theme) About() string { return t.about }

// WithColors returns the theme with other colors, by their names in ColorNames. A color is "#RRGGBB", "#RGB" or an
// index into the terminal's color table. dark and light apply to one kind of background and override colors. WithColors
// ignores unknown names and does not check the colors, because the configuration does. The theme retains the maps.
func (t Theme) WithColors(colors, dark, light map[string]string) Theme {
	t.configured, t.configuredDark, t.configuredLight = colors, dark, light
	return t
}

// On returns the theme for a fixed kind of background. AutoBackground and "" follow the terminal.
func (t Theme) On(background string) Theme {
	t.fixedBackground = background
	if background == AutoBackground {
		t.fixedBackground = ""
	}
	return t
}

// Palette returns the colors for a terminal. If the theme lacks colors for this kind of terminal, it returns the
// default theme's colors; mono remains without colors.
func (t Theme) Palette(isDark bool, profile colorprofile.Profile) Palette {
	kind, configured := LightBackground, t.configuredLight
	if isDark && t.fixedBackground == "" || t.fixedBackground == DarkBackground {
		kind, configured = DarkBackground, t.configuredDark
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
	for i, name := range colorNames {
		for _, colors := range []map[string]string{t.configured, configured} {
			if c, ok := colors[name]; ok && supportsColor(profile, c) {
				p[i] = lipgloss.Color(c)
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
		for i, code := range f[4:] { // after the background for which the colors are made
			if code != "-" {
				p[i] = lipgloss.Color(code)
			}
		}
		return p, true
	}
	return p, false
}

// supportsColor accepts only table indexes if there are 16 colors, because the nearest of them is rarely close.
func supportsColor(profile colorprofile.Profile, code string) bool {
	return profile != colorprofile.ANSI || len(code) == 1 && code[0] >= '0' && code[0] <= '9' ||
		len(code) == 2 && code[0] == '1' && code[1] <= '5'
}

// Styles returns the theme's styles for a terminal, with the profile from tea.ColorProfileMsg; Unknown means 24-bit
// color. With noColor (NO_COLOR, TERM=dumb), the styles use reverse video, bold and underline instead of colors.
func (t Theme) Styles(isDark bool, profile colorprofile.Profile, noColor bool) *Styles {
	withoutColor := noColor || t.mono && len(t.configured)+len(t.configuredDark)+len(t.configuredLight) == 0 ||
		profile == colorprofile.ASCII || profile == colorprofile.NoTTY
	return newStyles(t.Palette(isDark, profile), contextColorsFor(profile), withoutColor)
}

// A Role is the meaning of a piece of text. The theme defines its appearance.
type Role uint8

// These are the roles.
const (
	RoleText   Role = iota // plain text
	RoleStrong             // bold text
	RoleMuted              // labels, notes
	RoleFaint              // placeholders, decoration
	RoleBorder             // frame without focus
	RoleHeader             // column titles
	RoleAccent             // focus, titles
	RoleTitle              // bold accent
	RoleKey                // keyboard key or attribute name
	RoleGood               // done, approved, added
	RoleWarn               // needs attention
	RoleBad                // failed, rejected, removed
	RoleInfo               // in progress, numbers
	RoleMatch              // match of a filter or a search
	RoleAlert              // production, danger
	roleCount
)

// A Surface is the background under a text.
type Surface uint8

// These are the surfaces.
const (
	SurfacePlain   Surface = iota // the terminal's background
	SurfaceCursor                 // row under the cursor, with focus
	SurfaceDim                    // row under the cursor, without focus
	SurfaceBar                    // bars at the top and the bottom
	SurfaceAlert                  // top bar of a production context
	SurfaceFill                   // filled badge: text in the background color on the color of the role
	surfaceContext                // first top bar of a context with a color; one surface per color
	surfaceCount   = surfaceContext + Surface(contextColorCount)
)

const resetStyle = "\x1b[m"

// Styles contains precomputed escape sequences for every role on every surface, so that drawing a cell needs no style
// computation. It is immutable; a new theme needs new Styles.
type Styles struct {
	palette       Palette
	contextColors [contextColorCount]contextColor
	noColor       bool
	sequences     [surfaceCount][roleCount]string
}

// NewStyles returns the styles of the default theme for a dark or light background. With noColor (NO_COLOR, TERM=dumb),
// they use reverse video, bold and underline instead of colors. For terminals with fewer colors, use Theme.Styles.
func NewStyles(isDark, noColor bool) *Styles {
	return Theme{}.Styles(isDark, colorprofile.Unknown, noColor)
}

func newStyles(p Palette, marks [contextColorCount]contextColor, noColor bool) *Styles {
	if noColor {
		p = Palette{}
	}
	s := &Styles{palette: p, contextColors: marks, noColor: noColor}
	for surface := range surfaceCount {
		for role := range roleCount {
			s.sequences[surface][role], _, _ = strings.Cut(s.build(role, surface).Render("x"), "x")
		}
	}
	return s
}

// NoColor reports whether the styles avoid colors. Differences then need a sign other than color.
func (s *Styles) NoColor() bool { return s.noColor }

// Paint returns text in a role on the plain surface. It makes the text printable.
func (s *Styles) Paint(r Role, text string) string { return s.PaintOn(r, SurfacePlain, text) }

// PaintOn returns text in a role on a surface. It shows a line break in the text as a sign.
func (s *Styles) PaintOn(r Role, on Surface, text string) string {
	text = models.Printable(text)
	open := s.openSequence(r, on)
	if open == "" || text == "" {
		return text
	}
	return open + text + resetStyle
}

// PaintCell returns text in a role with exactly w cells. It cuts longer text and adds "…", and pads shorter text.
func (s *Styles) PaintCell(r Role, on Surface, text string, w int, align Align) string {
	var b strings.Builder
	s.writeCell(&b, r, on, text, w, align)
	return b.String()
}

func (s *Styles) writeCell(b *strings.Builder, r Role, on Surface, text string, w int, align Align) {
	if w <= 0 {
		return
	}
	open := s.openSequence(r, on)
	b.WriteString(open)
	writeCell(b, text, w, align)
	if open != "" {
		b.WriteString(resetStyle)
	}
}

func (s *Styles) openSequence(r Role, on Surface) string {
	return s.sequences[min(on, surfaceCount-1)][min(r, roleCount-1)]
}

func (s *Styles) build(r Role, on Surface) lipgloss.Style {
	st := lipgloss.NewStyle()
	switch {
	case r == RoleAlert || on == SurfaceAlert:
		return s.buildAlert(st, r, on)
	case on >= surfaceContext && s.noColor:
		on = SurfaceBar
	case on >= surfaceContext:
		m := s.contextColors[on-surfaceContext]
		return st.Foreground(m.text).Background(m.bg).Bold(isEmphasized(r))
	}
	if on == SurfaceFill {
		if fg := s.foreground(r, SurfacePlain); fg != nil {
			st = st.Foreground(fg)
		}
		return st.Reverse(true).Bold(true)
	}
	switch r {
	case RoleStrong, RoleTitle, RoleHeader:
		st = st.Bold(true)
	case RoleMatch:
		st = st.Bold(true).Underline(true)
	case RoleAccent, RoleKey, RoleBad, RoleWarn:
		st = st.Bold(s.noColor)
	case RoleFaint, RoleBorder:
		st = st.Faint(s.noColor)
	default: // The other roles differ only in color.
	}
	if s.palette[colorSelection] == nil {
		st = st.Reverse(on == SurfaceCursor).Underline(on == SurfaceDim || r == RoleMatch)
		if on == SurfaceCursor || on == SurfaceDim {
			return st // Colors would break up the reversed row.
		}
	}
	if fg := s.foreground(r, on); fg != nil {
		st = st.Foreground(fg)
	}
	background := s.palette[colorBar]
	switch on {
	case SurfaceCursor:
		background = s.palette[colorSelection]
	case SurfaceDim, SurfaceBar:
	default:
		background = nil
	}
	if background != nil {
		st = st.Background(background)
	}
	return st
}

func (s *Styles) buildAlert(st lipgloss.Style, r Role, on Surface) lipgloss.Style {
	st = st.Bold(r == RoleAlert || isEmphasized(r))
	if s.noColor {
		return st.Reverse(true)
	}
	if r == RoleAlert && on == SurfaceAlert {
		return st.Foreground(s.palette[colorAlert]).Background(lipgloss.Color("#FFFFFF"))
	}
	return st.Foreground(lipgloss.Color("#FFFFFF")).Background(s.palette[colorAlert])
}

func isEmphasized(r Role) bool { return r == RoleStrong || r == RoleTitle || r == RoleKey }

// roleColors contains the colors of roles. All other roles use the color of plain text.
var roleColors = map[Role]int{
	RoleMuted: colorMuted, RoleHeader: colorMuted, RoleFaint: colorFaint, RoleBorder: colorBorder, RoleAccent: colorAccent,
	RoleTitle: colorAccent, RoleMatch: colorAccent, RoleKey: colorKey, RoleGood: colorGood, RoleWarn: colorWarn, RoleBad: colorBad,
	RoleInfo: colorInfo,
}

func (s *Styles) foreground(r Role, on Surface) color.Color {
	index, colored := roleColors[r]
	switch {
	case r == RoleFaint && on != SurfacePlain:
		index = colorMuted
	case !colored && on == SurfacePlain:
		return nil // The terminal's text color suits its background.
	}
	return s.palette[index]
}

// A Palette contains a color for each meaning, in the order of ColorNames. A nil color is the terminal's default.
// Without a selection color, the cursor uses reverse video. Only themes.txt and contextPalette define colors.
type Palette [len(colorNames)]color.Color

// These are the indexes of the colors in a palette.
const (
	colorText      = iota // plain text on a colored surface
	colorMuted            // labels and notes
	colorFaint            // placeholders, separators, decoration
	colorBorder           // frames without focus
	colorAccent           // focus, titles, cursor
	colorKey              // keyboard keys, attribute names
	colorGood             // done, approved, added
	colorWarn             // needs attention
	colorBad              // failed, rejected, removed
	colorInfo             // in progress, numbers
	colorBar              // background of the bars at the top and bottom
	colorSelection        // background of the row under the cursor
	colorAlert            // background of production warnings
)

// colorNames contains the names of the colors for the configuration.
var colorNames = [...]string{
	"text", "muted", "faint", "border", "accent", "key", "good", "warn", "bad", "info", "bar", "selection", "alert",
}

// ColorNames returns the names of the colors for the configuration. The caller must not change the slice.
func ColorNames() []string { return colorNames[:] }

// A contextColor is the background color of a context with a readable text color.
type contextColor struct{ text, bg color.Color }

// contextPalette contains the colors of contexts for terminals with 24-bit, 256 and 16 colors; the last one has its own
// text color. Red is reserved for production.
var contextPalette = [...]struct{ name, full, few, sixteen, sixteenText string }{
	{"blue", "#2C5FB8", "25", "4", "15"},
	{"green", "#1E7342", "22", "2", "0"},
	{"teal", "#0C6E79", "23", "6", "0"},
	{"violet", "#6D4BB8", "55", "5", "15"},
	{"magenta", "#A33A86", "90", "13", "0"},
	{"orange", "#A85300", "130", "3", "0"},
	{"gray", "#5A6273", "240", "8", "15"},
}

const contextColorCount = len(contextPalette)

// ContextColors returns the colors that the configuration can assign to a context.
func ContextColors() []string {
	names := make([]string, 0, contextColorCount)
	for _, m := range contextPalette {
		names = append(names, m.name)
	}
	return names
}

// ContextSurface returns the surface of a top bar in a context's color. It returns SurfaceBar for an unknown name.
func ContextSurface(name string) Surface {
	for i, m := range contextPalette {
		if m.name == name {
			return surfaceContext + Surface(i)
		}
	}
	return SurfaceBar
}

func contextColorsFor(profile colorprofile.Profile) [contextColorCount]contextColor {
	var list [contextColorCount]contextColor
	for i, m := range contextPalette {
		text, bg := "#FFFFFF", m.full
		switch profile {
		case colorprofile.ANSI256:
			text, bg = "231", m.few
		case colorprofile.ANSI:
			text, bg = m.sixteenText, m.sixteen
		default:
		}
		list[i] = contextColor{lipgloss.Color(text), lipgloss.Color(bg)}
	}
	return list
}

// Signs determines the characters that a terminal can show.
type Signs uint8

// These are the character sets.
const (
	SignsAll   Signs = iota // everything unchanged
	SignsFew                // frames and symbols in ASCII, data unchanged
	SignsASCII              // ASCII only, because the terminal does not support UTF-8
)

// signsByASCII maps each ASCII replacement to the symbols that it replaces. All are one cell wide, so lines keep their
// width.
var signsByASCII = map[byte]string{
	'-':  "─╌╸╺┄╶╴·–—−▔⠹⠦",
	'|':  "│┆╎┃╽╿‖╷╵↕▏▎▍▕⠋⠼⠇",
	'+':  "╭╮╰╯├┤┬┴┼┌┐└┘✓┏┓┗┛┣┫┳┻╋╆╅╄╃╂┿┽┾╀╁╇╈╉╊┍┎┑┒┕┖┙┚┝┞┟┠┡┢┥┦┧┨┩┪┭┮┯┰┱┲┵┶┷┸┹┺",
	'=':  "━╼╾═↔⇄≡≔▅▆",
	'*':  "•●◆★☆✎∙",
	'~':  "…≈⋯±",
	'x':  "×✗✘",
	'!':  "≠⚠⊘¬",
	'>':  "≥→↷↳⇒⇥▸▶▹›»⟩▌",
	'<':  "≤←↶↵◂◀‹«⟨⏎",
	'0':  "∅",
	'e':  "∈",
	'8':  "∞",
	'^':  "↑▴▲⌘∧⇡",
	'v':  "↓▾▼∨⇣",
	'o':  "↻□◐◌○◇°",
	'#':  "■▪█▐▋▊▉▓▇",
	'@':  "◉",
	'?':  "⌕",
	':':  "⋮▒",
	'P':  "¶",
	'S':  "§",
	'"':  "″“”„▀",
	'\'': "′’‘▝▘",
	'/':  "÷⠙⠴⠏",
	'_':  "▄▁▂▃",
	'.':  "▗▖░",
	'\\': "⠸⠧",
}

// plainSigns maps each symbol to its ASCII replacement.
var plainSigns = func() map[rune]byte {
	m := map[rune]byte{}
	for plain, signs := range signsByASCII {
		for _, sign := range signs {
			m[sign] = plain
		}
	}
	return m
}()

// Draw replaces the characters of a styled block that the set does not contain. Lines keep their width. SignsFew keeps
// data characters without a replacement; SignsASCII replaces them with one question mark per cell.
func (s Signs) Draw(block string) string {
	at := strings.IndexFunc(block, func(r rune) bool { return r >= utf8.RuneSelf })
	if s == SignsAll || at < 0 {
		return block
	}
	var b strings.Builder
	b.Grow(len(block))
	for at >= 0 {
		b.WriteString(block[:at])
		block = block[at:]
		block = block[s.sign(&b, block):]
		at = strings.IndexFunc(block, func(r rune) bool { return r >= utf8.RuneSelf })
	}
	b.WriteString(block)
	return b.String()
}

func (s Signs) sign(b *strings.Builder, text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if plain, ok := plainSigns[r]; ok && isAlone(text[size:]) {
		b.WriteByte(plain)
		return size
	}
	character, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	if s == SignsFew {
		b.WriteString(character)
	} else {
		b.WriteString(strings.Repeat("?", w))
	}
	return max(len(character), 1)
}

// isAlone reports whether no variation selector follows, which would turn the symbol into an emoji.
func isAlone(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	_, sign := plainSigns[r]
	return rest == "" || r < utf8.RuneSelf || sign
}
