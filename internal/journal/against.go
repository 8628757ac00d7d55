package journal

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// Against is the result of a comparison of a journal with the copies that a sink keeps.
type Against struct {
	Matched  int // entries that are here as they were sent
	Waiting  int // newest entries that were not sent yet
	Problems []string
}

// OK reports whether the journal is what was sent.
func (a Against) OK() bool { return len(a.Problems) == 0 }

// VerifyAgainst compares the journal at path with copies of its entries. It finds a journal that was cut, rewritten or replaced,
// also when its hashes are correct. Archived entries are not compared. The error is one of reading.
func VerifyAgainst(path string, copies iter.Seq2[Kept, error]) (Against, error) {
	c := comparison{local: map[uint64][16]byte{}, seen: map[uint64]bool{}, wrong: map[string][]uint64{}}
	for e, err := range Read(path) {
		if err != nil {
			continue // Verify reports damaged lines; here their entries are missing.
		}
		c.local[e.Seq], c.last = short(e.Hash), max(c.last, e.Seq)
		c.first = min(cmp.Or(c.first, e.Seq), e.Seq)
	}
	files, err := openFiles(path)
	if err != nil {
		return Against{}, err
	}
	defer closeFile(files.active) //nolint:errcheck // The file was only read.
	c.archived = files.start.Seq
	for k, err := range copies {
		if err != nil {
			return Against{}, err
		}
		c.add(k)
	}
	return c.result(), nil
}

// A comparison compares entries by their numbers and the beginning of their hashes.
type comparison struct {
	local                 map[uint64][16]byte
	first, last, archived uint64
	seen                  map[uint64]bool // entries of which a copy is equal
	newest                uint64          // of them
	wrong                 map[string][]uint64
}

func short(hash string) (s [16]byte) {
	_, _ = hex.Decode(s[:], []byte(hash[:min(len(hash), 32)])) // another text than a hash is another entry
	return s
}

func (c *comparison) add(k Kept) {
	switch have, ok := c.local[k.Seq]; {
	case k.Seq <= c.archived:
	case ok && have == short(k.Hash):
		c.seen[k.Seq], c.newest = true, max(c.newest, k.Seq)
	default:
		c.wrong[k.Journal] = append(c.wrong[k.Journal], k.Seq)
	}
}

func (c *comparison) result() Against {
	a := Against{Matched: len(c.seen), Waiting: int(c.last - max(c.newest, c.archived))}
	for _, id := range slices.Sorted(maps.Keys(c.wrong)) {
		list := slices.Compact(slices.Sorted(slices.Values(c.wrong[id])))
		from, to := list[0], list[len(list)-1]
		switch {
		case from > c.last:
			a.Problems = append(a.Problems,
				fmt.Sprintf("%s in the journal, but the sink has entries up to %d: the journal was shortened", missing(from, to), to))
		default:
			a.Problems = append(a.Problems, fmt.Sprintf("%d of the entries %d to %d differ from the copies in the sink", len(list), from, to))
		}
	}
	lacking := 0
	for seq := range c.local {
		if seq <= c.newest && !c.seen[seq] {
			lacking++
		}
	}
	if lacking > 0 {
		a.Problems = append(a.Problems, fmt.Sprintf("%d entries before entry %d are missing from the sink", lacking, c.newest))
	}
	return a
}
