package rows

import (
	"context"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// FirstStep is the maximum number of rows in the first step.
	FirstStep = 500
	// laterStep is the maximum number of rows in each later step.
	laterStep = 40_000
	// stepTime is the maximum duration of a step, so that matches appear soon.
	stepTime = 40 * time.Millisecond
)

// An Order determines how to sort rows. The zero value keeps the order of the store.
type Order struct {
	Column     string // column for Row.SortKey
	Descending bool
}

// A Search filters and sorts the items of a store in steps. Pass it by value: a step returns the next search and does
// not modify its receiver. It is not safe for concurrent use.
type Search struct {
	filter   *Filter // nil for all rows
	original *Filter // filter before a fallback
	order    Order
	row      func(models.Item) Row

	next    int     // number of examined rows
	hits    []int32 // matching rows in order
	rank    ranking // matching rows, if the search sorts
	changed bool    // hits changed after the last call of Hits
}

// NewSearch returns a search with an order and a filter; a nil filter keeps all rows. row returns the displayable form
// of an item, which remains valid until the next call. It must be safe for concurrent use, because a step examines rows
// on several goroutines.
func NewSearch(f *Filter, o Order, row func(models.Item) Row) Search {
	return Search{filter: f, original: f, order: o, row: row, rank: ranking{descending: o.Descending}}
}

// Step examines the next rows of the store until ctx ends. It stops after about 40 ms or 40,000 rows, so that matches
// appear while the search continues. The caller repeats it until Examined equals the length of the store. Step does
// nothing once all rows are examined.
func (s Search) Step(ctx context.Context, items *Reader) Search {
	maximum := laterStep
	if s.next == 0 {
		maximum = FirstStep
	}
	found := s.Found()
	for _, p := range s.examine(ctx, items, min(s.next+maximum, items.Len())) {
		s.addPart(p)
	}
	switch {
	case !s.Sorts():
		s.changed = s.changed || s.Found() > found
	case len(s.rank.unmerged) > 0:
		s.sort(ctx, items)
	}
	return s
}

// sort merges the new rows when the merge is due, and after the last row. Without a filter, it does so only after the
// last row, because the console then shows only the complete order.
func (s *Search) sort(ctx context.Context, items *Reader) {
	if s.next < items.Len() && (s.filter == nil || !s.rank.isDue()) {
		return
	}
	s.rank.merge(func() func(at int32) []byte {
		reader, n := items.s.Reader(), 0
		var buf [2][]byte
		return func(at int32) []byte {
			if ctx.Err() != nil {
				return nil // nobody uses the result
			}
			n = 1 - n
			buf[n] = s.row(reader.At(int(at))).SortKey(s.order.Column).Append(buf[n][:0])
			return buf[n]
		}
	})
	s.hits, s.changed = s.rank.numbers(), true
}

// Sorts reports whether the rows have a different order than in the store.
func (s *Search) Sorts() bool {
	return s.order.Column != "" || s.filter != nil && s.filter.IsFuzzy()
}

// Found returns the number of matching rows.
func (s *Search) Found() int {
	if s.Sorts() {
		return s.rank.len()
	}
	return len(s.hits)
}

// Examined returns the number of examined rows.
func (s *Search) Examined() int { return s.next }

// Filter returns the filter in use, or nil.
func (s *Search) Filter() *Filter { return s.filter }

// HasFallenBack reports whether the filter in use is a fallback.
func (s *Search) HasFallenBack() bool { return s.filter != s.original }

// FallBack restarts the search with the filter's fallback if no row matches. It returns false if there is no fallback.
func (s *Search) FallBack() bool {
	if s.filter == nil || s.Found() > 0 {
		return false
	}
	next := s.filter.Fallback()
	if next == nil {
		return false
	}
	s.filter, s.next = next, 0
	return true
}

// Hits returns the numbers of the matching rows in order. changed reports whether they changed since the last call.
// hits is never nil.
func (s *Search) Hits() (hits []int32, changed bool) {
	if s.hits == nil {
		s.hits = []int32{}
	}
	changed, s.changed = s.changed, false
	return s.hits, changed
}

// Changed reports whether Hits would report a change.
func (s *Search) Changed() bool { return s.changed }
