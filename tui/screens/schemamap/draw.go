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
func (s *mapScreen) draw() {
	s.lines = make([]string, 0, s.height()+1)
	for i := range s.plan.blocks {
		s.drawBlock(i)
	}
}

func (s *mapScreen) drawBlock(i int) {
	st, b := s.env.Styles, s.plan.blocks[i]
	w := max(s.lay.grid.W, 2)
	s.lines = append(
		s.lines,
		widget.Rule(st, b.table.Name, present.Plural(len(b.entities), "entity"), w),
		s.name(i, -1, "")+s.drawWays(i),
		s.name(i, 0, "key")+s.eachColumn(i, func(c int, on widget.Surface) string { return s.drawKey(b, c, on) }, 0),
		s.name(i, -1, s.questionWord(b))+s.eachColumn(i, func(c int, _ widget.Surface) string { return s.drawQuestion(b, c) }, -1),
	)
	for r, e := range b.entities {
		s.lines = append(s.lines, s.name(i, r+1, e.Name)+
			s.eachColumn(i, func(c int, on widget.Surface) string { return s.drawCell(b, e, c, on) }, r+1))
	}
	if i+1 < len(s.plan.blocks) {
		s.lines = append(s.lines, "")
	}
}

// questionWord labels the row that is filled while a pattern is lit.
func (s *mapScreen) questionWord(b *mapBlock) string {
	switch {
	case s.lit == nil || s.lit.Table != b.table:
		return ""
	case s.lit.IsRead():
		return "asks"
	}
	return "writes"
}

// under is the surface of a place: that of the cursor or of the terminal. A
// cursor on a name takes the whole row along.
func (s *mapScreen) under(block, row, column int) widget.Surface {
	if s.focus == mapList && !s.narrow || row < 0 || (mapSpot{block, row, s.at.column}) != s.at {
		return widget.SurfacePlain
	}
	if s.at.column >= 0 && column != s.at.column {
		return widget.SurfacePlain
	}
	if s.focus == mapGrid {
		return widget.SurfaceCursor
	}
	return widget.SurfaceDim
}

// name draws the frozen column.
func (s *mapScreen) name(block, row int, text string) string {
	st, b := s.env.Styles, s.plan.blocks[block]
	on, sign, role := s.under(block, row, -1), " ", widget.RoleMuted
	if s.under(block, row, s.at.column) != widget.SurfacePlain {
		sign = "▌"
	}
	tail := " "
	if row > 0 {
		role = widget.RoleKey
		e := b.entities[row-1]
		if len(s.plan.overlap[e]) > 0 {
			tail = "≈"
		}
		if s.lit != nil && s.returns(e) {
			role = widget.RoleTitle
			sign = "▸"
		} else if s.lit != nil {
			role = widget.RoleFaint
		}
	}
	return st.PaintCell(widget.RoleAccent, on, sign, 2, widget.AlignLeft) +
		st.PaintCell(role, on, text, s.plan.name, widget.AlignLeft) + st.PaintOn(widget.RoleWarn, on, tail) + st.PaintOn(widget.RoleText, on, " ")
}

// eachColumn draws what of a row is not scrolled out.
func (s *mapScreen) eachColumn(block int, draw func(c int, on widget.Surface) string, row int) string {
	st, b := s.env.Styles, s.plan.blocks[block]
	var out strings.Builder
	room := s.room()
	for c := s.shift[block]; c < len(b.columns) && room > 0; c++ {
		on := s.under(block, row, c)
		gap := s.gapBefore(block, c)
		whole := on
		if s.at.column >= 0 {
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
func (s *mapScreen) gapBefore(block, c int) string {
	switch {
	case c == s.shift[block]:
		return "│ "
	case s.plan.blocks[block].columns[c].first:
		return " │ "
	}
	return "  "
}

// drawWays names the table and its indexes over their columns.
func (s *mapScreen) drawWays(block int) string {
	st, b := s.env.Styles, s.plan.blocks[block]
	var out strings.Builder
	for c := s.shift[block]; c < len(b.columns); {
		end := c + 1
		for end < len(b.columns) && !b.columns[end].first {
			end++
		}
		w := b.reach(c) - b.reach(end) - b.gap(c)
		out.WriteString(st.Paint(widget.RoleBorder, s.gapBefore(block, c)) + s.drawWay(b, b.columns[c], w))
		c = end
	}
	return out.String()
}

// drawWay names the table or an index in w cells.
func (s *mapScreen) drawWay(b *mapBlock, c mapColumn, w int) string {
	st, text, role := s.env.Styles, c.way(), widget.RoleStrong
	if s.lit != nil {
		role = widget.RoleMuted
		if s.lit.Table == b.table && c.asked(s.lit.Read) {
			role = widget.RoleTitle
		}
	}
	note, noteRole := "", widget.RoleFaint
	if x := c.index; x != nil {
		note = x.Label
		if s.plan.unread(b, x) {
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
func (s *mapScreen) drawKey(b *mapBlock, c int, on widget.Surface) string {
	col, role := b.columns[c], widget.RoleMuted
	if s.lit != nil && s.lit.Table == b.table && (col.asked(s.lit.Read) || s.rewritten(b, col)) {
		role = widget.RoleStrong
	}
	return s.env.Styles.PaintCell(role, on, col.key.Name, b.widths[c], widget.AlignLeft)
}

// drawQuestion is what the lit pattern asks of a key attribute.
func (s *mapScreen) drawQuestion(b *mapBlock, c int) string {
	st, col, w := s.env.Styles, b.columns[c], b.widths[c]
	if s.lit == nil || s.lit.Table != b.table {
		return st.PaintCell(widget.RoleText, widget.SurfacePlain, "", w, widget.AlignLeft)
	}
	text, role := "", widget.RoleWarn
	switch {
	case s.rewritten(b, col):
		text = "✎ new"
	case col.asked(s.lit.Read):
		text, role = asksOf(s.lit.Read, col), widget.RoleAccent
	default:
		for _, v := range s.lit.Variants {
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
func (s *mapScreen) returns(e *models.Entity) bool {
	return s.lit != nil && slices.Contains(s.lit.Returns, e)
}

// rewritten reports whether the lit pattern writes a key of some entity anew.
func (s *mapScreen) rewritten(b *mapBlock, c mapColumn) bool {
	return s.lit != nil && slices.ContainsFunc(b.entities, func(e *models.Entity) bool { return b.rewrites(s.lit, e, c) })
}

// drawCell is the key template of an entity in a column.
func (s *mapScreen) drawCell(b *mapBlock, e *models.Entity, c int, on widget.Surface) string {
	st, col, w := s.env.Styles, b.columns[c], b.widths[c]
	text := columnText(e, col)
	switch {
	case text == "":
		return st.PaintCell(widget.RoleFaint, on, "·", w, widget.AlignLeft)
	case s.lit != nil && !s.lights(b, e, col):
		return st.PaintCell(widget.RoleFaint, on, text, w, widget.AlignLeft)
	case col.part == partExpiry:
		return st.PaintCell(widget.RoleMuted, on, text, w, widget.AlignLeft)
	}
	t, _ := e.KeyTemplate(col.key.Name)
	given := 0
	if s.lit != nil && s.lit.IsRead() {
		given = givenSegments(s.lit.Read, col, t)
	}
	return s.paintTemplateCell(t, given, w, on)
}

// lights reports whether the lit pattern reads or rewrites a cell.
func (s *mapScreen) lights(b *mapBlock, e *models.Entity, c mapColumn) bool {
	return s.lit.Table == b.table && s.returns(e) && c.asked(s.lit.Read) || b.rewrites(s.lit, e, c)
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
func (s *mapScreen) paintTemplateCell(t models.Template, given, w int, on widget.Surface) string {
	st := s.env.Styles
	var b strings.Builder
	left := w
	for i, g := range t.Segments() {
		text, role := g.Literal, widget.RoleText
		if g.Name != "" {
			text, role = placeholder(g), s.plan.Role(g.Name)
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
