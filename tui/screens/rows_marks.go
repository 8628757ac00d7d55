package screens

import (
	"iter"
	"math/bits"
	"slices"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// marks are the marked items by their place on the shelf, a bit for each.
type marks struct {
	bits   []uint64
	count  int
	again  map[string]struct{} // keys of marked items that are being read again
	cursor string              // key of the item under the cursor that is read again, "" for none
	found  int                 // one more than the place of that item, 0 when it did not come
}

// marksAgain is how many marked items are found again when the same is asked once
// more: more of them would hold the screen.
const marksAgain = 2000

func (m *marks) has(at int) bool { return at>>6 < len(m.bits) && m.bits[at>>6]&(1<<(at&63)) != 0 }

func (m *marks) set(at int, on bool) {
	if on == m.has(at) {
		return
	}
	if !on {
		m.bits[at>>6] &^= 1 << (at & 63)
		m.count--
		return
	}
	if need := at>>6 + 1; need > len(m.bits) {
		m.bits = append(m.bits, make([]uint64, need-len(m.bits))...)
	}
	m.bits[at>>6] |= 1 << (at & 63)
	m.count++
}

// all are the places of the marked items, as they were read.
func (m *marks) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range m.bits {
			for ; word != 0; word &= word - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// setAll marks the first n places, or, when all of them are, takes the marks away.
func (m *marks) setAll(n int) {
	if m.count == n {
		m.bits, m.count = nil, 0
		return
	}
	m.bits, m.count = make([]uint64, (n+63)/64), n
	for i := range m.bits {
		m.bits[i] = ^uint64(0)
	}
	if rest := n & 63; rest > 0 {
		m.bits[n>>6] = 1<<rest - 1
	}
}

// clone are the marks as they are now.
func (m *marks) clone() marks { return marks{bits: slices.Clone(m.bits), count: m.count} }

// comeBack lets the cursor return to the item in a row when the same is asked
// again.
func (r *rows) comeBack(row int) {
	r.marks.cursor = ""
	if row >= 0 && row < r.Len() {
		r.marks.cursor = r.pattern.Table.KeyText(r.items.At(r.at(row)))
	}
}

// another forgets what belongs to an earlier question.
func (r *rows) another() {
	r.setFilter("")
	r.marks = marks{}
}

// awaits reports whether items are known by their keys that are being read again.
func (m *marks) awaits() bool { return len(m.again) > 0 || m.cursor != "" }

// dropped remembers the keys of the marked items, which are about to go. Of very
// many the marks go too.
func (m *marks) dropped(r *rows) {
	if m.count > 0 && m.again == nil {
		m.again = map[string]struct{}{}
	}
	if m.count <= marksAgain {
		for at := range m.all() {
			m.again[r.pattern.Table.KeyText(r.items.At(at))] = struct{}{}
		}
	}
	m.bits, m.count = nil, 0
}

// returned marks items again that were read again, and finds the one that the
// cursor returns to. keys are those of the items from a place on the shelf on.
func (m *marks) returned(from int, keys []string) (cursor int, ok bool) {
	for i, key := range keys {
		if _, was := m.again[key]; was {
			delete(m.again, key)
			m.set(from+i, true)
		}
		if key == m.cursor && key != "" && !ok {
			cursor, ok = from+i, true
		}
	}
	if from == 0 && len(keys) > 0 {
		m.cursor = "" // It came with the first page, or not at all.
	}
	return cursor, ok
}

// awaited is the place on the shelf of the item that the cursor returns to, when it
// came just now.
func (r *rows) awaited() (at int, ok bool) {
	at = r.marks.found - 1
	r.marks.found = 0
	return at, at >= 0
}

// markedRows is the source of a grid whose marks belong to the items.
type markedRows struct{ *rows }

// Marked reports whether the item in a row is marked.
func (r markedRows) Marked(row int) bool {
	return r.marks.has(r.at(row))
}

// SetMarked marks the item in a row, or takes its mark away.
func (r markedRows) SetMarked(row int, on bool) { r.marks.set(r.at(row), on) }

// MarkCount counts the marks, those of rows that a filter hides included.
func (r markedRows) MarkCount() int { return r.marks.count }

// markAll marks every row that the filter lets through; when all of them are,
// it takes their marks away.
func (b *Workbench) markAll() tea.Cmd {
	r := markedRows{b.job.rows}
	if r.Len() == r.items.Len() { // Each is there once.
		r.marks.setAll(r.items.Len())
		return nil
	}
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
	if b.job == nil || !b.job.gridded() || b.job.rows.items.Len() == 0 {
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
