package changes

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// A was is the journal's state of a part.
type was uint8

const (
	wasUntried was = iota
	wasRefused     // nothing was written
	wasCommitted
	wasUndone
	wasOpen
)

// A pastPart is the journal's state of a part, and the 128-bit ID of the entry that committed it.
type pastPart struct {
	was was
	id  [16]byte
}

func (p pastPart) entry() string {
	if p.id == [16]byte{} {
		return ""
	}
	return hex.EncodeToString(p.id[:])
}

// An applied is the journal's state of every part of a file. It uses 17 bytes for each part, whatever the size of the
// entries.
type applied struct {
	parts []pastPart         // nil if the journal has no entry of the file
	open  map[int]PastChange // open changes by the part's number, from 0
}

func (h applied) of(n int) pastPart {
	if h.parts == nil {
		return pastPart{}
	}
	return h.parts[n]
}

// journalSkew is the maximum time by which a file's journal entry may predate the file, because a clock was corrected.
const journalSkew = time.Hour

// past fails on a line that cannot be read, because that line may record a change to an item.
func (c *Committer) past(f *File) (applied, error) {
	h := applied{open: map[int]PastChange{}}
	for p, err := range c.planner.past.Past() {
		switch {
		case err != nil:
			return h, fmt.Errorf("reading the journal for what was applied before: %w", err)
		case p.Intent.Time.Before(f.Made.Add(-journalSkew)):
			return h, nil
		case p.Intent.Detail.Sweep != f.Sweep || p.IsUndo():
			continue
		}
		n, err := strconv.Atoi(p.Intent.Detail.Part)
		if n--; err != nil || n < 0 || n >= f.Items {
			continue
		}
		if h.parts == nil {
			h.parts = make([]pastPart, f.Items)
		}
		h.add(n, p)
	}
	return h, nil
}

// add expects the newest changes first; a committed change takes precedence.
func (h applied) add(n int, c PastChange) {
	p := &h.parts[n]
	switch now := p.was; {
	case now == wasCommitted || now == wasUndone:
	case c.Committed():
		p.was = wasCommitted
		if c.Undone {
			p.was = wasUndone
		}
		if id, err := hex.DecodeString(c.Intent.ID); err == nil {
			copy(p.id[:], id)
		}
		delete(h.open, n)
	case now != wasUntried:
	case c.Open(), c.Unclear():
		p.was, h.open[n] = wasOpen, c
	default:
		p.was = wasRefused
	}
}
