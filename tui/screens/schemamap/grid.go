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

// mapGrid draws the map: a block of lines for each table, with a row for each entity and
// a column for each key attribute. It scrolls by lines and, in each block, by columns.
type mapGrid struct {
	st   *widget.Styles
	plan *mapPlan
	area widget.Rect // on the screen, without the frame

	at  mapSpot                 // the cursor
	on  widget.Surface          // of the cursor; SurfacePlain hides it
	lit *accesspatterns.Pattern // whose cells are highlighted, nil for none

	top   int      // first visible line
	shift []int    // first visible column of each block
	lines []string // as drawn, nil after a change
}

// blockHead is the number of lines of a block above its entities: the name of the table,
// its indexes, the key attributes, and the conditions of the highlighted pattern.
const blockHead = 4

func (g *mapGrid) view() string {
	if g.lines == nil {
		for i := range g.plan.blocks {
			g.drawBlock(i)
		}
	}
	to := min(g.top+g.area.H, len(g.lines))
	return strings.Join(g.lines[min(g.top, to):to], "\n")
}

func (g *mapGrid) spot() (*mapBlock, *models.Entity, *mapColumn) {
	b := g.plan.blocks[g.at.block]
	var e *models.Entity
	if g.at.row > 0 {
		e = b.entities[g.at.row-1]
	}
	if g.at.column < 0 {
		return b, e, nil
	}
	return b, e, &b.columns[g.at.column]
}

func (g *mapGrid) drawBlock(i int) {
	st, b := g.st, g.plan.blocks[i]
	w := max(g.area.W, 2)
	g.lines = append(
		g.lines,
		widget.Rule(st, b.table.Name, present.Plural(len(b.entities), "entity"), w),
		g.name(i, -1, "")+g.drawSources(i),
		g.name(i, 0, "key")+g.eachColumn(i, func(c int, on widget.Surface) string { return g.drawKey(b, c, on) }, 0),
		g.name(i, -1, g.conditionLabel(b))+g.eachColumn(i, func(c int, _ widget.Surface) string { return g.drawCondition(b, c) }, -1),
	)
	for r, e := range b.entities {
		g.lines = append(g.lines, g.name(i, r+1, e.Name)+
			g.eachColumn(i, func(c int, on widget.Surface) string { return g.drawCell(b, e, c, on) }, r+1))
	}
	if i+1 < len(g.plan.blocks) {
		g.lines = append(g.lines, "")
	}
}

func (g *mapGrid) conditionLabel(b *mapBlock) string {
	switch {
	case g.lit == nil || g.lit.Table != b.table:
		return ""
	case g.lit.IsRead():
		return "reads"
	}
	return "writes"
}

func (g *mapGrid) under(block, row, column int) widget.Surface {
	if row < 0 || (mapSpot{block, row, g.at.column}) != g.at || g.at.column >= 0 && column != g.at.column {
		return widget.SurfacePlain
	}
	return g.on
}

func (g *mapGrid) name(block, row int, text string) string {
	st, b := g.st, g.plan.blocks[block]
	on, sign, role := g.under(block, row, -1), " ", widget.RoleMuted
	if g.under(block, row, g.at.column) != widget.SurfacePlain {
		sign = "▌"
	}
	tail := " "
	if row > 0 {
		role = widget.RoleKey
		e := b.entities[row-1]
		if len(g.plan.overlap[e]) > 0 {
			tail = "≈"
		}
		if g.lit != nil && g.returns(e) {
			role = widget.RoleTitle
			sign = "▸"
		} else if g.lit != nil {
			role = widget.RoleFaint
		}
	}
	return st.PaintCell(widget.RoleAccent, on, sign, 2, widget.AlignLeft) +
		st.PaintCell(
			role, on, text, g.plan.name, widget.AlignLeft,
		) + st.PaintOn(widget.RoleWarn, on, tail) + st.PaintOn(widget.RoleText, on, " ")
}

func (g *mapGrid) eachColumn(block int, draw func(c int, on widget.Surface) string, row int) string {
	st, b := g.st, g.plan.blocks[block]
	var out strings.Builder
	room := g.room()
	for c := g.shift[block]; c < len(b.columns) && room > 0; c++ {
		on := g.under(block, row, c)
		gap := g.gapBefore(block, c)
		whole := on
		if g.at.column >= 0 {
			whole = widget.SurfacePlain
		}
		out.WriteString(st.PaintOn(widget.RoleBorder, whole, gap))
		out.WriteString(draw(c, on))
		room -= b.gap(c) + b.widths[c]
	}
	return out.String()
}

func (g *mapGrid) gapBefore(block, c int) string {
	switch {
	case c == g.shift[block]:
		return "│ "
	case g.plan.blocks[block].columns[c].first:
		return " │ "
	}
	return "  "
}

func (g *mapGrid) drawSources(block int) string {
	st, b := g.st, g.plan.blocks[block]
	var out strings.Builder
	for c := g.shift[block]; c < len(b.columns); {
		end := c + 1
		for end < len(b.columns) && !b.columns[end].first {
			end++
		}
		w := b.reach(c) - b.reach(end) - b.gap(c)
		out.WriteString(st.Paint(widget.RoleBorder, g.gapBefore(block, c)) + g.drawSource(b, b.columns[c], w))
		c = end
	}
	return out.String()
}

func (g *mapGrid) drawSource(b *mapBlock, c mapColumn, w int) string {
	st, text, role := g.st, c.source(), widget.RoleStrong
	if g.lit != nil {
		role = widget.RoleMuted
		if g.lit.Table == b.table && c.read(g.lit.Read) {
			role = widget.RoleTitle
		}
	}
	note, noteRole := "", widget.RoleFaint
	if x := c.index; x != nil {
		note = x.Label
		if g.plan.unused(b, x) {
			note, noteRole = unusedNote, widget.RoleWarn
		}
	}
	room := w - ansi.StringWidth(text) - 2
	if note == "" || room < 4 {
		return st.PaintCell(role, widget.SurfacePlain, text, w, widget.AlignLeft)
	}
	return st.Paint(role, text+"  ") + st.PaintCell(noteRole, widget.SurfacePlain, note, room, widget.AlignLeft)
}

func (g *mapGrid) drawKey(b *mapBlock, c int, on widget.Surface) string {
	col, role := b.columns[c], widget.RoleMuted
	if g.lit != nil && g.lit.Table == b.table && (col.read(g.lit.Read) || g.rewritten(b, col)) {
		role = widget.RoleStrong
	}
	return g.st.PaintCell(role, on, col.key.Name, b.widths[c], widget.AlignLeft)
}

func (g *mapGrid) drawCondition(b *mapBlock, c int) string {
	st, col, w := g.st, b.columns[c], b.widths[c]
	if g.lit == nil || g.lit.Table != b.table {
		return st.PaintCell(widget.RoleText, widget.SurfacePlain, "", w, widget.AlignLeft)
	}
	text, role := "", widget.RoleWarn
	switch {
	case g.rewritten(b, col):
		text = "✎ new"
	case col.read(g.lit.Read):
		text, role = conditionText(g.lit.Read, col), widget.RoleAccent
	default:
		for _, v := range g.lit.Variants {
			if col.read(v.Read) {
				text, role = "if "+strings.Join(v.When, ", "), widget.RoleMuted
			}
		}
	}
	return st.PaintCell(role, widget.SurfacePlain, text, w, widget.AlignLeft)
}

func conditionText(r accesspatterns.Read, col mapColumn) string {
	order := ""
	if col.part == partSort && r.Operation != accesspatterns.Get {
		order = "↑"
		if r.Descending {
			order = "↓"
		}
	}
	if r.Operation == accesspatterns.Scan {
		return "all"
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

func rangeText(k accesspatterns.KeyCondition) string {
	switch {
	case k.From.IsZero():
		return k.On + " ≤ " + k.To.String()
	case k.To.IsZero():
		return k.On + " ≥ " + k.From.String()
	}
	return k.From.String() + " … " + k.To.String()
}

func (g *mapGrid) returns(e *models.Entity) bool {
	return g.lit != nil && slices.Contains(g.lit.Returns, e)
}

func (g *mapGrid) rewritten(b *mapBlock, c mapColumn) bool {
	return g.lit != nil && slices.ContainsFunc(
		b.entities, func(e *models.Entity) bool { return b.rewrites(g.lit, e, c) },
	)
}

func (g *mapGrid) drawCell(b *mapBlock, e *models.Entity, c int, on widget.Surface) string {
	st, col, w := g.st, b.columns[c], b.widths[c]
	text := columnText(e, col)
	switch {
	case text == "":
		return st.PaintCell(widget.RoleFaint, on, "·", w, widget.AlignLeft)
	case g.lit != nil && !g.lights(b, e, col):
		return st.PaintCell(widget.RoleFaint, on, text, w, widget.AlignLeft)
	case col.part == partExpiry:
		return st.PaintCell(widget.RoleMuted, on, text, w, widget.AlignLeft)
	}
	t, _ := e.KeyTemplate(col.key.Name)
	given := 0
	if g.lit != nil && g.lit.IsRead() {
		given = givenSegments(g.lit.Read, col, t)
	}
	return g.plan.paintTemplate(st, t, given, w, on)
}

func (g *mapGrid) lights(b *mapBlock, e *models.Entity, c mapColumn) bool {
	return g.lit.Table == b.table && g.returns(e) && c.read(g.lit.Read) || b.rewrites(g.lit, e, c)
}

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

func (m *mapPlan) paintTemplate(st *widget.Styles, t models.Template, given, w int, on widget.Surface) string {
	var b strings.Builder
	left := w
	for i, seg := range t.Segments() {
		text, role := seg.Literal, widget.RoleText
		if seg.Name != "" {
			text, role = placeholder(seg), m.role(seg.Name)
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

func placeholder(g models.Segment) string {
	if g.Format != models.NoFormat {
		return "{" + g.Name + ":" + string(g.Format) + "}"
	}
	return "{" + g.Name + "}"
}

func (g *mapGrid) title() string {
	switch {
	case g.lit == nil:
		return "Schema"
	case g.lit.IsRead():
		return "Reads"
	}
	return "Writes"
}

func (g *mapGrid) note() string {
	left, right := g.hidden()
	note := ""
	if left {
		note = "← "
	}
	if left || right {
		note += "more columns"
	}
	if right {
		note += " →"
	}
	return note
}

func (g *mapGrid) hidden() (left, right bool) {
	b := g.here()
	return g.shift[b] > 0, g.plan.blocks[b].reach(g.shift[b]) > g.room()
}

func (g *mapGrid) here() int {
	if g.lit != nil {
		return g.plan.blockOf(g.lit.Table)
	}
	return g.at.block
}

func (g *mapGrid) nameWidth() int { return g.plan.name + 4 }

func (g *mapGrid) room() int { return max(g.area.W-g.nameWidth(), 1) }

func (b *mapBlock) reach(from int) int {
	w := 0
	for i := from; i < len(b.columns); i++ {
		w += b.gap(i) + b.widths[i]
	}
	return w
}

func (b *mapBlock) gap(i int) int {
	if b.columns[i].first {
		return 3
	}
	return 2
}

func (g *mapGrid) startOf(block int) int {
	at := 0
	for _, b := range g.plan.blocks[:block] {
		at += blockHead + len(b.entities) + 1
	}
	return at
}

func (g *mapGrid) height() int { return g.startOf(len(g.plan.blocks)) - 1 }

func (g *mapGrid) reveal() {
	block := g.here()
	b := g.plan.blocks[block]
	from, to, row := g.at.column, g.at.column, g.at.row
	if g.lit != nil {
		from, to, row = g.litColumns(b)
	}
	if from >= 0 {
		g.showColumns(block, from, to)
	} else {
		g.shift[block] = 0
	}
	first, last := g.startOf(block), g.startOf(block)+blockHead-1+row
	if row == 0 {
		last = first + blockHead - 2
	}
	h := g.area.H
	if last >= g.top+h {
		g.top = last - h + 1
	}
	if first < g.top && (last-first < h || g.lit != nil) {
		g.top = first
	} else if last < g.top {
		g.top = last
	}
	g.scroll(0)
}

func (g *mapGrid) scroll(by int) {
	g.top = min(max(g.top+by, 0), max(g.height()-g.area.H, 0))
}

func (g *mapGrid) litColumns(b *mapBlock) (from, to, row int) {
	from, to = -1, -1
	for i, c := range b.columns {
		if c.read(g.lit.Read) || g.rewritten(b, c) {
			to = i
			if from < 0 {
				from = i
			}
		}
	}
	for i, e := range b.entities {
		if g.returns(e) {
			row = i + 1
		}
	}
	return from, to, row
}

func (g *mapGrid) showColumns(block, from, to int) {
	b := g.plan.blocks[block]
	shift := min(g.shift[block], from)
	for shift < from && b.reach(shift)-b.reach(to+1) > g.room() {
		shift++
	}
	if b.reach(0) <= g.room() {
		shift = 0
	}
	g.shift[block] = shift
}

func (g *mapGrid) hit(x, y int) (mapSpot, bool) {
	line := g.top + y
	for i, b := range g.plan.blocks {
		row := line - g.startOf(i) - blockHead + 1
		if row < -blockHead+1 || row > len(b.entities) {
			continue
		}
		at := mapSpot{block: i, row: max(row, 0), column: -1}
		edge := g.nameWidth()
		for c := g.shift[i]; c < len(b.columns) && x >= edge; c++ {
			at.column = c
			edge += b.gap(c) + b.widths[c]
		}
		return at, true
	}
	return mapSpot{}, false
}
