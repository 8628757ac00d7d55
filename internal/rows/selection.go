package rows

import (
	"iter"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Selection is an ordered set of stored items. It is evaluated only when it is read, because that costs time and
// memory. It keeps the state of the store and the marks from its creation. It is a value: copies are independent, and
// several goroutines may read it, each with its own iteration.
type Selection struct {
	list  []models.Item // items of Select, nil for a selection from a store
	store Store
	show  []int32 // numbers of the items in order, nil for all
	only  *Marks  // select the marked items of show, then the other marked ones
	limit int     // 0 for none
}

// Select returns a selection of items. The slice must not change afterwards. Without items the selection is empty.
func Select(items []models.Item) Selection { return Selection{list: items} }

// SelectShown returns the items with the numbers in show, in that order, or all items if show is nil.
func SelectShown(s Store, show []int32) Selection { return Selection{store: s, show: show} }

// SelectMarked returns the marked items, first the items of show in that order, then the others.
func SelectMarked(s Store, show []int32, m *Marks) Selection {
	only := m.Clone()
	return Selection{store: s, show: show, only: &only}
}

// First returns at most the first n items of the selection.
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

// Numbers returns the store numbers of the selected items, in order. It is empty for a selection of Select.
func (s Selection) Numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		left := s.Len()
		var seen Marks
		// next skips unselected items and reports whether to continue.
		next := func(at int) bool {
			if s.only != nil {
				if !s.only.Has(at) || seen.Has(at) {
					return true
				}
				seen.Set(at, true)
			}
			left--
			return left >= 0 && yield(at)
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
		if s.only != nil && left > 0 {
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

// Parts returns the items in the form for an export: either a list, or pages with their number of items.
func (s Selection) Parts() (list []models.Item, pages iter.Seq[[]models.Item], count int) {
	if s.list != nil || s.Len() == 0 {
		return s.list, nil, 0
	}
	return nil, s.pages(), s.Len()
}

// Items returns all items. Use it only for a few.
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
