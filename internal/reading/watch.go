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

// The defaults of WatchOptions, and the number of counts that a round keeps.
const (
	WatchUnits   = 100
	watchRows    = 500
	storedCounts = 60
)

// ErrSpent reports that the budget does not cover another read.
var ErrSpent = errors.New("the watch's budget is spent")

// WatchOptions limit a watch.
type WatchOptions struct {
	// Units limits the read units of all reads together; 0 is WatchUnits. A round that would exceed it does not start:
	// the cost of the previous round is the estimate.
	Units float64
	// Rows limits the compared rows; 0 is watchRows. Changes beyond them are not reported.
	Rows      int
	AllowScan bool // consent to scan a whole table in each round
}

// A Watch compares the results of one query over time. Its methods must not be called concurrently. It keeps the items
// of the last round in memory, at most WatchOptions.Rows and the rest of a page.
type Watch struct {
	rd      *Reader
	request *accesspatterns.Request
	o       WatchOptions

	last   *WatchRound
	order  []string // keys of the last round
	items  map[string]models.Item
	counts []int
	meter  store.Meter
	cost   float64 // capacity of the last read
	reads  int
}

// A RowKind describes how an item differs from the round before.
type RowKind string

// The kinds of changes.
const (
	Came    RowKind = "came"
	Changed RowKind = "changed"
	Left    RowKind = "left"
)

// A RowChange is an item that differs from the round before, as stored; mask it before showing it.
type RowChange struct {
	Kind   RowKind
	Key    string // in the form of Table.KeyText, unmasked
	Item   models.Item
	Before models.Item // the item before a change
}

// A WatchRound is one result and its changes since the round before; the first round has no changes. Items belong to
// the watch and must not change.
type WatchRound struct {
	Items   []models.Item
	Count   int  // result of a count pattern, otherwise the number of items
	More    bool // the query has more items than are compared
	Changes []RowChange
	Counts  []int // counts of the last rounds, newest last
	Spent   float64
	Units   float64 // the budget
	Reads   int
}

// Budget describes the consumed budget: "12.5 of 100 RCU, 3 reads".
func (r WatchRound) Budget() string {
	reads := "reads"
	if r.Reads == 1 {
		reads = "read"
	}
	return fmt.Sprintf("%g of %g RCU, %d %s", r.Spent, r.Units, r.Reads, reads)
}

// NewWatch returns the watch of a request. It sends nothing.
func NewWatch(rd *Reader, request *accesspatterns.Request, o WatchOptions) *Watch {
	o.Units, o.Rows = cmp.Or(o.Units, WatchUnits), cmp.Or(o.Rows, watchRows)
	return &Watch{rd: rd, request: request, o: o}
}

// Next reads the query, with relative times resolved now. The error is ErrSpent, and nothing is sent, if a read that
// costs as much as the last one would exceed the budget; a read that turns out to exceed it is abandoned.
func (w *Watch) Next(ctx context.Context) (WatchRound, error) {
	before := w.meter.Units()
	if before+w.cost > w.o.Units || before >= w.o.Units {
		return WatchRound{}, ErrSpent
	}
	request, err := w.rd.Rebind(w.request)
	if err != nil {
		return WatchRound{}, err
	}
	run, err := w.rd.Run(request, RunOptions{Limit: w.o.Rows, AllowScan: w.o.AllowScan})
	if err != nil {
		return WatchRound{}, err
	}
	round := WatchRound{Units: w.o.Units}
	ctx = store.WithTrace(w.meter.Watch(ctx), store.Trace{Admit: func() bool { return w.meter.Units() < w.o.Units }})
	for round.More = true; round.More && len(round.Items) < w.o.Rows; {
		page, err := run.Next(ctx)
		if err != nil && w.meter.Units() >= w.o.Units {
			return WatchRound{}, ErrSpent
		}
		if err != nil {
			return WatchRound{}, err
		}
		round.Items, round.More = append(round.Items, page.Items...), page.More
		round.Count += page.Count
	}
	spent := w.meter.Units()
	w.cost, w.reads = spent-before, w.reads+1
	w.counts = append(w.counts, round.Count)
	w.counts = w.counts[max(len(w.counts)-storedCounts, 0):]
	round.Counts, round.Spent, round.Reads = slices.Clone(w.counts), spent, w.reads
	round.Changes = w.compare(round)
	w.last = &round
	return round, nil
}
