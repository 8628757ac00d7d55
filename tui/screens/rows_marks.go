// This file keeps which rows are marked. A mark belongs to an item: it stays
// where rows are sorted, filtered, read on or asked for again.

package screens

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// marks are the marked items by their place on the shelf.
type marks struct {
	at     map[int]struct{}
	again  map[string]struct{} // keys of marked items that are being read again
	cursor string              // key of the item under the cursor that is read again, "" for none
}

func (m *marks) set(at int, on bool) {
	if !on {
		delete(m.at, at)
		return
	}
	if m.at == nil {
		m.at = map[int]struct{}{}
	}
	m.at[at] = struct{}{}
}

// comeBack lets the cursor return to the item in a row when the same is asked
// again.
func (r *rows) comeBack(row int) {
	r.marks.cursor = ""
	if row >= 0 && row < r.Len() {
		r.marks.cursor = r.pattern.Table.KeyText(r.items.at(r.at(row)))
	}
}

// another forgets what belongs to an earlier question.
func (r *rows) another() {
	r.setFilter("")
	r.marks = marks{}
}

// awaited is the place on the shelf of the item that the cursor returns to, if it
// came with the first page.
func (r *rows) awaited() (at int, ok bool) {
	key := r.marks.cursor
	if key == "" || r.items.size() == 0 {
		return 0, false
	}
	r.marks.cursor = ""
	for at := range r.items.size() {
		if r.pattern.Table.KeyText(r.items.at(at)) == key {
			return at, true
		}
	}
	return 0, false
}

// dropped remembers the keys of the marked items, which are about to go.
func (m *marks) dropped(r *rows) {
	if len(m.at) > 0 && m.again == nil {
		m.again = map[string]struct{}{}
	}
	for at := range m.at {
		m.again[r.pattern.Table.KeyText(r.items.at(at))] = struct{}{}
	}
	clear(m.at)
}

// returned marks the items again, from a place on the shelf on.
func (m *marks) returned(r *rows, from int) {
	for at := from; at < r.items.size() && len(m.again) > 0; at++ {
		key := r.pattern.Table.KeyText(r.items.at(at))
		if _, was := m.again[key]; was {
			delete(m.again, key)
			m.set(at, true)
		}
	}
}

// markedRows is the source of a grid whose marks belong to the items.
type markedRows struct{ *rows }

// Marked reports whether the item in a row is marked.
func (r markedRows) Marked(row int) bool {
	_, on := r.marks.at[r.at(row)]
	return on
}

// SetMarked marks the item in a row, or takes its mark away.
func (r markedRows) SetMarked(row int, on bool) { r.marks.set(r.at(row), on) }

// MarkCount counts the marks, those of rows that a filter hides included.
func (r markedRows) MarkCount() int { return len(r.marks.at) }

// markAll marks every row that the filter lets through; when all of them are,
// it takes their marks away.
func (b *Workbench) markAll() tea.Cmd {
	r := markedRows{b.job.rows}
	all := true
	for i := range r.Len() {
		all = all && r.Marked(i)
	}
	for i := range r.Len() {
		r.SetMarked(i, !all)
	}
	return nil
}

// mark marks the row under the cursor and goes to the next.
func (b *Workbench) mark() tea.Cmd {
	g := b.job.grid
	g.ToggleMark(g.Cursor())
	g.SetCursor(g.Cursor() + 1)
	b.preview.forget()
	return nil
}

// noRows says why nothing can be done with rows.
func (b *Workbench) noRows() string {
	if b.job == nil || !b.job.gridded() || b.job.rows.items.size() == 0 {
		return "there are no rows yet"
	}
	return ""
}

// onRows says why nothing can be done with the row under the cursor.
func (b *Workbench) onRows() string {
	switch {
	case b.noRows() != "":
		return b.noRows()
	case b.job.rows.Len() == 0:
		return "no row passes the filter"
	case b.focus != paneRows:
		return "go to the rows first: tab"
	}
	return ""
}

var _ widget.Marker = markedRows{}
