// Package rows stores the rows of a result of any size. It keeps the items compactly, filters them by text or
// conditions, and sorts them. It sends no requests, writes no files and draws nothing.
//
// Filters and orders use the displayable form of items, which the caller masks, so neither filtering nor sorting can
// reveal a hidden value.
package rows

import (
	"sort"

	"github.com/ddbdesk/ddbdesk/models"
)

// GCPercent is a value for debug.SetGCPercent in a program whose memory is mostly a Store. A store contains few
// pointers, so frequent garbage collections are cheap; the default of 100 would double the memory.
const GCPercent = 30

// A Store keeps items in order, in compressed blocks of several items. Reading any item takes microseconds. A store
// only grows until Clear. A copy keeps its state, so that it can be searched while more items arrive. The zero value is
// empty.
//
// One goroutine may add to a Store while others read copies of it. It contains few pointers, because it must be able to
// hold millions of items.
type Store struct {
	packer *Packer
	items  models.Packer // contains the attribute names of all items
	blocks []block
	first  []int32 // number of the first item in each block
	n      int
	cache  *blockCache
}

// Len returns the number of items.
func (s *Store) Len() int { return s.n }

// Clear removes all items. Copies keep their items.
func (s *Store) Clear() { *s = Store{} }

// Packer returns the packer for this store, which is valid until Clear. Another goroutine may use it, so that the
// caller of Append does not spend time on packing.
func (s *Store) Packer() *Packer {
	if s.packer == nil {
		s.packer = &Packer{}
	}
	return s.packer
}

// Add packs items and appends them.
func (s *Store) Add(items []models.Item) { s.Append(s.Packer().Pack(items)) }

// Append appends packed items. It ignores a batch that was packed before Clear. Append batches in the order of packing,
// because later batches refer to names in earlier ones.
func (s *Store) Append(b Batch) {
	if b.packer != s.Packer() {
		return
	}
	if b.items.Len() > s.items.Len() {
		s.items = b.items
	}
	s.appendBlocks(b.blocks)
	if s.cache == nil {
		s.cache = &blockCache{}
	}
}

func (s *Store) appendBlocks(blocks []block) {
	for _, b := range blocks {
		s.first = append(s.first, int32(s.n))
		s.blocks = append(s.blocks, b)
		s.n += int(b.rows)
	}
}

// At returns a copy of the i-th item. It panics if i is out of range.
func (s *Store) At(i int) models.Item {
	at := s.blockOf(i)
	b := &s.blocks[at]
	if b.unpackable != nil {
		return b.unpackable.Clone()
	}
	return s.items.Unpack(b.row(s.text(at), i-int(s.first[at])))
}

// Set replaces an item. No other goroutine may read the store or a copy at the same time.
func (s *Store) Set(i int, it models.Item) {
	at := s.blockOf(i)
	items := make([]models.Item, s.blocks[at].rows)
	for k := range items {
		items[k] = s.At(int(s.first[at]) + k)
	}
	items[i-int(s.first[at])] = it
	b := s.Packer().Pack(items)
	old := s.blocks
	s.items, s.cache = b.items, &blockCache{}
	s.first, s.blocks, s.n = nil, nil, 0
	s.appendBlocks(old[:at])
	s.appendBlocks(b.blocks)
	s.appendBlocks(old[at+1:])
}

// Bytes returns the approximate memory that the items use, in bytes.
func (s *Store) Bytes() int {
	total := 0
	for i := range s.blocks {
		total += len(s.blocks[i].data) + blockBytes
	}
	return total
}

func (s *Store) blockOf(i int) int {
	return sort.Search(len(s.first), func(k int) bool { return int(s.first[k]) > i }) - 1
}

func (s *Store) text(at int) string {
	b := &s.blocks[at]
	if b.size == 0 {
		return b.data
	}
	if text, ok := s.cache.find(at, b); ok {
		return text
	}
	text := b.expand()
	s.cache.add(at, b, text)
	return text
}

// A Reader reads the items of a store, fastest in order. It is not safe for concurrent use, but several readers may
// read one store.
type Reader struct {
	s     Store
	at    int // number of the expanded block, or -1
	text  string
	items models.Unpacker
	more  []*Reader // readers of the same items for other goroutines
}

// Reader returns a reader for the store's current items.
func (s *Store) Reader() *Reader {
	return &Reader{s: *s, at: -1, items: models.Unpacker{Packer: s.items}}
}

func (r *Reader) others(n int) []*Reader {
	for len(r.more) < n {
		r.more = append(r.more, r.s.Reader())
	}
	return r.more[:max(n, 0)]
}

// Len returns the number of items.
func (r *Reader) Len() int { return r.s.n }

// At returns the i-th item, which is valid until the next call. Its strings remain valid, but each keeps a block of
// rows in memory, so clone strings that you keep. At panics if i is out of range.
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
	if b.unpackable != nil {
		return b.unpackable.Clone()
	}
	return r.items.Unpack(b.row(r.text, i-int(s.first[r.at])))
}
