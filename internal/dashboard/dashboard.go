// Package dashboard summarizes the database of one schema: how many items are in each state, how long the queues are,
// what was changed last, and when drift was checked. It reads step by step, within a budget, and scans only small tables
// that are not production, unless the user agrees to more.
package dashboard

import (
	"cmp"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
)

// The defaults of Options.
const (
	DefaultRequests  = 120
	DefaultScanUnits = 128
)

// The most that is read of one part of a dashboard.
const (
	countRows  = 1000 // items of one state that a query counts
	queueRows  = 200  // items of a queue
	keptChange = 3    // past changes
)

// Options limit a dashboard. The zero Options are the defaults.
type Options struct {
	// Requests are sent at most; 0 is DefaultRequests. The step that reaches the number is
	// completed, so a few more can be sent. With Scan there is no limit.
	Requests int
	// ScanUnits are the read units of the largest table that is scanned without consent, outside of production; 0 is
	// DefaultScanUnits, a negative number scans none.
	ScanUnits float64
	// Requested says that the user asked for the numbers. Without it, nothing is read from production.
	Requested bool
	// Brief reads only the queues and the requested changes, and does not count states.
	Brief bool
	// Scan says that the user agreed to scan the tables that were offered. The scans keep to the read budget of the
	// session, and have no other limit.
	Scan bool
}

// A Count is a number of items. N is a lower bound if More is set.
type Count struct {
	N    int
	More bool // there may be more
}

// String returns the number with grouped digits: 12, or 1,000+.
func (c Count) String() string {
	text := humanize.Comma(int64(c.N))
	if c.More {
		text += "+"
	}
	return text
}

// A Progress is how far a part of a dashboard is. A part that is neither done nor failed was
// not reached.
type Progress struct {
	Done    bool
	Offered bool  // only a scan that needs consent can tell; see Summary.Offers
	Missing bool  // its table does not exist; Err says so, too
	Err     error // why it could not be read
}

// States are the numbers of items in the states of a lifecycle. A state that is not in Counts
// was not counted yet, which is different from 0.
type States struct {
	Lifecycle *models.Lifecycle
	Counts    map[string]Count // by state, of those counted so far
	Scanned   bool             // a scan counts them, not queries
	Progress
}

// A Queue is the length of a queue. Its reading ends after 200 items.
type Queue struct {
	Queue *change.Queue
	Count Count
	Since []time.Time // the earliest time of each item, oldest first; items without times are left out
	Progress
}

// Requested are the requested changes of other users that can be decided.
type Requested struct {
	Table string // of the requests, "" if none is configured
	Count Count
	Since []time.Time // when they were made, oldest first
	Progress
}

// An Offer is a table whose items are only counted with consent to a scan.
type Offer struct {
	Table    *models.Table
	Estimate reading.Estimate
}

// A Summary is what is known so far.
type Summary struct {
	At       time.Time // of the last step
	Brief    bool      // states were not counted
	Queues   []Queue
	Review   Requested
	States   []States
	Changes  []changes.PastChange // newest first
	Drift    *local.DriftCheck    // the last check of everything, nil if there was none
	Offers   []Offer
	Missing  []string // tables that do not exist
	Requests int
	Capacity float64 // read units consumed
	Unread   bool    // the database is production, and the user did not ask
	Cut      bool    // the budget ended before everything was read
	Done     bool
	Err      error // that ended the reading
}

// Waiting returns how many items are in all queues, and whether any of them is known. Queues
// that failed or were offered do not count. An item in two queues counts twice.
func (s Summary) Waiting() (Count, bool) {
	var sum Count
	known := false
	for _, q := range s.Queues {
		if q.Done && q.Err == nil && !q.Offered {
			known = true
			sum.N += q.Count.N
			sum.More = sum.More || q.Count.More
		}
	}
	return sum, known
}

// Total returns the number of items in all states that were counted. Without a count it is 0,
// so look at Progress.Done first.
func (s States) Total() Count {
	var sum Count
	for _, c := range s.Counts {
		sum.N += c.N
		sum.More = sum.More || c.More
	}
	return sum
}

func (o Options) withDefaults() Options {
	o.Requests, o.ScanUnits = cmp.Or(o.Requests, DefaultRequests), cmp.Or(o.ScanUnits, DefaultScanUnits)
	return o
}
