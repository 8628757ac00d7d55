package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// SinkComparison is the result of comparing a journal with its copies in a sink.
type SinkComparison struct {
	Matched int // number of entries that equal their copy
	Waiting int // number of newest entries that ddbdesk has not sent yet
	// Problems describes the differences for the user, without item data. It is empty if there are none.
	Problems []string
}

// OK reports whether the journal matches its copies. Waiting entries are not a problem, because ddbdesk sends them with
// the next entry.
func (c SinkComparison) OK() bool { return len(c.Problems) == 0 }

// VerifyAgainst compares the journal at path with the copies of its entries in a sink. It detects a journal that was
// cut, rewritten or replaced, even if the hashes are correct, and damaged or missing copies. The error is a read error.
// For each entry it keeps 16 bytes of the hash in memory, which is enough to distinguish entries.
func VerifyAgainst(ctx context.Context, path string, sink Sink) (SinkComparison, error) {
	c := comparison{
		local: map[uint64][16]byte{}, matched: map[uint64]bool{}, damaged: map[uint64]*DamagedCopy{},
		mismatched: map[string][]uint64{},
	}
	for e, err := range Read(path) {
		if err != nil {
			continue // Verify reports damaged lines; here, their entries count as missing.
		}
		c.local[e.Seq], c.last = hashPrefix(e.Hash), max(c.last, e.Seq)
	}
	shipment, err := readShipped(path, sink.Name())
	if err != nil {
		return SinkComparison{}, err
	}
	c.sent = shipment.Seq
	for k, err := range sink.Copies(ctx, Part{Origin: Origin(path)}) {
		if d, ok := errors.AsType[*DamagedCopy](err); ok {
			c.addDamaged(d)
		} else if err != nil {
			return SinkComparison{}, err
		} else {
			c.add(k)
		}
	}
	return c.result(), nil
}

// A comparison compares entries by their numbers and the first 16 bytes of their hashes.
type comparison struct {
	local      map[uint64][16]byte
	last       uint64
	sent       uint64                  // newest entry that the sink accepted according to this machine; 0 if unknown
	matched    map[uint64]bool         // entries with an equal copy
	newest     uint64                  // newest of the seen entries
	damaged    map[uint64]*DamagedCopy // damaged copies by entry number
	unnumbered []*DamagedCopy          // damaged copies without a number
	mismatched map[string][]uint64
}

func hashPrefix(hash string) (s [16]byte) {
	_, _ = hex.Decode(s[:], []byte(hash[:min(len(hash), 32)])) // text that is not a hash differs from every entry
	return s
}

func (c *comparison) add(k SinkEntry) {
	switch localHash, ok := c.local[k.Seq]; {
	case ok && localHash == hashPrefix(k.Hash):
		c.matched[k.Seq], c.newest = true, max(c.newest, k.Seq)
	default:
		c.mismatched[k.Journal] = append(c.mismatched[k.Journal], k.Seq)
	}
}

func (c *comparison) addDamaged(d *DamagedCopy) {
	n := d.Partial.Seq
	if n == 0 {
		c.unnumbered = append(c.unnumbered, d)
		return
	}
	c.damaged[n], c.newest = d, max(c.newest, n)
}

func (c *comparison) result() SinkComparison {
	a := SinkComparison{Matched: len(c.matched)}
	for _, id := range slices.Sorted(maps.Keys(c.mismatched)) {
		list := slices.Compact(slices.Sorted(slices.Values(c.mismatched[id])))
		from, to := list[0], list[len(list)-1]
		switch {
		case from > c.last:
			a.Problems = append(a.Problems,
				fmt.Sprintf("%s in the journal, but the sink has entries up to %d: the journal was truncated", missingText(from, to), to))
		default:
			a.Problems = append(a.Problems, fmt.Sprintf("%d of the entries %d to %d differ from the copies in the sink",
				len(list), from, to))
		}
	}
	for _, d := range c.unnumbered {
		a.Problems = append(a.Problems, "in the sink, "+d.Error())
	}
	for _, n := range slices.Sorted(maps.Keys(c.damaged)) {
		if !c.matched[n] {
			a.Problems = append(a.Problems, "in the sink, "+c.damaged[n].Error())
		}
	}
	if c.sent > c.last && c.newest <= c.last && len(c.mismatched) == 0 {
		a.Problems = append(a.Problems, missingText(c.last+1, c.sent)+" in the journal, which were sent: the journal was truncated")
	}
	var missing []uint64
	for seq := range c.local {
		switch {
		case c.matched[seq] || c.damaged[seq] != nil:
		case seq <= max(c.newest, c.sent):
			missing = append(missing, seq)
		default:
			a.Waiting++
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		a.Problems = append(a.Problems, "missing from the sink, which accepted them: "+formatRanges(missing))
	}
	return a
}
