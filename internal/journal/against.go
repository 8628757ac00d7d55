package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Against is the result of a comparison of a journal with the copies that a sink keeps.
type Against struct {
	Matched int // entries that are here as they were sent
	Waiting int // newest entries that were not sent yet
	// Problems are sentences for people, without data of items. There are none if the journal
	// is what was sent.
	Problems []string
}

// OK reports whether the journal is what was sent. Entries that wait are no problem: they are sent with the next entry.
func (a Against) OK() bool { return len(a.Problems) == 0 }

// VerifyAgainst compares the journal at path with the copies of its entries in a sink. It finds a journal that was cut, rewritten or
// replaced, even with correct hashes, and copies that were sent and are damaged or gone. The error is
// one of reading. It keeps 16 bytes of the hash of each entry in memory, which is enough to tell entries apart.
func VerifyAgainst(ctx context.Context, path string, sink Sink) (Against, error) {
	c := comparison{local: map[uint64][16]byte{}, seen: map[uint64]bool{}, damaged: map[uint64]*DamagedCopy{}, wrong: map[string][]uint64{}}
	for e, err := range Read(path) {
		if err != nil {
			continue // Verify reports damaged lines; here their entries are missing.
		}
		c.local[e.Seq], c.last = short(e.Hash), max(c.last, e.Seq)
	}
	sent, err := readShipped(path, sink.Name())
	if err != nil {
		return Against{}, err
	}
	c.sent = sent.Seq
	for k, err := range sink.Copies(ctx, Part{Origin: Origin(path)}) {
		if d, ok := errors.AsType[*DamagedCopy](err); ok {
			c.lose(d)
		} else if err != nil {
			return Against{}, err
		} else {
			c.add(k)
		}
	}
	return c.result(), nil
}

// A comparison compares entries by their numbers and the beginning of their hashes.
type comparison struct {
	local   map[uint64][16]byte
	last    uint64
	sent    uint64                  // newest entry that the sink took, as this machine remembers it; 0 for unknown
	seen    map[uint64]bool         // entries of which a copy is equal
	newest  uint64                  // of them
	damaged map[uint64]*DamagedCopy // by number
	lost    []*DamagedCopy          // without a number
	wrong   map[string][]uint64
}

func short(hash string) (s [16]byte) {
	_, _ = hex.Decode(s[:], []byte(hash[:min(len(hash), 32)])) // another text than a hash is another entry
	return s
}

func (c *comparison) add(k Kept) {
	switch have, ok := c.local[k.Seq]; {
	case ok && have == short(k.Hash):
		c.seen[k.Seq], c.newest = true, max(c.newest, k.Seq)
	default:
		c.wrong[k.Journal] = append(c.wrong[k.Journal], k.Seq)
	}
}

func (c *comparison) lose(d *DamagedCopy) {
	n := d.Of.Seq
	if n == 0 {
		c.lost = append(c.lost, d)
		return
	}
	c.damaged[n], c.newest = d, max(c.newest, n)
}

func (c *comparison) result() Against {
	a := Against{Matched: len(c.seen)}
	for _, id := range slices.Sorted(maps.Keys(c.wrong)) {
		list := slices.Compact(slices.Sorted(slices.Values(c.wrong[id])))
		from, to := list[0], list[len(list)-1]
		switch {
		case from > c.last:
			a.Problems = append(a.Problems,
				fmt.Sprintf("%s in the journal, but the sink has entries up to %d: the journal was truncated", missing(from, to), to))
		default:
			a.Problems = append(a.Problems, fmt.Sprintf("%d of the entries %d to %d differ from the copies in the sink",
				len(list), from, to))
		}
	}
	for _, d := range c.lost {
		a.Problems = append(a.Problems, "in the sink, "+d.Error())
	}
	for _, n := range slices.Sorted(maps.Keys(c.damaged)) {
		if !c.seen[n] {
			a.Problems = append(a.Problems, "in the sink, "+c.damaged[n].Error())
		}
	}
	if c.sent > c.last && c.newest <= c.last && len(c.wrong) == 0 {
		a.Problems = append(a.Problems, missing(c.last+1, c.sent)+" in the journal, which were sent: the journal was truncated")
	}
	var gone []uint64
	for seq := range c.local {
		switch {
		case c.seen[seq] || c.damaged[seq] != nil:
		case seq <= max(c.newest, c.sent):
			gone = append(gone, seq)
		default:
			a.Waiting++
		}
	}
	if slices.Sort(gone); len(gone) > 0 {
		a.Problems = append(a.Problems, "missing from the sink, which accepted them: "+ranges(gone))
	}
	return a
}
