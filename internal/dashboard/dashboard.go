// Package dashboard summarizes the database of one schema: the number of items in each state, the lengths of the
// queues, the last changes, and the last drift check. It reads step by step, within a budget, and scans only small
// tables outside of production, unless the user consents to more.
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

// These are the defaults of Options.
const (
	DefaultRequests  = 120
	DefaultScanUnits = 128
)

// These constants limit one part of a dashboard.
const (
	countRows    = 1000 // items of one state that a query counts
	queueRows    = 200  // items of a queue
	shownChanges = 3    // past changes
)

// Options limits a dashboard. The zero value selects the defaults.
type Options struct {
	// Requests is the maximum number of requests; 0 means DefaultRequests. The board completes the step that reaches
	// the number, so it can send a few more requests. With Scan, there is no limit.
	Requests int
	// ScanUnits is the maximum size in RCU of a table that the board scans without consent, outside of
	// production. 0 means DefaultScanUnits, and a negative number disables scans.
	ScanUnits float64
	// Requested means that the user requested the numbers. Without it, the board does not read production.
	Requested bool
	// Brief reads only the queues and the requested changes, and does not count states.
	Brief bool
	// Scan means that the user consented to scan the offered tables. The scans keep to the read budget of the session,
	// and have no other limit.
	Scan bool
}

// A Count is a number of items. N is a lower bound if More is set.
type Count struct {
	N    int
	More bool // more items may exist
}

// String returns the number with grouped digits: 12, or 1,000+.
func (c Count) String() string {
	text := humanize.Comma(int64(c.N))
	if c.More {
		text += "+"
	}
	return text
}

// A Progress is the state of a part of a dashboard. If a part is neither done nor failed, the board has not reached it.
type Progress struct {
	Done    bool
	Offered bool  // only a scan with consent can read the part; see Summary.Offers
	Missing bool  // the table does not exist; Err is also set
	Err     error // why the board could not read the part
}

// Known reports whether the board has counted the part.
func (p Progress) Known() bool { return p.Done && !p.Offered && p.Err == nil }

// States contains the numbers of items in the states of a lifecycle. A state that is missing from Counts is not counted
// yet, which differs from 0.
type States struct {
	Lifecycle *models.Lifecycle
	Counts    map[string]Count // counts so far, by state
	Scanned   bool             // a scan counts the states, not queries
	Progress
}

// A Queue is the length of a queue. Reading it ends after 200 items.
type Queue struct {
	Queue *change.Queue
	Count Count
	Since []time.Time // earliest time of each item, oldest first; omits items without times
	Progress
}

// PendingRequests contains the pending change requests of other users, or those that the user made.
type PendingRequests struct {
	Table       string // table of the requests, or ""
	OwnRequests bool   // the requests that the user made, because the role cannot decide requests
	Count       Count
	Open        Count       // pending requests of all users
	Since       []time.Time // creation times of the requests, oldest first
	Progress
}

// An Offer is a table whose items the board counts only with consent to a scan.
type Offer struct {
	Table    *models.Table
	Estimate reading.Estimate
}

// A Summary contains the results so far.
type Summary struct {
	At         time.Time // time of the last step
	Brief      bool      // the summary omits states
	Queues     []Queue
	Review     PendingRequests
	States     []States
	Changes    []changes.PastChange // newest first
	Drift      *local.DriftCheck    // last check of all tables, nil if there was none
	Offers     []Offer
	Missing    []string // tables that do not exist
	Requests   int
	Capacity   float64 // RCU consumed
	Unread     bool    // the database is production, and the user did not request the numbers
	Incomplete bool    // the budget ended before the board had read everything
	Done       bool
	Err        error // the error that ended the reading
}

// Waiting returns the number of items in all queues, and whether any queue was read. It ignores queues that failed or
// need consent, and counts an item in two queues twice.
func (s Summary) Waiting() (sum Count, known bool) {
	for _, q := range s.Queues {
		if q.Known() {
			known = true
			sum.N += q.Count.N
			sum.More = sum.More || q.Count.More
		}
	}
	return sum, known
}

// Total returns the number of items in all counted states. It is 0 before the first count, so check Progress.Done
// first.
func (s States) Total() (sum Count) {
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
