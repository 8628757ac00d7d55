package queue

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queueRow is an item that waits, or did until the last refresh.
type queueRow struct {
	key  string // its primary key, spelled
	item models.Item
	news bool // it came with a refresh and was not looked at yet
	gone bool // it left with the last refresh
}

// queueRows is the source of a queue's grid: a column of news before those of
// the entity.
type queueRows struct {
	*results.Rows
	list []*queueRow
	ran  bool
}

func newQueueRows(env *screen.Env, p *accesspatterns.Pattern) *queueRows {
	return &queueRows{Rows: results.NewRows(env, p)}
}

// columns are those of the rows, after the one that says what is new.
func (r *queueRows) Columns() []widget.Column {
	cols := r.Rows.Columns()
	return append([]widget.Column{{Title: "", Min: 4, Max: 4, Frozen: true}}, cols...)
}

// Len is the number of rows.
func (r *queueRows) Len() int { return len(r.list) }

// Cell presents a value; a row that left is grey.
func (r *queueRows) Cell(i, col int) widget.Cell {
	row := r.list[i]
	if col == 0 {
		switch {
		case row.gone:
			return widget.Cell{Text: "left", Role: widget.RoleFaint}
		case row.news:
			return widget.Cell{Text: "new", Role: widget.RoleGood}
		}
		return widget.Cell{}
	}
	c := r.Rows.Cell(i, col-1)
	if row.gone {
		c.Role = widget.RoleFaint
	}
	return c
}

// take brings a refresh in: the order is the refresh's, and what left stands
// behind the row that it stood behind before.
func (r *queueRows) Take(items []models.Item) {
	table := r.Pattern.Table
	before := map[string]*queueRow{}
	for _, old := range r.list {
		before[old.key] = old
	}
	next := make([]*queueRow, 0, len(items))
	now := map[string]bool{}
	for _, it := range items {
		key := table.KeyText(it)
		if now[key] {
			continue
		}
		now[key] = true
		row := &queueRow{key: key, item: it, news: r.ran}
		if old := before[key]; old != nil && !old.gone {
			row.news = old.news
		}
		next = append(next, row)
	}
	r.list = withLeft(r.list, next, now)
	r.ran = true
	list := make([]models.Item, len(r.list))
	for i, row := range r.list {
		list[i] = row.item
	}
	r.Items.Clear()
	r.Items.Add(list)
	r.Kept.Clear()
}

// learn brings in what a change made of an item that waited: it leaves as it
// became, not as it was.
func (r *queueRows) learn(p *change.Plan) {
	for _, w := range p.Writes {
		if w.Table != r.Pattern.Table || w.After == nil {
			continue
		}
		if i := r.index(w.Table.KeyText(w.Key)); i >= 0 {
			r.list[i].item = w.After
			r.Items.Set(i, w.After)
		}
	}
	r.Kept.Clear()
}

// withLeft puts the rows that left just now between those that are there.
func withLeft(old, next []*queueRow, now map[string]bool) []*queueRow {
	behind := map[string][]*queueRow{}
	last := ""
	for _, row := range old {
		switch {
		case now[row.key]:
			last = row.key
		case !row.gone:
			behind[last] = append(behind[last], &queueRow{key: row.key, item: row.item, gone: true})
		}
	}
	list := append([]*queueRow(nil), behind[""]...)
	for _, row := range next {
		list = append(append(list, row), behind[row.key]...)
	}
	return list
}

// index returns where a key stands, -1 when it does not.
func (r *queueRows) index(key string) int {
	for i, row := range r.list {
		if row.key == key {
			return i
		}
	}
	return -1
}

// fresh counts what is new, waiting what waits.
func (r *queueRows) fresh() int {
	n := 0
	for _, row := range r.list {
		if row.news {
			n++
		}
	}
	return n
}

func (r *queueRows) waiting() int {
	n := 0
	for _, row := range r.list {
		if !row.gone {
			n++
		}
	}
	return n
}

// looked takes the mark of news away: somebody saw them all.
func (r *queueRows) looked() {
	for _, row := range r.list {
		row.news = false
	}
}

// bring takes a refresh into the grid; the cursor and the marks stay on their
// items.
func (j *queueJob) bring(items []models.Item) {
	cursor, at := "", j.grid.Cursor()
	if r := j.selected(); r != nil {
		cursor = r.key
	}
	var marks []string
	for _, i := range j.grid.Marked() {
		if r := j.rows.list[i]; !r.gone {
			marks = append(marks, r.key)
		}
	}
	first := !j.rows.ran
	j.rows.Take(items)
	if first {
		j.grid.SetSource(j.rows)
	}
	j.grid.ClearMarks()
	for _, key := range marks {
		if i := j.rows.index(key); !j.rows.list[i].gone {
			j.grid.ToggleMark(i)
		}
	}
	if i := j.rows.index(cursor); i >= 0 {
		j.grid.SetCursor(i)
	} else {
		j.grid.SetCursor(max(at, 0))
	}
}
