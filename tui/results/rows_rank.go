package results

import (
	"bytes"
	"encoding/binary"
	"slices"

	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
)

// A ranked row is one in an order.
type Ranked struct {
	head uint64 // the first bytes of its key, turned round in descending order
	At   int32  // its place on the shelf
	tail uint32 // where the rest of the key is, 0 for none
}

const (
	// headBytes is how much of a key stands in the row itself.
	headBytes = 8
	// keyBytes is how much of a key is kept: where two are the same so far, the rows
	// are asked.
	KeyBytes = 128
)

// A ranking is rows in an order. It is passed on by value from step to step; what
// a copy has seen of it stays as it is.
type Ranking struct {
	Descending bool
	Rows       []Ranked // in order
	fresh      []Ranked // to be put among them
	Tails      [][]byte // the rest of each key behind its length, in pieces
	used       int      // of the last piece
}

// The place of a tail is its piece and its place there. In pieces, because one text
// that grows is there twice whenever it does.
const (
	tailBits  = 18
	tailPiece = 1 << tailBits
)

// add takes a row in, with the bytes of its key.
func (r *Ranking) Add(at int, key []byte) {
	h := Ranked{At: int32(at)}
	var head [headBytes]byte
	n := copy(head[:], key)
	h.head = binary.BigEndian.Uint64(head[:])
	if r.Descending && key[0] != rowset.MissingByte {
		h.head = ^h.head
	}
	if rest := key[n:min(len(key), KeyBytes)]; len(rest) > 0 {
		if len(r.Tails) == 0 || r.used+1+len(rest) > tailPiece {
			r.Tails, r.used = append(r.Tails, make([]byte, tailPiece)), 1 // 0 means none.
		}
		piece := r.Tails[len(r.Tails)-1]
		h.tail = uint32((len(r.Tails)-1)<<tailBits + r.used)
		piece[r.used] = byte(len(rest))
		r.used += 1 + copy(piece[r.used+1:], rest)
	}
	r.fresh = append(r.fresh, h)
}

// tail is the rest of a row's key.
func (r *Ranking) tail(h Ranked) []byte {
	if h.tail == 0 {
		return nil
	}
	piece, from := r.Tails[h.tail>>tailBits], int(h.tail%tailPiece)
	return piece[from+1 : from+1+int(piece[from])]
}

// apart is the ranking for who adds to it beside another who does.
func (r Ranking) apart() Ranking {
	r.Tails, r.used = slices.Clip(r.Tails), tailPiece
	return r
}

// compare orders rows by their keys, then as they were read. Of keys that are the
// same as far as they are kept, whole gives the bytes.
func (r *Ranking) compare(a, b Ranked, whole func(at int32) []byte) int {
	switch {
	case a.head < b.head:
		return -1
	case a.head > b.head:
		return 1
	case a.tail|b.tail == 0:
		return int(a.At - b.At)
	}
	ta, tb := r.tail(a), r.tail(b)
	c := bytes.Compare(ta, tb)
	if c == 0 && len(ta) == KeyBytes-headBytes {
		c = bytes.Compare(whole(a.At), whole(b.At))
	}
	if r.Descending {
		c = -c
	}
	if c == 0 {
		return int(a.At - b.At)
	}
	return c
}

// due reports whether enough is new to put it among the others: doing that costs
// as much as there is, so it waits until there is half as much again.
func (r *Ranking) due() bool { return 2*len(r.fresh) >= len(r.Rows) }

// order puts what is new among the others. Copies keep the order that they have.
func (r *Ranking) Order(whole func(at int32) []byte) {
	compare := func(a, b Ranked) int { return r.compare(a, b, whole) }
	fresh := slices.Clone(r.fresh)
	r.fresh = nil
	slices.SortFunc(fresh, compare)
	if len(r.Rows) == 0 {
		r.Rows = fresh
		return
	}
	merged := make([]Ranked, 0, len(r.Rows)+len(fresh))
	left := r.Rows
	for _, h := range fresh {
		n, _ := slices.BinarySearchFunc(left, h, compare)
		merged = append(append(merged, left[:n]...), h)
		left = left[n:]
	}
	r.Rows = append(merged, left...)
}

// places are the rows' places on the shelf, in their order.
func (r *Ranking) Places() []int32 {
	out := make([]int32, len(r.Rows))
	for i, h := range r.Rows {
		out[i] = h.At
	}
	return out
}
