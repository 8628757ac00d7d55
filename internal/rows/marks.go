package rows

import (
	"iter"
	"math/bits"
	"slices"
)

// Marks contains the store numbers of the marked items, with one bit each, so a million items need 125 KB. The zero
// value has no marks. It is not safe for concurrent use.
type Marks struct {
	bits  []uint64
	count int
}

// Len returns the number of marked items.
func (m *Marks) Len() int { return m.count }

// Has reports whether an item is marked.
func (m *Marks) Has(at int) bool { return at>>6 < len(m.bits) && m.bits[at>>6]&(1<<(at&63)) != 0 }

// Set marks or unmarks an item.
func (m *Marks) Set(at int, marked bool) {
	switch {
	case marked == m.Has(at):
	case marked:
		if need := at>>6 + 1; need > len(m.bits) {
			m.bits = append(m.bits, make([]uint64, need-len(m.bits))...)
		}
		m.bits[at>>6] |= 1 << (at & 63)
		m.count++
	default:
		m.bits[at>>6] &^= 1 << (at & 63)
		m.count--
	}
}

// All returns the numbers of the marked items in ascending order.
func (m *Marks) All() iter.Seq[int] {
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

// Toggle marks the first n items. If all of them are already marked, it removes all marks.
func (m *Marks) Toggle(n int) {
	if m.count == n {
		m.Clear()
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

// Clear removes all marks.
func (m *Marks) Clear() { *m = Marks{} }

// Clone returns a copy.
func (m *Marks) Clone() Marks { return Marks{bits: slices.Clone(m.bits), count: m.count} }
