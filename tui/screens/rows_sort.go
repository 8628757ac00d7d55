package screens

import (
	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// sortOn sorts by a column; asked again, the other way round; and again, as the
// rows were read.
func (b *Workbench) sortOn(j *job, key string) tea.Cmd {
	by := sortBy{key, widget.Ascending}
	if j.rows.by.key == key {
		by.order = map[widget.Order]widget.Order{
			widget.Unsorted: widget.Ascending, widget.Ascending: widget.Descending, widget.Descending: widget.Unsorted,
		}[j.rows.by.order]
	}
	return b.sortRows(j, by)
}

func (b *Workbench) sortRows(j *job, by sortBy) tea.Cmd {
	if by.order == widget.Unsorted {
		by.key = ""
	}
	if by == j.rows.by {
		return nil
	}
	j.rows.by = by
	j.grid.SetColumns(j.rows.columns()...)
	return b.rearrange(j)
}

// keepOrder gives up sorting, which is still under way.
func (b *Workbench) keepOrder(j *job) tea.Cmd {
	at := j.place()
	cmd := j.rows.keepOrder()
	j.grid.SetColumns(j.rows.columns()...)
	j.settle(at)
	b.preview.forget()
	return cmd
}

// sortBox is the menu of columns to sort by.
type sortBox struct {
	sideList
	b *Workbench
	j *job
}

// openSort opens the menu, at the column that is sorted by.
func (b *Workbench) openSort() tea.Cmd {
	x := &sortBox{b: b, j: b.job}
	x.at = 1
	for i, key := range x.keys() {
		if key == b.job.rows.by.key && key != "" {
			x.at = i
		}
	}
	b.box = x
	return nil
}

// keys are what can be sorted by; "" is the order as read.
func (x *sortBox) keys() []string {
	keys := []string{""}
	for _, c := range x.j.rows.shown {
		keys = append(keys, c.key)
	}
	return keys
}

func (x *sortBox) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	keys := x.keys()
	x.move(0, len(keys))
	key := keys[x.at]
	by := func(o widget.Order) sortBy {
		if key == "" {
			o = widget.Unsorted
		}
		return sortBy{key, o}
	}
	switch name := press.String(); name {
	case "esc", "q":
		return nil, true
	case "enter", "s":
		order := widget.Ascending
		if x.j.rows.by == by(widget.Ascending) {
			order = widget.Descending
		}
		return x.b.sortRows(x.j, by(order)), true
	case "space":
		if key != "" {
			return x.b.sortOn(x.j, key), false
		}
		return x.b.sortRows(x.j, sortBy{}), false
	case "left", "h", "+":
		return x.b.sortRows(x.j, by(widget.Ascending)), false
	case "right", "l", "-":
		return x.b.sortRows(x.j, by(widget.Descending)), false
	default:
		x.steer(name, len(keys))
	}
	return nil, false
}

func (x *sortBox) Over(_ *widget.Styles, background string, w, h int) string {
	foot := []string{"enter sorts, again the other way", "← ascending · → descending"}
	return x.beside(x.b, background, "Sort by", len(x.keys()), x.line, foot, w, h)
}

func (x *sortBox) line(i int, on widget.Surface, w int) string {
	s, key := x.b.env.Styles, x.keys()[i]
	title, note := column{key: key}.title(), ""
	now := x.j.rows.by
	switch key {
	case "":
		title = "as read"
		if now.order == widget.Unsorted {
			note = "✓"
		}
	case now.key:
		note = now.order.Arrow()
	}
	return s.PaintCell(widget.RoleText, on, title, max(w-2, 0), widget.AlignLeft) +
		s.PaintCell(widget.RoleAccent, on, note, min(2, w), widget.AlignLeft)
}

func (x *sortBox) Cursor() *tea.Cursor { return nil }

func (x *sortBox) SetStyles(*widget.Styles) {}

func (x *sortBox) Wheel(up bool) { x.move(map[bool]int{true: -1, false: 1}[up], len(x.keys())) }

func (x *sortBox) Click(cx, cy int) (cmd tea.Cmd, done bool) {
	line, ok := x.hitLine(cx, cy, len(x.keys()))
	if ok {
		x.at = line
		return x.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	}
	return nil, !x.frame.has(cx, cy)
}

// clickTitle sorts by the column whose title was clicked.
func (b *Workbench) clickTitle(x int) tea.Cmd {
	j := b.job
	col, ok := j.grid.ColumnAt(x)
	if !ok || col >= len(j.rows.shown) || b.noRows() != "" {
		return nil
	}
	return b.sortOn(j, j.rows.shown[col].key)
}
