package widget

import (
	"cmp"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"

	"github.com/charmbracelet/x/ansi"
)

// View draws the grid in exactly the size that SetSize set. For speed, it writes precomputed escape sequences in a
// plain loop over the visible cells.
func (g *Grid) View() string {
	if g.w <= 0 || g.height <= 0 {
		return ""
	}
	g.refresh()
	g.spans()
	var b strings.Builder
	g.writeHeader(&b)
	switch {
	case g.h == 0:
	case g.win.rowCount == 0:
		for _, line := range emptyLines(g.styles, g.empty, g.hint, g.w, g.h) {
			b.WriteString("\n" + line)
		}
	default:
		b.WriteString("\n" + g.scroller.View())
	}
	return b.String()
}

func (g *Grid) writeHeader(b *strings.Builder) {
	left, right := g.hasHidden(g.visible)
	sign := ""
	if left {
		sign = "‹"
	}
	s := g.styles
	s.writeCell(b, RoleAccent, SurfacePlain, sign, min(gridGutter, g.w), AlignLeft)
	used := gridGutter
	for i, sp := range g.visible {
		if i > 0 {
			g.writeGap(b, sp, SurfacePlain)
			used += gridGap
		}
		g.writeTitle(b, g.cols[sp.col], sp.w)
		used += sp.w
	}
	writeBlanks(b, g.w-1-used)
	if g.w > gridGutter {
		sign = ""
		if right {
			sign = "›"
		}
		s.writeCell(b, RoleAccent, SurfacePlain, sign, 1, AlignLeft)
	}
}

func (g *Grid) writeTitle(b *strings.Builder, col Column, w int) {
	s := g.styles
	if col.Sorted == Unsorted || w < 2 {
		s.writeCell(b, RoleHeader, SurfacePlain, col.Title, w, col.Align)
		return
	}
	title, used := cellText(col.Title, max(w-2, 0))
	if col.Align == AlignRight {
		writeBlanks(b, w-used-2)
	}
	s.writeCell(b, RoleTitle, SurfacePlain, title, used, AlignLeft)
	s.writeCell(b, RoleTitle, SurfacePlain, " "+col.Sorted.Arrow(), 2, AlignLeft)
	if col.Align != AlignRight {
		writeBlanks(b, w-used-2)
	}
}

func (g *Grid) writeGap(b *strings.Builder, sp span, on Surface) {
	if g.left > g.frozenCount() && sp.col == g.left {
		g.styles.writeCell(b, RoleFaint, on, "│", gridGap, AlignLeft)
		return
	}
	if on == SurfacePlain {
		writeBlanks(b, gridGap)
		return
	}
	g.styles.writeCell(b, RoleText, on, "", gridGap, AlignLeft)
}

// gridLines adapts the rows of a Grid to LineSource, with the columns that View selected.
type gridLines struct{ g *Grid }

func (l gridLines) Len() int { return max(l.g.src.Len(), len(l.g.lines)) }

func (l gridLines) Skip(line int) bool { return line < len(l.g.lines) && l.g.lines[line] < 0 }

func (l gridLines) Line(line int, on Surface, w int) string {
	g, s, row := l.g, l.g.styles, l.g.rowAt(line)
	var b strings.Builder
	b.Grow(w * 3)
	if l.Skip(line) {
		s.writeCell(&b, RoleHeader, on, " "+g.src.(Grouper).Groups()(row), w, AlignLeft)
		return b.String()
	}
	role, mark := RoleAccent, " "
	if on == SurfaceDim {
		role = RoleFaint
	}
	if m, ok := g.src.(Marker); ok && m.Marked(row) {
		mark = "●"
	}
	if m, ok := g.src.(Signer); ok && mark == " " {
		mark = cmp.Or(m.Sign(row), mark)
	}
	s.writeCell(&b, role, on, cursorBar(on), min(1, w), AlignLeft)
	s.writeCell(&b, RoleAccent, on, mark, min(1, w-1), AlignLeft)
	used := gridGutter
	for i, sp := range g.visible {
		if i > 0 {
			g.writeGap(&b, sp, on)
			used += gridGap
		}
		cell := g.src.Cell(row, sp.col)
		if cell.Align == AlignDefault {
			cell.Align = g.cols[sp.col].Align
		}
		if cell.Note != "" && models.Width(cell.withNote()) <= sp.w {
			cell.Text = cell.withNote()
		} else if g.cols[sp.col].Middle {
			cell.Text = Shorten(cell.Text, sp.w)
		}
		s.writeCell(&b, cell.Role, on, cell.Text, sp.w, cell.Align)
		used += sp.w
	}
	s.writeCell(&b, RoleText, on, "", w-used, AlignLeft)
	return b.String()
}

// Shorten omits the middle of the longest word: "CASE#ver_0000…4e5f / META".
func Shorten(text string, w int) string {
	text = models.PrintableCell(text, maxShortened)
	if w < minShortened || models.Width(text) <= w || models.Width(text) != len(text) {
		return text // Only ASCII can be cut at any byte.
	}
	word := ""
	for other := range strings.FieldsSeq(text) {
		if len(other) > len(word) {
			word = other
		}
	}
	if room := w - (len(text) - len(word)); room >= minShortened {
		before, after, _ := strings.Cut(text, word)
		return before + shortenWord(word, room) + after
	}
	if last := text[strings.LastIndex(text, " ")+1:]; len(word) >= w && !strings.ContainsAny(last, "0123456789") {
		text = word // The last word is part of the key template: META.
	}
	return shortenWord(text, w)
}

func shortenWord(text string, w int) string {
	tail := min(4, w/3)
	return text[:w-1-tail] + "…" + text[len(text)-tail:]
}

// minShortened is the minimum width, in cells, at which showing both ends of a text is useful.
const minShortened = 9

// maxShortened is the maximum length, in cells, of a text whose end Shorten shows.
const maxShortened = 256

func writeThumb(b *strings.Builder, s *Styles, thumb bool) {
	if !thumb {
		b.WriteByte(' ')
		return
	}
	s.writeCell(b, RoleBorder, SurfacePlain, "▐", 1, AlignLeft)
}

func emptyLines(s *Styles, text, hint string, w, h int) []string {
	lines := make([]string, max(h, 0))
	for i := range lines {
		lines[i] = strings.Repeat(" ", w)
	}
	if h <= 0 {
		return lines
	}
	var hints []string
	if hint != "" {
		hints = strings.Split(ansi.Wrap(hint, max(w-2, 1), ""), "\n")
		hints = hints[:min(len(hints), h-1)]
	}
	at := max((h-1-len(hints)-min(len(hints), 1))/2, 0)
	lines[at] = centerText(s, RoleMuted, text, w)
	for i, line := range hints {
		if at+1+i < h {
			lines[at+1+i] = centerText(s, RoleFaint, line, w)
		}
	}
	return lines
}

func centerText(s *Styles, r Role, text string, w int) string {
	text, used := cellText(text, w)
	left := (w - used) / 2
	return strings.Repeat(" ", left) + s.Paint(r, text) + strings.Repeat(" ", w-used-left)
}
