package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// These are the defaults of WatchOptions, and the number of counts that a round keeps.
const (
	WatchUnits   = 100
	watchRows    = 500
	storedCounts = 60
)

// ErrBudgetSpent means that the budget does not cover another read.
var ErrBudgetSpent = errors.New("the watch's budget is used up")

// WatchOptions limits a watch.
type WatchOptions struct {
	// Units limits the RCU of all reads together; 0 means WatchUnits. A round that would exceed it does not
	// start. The estimate is the cost of the previous round.
	Units float64
	// Rows is the maximum number of rows to compare; 0 means watchRows. The watch does not report changes beyond them.
	Rows      int
	AllowScan bool // consent to scan a whole table in each round
}

// A Watch compares the results of one query over time. It keeps the items of the last round in memory, at most
// WatchOptions.Rows and the rest of a page. It is not safe for concurrent use.
type Watch struct {
	rd      *Reader
	request *accesspatterns.Request
	o       WatchOptions

	last   *WatchRound
	order  []string // keys of the last round
	items  map[string]models.Item
	counts []int
	meter  store.Meter
	cost   float64 // capacity units of the last read
	reads  int
}

// A RowKind describes how an item differs from the previous round.
type RowKind string

// These are the kinds of changes.
const (
	Added   RowKind = "came"
	Changed RowKind = "changed"
	Removed RowKind = "left"
)

// A RowChange is an item that differs from the previous round. It is unmasked, so mask it before showing it.
type RowChange struct {
	Kind   RowKind
	Key    string // unmasked, in the form of Table.KeyText
	Item   models.Item
	Before models.Item // item before the change
}

// A WatchRound is a result with its changes since the previous round. The first round has no changes. The watch owns
// the items, so the caller must not modify them.
type WatchRound struct {
	Items   []models.Item
	Count   int  // result of a count pattern, otherwise the number of items
	More    bool // the query has more items than the watch compares
	Run     *Run // continues after the items
	Changes []RowChange
	Counts  []int // counts of the last rounds, newest last
	Spent   float64
	Units   float64 // the budget
	Reads   int

	plain bool // for role support
}

// Budget describes how much of the budget the watch has used: "12.5 of 100 RCU, 3 reads".
func (r WatchRound) Budget() string {
	reads := "reads"
	if r.Reads == 1 {
		reads = "read"
	}
	if r.plain {
		return fmt.Sprintf("%.0f%% of the budget, %d %s", r.Spent/r.Units*100, r.Reads, reads)
	}
	return fmt.Sprintf("%g of %g RCU, %d %s", r.Spent, r.Units, r.Reads, reads)
}

// NewWatch returns a watch of a request. It sends no requests.
func NewWatch(rd *Reader, request *accesspatterns.Request, o WatchOptions) *Watch {
	o.Units, o.Rows = cmp.Or(o.Units, WatchUnits), cmp.Or(o.Rows, watchRows)
	return &Watch{rd: rd, request: request, o: o}
}

// Next runs the query with relative times resolved again. It returns ErrBudgetSpent and sends nothing if another read
// with the cost of the last one would exceed the budget. It abandons a read that exceeds the budget.
func (w *Watch) Next(ctx context.Context) (WatchRound, error) {
	before := w.meter.Units()
	if before+w.cost > w.o.Units || before >= w.o.Units {
		return WatchRound{}, ErrBudgetSpent
	}
	request, err := w.rd.Rebind(w.request)
	if err != nil {
		return WatchRound{}, err
	}
	run, err := w.rd.Run(request, RunOptions{Limit: w.o.Rows, AllowScan: w.o.AllowScan})
	if err != nil {
		return WatchRound{}, err
	}
	round := WatchRound{Run: run, Units: w.o.Units, plain: w.rd.s.Plain()}
	ctx = store.WithTrace(w.meter.Watch(ctx), store.Trace{Admit: func() bool { return w.meter.Units() < w.o.Units }})
	for round.More = true; round.More && len(round.Items) < w.o.Rows; {
		page, err := run.Next(ctx)
		if err != nil && w.meter.Units() >= w.o.Units {
			return WatchRound{}, ErrBudgetSpent
		}
		if err != nil {
			return WatchRound{}, err
		}
		round.Items, round.More = append(round.Items, page.Items...), page.More
		round.Count += page.Count
	}
	run.SetLimit(pageSize(request, 0))
	spent := w.meter.Units()
	w.cost, w.reads = spent-before, w.reads+1
	w.counts = append(w.counts, round.Count)
	w.counts = w.counts[max(len(w.counts)-storedCounts, 0):]
	round.Counts, round.Spent, round.Reads = slices.Clone(w.counts), spent, w.reads
	round.Changes = w.compare(round)
	w.last = &round
	return round, nil
}
