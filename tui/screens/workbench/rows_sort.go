package workbench

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// sortOn sorts by a column; asked again, the other way round; and again, as the
// rows were read.
func (rn *runner) sortOn(j *job, key string) tea.Cmd {
	by := results.SortBy{Key: key, Order: widget.Ascending}
	if j.rows.By.Key == key {
		by.Order = map[widget.Order]widget.Order{
			widget.Unsorted: widget.Ascending, widget.Ascending: widget.Descending, widget.Descending: widget.Unsorted,
		}[j.rows.By.Order]
	}
	return rn.sortRows(j, by)
}

func (rn *runner) sortRows(j *job, by results.SortBy) tea.Cmd {
	if by.Order == widget.Unsorted {
		by.Key = ""
	}
	if by == j.rows.By {
		return nil
	}
	j.rows.By = by
	j.grid.SetColumns(j.rows.Columns()...)
	return rn.rearrange(j)
}

// keepOrder gives up sorting, which is still under way.
func (rn *runner) KeepOrder(j *job) tea.Cmd {
	at := j.place()
	cmd := j.rows.KeepOrder()
	j.grid.SetColumns(j.rows.Columns()...)
	j.settle(at)
	rn.b.draw.preview.Forget()
	return cmd
}

// sortBox is the menu of columns to sort by.
type sortBox struct {
	sideList
	b *Workbench
	j *job
}

// openSort opens the menu, at the column that is sorted by.
func (ra *rowActions) openSort() tea.Cmd {
	x := &sortBox{b: ra.b, j: ra.b.job}
	x.at = 1
	for i, key := range x.keys() {
		if key == ra.b.job.rows.By.Key && key != "" {
			x.at = i
		}
	}
	ra.b.Box = x
	return nil
}

// keys are what can be sorted by; "" is the order as read.
func (x *sortBox) keys() []string {
	keys := []string{""}
	for _, c := range x.j.rows.Shown {
		keys = append(keys, c.Key)
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
	by := func(o widget.Order) results.SortBy {
		if key == "" {
			o = widget.Unsorted
		}
		return results.SortBy{Key: key, Order: o}
	}
	switch name := press.String(); name {
	case "esc", "q":
		return nil, true
	case "enter", "s":
		order := widget.Ascending
		if x.j.rows.By == by(widget.Ascending) {
			order = widget.Descending
		}
		return x.b.runs.sortRows(x.j, by(order)), true
	case "space":
		if key != "" {
			return x.b.runs.sortOn(x.j, key), false
		}
		return x.b.runs.sortRows(x.j, results.SortBy{}), false
	case "left", "h", "+":
		return x.b.runs.sortRows(x.j, by(widget.Ascending)), false
	case "right", "l", "-":
		return x.b.runs.sortRows(x.j, by(widget.Descending)), false
	default:
		x.steer(name, len(keys))
	}
	return nil, false
}

func (x *sortBox) Over(_ *widget.Styles, background string, w, h int) string {
	foot := []string{"enter sorts, again reverses", "← ascending · → descending"}
	return x.beside(x.b, background, "Sort by", len(x.keys()), x.line, foot, w, h)
}

func (x *sortBox) line(i int, on widget.Surface, w int) string {
	s, key := x.b.env.Styles, x.keys()[i]
	title, note := results.Column{Key: key}.Title(), ""
	now := x.j.rows.By
	switch key {
	case "":
		title = "as read"
		if now.Order == widget.Unsorted {
			note = "✓"
		}
	case now.Key:
		note = now.Order.Arrow()
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
	return nil, !x.frame.Has(cx, cy)
}

// clickTitle sorts by the column whose title was clicked.
func (kb *keyboard) clickTitle(x int) tea.Cmd {
	j := kb.b.job
	col, ok := j.grid.ColumnAt(x)
	if !ok || col >= len(j.rows.Shown) || kb.b.rowKeys.noRows() != "" {
		return nil
	}
	return kb.b.runs.sortOn(j, j.rows.Shown[col].Key)
}
