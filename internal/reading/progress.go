package reading

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// A Progress counts what the requests of a context do. It is safe for
// concurrent use; the zero value is ready. A nil Progress counts nothing.
type Progress struct {
	mu      sync.Mutex
	figures Figures
	retry   string
	began   time.Time // of Run.All
	waits   time.Time // until then some request waits for its budget
	items   int64     // that the scan will read, about; 0 when nobody knows
	first   int       // items counted before began
	before  int       // items of the scan that were read before, in this run or in the one that it goes on from
}

// Figures are how far a read is.
type Figures struct {
	Requests int     // that were answered, of any kind
	Capacity float64 // capacity units consumed

	Pages   int // of rows
	Rows    int // that passed the filter
	Scanned int // items read for them

	// These are known while Run.All reads.
	Segments, SegmentsDone int // partitions of a fan-out as well
	Elapsed                time.Duration
	Rate                   float64       // capacity units per second
	Budget                 float64       // what the rate may be, 0 for no bound
	Waiting                bool          // some request waits for the budget right now
	Throttled              int           // how often DynamoDB asked to come back later
	Share                  float64       // of the scan that is done, 0 to 1; 0 when nobody knows
	Rest                   time.Duration // that the scan takes on, about; 0 when nobody knows
}

type progressKey struct{}

func progressOf(ctx context.Context) *Progress {
	p, _ := ctx.Value(progressKey{}).(*Progress)
	return p
}

// Watch returns a context whose requests are counted.
func (p *Progress) Watch(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, progressKey{}, p)
	return store.WithTrace(ctx, store.Trace{
		Called: func(c store.Call) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.figures.Requests++
			p.figures.Capacity += c.Capacity
			p.retry = ""
		},
		Retried: func(r store.Retry) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if r.Class == store.Throttled {
				p.figures.Throttled++
			}
			p.retry = fmt.Sprintf("%s: attempt %d failed, retrying", r.Class, r.Attempt)
		},
		Paced: func(wait time.Duration) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if until := time.Now().Add(wait); until.After(p.waits) {
				p.waits = until
			}
		},
	})
}

// begin is told that a run is read to its end from now on.
func (p *Progress) begin(r *Run, budget float64) {
	if p == nil {
		return
	}
	done, all := r.cursor.Legs()
	before := r.cursor.Position().Scanned
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began, p.first, p.before, p.items = time.Now(), p.figures.Scanned, before, r.expected
	p.figures.Segments, p.figures.SegmentsDone, p.figures.Budget = all, done, budget
}

// read is told of a page.
func (p *Progress) read(page accesspatterns.Page) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &p.figures
	f.Pages++
	f.Rows += page.Count
	f.Scanned += page.Scanned
	if page.LastKey == nil && f.SegmentsDone < f.Segments {
		f.SegmentsDone++
	}
}

// Figures returns how far the read is.
func (p *Progress) Figures() Figures {
	if p == nil {
		return Figures{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f, now := p.figures, time.Now()
	if p.began.IsZero() {
		return f
	}
	f.Elapsed, f.Waiting = now.Sub(p.began), now.Before(p.waits)
	if f.Elapsed > 0 {
		f.Rate = f.Capacity / f.Elapsed.Seconds()
	}
	// A count that is out of date promises nothing once it is passed.
	done := int64(f.Scanned - p.first)
	all := done + int64(p.before)
	if done > 0 && all <= p.items {
		f.Share = float64(all) / float64(p.items)
		f.Rest = time.Duration(float64(f.Elapsed) * float64(p.items-all) / float64(done))
	}
	return f
}

// Requests returns how many requests were answered and the capacity units that
// they consumed.
func (p *Progress) Requests() (n int, capacity float64) {
	f := p.Figures()
	return f.Requests, f.Capacity
}

// Retrying says why the request under way is sent again, "" when it is not.
func (p *Progress) Retrying() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.retry
}
