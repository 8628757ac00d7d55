package reading

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// A Progress counts the requests of a context. The zero value is ready to use, and a nil Progress counts nothing. It is
// safe for concurrent use.
type Progress struct {
	mu                sync.Mutex
	figures           Figures
	retry             string
	began             time.Time // start of Run.All
	waitEnd           time.Time // end of the wait for the budget
	items             int64     // approximate number of items to expect, 0 if unknown
	initialScanned    int       // number of items counted before began
	previouslyScanned int       // items of the scan read earlier, by this run or by the run that it continues
}

// Figures contains the state of a read.
type Figures struct {
	Requests int     // completed requests of any kind
	Capacity float64 // capacity units consumed

	Pages   int
	Rows    int // rows that passed the filter
	Scanned int // items read to find the rows

	// Run.All sets the figures below while it reads.
	Segments, SegmentsDone int // segments of a scan, or partitions of a fan-out
	Elapsed                time.Duration
	Rate                   float64       // capacity units per second
	Budget                 float64       // limit of Rate, 0 for none
	Waiting                bool          // a request waits for the budget
	Throttled              int           // number of throttled requests
	Share                  float64       // completed share of the scan, 0 to 1; 0 if unknown
	Remaining              time.Duration // approximate remaining time of the scan; 0 if unknown
}

type progressKey struct{}

func progressOf(ctx context.Context) *Progress {
	p, _ := ctx.Value(progressKey{}).(*Progress)
	return p
}

// Watch returns a context that counts its requests. One Progress may watch several contexts, and counts their requests
// together.
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
			if until := time.Now().Add(wait); until.After(p.waitEnd) {
				p.waitEnd = until
			}
		},
	})
}

func (p *Progress) begin(r *Run, budget float64) {
	if p == nil {
		return
	}
	done, all := r.cursor.Legs()
	before := r.cursor.Position().Scanned
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began, p.initialScanned, p.previouslyScanned, p.items = time.Now(), p.figures.Scanned, before, r.expected
	p.figures.Segments, p.figures.SegmentsDone, p.figures.Budget = all, done, budget
}

func (p *Progress) addPage(page accesspatterns.Page) {
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

// Figures returns the current state of the read. It is fast enough to call several times a second during a read.
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
	f.Elapsed, f.Waiting = now.Sub(p.began), now.Before(p.waitEnd)
	if f.Elapsed > 0 {
		f.Rate = f.Capacity / f.Elapsed.Seconds()
	}
	// An outdated item count is useless once the scan exceeds it.
	done := int64(f.Scanned - p.initialScanned)
	all := done + int64(p.previouslyScanned)
	if done > 0 && all <= p.items {
		f.Share = float64(all) / float64(p.items)
		f.Remaining = time.Duration(float64(f.Elapsed) * float64(p.items-all) / float64(done))
	}
	return f
}

// Requests returns the number of completed requests and the capacity units that they consumed.
func (p *Progress) Requests() (n int, capacity float64) {
	f := p.Figures()
	return f.Requests, f.Capacity
}

// Retrying explains why the current request is being retried, or returns "" if it is not.
func (p *Progress) Retrying() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.retry
}
