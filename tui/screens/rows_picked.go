package screens

import (
	"iter"

	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
)

// picked are some items as they are stored, in an order.
type picked struct {
	list []models.Item // items that are at hand, else

	from rowset.Store
	all  bool    // all of them, as they were read, else
	show []int32 // places on the shelf in the order of the screen, nil for all
	only *marks  // of these the marked ones, then those that are not shown; nil for all that are shown
	most int     // no more than these, 0 for all
}

// pick are items that are at hand.
func pick(items []models.Item) picked { return picked{list: items} }

// size is the number of items.
func (p picked) size() int {
	n := len(p.list)
	switch {
	case p.list != nil:
	case p.only != nil:
		n = p.only.count
	case p.all || p.show == nil:
		n = p.from.Len()
	default:
		n = len(p.show)
	}
	if p.most > 0 {
		n = min(n, p.most)
	}
	return n
}

// places are where the items are on the shelf.
func (p picked) places() iter.Seq[int] {
	return func(yield func(int) bool) {
		n := p.from.Len()
		if !p.all && p.show != nil {
			n = len(p.show)
		}
		var seen marks
		for i := range n {
			at := i
			if !p.all && p.show != nil {
				at = int(p.show[i])
			}
			if p.only != nil && !p.only.has(at) {
				continue
			}
			if p.only != nil {
				seen.set(at, true)
			}
			if !yield(at) {
				return
			}
		}
		if p.only == nil || seen.count == p.only.count {
			return
		}
		for at := range p.only.all() {
			if !seen.has(at) && !yield(at) {
				return
			}
		}
	}
}

// pageSize is how many items are unpacked at once.
const pageSize = 256

// pages are the items, a few at a time.
func (p picked) pages() iter.Seq[[]models.Item] {
	return func(yield func([]models.Item) bool) {
		page := make([]models.Item, 0, pageSize)
		left := p.size()
		for at := range p.places() {
			if left--; left < 0 {
				break
			}
			page = append(page, p.from.At(at))
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

// parts are the items as an export takes them: at hand, or in pages.
func (p picked) parts() (list []models.Item, pages iter.Seq[[]models.Item], count int) {
	if p.list != nil || p.size() == 0 {
		return p.list, nil, 0
	}
	return nil, p.pages(), p.size()
}

// items unpacks them all: only for a few.
func (p picked) items() []models.Item {
	if p.list != nil {
		return p.list[:p.size()]
	}
	out := make([]models.Item, 0, p.size())
	for page := range p.pages() {
		out = append(out, page...)
	}
	return out
}

// first are the first n of them at most.
func (p picked) first(n int) picked {
	p.most = n
	return p
}

// marked are the marked items: those on the screen in its order, then those that
// a filter hides.
func (r *rows) marked() picked {
	only := r.marks.clone()
	return picked{from: r.items, show: r.show, only: &only}
}

// onScreen are the items that the filter lets through, in their order on the
// screen.
func (r *rows) onScreen() picked { return picked{from: r.items, show: r.show} }

// loaded are all items in the order in which they were read.
func (r *rows) loaded() picked { return picked{from: r.items, all: true} }
