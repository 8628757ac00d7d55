package changes

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// A partState is the state of a part according to the journal.
type partState uint8

const (
	partUntried partState = iota
	partRefused           // nothing was written
	partCommitted
	partUndone
	partOpen
)

// An appliedPart is the state of a part according to the journal, and the 128-bit ID of the entry that committed it.
type appliedPart struct {
	state partState
	id    [16]byte
}

func (p appliedPart) entry() string {
	if p.id == [16]byte{} {
		return ""
	}
	return hex.EncodeToString(p.id[:])
}

// appliedParts contains the state of every part of a file according to the journal. It uses 17 bytes for each part,
// regardless of the size of the entries.
type appliedParts struct {
	parts []appliedPart      // nil if the journal has no entry of the file
	open  map[int]PastChange // open changes by the part's number, from 0
}

func (h appliedParts) part(n int) appliedPart {
	if h.parts == nil {
		return appliedPart{}
	}
	return h.parts[n]
}

// journalSkew is the maximum time by which a file's journal entry may predate the file, because a clock was corrected.
const journalSkew = time.Hour

// appliedParts fails on an unreadable line, because the line may record a change to an item.
func (c *Committer) appliedParts(f *File) (appliedParts, error) {
	h := appliedParts{open: map[int]PastChange{}}
	for p, err := range c.planner.journal.Past() {
		switch {
		case err != nil:
			return h, fmt.Errorf("read earlier outcomes from the journal: %w", err)
		case p.Intent.Time.Before(f.Created.Add(-journalSkew)):
			return h, nil
		case p.Intent.Detail.Sweep != f.Sweep || p.IsUndo():
			continue
		}
		n, err := strconv.Atoi(p.Intent.Detail.Part)
		if n--; err != nil || n < 0 || n >= f.Items {
			continue
		}
		if h.parts == nil {
			h.parts = make([]appliedPart, f.Items)
		}
		h.add(n, p)
	}
	return h, nil
}

// add expects the newest changes first; a committed change takes precedence.
func (h appliedParts) add(n int, c PastChange) {
	p := &h.parts[n]
	switch now := p.state; {
	case now == partCommitted || now == partUndone:
	case c.Committed():
		p.state = partCommitted
		if c.Undone {
			p.state = partUndone
		}
		if id, err := hex.DecodeString(c.Intent.ID); err == nil {
			copy(p.id[:], id)
		}
		delete(h.open, n)
	case now != partUntried:
	case c.Open(), c.Unclear():
		p.state, h.open[n] = partOpen, c
	default:
		p.state = partRefused
	}
}
