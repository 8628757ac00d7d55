// This file picks rows to be taken away. They are unpacked only when somebody
// takes them: that costs time and memory.

package screens

import (
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// picked are some items as they are stored, in an order.
type picked struct {
	list []models.Item // items that are at hand, else
	from shelf
	at   []int32 // places on the shelf
}

// pick are items that are at hand.
func pick(items []models.Item) picked { return picked{list: items} }

// size is the number of items.
func (p picked) size() int { return len(p.list) + len(p.at) }

// items unpacks them. It is for commands, not for the screen's own time.
func (p picked) items() []models.Item {
	if p.at == nil {
		return p.list
	}
	out := make([]models.Item, len(p.at))
	for i, at := range p.at {
		out[i] = p.from.at(int(at))
	}
	return out
}

// first are the first n of them at most.
func (p picked) first(n int) picked {
	p.list, p.at = p.list[:min(n, len(p.list))], p.at[:min(n, len(p.at))]
	return p
}

// marked are the marked items: those on the screen in its order, then those that
// a filter hides.
func (r *rows) marked() picked {
	out := picked{from: r.items}
	left := maps.Clone(r.marks.at)
	for i := 0; i < r.Len() && len(left) > 0; i++ {
		at := r.at(i)
		if _, on := left[at]; on {
			delete(left, at)
			out.at = append(out.at, int32(at))
		}
	}
	for _, at := range slices.Sorted(maps.Keys(left)) {
		out.at = append(out.at, int32(at))
	}
	return out
}

// onScreen are the items that the filter lets through, in their order on the
// screen. One that an expression shows several times is there once.
func (r *rows) onScreen() picked {
	out := picked{from: r.items, at: make([]int32, 0, r.Len())}
	seen := make([]bool, r.items.size())
	for i := range r.Len() {
		if at := r.at(i); !seen[at] {
			seen[at] = true
			out.at = append(out.at, int32(at))
		}
	}
	return out
}

// loaded are all items in the order in which they were read.
func (r *rows) loaded() picked {
	out := picked{from: r.items, at: make([]int32, r.items.size())}
	for i := range out.at {
		out.at[i] = int32(i)
	}
	return out
}
