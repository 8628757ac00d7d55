package dashboard

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Board reads a summary step by step. Its methods must not be called concurrently.
type Board struct {
	w        *workspace.Workspace
	o        Options
	progress reading.Progress
	steps    []step
	summary  Summary
	missing  map[*models.Table]error // why a table cannot be read
}

// A step reads one part. The board repeats it until it is done.
type step func(ctx context.Context) (done bool, err error)

func once(do func(ctx context.Context) error) step {
	return func(ctx context.Context) (bool, error) { return true, do(ctx) }
}

// New returns a board on a workspace. It sends no requests; Next does. The initial summary contains a part for each
// queue without parameters and for each lifecycle, so that a screen can lay out the page before the first read.
func New(w *workspace.Workspace, o Options) *Board {
	b := &Board{w: w, o: o.withDefaults(), missing: map[*models.Table]error{}}
	b.steps = []step{once(b.readLocal)}
	s := w.Session
	for _, q := range s.Profile().Queues {
		if len(q.Params) == 0 { // queues with parameters differ for each item
			b.summary.Queues = append(b.summary.Queues, Queue{Queue: q})
		}
	}
	b.summary.Brief, b.summary.Review.Table, b.summary.Review.OwnRequests = o.Brief, s.RequestsTable(), s.CanDecide() != nil
	for _, l := range s.Profile().Lifecycles {
		b.summary.States = append(b.summary.States, States{Lifecycle: l, Counts: map[string]Count{}, Scanned: b.isScanned(l)})
	}
	if b.summary.Unread = s.Production() && !o.Requested; !b.summary.Unread && s.Store() != nil {
		b.plan()
	}
	return b
}

func (b *Board) plan() {
	var scans []*scan
	addScan := func(t *models.Table) *scan {
		i := slices.IndexFunc(scans, func(c *scan) bool { return c.table == t })
		if i < 0 {
			i = len(scans)
			scans = append(scans, &scan{b: b, table: t})
		}
		return scans[i]
	}
	for i, q := range b.summary.Queues {
		if r, err := b.w.Reading.Bind(q.Queue.Pattern, q.Queue.Args); err == nil && r.IsScan() {
			c := addScan(q.Queue.Pattern.Table)
			c.queues = append(c.queues, i)
			continue
		}
		b.steps = append(b.steps, once(func(ctx context.Context) error { return b.readQueue(ctx, i, false) }))
	}
	if b.summary.Review.Table != "" {
		b.steps = append(b.steps, once(b.review))
	}
	for i, s := range b.summary.States {
		if b.o.Brief {
			break
		}
		if s.Scanned {
			c := addScan(s.Lifecycle.Entity.Table)
			c.states = append(c.states, i)
			continue
		}
		for n, state := range s.Lifecycle.States {
			last := n == len(s.Lifecycle.States)-1
			b.steps = append(b.steps, once(func(ctx context.Context) error { return b.countState(ctx, i, state.Name, last) }))
		}
	}
	for _, c := range scans {
		b.steps = append(b.steps, c.step)
	}
}

func (b *Board) isScanned(l *models.Lifecycle) bool {
	q, _ := b.w.Session.Profile().StateQuery(l, "")
	return q == b.w.Session.Profile().Listing(l.Entity)
}

// Next reads the next part and reports whether more parts remain. If ctx ends, the board keeps the parts that it has
// read. Next sends the requests of one step: for a state, for a queue, or for one page of a scan. The summary contains
// errors: Progress contains the error of one part, and Summary.Err contains an error of the whole database, such as
// missing credentials, which ends the reading.
func (b *Board) Next(ctx context.Context) bool {
	if len(b.steps) == 0 || b.summary.Done {
		return false
	}
	done, err := b.steps[0](b.progress.Watch(ctx))
	b.summary.Requests, b.summary.Capacity = b.progress.Requests()
	b.summary.At = b.w.Session.Now()
	switch {
	case ctx.Err() != nil:
		b.summary.Incomplete = true
		b.steps = nil
	case err != nil:
		b.summary.Err = err
		b.steps = nil
	case done:
		b.steps = b.steps[1:]
	}
	if len(b.steps) > 0 && !b.o.Scan && b.summary.Requests >= b.o.Requests {
		b.summary.Incomplete = true
		b.steps = nil
	}
	b.summary.Done = len(b.steps) == 0
	return !b.summary.Done
}

// Summary returns the current results. The caller may keep the summary while the board continues to read.
func (b *Board) Summary() Summary {
	s := b.summary
	s.Queues, s.States = slices.Clone(s.Queues), slices.Clone(s.States)
	s.Offers, s.Missing = slices.Clone(s.Offers), slices.Clone(s.Missing)
	for i := range s.States {
		s.States[i].Counts = maps.Clone(s.States[i].Counts)
	}
	return s
}

func (b *Board) readLocal(context.Context) error {
	log, _ := b.w.Journal.Log(shownChanges) // the entries that can be read
	b.summary.Changes = log.Changes[:min(len(log.Changes), shownChanges)]
	if d, ok := b.w.History.Drift(); ok {
		b.summary.Drift = &d
	}
	return nil
}

func (b *Board) isAbsent(t *models.Table, p *Progress) bool {
	err := b.missing[t]
	if err != nil {
		p.Done, p.Missing, p.Err = true, true, err
	}
	return err != nil
}

func (b *Board) recordFailure(t *models.Table, p *Progress, err error) error {
	p.Err = err
	switch store.ClassOf(err) {
	case store.TableMissing:
		p.Missing, b.missing[t] = true, err
		b.summary.Missing = models.AppendOnce(b.summary.Missing, t.Name)
		return nil
	case store.IndexMissing, store.AccessDenied:
		return nil
	default:
	}
	if _, ok := errors.AsType[*accesspatterns.ParamError](err); ok {
		return nil
	}
	return err
}

func (b *Board) readQueue(ctx context.Context, i int, scan bool) error {
	q := &b.summary.Queues[i]
	q.Done = true
	t := q.Queue.Pattern.Table
	if b.isAbsent(t, &q.Progress) {
		return nil
	}
	run, err := b.w.Reading.Start(q.Queue.Pattern, q.Queue.Args, reading.RunOptions{Limit: queueRows, AllowScan: scan, Stored: true})
	var items []models.Item
	for err == nil && len(items) < queueRows {
		var page reading.Page
		page, err = run.Next(ctx)
		items, q.Count.More = append(items, page.Items...), page.More
		if !page.More {
			break
		}
	}
	if err != nil {
		q.Count.More = len(items) > 0
		err = b.recordFailure(t, &q.Progress, err)
	}
	q.Count.N = len(items)
	now := b.w.Session.Now()
	for _, it := range items {
		if r, ok := b.w.Session.Recognize(t, it); ok {
			if first, _ := r.Entity.Span(it, now); !first.IsZero() {
				q.Since = append(q.Since, first)
			}
		}
	}
	slices.SortFunc(q.Since, time.Time.Compare)
	return err
}

func (b *Board) countState(ctx context.Context, i int, state string, last bool) error {
	s := &b.summary.States[i]
	s.Done = s.Done || last
	if known := s.Err != nil || b.isAbsent(s.Lifecycle.Entity.Table, &s.Progress); known {
		return nil // another state of the lifecycle failed in the same way
	}
	pattern, args := b.w.Session.Profile().StateQuery(s.Lifecycle, state)
	r, err := b.w.Reading.Bind(pattern, args)
	if err != nil {
		return b.recordFailure(pattern.Table, &s.Progress, err)
	}
	var sum Count
	for _, leg := range r.Legs {
		page, err := b.w.Session.Store().Fetch(ctx, leg.AsCount(), nil, countRows)
		if err != nil {
			return b.recordFailure(pattern.Table, &s.Progress, err)
		}
		sum.N, sum.More = sum.N+page.Count, sum.More || page.LastKey != nil
	}
	s.Counts[state] = sum
	return nil
}
