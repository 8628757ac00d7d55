package schemamap

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// draw makes every line of the map.
func (g *mapDrawing) draw() {
	g.lines = make([]string, 0, g.height()+1)
	for i := range g.s.plan.blocks {
		g.drawBlock(i)
	}
}

func (g *mapDrawing) drawBlock(i int) {
	st, b := g.s.env.Styles, g.s.plan.blocks[i]
	w := max(g.s.lay.grid.W, 2)
	g.lines = append(
		g.lines,
		widget.Rule(st, b.table.Name, present.Plural(len(b.entities), "entity"), w),
		g.name(i, -1, "")+g.drawWays(i),
		g.name(i, 0, "key")+g.eachColumn(i, func(c int, on widget.Surface) string { return g.drawKey(b, c, on) }, 0),
		g.name(i, -1, g.questionWord(b))+g.eachColumn(i, func(c int, _ widget.Surface) string { return g.drawQuestion(b, c) }, -1),
	)
	for r, e := range b.entities {
		g.lines = append(g.lines, g.name(i, r+1, e.Name)+
			g.eachColumn(i, func(c int, on widget.Surface) string { return g.drawCell(b, e, c, on) }, r+1))
	}
	if i+1 < len(g.s.plan.blocks) {
		g.lines = append(g.lines, "")
	}
}

// questionWord labels the row that is filled while a pattern is lit.
func (g *mapDrawing) questionWord(b *mapBlock) string {
	switch {
	case g.s.patterns.lit == nil || g.s.patterns.lit.Table != b.table:
		return ""
	case g.s.patterns.lit.IsRead():
		return "asks"
	}
	return "writes"
}

// under is the surface of a place: that of the cursor or of the terminal. A
// cursor on a name takes the whole row along.
func (g *mapDrawing) under(block, row, column int) widget.Surface {
	if g.s.focus == mapList && !g.s.patterns.narrow || row < 0 || (mapSpot{block, row, g.s.at.column}) != g.s.at {
		return widget.SurfacePlain
	}
	if g.s.at.column >= 0 && column != g.s.at.column {
		return widget.SurfacePlain
	}
	if g.s.focus == mapGrid {
		return widget.SurfaceCursor
	}
	return widget.SurfaceDim
}

// name draws the frozen column.
func (g *mapDrawing) name(block, row int, text string) string {
	st, b := g.s.env.Styles, g.s.plan.blocks[block]
	on, sign, role := g.under(block, row, -1), " ", widget.RoleMuted
	if g.under(block, row, g.s.at.column) != widget.SurfacePlain {
		sign = "▌"
	}
	tail := " "
	if row > 0 {
		role = widget.RoleKey
		e := b.entities[row-1]
		if len(g.s.plan.overlap[e]) > 0 {
			tail = "≈"
		}
		if g.s.patterns.lit != nil && g.returns(e) {
			role = widget.RoleTitle
			sign = "▸"
		} else if g.s.patterns.lit != nil {
			role = widget.RoleFaint
		}
	}
	return st.PaintCell(widget.RoleAccent, on, sign, 2, widget.AlignLeft) +
		st.PaintCell(
			role, on, text, g.s.plan.name, widget.AlignLeft,
		) + st.PaintOn(widget.RoleWarn, on, tail) + st.PaintOn(widget.RoleText, on, " ")
}

// eachColumn draws what of a row is not scrolled out.
func (g *mapDrawing) eachColumn(block int, draw func(c int, on widget.Surface) string, row int) string {
	st, b := g.s.env.Styles, g.s.plan.blocks[block]
	var out strings.Builder
	room := g.room()
	for c := g.shift[block]; c < len(b.columns) && room > 0; c++ {
		on := g.under(block, row, c)
		gap := g.gapBefore(block, c)
		whole := on
		if g.s.at.column >= 0 {
			whole = widget.SurfacePlain
		}
		out.WriteString(st.PaintOn(widget.RoleBorder, whole, gap))
		out.WriteString(draw(c, on))
		room -= b.gap(c) + b.widths[c]
	}
	return out.String()
}

// gapBefore parts a column from the one before it: by a line where another way
// to ask begins, and beside the names.
func (g *mapDrawing) gapBefore(block, c int) string {
	switch {
	case c == g.shift[block]:
		return "│ "
	case g.s.plan.blocks[block].columns[c].first:
		return " │ "
	}
	return "  "
}

// drawWays names the table and its indexes over their columns.
func (g *mapDrawing) drawWays(block int) string {
	st, b := g.s.env.Styles, g.s.plan.blocks[block]
	var out strings.Builder
	for c := g.shift[block]; c < len(b.columns); {
		end := c + 1
		for end < len(b.columns) && !b.columns[end].first {
			end++
		}
		w := b.reach(c) - b.reach(end) - b.gap(c)
		out.WriteString(st.Paint(widget.RoleBorder, g.gapBefore(block, c)) + g.drawWay(b, b.columns[c], w))
		c = end
	}
	return out.String()
}

// drawWay names the table or an index in w cells.
func (g *mapDrawing) drawWay(b *mapBlock, c mapColumn, w int) string {
	st, text, role := g.s.env.Styles, c.way(), widget.RoleStrong
	if g.s.patterns.lit != nil {
		role = widget.RoleMuted
		if g.s.patterns.lit.Table == b.table && c.asked(g.s.patterns.lit.Read) {
			role = widget.RoleTitle
		}
	}
	note, noteRole := "", widget.RoleFaint
	if x := c.index; x != nil {
		note = x.Label
		if g.s.plan.unread(b, x) {
			note, noteRole = unreadNote, widget.RoleWarn
		}
	}
	room := w - ansi.StringWidth(text) - 2
	if note == "" || room < 4 {
		return st.PaintCell(role, widget.SurfacePlain, text, w, widget.AlignLeft)
	}
	return st.Paint(role, text+"  ") + st.PaintCell(noteRole, widget.SurfacePlain, note, room, widget.AlignLeft)
}

// drawKey is the name of a key attribute.
func (g *mapDrawing) drawKey(b *mapBlock, c int, on widget.Surface) string {
	col, role := b.columns[c], widget.RoleMuted
	if g.s.patterns.lit != nil && g.s.patterns.lit.Table == b.table && (col.asked(g.s.patterns.lit.Read) || g.rewritten(b, col)) {
		role = widget.RoleStrong
	}
	return g.s.env.Styles.PaintCell(role, on, col.key.Name, b.widths[c], widget.AlignLeft)
}

// drawQuestion is what the lit pattern asks of a key attribute.
func (g *mapDrawing) drawQuestion(b *mapBlock, c int) string {
	st, col, w := g.s.env.Styles, b.columns[c], b.widths[c]
	if g.s.patterns.lit == nil || g.s.patterns.lit.Table != b.table {
		return st.PaintCell(widget.RoleText, widget.SurfacePlain, "", w, widget.AlignLeft)
	}
	text, role := "", widget.RoleWarn
	switch {
	case g.rewritten(b, col):
		text = "✎ new"
	case col.asked(g.s.patterns.lit.Read):
		text, role = asksOf(g.s.patterns.lit.Read, col), widget.RoleAccent
	default:
		for _, v := range g.s.patterns.lit.Variants {
			if col.asked(v.Read) {
				text, role = "if "+strings.Join(v.When, ", "), widget.RoleMuted
			}
		}
	}
	return st.PaintCell(role, widget.SurfacePlain, text, w, widget.AlignLeft)
}

// asksOf says what a request asks of a key attribute of its table or index.
func asksOf(r accesspatterns.Read, col mapColumn) string {
	order := ""
	if col.part == partSort && r.Operation != accesspatterns.Get {
		order = "↑"
		if r.Descending {
			order = "↓"
		}
	}
	if r.Operation == accesspatterns.Scan {
		return "all of it"
	}
	k, ok := col.condition(r)
	if !ok {
		return present.Join(order, "any", " ")
	}
	text := k.Template.String()
	switch k.Compare {
	case accesspatterns.Matches, accesspatterns.Equal:
		text = "= " + text
	case accesspatterns.BeginsWith:
		text = text + "…"
	case accesspatterns.Range:
		text = rangeText(k)
	case accesspatterns.Between:
		text += " … " + k.Upper.String()
	default:
		text = present.CompareWord(k.Compare) + " " + text
	}
	return present.Join(order, text, " ")
}

// rangeText spells a range on a part of a key.
func rangeText(k accesspatterns.KeyCondition) string {
	switch {
	case k.From.IsZero():
		return k.On + " ≤ " + k.To.String()
	case k.To.IsZero():
		return k.On + " ≥ " + k.From.String()
	}
	return k.From.String() + " … " + k.To.String()
}

// returns reports whether the lit pattern is about an entity.
func (g *mapDrawing) returns(e *models.Entity) bool {
	return g.s.patterns.lit != nil && slices.Contains(g.s.patterns.lit.Returns, e)
}

// rewritten reports whether the lit pattern writes a key of some entity anew.
func (g *mapDrawing) rewritten(b *mapBlock, c mapColumn) bool {
	return g.s.patterns.lit != nil && slices.ContainsFunc(
		b.entities, func(e *models.Entity) bool { return b.rewrites(g.s.patterns.lit, e, c) },
	)
}

// drawCell is the key template of an entity in a column.
func (g *mapDrawing) drawCell(b *mapBlock, e *models.Entity, c int, on widget.Surface) string {
	st, col, w := g.s.env.Styles, b.columns[c], b.widths[c]
	text := columnText(e, col)
	switch {
	case text == "":
		return st.PaintCell(widget.RoleFaint, on, "·", w, widget.AlignLeft)
	case g.s.patterns.lit != nil && !g.lights(b, e, col):
		return st.PaintCell(widget.RoleFaint, on, text, w, widget.AlignLeft)
	case col.part == partExpiry:
		return st.PaintCell(widget.RoleMuted, on, text, w, widget.AlignLeft)
	}
	t, _ := e.KeyTemplate(col.key.Name)
	given := 0
	if g.s.patterns.lit != nil && g.s.patterns.lit.IsRead() {
		given = givenSegments(g.s.patterns.lit.Read, col, t)
	}
	return g.paintTemplateCell(t, given, w, on)
}

// lights reports whether the lit pattern reads or rewrites a cell.
func (g *mapDrawing) lights(b *mapBlock, e *models.Entity, c mapColumn) bool {
	return g.s.patterns.lit.Table == b.table && g.returns(e) && c.asked(g.s.patterns.lit.Read) || b.rewrites(g.s.patterns.lit, e, c)
}

// givenSegments is how many segments of a template the request fixes: those
// that a person gives, or that are constant.
func givenSegments(r accesspatterns.Read, c mapColumn, t models.Template) int {
	k, ok := c.condition(r)
	if !ok {
		return 0
	}
	n := len(t.Segments())
	switch k.Compare {
	case accesspatterns.BeginsWith:
		return min(len(k.Template.Segments()), n)
	case accesspatterns.Range:
		return 1 + slices.IndexFunc(t.Segments(), func(g models.Segment) bool { return g.Name == k.On })
	default:
		return n
	}
}

// paintTemplateCell draws a template in w cells: every placeholder has its
// colour wherever it stands in the map, and what a request fixes is underlined.
func (g *mapDrawing) paintTemplateCell(t models.Template, given, w int, on widget.Surface) string {
	st := g.s.env.Styles
	var b strings.Builder
	left := w
	for i, seg := range t.Segments() {
		text, role := seg.Literal, widget.RoleText
		if seg.Name != "" {
			text, role = placeholder(seg), g.s.plan.Role(seg.Name)
		}
		if i < given {
			role = widget.RoleMatch
		}
		used := ansi.StringWidth(text)
		if used > left {
			b.WriteString(st.PaintCell(role, on, text, left, widget.AlignLeft))
			left = 0
			break
		}
		b.WriteString(st.PaintOn(role, on, text))
		left -= used
	}
	return b.String() + st.PaintCell(widget.RoleText, on, "", left, widget.AlignLeft)
}

// placeholder spells a placeholder as the profile does.
func placeholder(g models.Segment) string {
	if g.Format != models.NoFormat {
		return "{" + g.Name + ":" + string(g.Format) + "}"
	}
	return "{" + g.Name + "}"
}
