// Package shelf keeps very many items in memory: packed, and in compressed blocks
// of a few rows, so that any of them is there again in microseconds. Nothing is
// written anywhere else.
package shelf

import (
	"sort"

	"github.com/ddbdesk/ddbdesk/models"
)

// Garbage is by how many percent the memory of a program may grow over what it
// keeps before garbage is collected, for debug.SetGCPercent, where a shelf may hold
// most of it. Collecting costs little beside a shelf, in which there are hardly any
// pointers; Go's own 100 would double what it takes.
const Garbage = 30

// A Shelf holds items as they were read, in their order. It only grows until it is
// cleared: a copy of it goes on seeing what it held, so that rows can be searched
// while more arrive. The zero value is empty and ready to use.
//
// One goroutine adds to a Shelf; copies may be read by others meanwhile.
type Shelf struct {
	press  *Press
	packer models.Packer // knows the names of all items
	blocks []block
	first  []int32 // place of each block's first item
	n      int
	open   *opened
}

// Len is the number of items.
func (s *Shelf) Len() int { return s.n }

// Clear takes all items away. Copies keep theirs.
func (s *Shelf) Clear() { *s = Shelf{} }

// Press returns what packs items for this shelf, until it is cleared. It may be
// used by another goroutine, so that packing and compressing is done where nobody
// waits.
func (s *Shelf) Press() *Press {
	if s.press == nil {
		s.press = &Press{}
	}
	return s.press
}

// Add packs items and puts them behind the others.
func (s *Shelf) Add(items []models.Item) { s.Take(s.Press().Pack(items)) }

// Take puts items behind the others that the shelf's Press packed.
func (s *Shelf) Take(b Bundle) {
	if b.press != s.Press() {
		return // They were packed before the shelf was cleared.
	}
	if b.packer.Len() > s.packer.Len() {
		s.packer = b.packer
	}
	for i := range b.blocks {
		s.first = append(s.first, int32(s.n))
		s.blocks = append(s.blocks, b.blocks[i])
		s.n += int(b.blocks[i].rows)
	}
	if s.open == nil {
		s.open = &opened{}
	}
}

// At is the i-th item. What is done to it does not reach the shelf.
func (s *Shelf) At(i int) models.Item {
	at := s.blockOf(i)
	b := &s.blocks[at]
	if b.odd != nil {
		return b.odd.Clone()
	}
	return s.packer.Unpack(b.row(s.text(at), i-int(s.first[at])))
}

// Set replaces an item. Nobody may be reading the shelf or a copy of it.
func (s *Shelf) Set(i int, it models.Item) {
	at := s.blockOf(i)
	items := make([]models.Item, s.blocks[at].rows)
	for k := range items {
		items[k] = s.At(int(s.first[at]) + k)
	}
	items[i-int(s.first[at])] = it
	b := s.Press().Pack(items)
	s.packer = b.packer
	first := make([]int32, 0, len(s.first)+len(b.blocks))
	blocks := make([]block, 0, len(s.first)+len(b.blocks))
	n := 0
	put := func(list []block) {
		for _, b := range list {
			first, blocks = append(first, int32(n)), append(blocks, b)
			n += int(b.rows)
		}
	}
	put(s.blocks[:at])
	put(b.blocks)
	put(s.blocks[at+1:])
	s.first, s.blocks, s.open = first, blocks, &opened{}
}

// Bytes is about what the items take in memory.
func (s *Shelf) Bytes() int {
	total := 0
	for i := range s.blocks {
		total += len(s.blocks[i].data) + blockBytes
	}
	return total
}

// blockOf is the block that holds the i-th item.
func (s *Shelf) blockOf(i int) int {
	return sort.Search(len(s.first), func(k int) bool { return int(s.first[k]) > i }) - 1
}

// text is what is packed in a block.
func (s *Shelf) text(at int) string {
	b := &s.blocks[at]
	if b.size == 0 {
		return b.data
	}
	if text, ok := s.open.find(at, b); ok {
		return text
	}
	text := b.expand()
	s.open.keep(at, b, text)
	return text
}

// A Reader reads the items of a shelf, best from one end to the other. It is not
// safe for concurrent use, but many may read the same shelf.
type Reader struct {
	s     Shelf
	at    int // the block that is open, -1 for none
	text  string
	items models.Unpacker
}

// Reader reads what the shelf holds now.
func (s *Shelf) Reader() *Reader {
	return &Reader{s: *s, at: -1, items: models.Unpacker{Packer: s.packer}}
}

// Len is the number of items.
func (r *Reader) Len() int { return r.s.n }

// At is the i-th item until the next call: its memory is used again. The texts in
// it stay, but each holds a block of rows in memory: who keeps one clones it.
func (r *Reader) At(i int) models.Item {
	s := &r.s
	if r.at < 0 || i < int(s.first[r.at]) || i >= int(s.first[r.at])+int(s.blocks[r.at].rows) {
		r.at, r.text = s.blockOf(i), ""
		if b := &s.blocks[r.at]; b.size > 0 {
			r.text = b.expand()
		} else {
			r.text = b.data
		}
	}
	b := &s.blocks[r.at]
	if b.odd != nil {
		return b.odd.Clone()
	}
	return r.items.Unpack(b.row(r.text, i-int(s.first[r.at])))
}
