package widget

import "strings"

// View draws the grid in exactly the size that was set. It is a plain loop over the
// visible cells that writes escape sequences made in advance.
func (g *Grid) View() string {
	if g.w <= 0 || g.h <= 0 {
		return ""
	}
	g.sync()
	spans := g.spans()
	var b strings.Builder
	b.Grow(g.w * g.h * 2)
	g.writeHeader(&b, spans)
	if g.win.n == 0 {
		g.writeEmpty(&b)
		return b.String()
	}
	from, to := g.win.thumb()
	for y := range g.win.height {
		b.WriteByte('\n')
		if row := g.win.top + y; row < g.win.n {
			g.writeRow(&b, row, spans, y >= from && y < to)
		} else {
			writeBlanks(&b, g.w)
		}
	}
	return b.String()
}

// writeHeader writes the titles and, at the edges, arrows for hidden columns.
func (g *Grid) writeHeader(b *strings.Builder, spans []span) {
	left, right := g.hidden(spans)
	sign := ""
	if left {
		sign = "‹"
	}
	s := g.styles
	s.writeCell(b, RoleAccent, SurfacePlain, sign, min(gridGutter, g.w), AlignLeft)
	used := gridGutter
	for i, sp := range spans {
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

// writeTitle writes the title of a column. The arrow of a sorted column is visible
// even if the title is cut.
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

// writeGap separates a column from the one before; a line marks the end of the
// frozen columns.
func (g *Grid) writeGap(b *strings.Builder, sp span, on Surface) {
	if g.left > g.frozen() && sp.col == g.left {
		g.styles.writeCell(b, RoleFaint, on, "│", gridGap, AlignLeft)
		return
	}
	if on == SurfacePlain {
		writeBlanks(b, gridGap)
		return
	}
	g.styles.writeCell(b, RoleText, on, "", gridGap, AlignLeft)
}

// writeRow writes one row: gutter, cells, scroll bar.
func (g *Grid) writeRow(b *strings.Builder, row int, spans []span, thumb bool) {
	on := SurfacePlain
	if row == g.win.cursor {
		on = SurfaceDim
		if g.focused {
			on = SurfaceCursor
		}
	}
	g.writeGutter(b, row, on)
	used := gridGutter
	for i, sp := range spans {
		if i > 0 {
			g.writeGap(b, sp, on)
			used += gridGap
		}
		cell := g.src.Cell(row, sp.col)
		align := cell.Align
		if align == AlignDefault {
			align = g.cols[sp.col].Align
		}
		g.styles.writeCell(b, cell.Role, on, cell.Text, sp.w, align)
		used += sp.w
	}
	if rest := g.w - 1 - used; rest > 0 {
		g.styles.writeCell(b, RoleText, on, "", rest, AlignLeft)
	}
	if g.w > gridGutter {
		writeThumb(b, g.styles, thumb)
	}
}

// writeGutter writes the cursor bar and the mark.
func (g *Grid) writeGutter(b *strings.Builder, row int, on Surface) {
	bar, mark := " ", " "
	if row == g.win.cursor {
		bar = "▌"
	}
	if g.isMarked(row) {
		mark = "●"
	}
	role := RoleAccent
	if on == SurfaceDim {
		role = RoleFaint
	}
	g.styles.writeCell(b, role, on, bar, min(1, g.w), AlignLeft)
	g.styles.writeCell(b, RoleWarn, on, mark, min(1, g.w-1), AlignLeft)
}

// writeThumb writes one cell of a scroll bar.
func writeThumb(b *strings.Builder, s *Styles, thumb bool) {
	if !thumb {
		b.WriteByte(' ')
		return
	}
	s.writeCell(b, RoleBorder, SurfacePlain, "▐", 1, AlignLeft)
}

// writeEmpty writes the text for a grid without rows, centered.
func (g *Grid) writeEmpty(b *strings.Builder) {
	for _, line := range emptyLines(g.styles, g.empty, g.hint, g.w, g.win.height) {
		b.WriteByte('\n')
		b.WriteString(line)
	}
}

// emptyLines centers a line and a hint in w by h cells.
func emptyLines(s *Styles, text, hint string, w, h int) []string {
	lines := make([]string, max(h, 0))
	for i := range lines {
		lines[i] = strings.Repeat(" ", w)
	}
	at := (h - 1) / 2
	if hint != "" && h > 1 {
		at = max((h-3)/2, 0)
	}
	if h > 0 {
		lines[at] = centered(s, RoleMuted, text, w)
	}
	if hint != "" && at+1 < h {
		lines[at+1] = centered(s, RoleFaint, hint, w)
	}
	return lines
}

func centered(s *Styles, r Role, text string, w int) string {
	text, used := cellText(text, w)
	left := (w - used) / 2
	return strings.Repeat(" ", left) + s.Paint(r, text) + strings.Repeat(" ", w-used-left)
}
