package queue

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queueRow is an item that needs a decision, or needed one until the last refresh.
type queueRow struct {
	key   string // its primary key: results.Key
	item  models.Item
	isNew bool // it came with a refresh, and the user has not opened it or refreshed since
	gone  bool // it left the queue with the last refresh
}

// queueRows is the source of the grid: the columns of the pattern after one that says
// which rows are new or resolved. Row i is item i of the store.
type queueRows struct {
	*results.Table
	list []*queueRow
	ran  bool     // items arrived
	news bool     // the column of new and resolved rows has room
	lost []string // the marked items that left, until the user marks others or was asked
}

func newQueueRows(env *screen.Env, p *accesspatterns.Pattern) *queueRows {
	r := &queueRows{Table: results.NewTable(env, p)}
	r.layOut(false)
	r.Grid.SetSource(r)
	r.Grid.SetMarkable(true)
	return r
}

// The widest cells of a queue that are not a state, a time or a number, so that more columns fit.
const (
	idCells    = 20 // the beginning and the end of an ID
	titleCells = 28
)

func (r *queueRows) layOut(news bool) {
	r.news = news
	first := widget.Column{Width: 1, Frozen: true}
	if news {
		first = widget.Column{Min: 8, Max: 8, Frozen: true}
	}
	columns := r.Columns()
	for i := range columns {
		switch c := &columns[i]; {
		case c.Width != 0 || len(columns) == 1:
		case c.Middle:
			c.Max = idCells
		case i == 0:
			c.Max = titleCells
		}
	}
	r.Grid.SetColumns(append([]widget.Column{first}, columns...)...)
}

// Cell presents a value. Resolved rows are gray.
func (r *queueRows) Cell(i, col int) widget.Cell {
	row := r.list[i]
	switch {
	case col == 0 && row.gone:
		return widget.Cell{Text: "resolved", Role: widget.RoleFaint}
	case col == 0 && row.isNew:
		return widget.Cell{Text: "new", Role: widget.RoleGood}
	case col == 0:
		return widget.Cell{}
	}
	c := r.Table.Cell(i, col-1)
	if row.gone {
		c.Role = widget.RoleFaint
	}
	return c
}

// SetMarked marks a row, unless it is resolved.
func (r *queueRows) SetMarked(i int, on bool) {
	r.Marks.Set(i, on && !r.list[i].gone)
	if on {
		r.lost = nil
	}
}

func (r *queueRows) markAll() {
	all := r.Marks.Len() == r.waiting()
	for i := range r.list {
		r.SetMarked(i, !all)
	}
}

func (r *queueRows) count(is func(*queueRow) bool) int {
	n := 0
	for _, row := range r.list {
		if is(row) {
			n++
		}
	}
	return n
}

func (r *queueRows) waiting() int { return r.count(func(row *queueRow) bool { return !row.gone }) }

func (r *queueRows) items() []models.Item {
	var list []models.Item
	for _, row := range r.list {
		if !row.gone {
			list = append(list, row.item)
		}
	}
	return list
}

func (r *queueRows) index(key string) int {
	return slices.IndexFunc(r.list, func(row *queueRow) bool { return row.key == key })
}

// take keeps rows that left the queue for one refresh, each after the row that it followed. The cursor and the marks
// stay on their items.
func (r *queueRows) take(items []models.Item) tea.Cmd {
	next, now := r.refreshed(items)
	r.list = withResolved(r.list, next, now)
	list := make([]models.Item, len(r.list))
	for i, row := range r.list {
		list[i] = row.item
	}
	at := r.Grid.Cursor()
	r.KeepCursor(at)
	marks := r.Marks.Len()
	tooMany := r.Clear()
	if tooMany != nil {
		r.lost = append(r.lost, present.Plural(marks, "item"))
	}
	r.Add(list)
	lost := r.Lost()
	for i, row := range r.list {
		if row.gone && r.Marked(i) {
			r.Marks.Set(i, false)
			lost = append(lost, r.Name(row.item))
		}
	}
	if !r.ran {
		r.ran = true
		r.Grid.SetSource(r) // The widths of the columns fit the first rows.
	}
	if news := r.count(func(row *queueRow) bool { return row.gone || row.isNew }) > 0; news != r.news {
		r.layOut(news)
	}
	if found, ok := r.CursorFound(); ok {
		at = found
	}
	r.Grid.SetCursor(max(at, 0))
	r.ForgetPreview()
	if len(lost) == 0 {
		return tooMany
	}
	r.lost = append(r.lost, lost...)
	return tea.Batch(tooMany, screen.Send(screen.NoticeMsg{
		Text: fmt.Sprintf("%s removed: %s left the queue", present.Plural(len(lost), "mark"), results.NameSome(lost)), Bad: true,
	}))
}

func (r *queueRows) refreshed(items []models.Item) (next []*queueRow, now map[string]bool) {
	before := map[string]*queueRow{}
	for _, old := range r.list {
		before[old.key] = old
	}
	now = map[string]bool{}
	for i, key := range results.Keys(r.Pattern.Table, items) {
		if now[key] {
			continue // The item moved while the pages were read.
		}
		now[key] = true
		row := &queueRow{key: key, item: items[i], isNew: r.ran}
		if old := before[key]; old != nil && !old.gone {
			row.isNew = old.isNew
		}
		next = append(next, row)
	}
	return next, now
}

func withResolved(old, next []*queueRow, now map[string]bool) []*queueRow {
	after := map[string][]*queueRow{} // by the key of the row that they follow
	last := ""
	for _, row := range old {
		switch {
		case now[row.key]:
			last = row.key
		case !row.gone:
			after[last] = append(after[last], &queueRow{key: row.key, item: row.item, gone: true})
		}
	}
	list := slices.Clone(after[""])
	for _, row := range next {
		list = append(append(list, row), after[row.key]...)
	}
	return list
}

func (r *queueRows) learn(list []screen.Committed) {
	for _, c := range list {
		if c.Table != r.Pattern.Table {
			continue
		}
		i := r.index(results.Key(c.Table, c.Key))
		switch {
		case i < 0:
		case c.Item == nil:
			row := *r.list[i]
			row.gone = true
			r.list[i] = &row
			r.SetMarked(i, false)
		default:
			row := *r.list[i]
			row.item = c.Item
			r.list[i] = &row
			r.Replace(i, c.Item)
			r.ForgetPreview()
		}
	}
}

func (r *queueRows) now(key string) (models.Item, bool) {
	if i := r.index(key); i >= 0 && !r.list[i].gone {
		return r.list[i].item, true
	}
	return nil, false
}
