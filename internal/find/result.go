package find

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Way says how an item was found.
type Way int

// The ways, the most direct first.
const (
	Direct   Way = iota // by a read that the text fills
	Followed            // by a read that needed a value of another hit
	Scanned             // by a scan of a small table
)

// A Hit is an item that contains the text. Hits of one search have different items: of several
// reads that return the same item, the first one counts.
type Hit struct {
	Workspace *workspace.Workspace
	Table     *models.Table
	Entity    *models.Entity // nil if no entity of the schema matches
	Item      models.Item    // as stored; mask it before showing it
	Way       Way
	Last      *timeline.Entry // of the audit trail, for the best hits once all is read; show what Entry.Shown returns
	// Own is true if the text is the ID or the key of the item. Otherwise the item refers to it.
	Own bool
	// Begins is true if the ID of the item begins with the text.
	Begins bool

	quality lookup.Quality
	order   [2]int // of the place and of the read
}

// A Missing is a pattern that could find the text with more parameters.
type Missing struct {
	Profile *profiles.Profile
	lookup.Missing
}

// A Near is a key template of a schema that the text almost fits.
type Near struct {
	Profile *profiles.Profile
	accesspatterns.Near
}

// A Failure is a schema that could not be searched, or not completely.
type Failure struct {
	Profile *profiles.Profile
	Err     error
}

// A Scan is a table that may contain the text, and that is only scanned with consent. Estimate
// is what it would cost.
type Scan struct {
	Workspace *workspace.Workspace
	Table     *models.Table
	Estimate  reading.Estimate
}

// A Result is what a search has found so far. It is a snapshot, and the caller may keep it. The
// slices other than Hits are complete only when Done is set.
type Result struct {
	Hits    []Hit // best first
	Missing []Missing
	Near    []Near // when nothing was found, closest first
	// Similar are texts that differ from the searched one by a typing error: documented prefixes, known values, and IDs
	// that were read. They are complete only when nothing was found.
	Similar  []string
	Failures []Failure
	Scans    []Scan              // offered when nothing was found
	Absent   []*profiles.Profile // schemas that were searched and do not contain the text
	Unused   []*profiles.Profile // schemas that have no table in their database
	Within   bool                // the text says more than what was found in it, as a log line does
	Requests int
	Capacity float64 // read units consumed
	Cut      bool    // the budget of requests or time ended before everything was read
	Done     bool
}

// One reports whether the text names the first hit and no other item: it is the ID or the key of just that one, and says
// nothing beside it. Such a hit can be opened without asking.
func (r Result) One() bool {
	own := 0
	for _, h := range r.Hits {
		if h.Own {
			own++
		}
	}
	return own == 1 && r.Hits[0].Own && !r.Within
}

// sortHits puts literal prefixes before formats, examples and bare templates, and the item itself before those that
// refer to it.
func sortHits(hits []Hit) {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(
			cmp.Compare(a.quality, b.quality), compareOwn(a, b), cmp.Compare(a.Way, b.Way), slices.Compare(a.order[:], b.order[:]),
			strings.Compare(a.Table.KeyText(a.Item), b.Table.KeyText(b.Item)),
		)
	})
}

func compareOwn(a, b Hit) int {
	switch {
	case a.Own == b.Own:
		return 0
	case a.Own:
		return -1
	}
	return 1
}

// namesOther reports whether the attribute is the ID of another entity by its name, as orderId is on a line of an order.
func namesOther(entities []*models.Entity, t lookup.Target) bool {
	return slices.ContainsFunc(entities, func(e *models.Entity) bool {
		return e != t.Entity && strings.EqualFold(t.Attribute, e.Name+"Id")
	})
}

func (h *Hit) judge(r lookup.Result, read lookup.Quality, whole bool) {
	h.quality, h.Own = read, whole && r.Value == ""
	if h.Entity == nil || r.Value == "" {
		return
	}
	values := h.Entity.Values(h.Item)
	found := false
	for _, t := range r.Targets {
		if t.Entity != h.Entity {
			continue
		}
		text, ok := values(t.Attribute)
		itself := t.Owned && !namesOther(h.Workspace.Session.Profile().Entities, t)
		if ok && text == r.Value {
			if !found || t.Quality < h.quality {
				h.quality = t.Quality
			}
			found, h.Own = true, h.Own || itself
		}
		h.Begins = h.Begins || ok && itself && text != r.Value && strings.HasPrefix(text, r.Value)
	}
}
