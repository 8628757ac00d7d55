package results

import (
	"iter"

	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// picked are some items as they are stored, in an order.
type Picked struct {
	list []models.Item // items that are at hand, else

	from rowset.Store
	all  bool    // all of them, as they were read, else
	show []int32 // places on the shelf in the order of the screen, nil for all
	only *marks  // of these the marked ones, then those that are not shown; nil for all that are shown
	most int     // no more than these, 0 for all
}

// pick are items that are at hand.
func Pick(items []models.Item) Picked { return Picked{list: items} }

// size is the number of items.
func (p Picked) Size() int {
	n := len(p.list)
	switch {
	case p.list != nil:
	case p.only != nil:
		n = p.only.Count
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
func (p Picked) Places() iter.Seq[int] {
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
			if p.only != nil && !p.only.Has(at) {
				continue
			}
			if p.only != nil {
				seen.Set(at, true)
			}
			if !yield(at) {
				return
			}
		}
		if p.only == nil || seen.Count == p.only.Count {
			return
		}
		for at := range p.only.All() {
			if !seen.Has(at) && !yield(at) {
				return
			}
		}
	}
}

// pageSize is how many items are unpacked at once.
const pageSize = 256

// pages are the items, a few at a time.
func (p Picked) pages() iter.Seq[[]models.Item] {
	return func(yield func([]models.Item) bool) {
		page := make([]models.Item, 0, pageSize)
		left := p.Size()
		for at := range p.Places() {
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
func (p Picked) Parts() (list []models.Item, pages iter.Seq[[]models.Item], count int) {
	if p.list != nil || p.Size() == 0 {
		return p.list, nil, 0
	}
	return nil, p.pages(), p.Size()
}

// items unpacks them all: only for a few.
func (p Picked) Items() []models.Item {
	if p.list != nil {
		return p.list[:p.Size()]
	}
	out := make([]models.Item, 0, p.Size())
	for page := range p.pages() {
		out = append(out, page...)
	}
	return out
}

// first are the first n of them at most.
func (p Picked) First(n int) Picked {
	p.most = n
	return p
}

// marked are the marked items: those on the screen in its order, then those that
// a filter hides.
func (r *Rows) Marked() Picked {
	only := r.Marks.clone()
	return Picked{from: r.Items, show: r.Show, only: &only}
}

// onScreen are the items that the filter lets through, in their order on the
// screen.
func (r *Rows) OnScreen() Picked { return Picked{from: r.Items, show: r.Show} }

// loaded are all items in the order in which they were read.
func (r *Rows) Loaded() Picked { return Picked{from: r.Items, all: true} }

// among are the rows that an item is compared with: those that are marked, then
// those on the screen and around it.
func Among(r *Rows) []models.Item {
	list := r.Marked().First(CompareRows).Items()
	for i := range min(r.Len(), CompareRows) {
		list = append(list, r.Items.At(r.At(i)))
	}
	return list
}

// compareRows is how many rows of a list are offered.
const CompareRows = 200

// rowName is what a file with a row is called, without its ending, whatever is
// revealed.
func RowName(env *screen.Env, t *models.Table, r *Row, raw models.Item) string {
	key := t.KeyText(present.Unrevealed(env, env.Session.Masker()).Item(t, raw))
	if r.Entity == nil {
		return key
	}
	return r.Entity.Name + "-" + key
}
