package rows

import (
	"iter"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Selection is an ordered set of stored items. It is lazy, because reading the items takes time and memory. It keeps
// the states of the store and of the marks from its creation. Copies are independent, and several goroutines may read a
// Selection, each with its own iteration.
type Selection struct {
	list  []models.Item // items of Select; nil for a selection from a store
	store Store
	show  []int32 // numbers of the items in order; nil for all
	only  *Marks  // selects the marked items of show, then the other marked items
	limit int     // 0 for no limit
}

// Select returns a selection of items. The caller must not change the slice afterward. A nil slice selects nothing.
func Select(items []models.Item) Selection { return Selection{list: items} }

// SelectShown returns a selection of the items with the numbers in show, in that order, or of all items if show is nil.
func SelectShown(s Store, show []int32) Selection { return Selection{store: s, show: show} }

// SelectMarked returns a selection of the marked items: first those in show, in that order, then the others.
func SelectMarked(s Store, show []int32, m *Marks) Selection {
	marks := m.Clone()
	return Selection{store: s, show: show, only: &marks}
}

// First returns the selection of at most the first n items.
func (s Selection) First(n int) Selection {
	s.limit = n
	return s
}

// Len returns the number of items.
func (s Selection) Len() int {
	n := len(s.list)
	switch {
	case s.list != nil:
	case s.only != nil:
		n = s.only.Len()
	case s.show != nil:
		n = len(s.show)
	default:
		n = s.store.Len()
	}
	if s.limit > 0 {
		n = min(n, s.limit)
	}
	return n
}

// Numbers returns the store numbers of the selected items, in order. It is empty for a selection from Select.
func (s Selection) Numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		remaining := s.Len()
		var seen Marks
		// next skips items that are not selected, and reports whether to continue.
		next := func(at int) bool {
			if s.only != nil {
				if !s.only.Has(at) || seen.Has(at) {
					return true
				}
				seen.Set(at, true)
			}
			remaining--
			return remaining >= 0 && yield(at)
		}
		if s.show == nil {
			for at := range s.store.Len() {
				if !next(at) {
					return
				}
			}
		}
		for _, at := range s.show {
			if !next(int(at)) {
				return
			}
		}
		if s.only != nil && remaining > 0 {
			for at := range s.only.All() {
				if !next(at) {
					return
				}
			}
		}
	}
}

// pageSize is the number of items to unpack at once.
const pageSize = 256

func (s Selection) pages() iter.Seq[[]models.Item] {
	return func(yield func([]models.Item) bool) {
		page := make([]models.Item, 0, pageSize)
		for at := range s.Numbers() {
			page = append(page, s.store.At(at))
			if len(page) == pageSize {
				if !yield(page) {
					return
				}
				page = make([]models.Item, 0, pageSize)
			}
		}
		if len(page) > 0 {
			yield(page)
		}
	}
}

// Parts returns the items in the form that exports need: either a list, or pages with their number of items.
func (s Selection) Parts() (list []models.Item, pages iter.Seq[[]models.Item], count int) {
	if s.list != nil || s.Len() == 0 {
		return s.list, nil, 0
	}
	return nil, s.pages(), s.Len()
}

// Items returns all items. Use it only for small selections.
func (s Selection) Items() []models.Item {
	if s.list != nil {
		return s.list[:s.Len()]
	}
	out := make([]models.Item, 0, s.Len())
	for page := range s.pages() {
		out = append(out, page...)
	}
	return out
}
