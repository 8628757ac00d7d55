package changes

import (
	"cmp"
	"context"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

const (
	// firstPause is the pause between two items after the table first throttles. Each further throttling doubles it.
	firstPause = 100 * time.Millisecond
	// maxPause limits the pause.
	maxPause = 20 * time.Second
)

// A pacer keeps work within a budget of capacity units per second, counted from its first use. Unused units do not
// accumulate, except reserved ones. It slows down further while the table throttles. Its methods must not be called
// concurrently.
type pacer struct {
	budget float64   // units per second, 0 for no limit
	due    time.Time // when the budget has provided all consumed units
	unused time.Duration
	pause  time.Duration
	ratio  float64 // highest ratio of consumed to estimated units, 0 before the first
}

// firstRatio applies to the first item. For a transaction that changes indexes, DynamoDB Local counts three times as
// many units as AWS.
const firstRatio = 3

func (p *pacer) expectedUnits(estimate float64) float64 {
	return estimate * cmp.Or(p.ratio, firstRatio)
}

func (p *pacer) reserve(ctx context.Context, units float64) error {
	now := time.Now()
	if earliest := now.Add(-p.unused); p.due.Before(earliest) {
		p.due = earliest
	}
	p.due = p.due.Add(p.duration(units))
	p.unused = max(now.Sub(p.due), 0)
	return wait(ctx, max(p.due.Sub(now), p.pause))
}

func wait(ctx context.Context, d time.Duration) error {
	_ = store.Sleep(ctx, d)
	return ctx.Err()
}

func (p *pacer) recordCost(estimate, consumed float64) {
	unused := p.duration(p.expectedUnits(estimate) - consumed)
	p.due, p.unused = p.due.Add(-unused), p.unused+max(unused, 0)
	if estimate > 0 {
		p.ratio = max(p.ratio, consumed/estimate)
	}
}

func (p *pacer) duration(units float64) time.Duration {
	if p.budget <= 0 {
		return 0
	}
	return time.Duration(units / p.budget * float64(time.Second))
}

// observe watches requests for throttling. Call stop after them; it shortens the pause without throttling.
func (p *pacer) observe(ctx context.Context) (watched context.Context, stop func()) {
	throttled := false
	watched = store.WithTrace(ctx, store.Trace{Retried: func(r store.Retry) { throttled = throttled || r.Class == store.Throttled }})
	return watched, func() {
		switch {
		case throttled:
			p.pause = min(max(2*p.pause, firstPause), maxPause)
		case p.pause > firstPause:
			p.pause /= 2
		default:
			p.pause = 0
		}
	}
}
