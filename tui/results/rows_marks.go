package results

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// marks are the marked items by their place on the shelf, a bit for each.
type marks struct {
	bits   []uint64
	Count  int
	again  map[string]struct{} // keys of marked items that are being read again
	cursor string              // key of the item under the cursor that is read again, "" for none
	found  int                 // one more than the place of that item, 0 when it did not come
}

// marksAgain is how many marked items are found again when the same is asked once
// more: more of them would hold the screen.
const marksAgain = 2000

func (m *marks) Has(at int) bool { return at>>6 < len(m.bits) && m.bits[at>>6]&(1<<(at&63)) != 0 }

func (m *marks) Set(at int, on bool) {
	if on == m.Has(at) {
		return
	}
	if !on {
		m.bits[at>>6] &^= 1 << (at & 63)
		m.Count--
		return
	}
	if need := at>>6 + 1; need > len(m.bits) {
		m.bits = append(m.bits, make([]uint64, need-len(m.bits))...)
	}
	m.bits[at>>6] |= 1 << (at & 63)
	m.Count++
}

// all are the places of the marked items, as they were read.
func (m *marks) All() iter.Seq[int] {
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
func (m *marks) SetAll(n int) {
	if m.Count == n {
		m.bits, m.Count = nil, 0
		return
	}
	m.bits, m.Count = make([]uint64, (n+63)/64), n
	for i := range m.bits {
		m.bits[i] = ^uint64(0)
	}
	if rest := n & 63; rest > 0 {
		m.bits[n>>6] = 1<<rest - 1
	}
}

// clone are the marks as they are now.
func (m *marks) clone() marks { return marks{bits: slices.Clone(m.bits), Count: m.Count} }

// comeBack lets the cursor return to the item in a row when the same is asked
// again.
func (r *Rows) ComeBack(row int) {
	r.Marks.cursor = ""
	if row >= 0 && row < r.Len() {
		r.Marks.cursor = r.Pattern.Table.KeyText(r.Items.At(r.At(row)))
	}
}

// another forgets what belongs to an earlier question.
func (r *Rows) Another() {
	r.SetFilter("")
	r.Marks = marks{}
}

// awaits reports whether items are known by their keys that are being read again.
func (m *marks) Awaits() bool { return len(m.again) > 0 || m.cursor != "" }

// dropped remembers the keys of the marked items, which are about to go. Of very
// many the marks go too.
func (m *marks) dropped(r *Rows) {
	if m.Count > 0 && m.again == nil {
		m.again = map[string]struct{}{}
	}
	if m.Count <= marksAgain {
		for at := range m.All() {
			m.again[r.Pattern.Table.KeyText(r.Items.At(at))] = struct{}{}
		}
	}
	m.bits, m.Count = nil, 0
}

// returned marks items again that were read again, and finds the one that the
// cursor returns to. keys are those of the items from a place on the shelf on.
func (m *marks) returned(from int, keys []string) (cursor int, ok bool) {
	for i, key := range keys {
		if _, was := m.again[key]; was {
			delete(m.again, key)
			m.Set(from+i, true)
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
func (r *Rows) Awaited() (at int, ok bool) {
	at = r.Marks.found - 1
	r.Marks.found = 0
	return at, at >= 0
}

// markedRows is the source of a grid whose marks belong to the items.
type MarkedRows struct{ *Rows }

// Marked reports whether the item in a row is marked.
func (r MarkedRows) Marked(row int) bool {
	return r.Marks.Has(r.At(row))
}

// SetMarked marks the item in a row, or takes its mark away.
func (r MarkedRows) SetMarked(row int, on bool) { r.Marks.Set(r.At(row), on) }

// MarkCount counts the marks, those of rows that a filter hides included.
func (r MarkedRows) MarkCount() int { return r.Marks.Count }

var _ widget.Marker = MarkedRows{}
