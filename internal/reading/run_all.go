package reading

import (
	"cmp"
	"context"
	"errors"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// maxConcurrent is the maximum number of concurrent requests of a run.
const maxConcurrent = maxSegments

// All reads from the current position to the end, and passes pages of rows to yield in the pattern's order. It stays
// within the session's budget (see session.Options.Budget) and slows down when the table throttles. A run with
// RunOptions.All scans a large table in segments.
//
// The figures of a page count since the previous page. More is false only for the last page, which may be empty. All
// stops at the first error of a request, of ctx or of yield. Token and the run then continue after the last page that
// yield accepted. Only one goroutine at a time calls yield, which may keep the items. All returns errors of yield
// unchanged.
func (r *Run) All(ctx context.Context, yield func(Page) error) error {
	ctx, end := r.rd.beginLookup(ctx, r.request)
	return end(r.all(ctx, yield))
}

func (r *Run) all(ctx context.Context, yield func(Page) error) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if err := r.split(ctx); err != nil {
		return err
	}
	paced, err := r.rd.Paced(ctx, r.request.Pattern.Table)
	if err != nil {
		return err
	}
	r.reader = paced
	progressOf(ctx).begin(r, paced.Budget())
	previous := r.stats()
	yieldPage := func(p Page) error {
		now := r.stats()
		p.addUsage(previous, now)
		previous = now
		if !r.request.IsCount() {
			p.Count = len(p.Items)
		}
		err := yield(p)
		if err == nil {
			r.returned += p.Count
		}
		return err
	}
	if r.request.IsCount() {
		n, err := r.cursor.Count(ctx)
		if err != nil {
			return err
		}
		return yieldPage(Page{Count: n})
	}
	last := false
	err = r.cursor.Drain(ctx, min(len(r.request.Legs), maxConcurrent), func(rows []models.Item) error {
		if r.hydrate {
			var err error
			if rows, err = r.fullItems(ctx, rows); err != nil {
				return err
			}
		}
		done, all := r.cursor.Legs()
		last = done == all
		return yieldPage(Page{Items: rows, More: !last})
	})
	if err == nil && !last {
		return yieldPage(Page{})
	}
	return r.cancellationError(ctx, err)
}

func (r *Run) cancellationError(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) || store.ClassOf(err) != "" {
		return err
	}
	return &store.Error{Class: store.Canceled, Table: r.request.Pattern.Table.Name, Problem: "the read was canceled", Err: err}
}

// WholeTable returns a run that scans the whole table. It does not refuse the scan, so the caller must ask for consent.
func (rd *Reader) WholeTable(t *models.Table) *Run {
	r := &Run{rd: rd, request: accesspatterns.WholeTable(t), reader: rd.s.Store(), canSplit: true}
	r.cursor = r.request.Open(r.fetch, nil)
	return r
}

// Totals returns the figures of the run so far, without items. It must not be called during a read.
func (r *Run) Totals() Page {
	st := r.stats()
	return Page{Count: r.returned, Scanned: st.Scanned, Capacity: st.Capacity, Requests: st.Requests}
}

func (r *Run) split(ctx context.Context) error {
	if !r.request.IsScan() || !r.canSplit && r.expected > 0 {
		return nil
	}
	segments := cmp.Or(r.segments, unknownSegments)
	e, err := r.rd.Estimate(ctx, r.request.Pattern.Table, r.request.Read.Index)
	switch {
	case err == nil:
		segments, r.expected = cmp.Or(r.segments, e.Segments), e.Items
	case store.ClassOf(err) != store.AccessDenied:
		return err
	}
	if !r.canSplit {
		return nil
	}
	r.canSplit = false
	r.replaceRequest(r.request.Split(segments))
	return nil
}
