package sweep

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"
)

// A was says what the journal has of a part.
type was uint8

const (
	wasUntried was = iota
	wasRefused     // nothing was written
	wasCommitted
	wasUndone
	wasOpen
)

// A pastPart is what the journal has of a part, and the ID of the entry that committed it: 128 bits.
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

// A history is what the journal has of the parts of a manifest: 17 bytes for each, however much the entries hold.
type history struct {
	parts []pastPart                 // nil if the journal has none
	open  map[int]changes.PastChange // by the number of the part, from 0
}

func (h history) of(n int) pastPart {
	if h.parts == nil {
		return pastPart{}
	}
	return h.parts[n]
}

// journalSkew is how much older than the manifest a journal entry of it may seem, because a clock was corrected.
const journalSkew = time.Hour

// past returns the error of a line that cannot be read: an item may have been changed.
func (r *Runner) past(m *Manifest) (history, error) {
	h := history{open: map[int]changes.PastChange{}}
	for c, err := range r.journal.Past() {
		switch {
		case err != nil:
			return h, fmt.Errorf("reading the journal for what was applied before: %w", err)
		case c.Intent.Time.Before(m.Made.Add(-journalSkew)):
			return h, nil
		case c.Intent.Detail.Sweep != m.Sweep || c.IsUndo():
			continue
		}
		n, err := strconv.Atoi(c.Intent.Detail.Part)
		if n--; err != nil || n < 0 || n >= m.Items {
			continue
		}
		if h.parts == nil {
			h.parts = make([]pastPart, m.Items)
		}
		h.add(n, c)
	}
	return h, nil
}

// add gets the newest changes first; one that was committed says more than any other.
func (h history) add(n int, c changes.PastChange) {
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
	case c.Open():
		p.was, h.open[n] = wasOpen, c
	default:
		p.was = wasRefused
	}
}
