package rows

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/models"
)

// A rankedRow needs only sixteen bytes, so that sorting a million rows needs little memory beside their items.
type rankedRow struct {
	head uint64 // first bytes of the sort key, inverted in descending order
	at   int32  // number of the row in the store
	tail uint32 // position of the rest of the key, 0 if there is none
}

const (
	// headBytes is the length of the part of a key within the ranked row.
	headBytes = 8
	// keyBytes is the length of the stored part of a key. Rows with equal stored parts compare their whole keys, which
	// the search computes again.
	keyBytes = 128
)

// A ranking is a sorted list of rows. Steps pass it by value, and a copy keeps its order.
type ranking struct {
	descending bool
	rows       []rankedRow // sorted rows
	unmerged   []rankedRow // rows that are not merged yet
	tails      [][]byte    // rest of each key, preceded by its length
	used       int         // used length of the last element of tails
}

// tails consists of pieces, because growing a single text would need twice its memory. The position of a tail combines
// the number of its piece and the offset within it.
const (
	tailBits  = 18
	tailPiece = 1 << tailBits
)

func (r *ranking) add(at int, key []byte) {
	h := rankedRow{at: int32(at)}
	var head [headBytes]byte
	n := copy(head[:], key)
	h.head = binary.BigEndian.Uint64(head[:])
	if r.descending && key[0] != missingByte {
		h.head = ^h.head
	}
	if rest := key[n:min(len(key), keyBytes)]; len(rest) > 0 {
		if len(r.tails) == 0 || r.used+1+len(rest) > tailPiece {
			r.tails, r.used = append(r.tails, make([]byte, tailPiece)), 1 // position 0 means none
		}
		piece := r.tails[len(r.tails)-1]
		h.tail = uint32((len(r.tails)-1)<<tailBits + r.used)
		piece[r.used] = byte(len(rest))
		r.used += 1 + copy(piece[r.used+1:], rest)
	}
	r.unmerged = append(r.unmerged, h)
}

func (r *ranking) len() int { return len(r.rows) + len(r.unmerged) }

func (r *ranking) tail(h rankedRow) []byte {
	if h.tail == 0 {
		return nil
	}
	piece, from := r.tails[h.tail>>tailBits], int(h.tail%tailPiece)
	return piece[from+1 : from+1+int(piece[from])]
}

func (r *ranking) compare(a, b rankedRow, fullKey func(at int32) []byte) int {
	switch {
	case a.head < b.head:
		return -1
	case a.head > b.head:
		return 1
	case a.tail|b.tail == 0:
		return int(a.at - b.at)
	}
	ta, tb := r.tail(a), r.tail(b)
	c := bytes.Compare(ta, tb)
	if c == 0 && len(ta) == keyBytes-headBytes {
		c = bytes.Compare(fullKey(a.at), fullKey(b.at))
	}
	if r.descending {
		c = -c
	}
	if c == 0 {
		return int(a.at - b.at)
	}
	return c
}

// isDue reports whether at least half as many rows are new as sorted. More frequent merges would be slow, because the
// cost of a merge is proportional to all rows.
func (r *ranking) isDue() bool { return 2*len(r.unmerged) >= len(r.rows) }

func (r *ranking) comparer(newFullKey func() func(at int32) []byte) func(a, b rankedRow) int {
	key := newFullKey()
	return func(a, b rankedRow) int { return r.compare(a, b, key) }
}

// parallelSortRows is the number of rows at which two goroutines sort.
const parallelSortRows = 10_000

// merge calls newFullKey once for each goroutine.
func (r *ranking) merge(newFullKey func() func(at int32) []byte) {
	fresh, compare := slices.Clone(r.unmerged), r.comparer(newFullKey)
	r.unmerged = nil
	if len(fresh) < parallelSortRows {
		slices.SortFunc(fresh, compare)
		r.rows = mergeRanked(r.rows, fresh, compare)
		return
	}
	firstHalf, secondHalf := fresh[:len(fresh)/2], fresh[len(fresh)/2:]
	other := r.comparer(newFullKey)
	var sorted sync.WaitGroup
	sorted.Add(1)
	crash.Go("sort rows", func() {
		defer sorted.Done()
		slices.SortFunc(secondHalf, other)
	})
	slices.SortFunc(firstHalf, compare)
	sorted.Wait()
	r.rows = mergeRanked(r.rows, mergeRanked(firstHalf, secondHalf, compare), compare)
}

// mergeRanked merges two sorted lists. It may return one of them.
func mergeRanked(a, b []rankedRow, compare func(a, b rankedRow) int) []rankedRow {
	if len(a) == 0 {
		return b
	}
	out := make([]rankedRow, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compare(b[0], a[0]) < 0 {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}

func (r *ranking) numbers() []int32 {
	return models.MapSlice(r.rows, func(h rankedRow) int32 { return h.at })
}
