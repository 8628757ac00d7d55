package widget

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/models"
)

// Role is the meaning of a piece of text; the theme decides how it looks.
type Role uint8

// The roles.
const (
	RoleText   Role = iota // plain text
	RoleStrong             // bold text
	RoleMuted              // labels, notes
	RoleFaint              // placeholders, decoration
	RoleBorder             // a frame without focus
	RoleHeader             // column titles
	RoleAccent             // focus, titles
	RoleTitle              // a bold accent
	RoleKey                // a keyboard key, an attribute name
	RoleGood               // done, approved, added
	RoleWarn               // needs attention
	RoleBad                // failed, rejected, removed
	RoleInfo               // in progress, numbers
	RoleMatch              // text that a filter or a search matched
	RoleAlert              // production, danger
	roleCount
)

// Surface is the background that text is drawn on.
type Surface uint8

// The surfaces.
const (
	SurfacePlain  Surface = iota // the terminal's own background
	SurfaceCursor                // the row under the cursor, focused
	SurfaceDim                   // the row under the cursor, focus elsewhere
	SurfaceBar                   // the bars at the top and the bottom
	SurfaceAlert                 // the top bar of a production context
	SurfaceFill                  // a filled badge: the color of the role behind text in the color of the background
	surfaceMarks                 // the top bar of a context with a color, one for each color
	surfaceCount  = surfaceMarks + Surface(markCount)
)

const resetStyle = "\x1b[m"

// Styles is the look of the console: every role on every surface with its escape
// sequences precomputed, so that drawing a cell needs no style computation. It is
// immutable; a new theme is a new Styles.
type Styles struct {
	palette Palette
	marks   [markCount]mark
	noColor bool
	open    [surfaceCount][roleCount]string
}

// NewStyles returns the default theme for a dark or a light terminal. With noColor
// (NO_COLOR, TERM=dumb) it uses reverse video, bold and underline instead of
// colors. Terminals with fewer colors are served by Theme.Styles.
func NewStyles(isDark, noColor bool) *Styles {
	return Theme{}.Styles(isDark, colorprofile.Unknown, noColor)
}

func newStyles(p Palette, marks [markCount]mark, noColor bool) *Styles {
	if noColor {
		p = Palette{}
	}
	s := &Styles{palette: p, marks: marks, noColor: noColor}
	for surface := range surfaceCount {
		for role := range roleCount {
			s.open[surface][role], _, _ = strings.Cut(s.build(role, surface).Render("x"), "x")
		}
	}
	return s
}

// NoColor reports whether the styles use no colors. What tells two things apart by a color must
// tell them apart in another way then.
func (s *Styles) NoColor() bool { return s.noColor }

// Paint returns text in a role on the plain surface. It makes the text printable,
// so data needs no preparation.
func (s *Styles) Paint(r Role, text string) string { return s.PaintOn(r, SurfacePlain, text) }

// PaintOn returns text in a role on a surface. A line break in the text is printed as a sign
// and does not break the line.
func (s *Styles) PaintOn(r Role, on Surface, text string) string {
	text = models.Printable(text)
	open := s.opening(r, on)
	if open == "" || text == "" {
		return text
	}
	return open + text + resetStyle
}

// PaintCell returns text in a role in exactly w cells, cut with "…" or padded.
func (s *Styles) PaintCell(r Role, on Surface, text string, w int, align Align) string {
	var b strings.Builder
	s.writeCell(&b, r, on, text, w, align)
	return b.String()
}

func (s *Styles) writeCell(b *strings.Builder, r Role, on Surface, text string, w int, align Align) {
	if w <= 0 {
		return
	}
	open := s.opening(r, on)
	b.WriteString(open)
	writeCell(b, text, w, align)
	if open != "" {
		b.WriteString(resetStyle)
	}
}

func (s *Styles) opening(r Role, on Surface) string {
	return s.open[min(on, surfaceCount-1)][min(r, roleCount-1)]
}

func (s *Styles) build(r Role, on Surface) lipgloss.Style {
	st := lipgloss.NewStyle()
	switch {
	case r == RoleAlert || on == SurfaceAlert:
		return s.buildAlert(st, r, on)
	case on >= surfaceMarks && s.noColor:
		on = SurfaceBar
	case on >= surfaceMarks:
		m := s.marks[on-surfaceMarks]
		return st.Foreground(m.text).Background(m.back).Bold(emphasized(r))
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
	default: // The rest differ in color only.
	}
	if s.palette.Selection == nil {
		st = st.Reverse(on == SurfaceCursor).Underline(on == SurfaceDim || r == RoleMatch)
		if on == SurfaceCursor || on == SurfaceDim {
			return st // Colors would break up the reversed row.
		}
	}
	if fg := s.foreground(r, on); fg != nil {
		st = st.Foreground(fg)
	}
	background := s.palette.Bar
	switch on {
	case SurfaceCursor:
		background = s.palette.Selection
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
	st = st.Bold(r == RoleAlert || emphasized(r))
	if s.noColor {
		return st.Reverse(true)
	}
	if r == RoleAlert && on == SurfaceAlert {
		return st.Foreground(s.palette.Alert).Background(lipgloss.Color("#FFFFFF"))
	}
	return st.Foreground(lipgloss.Color("#FFFFFF")).Background(s.palette.Alert)
}

func emphasized(r Role) bool { return r == RoleStrong || r == RoleTitle || r == RoleKey }

func (s *Styles) foreground(r Role, on Surface) color.Color {
	p := s.palette
	switch r {
	case RoleMuted, RoleHeader:
		return p.Muted
	case RoleFaint:
		if on != SurfacePlain {
			return p.Muted
		}
		return p.Faint
	case RoleBorder:
		return p.Border
	case RoleAccent, RoleTitle, RoleMatch:
		return p.Accent
	case RoleKey:
		return p.Key
	case RoleGood:
		return p.Good
	case RoleWarn:
		return p.Warn
	case RoleBad:
		return p.Bad
	case RoleInfo:
		return p.Info
	default:
		if on == SurfacePlain {
			return nil // The terminal's own color suits its own background.
		}
		return p.Text
	}
}
