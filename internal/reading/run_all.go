package reading

import (
	"cmp"
	"context"
	"errors"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// allTogether is how many requests of a run are under way at once at most.
const allTogether = maxSegments

// All reads the run from where it is to its end and hands the rows to yield,
// some at a time, in the order that the pattern promises. Its requests keep to
// the budget of the session (see Options.Budget), and to what the table stands.
// A run that was started with RunOptions.All reads a large table in segments.
//
// The figures of a page are those since the page before; More is set but for the
// last page, which may be without rows. All ends with the first error, of a
// request, of ctx or of yield. Token then names the place behind the last page
// that yield took without one, and the run can go on.
func (r *Run) All(ctx context.Context, yield func(Page) error) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if err := r.split(ctx); err != nil {
		return err
	}
	paced, err := r.rd.paced(ctx, r.request.Pattern.Table)
	if err != nil {
		return err
	}
	r.reader = paced
	progressOf(ctx).begin(r, paced.Budget())
	told := r.stats()
	hand := func(p Page) error {
		now := r.stats()
		p.spent(told, now)
		told = now
		if !r.request.IsCount() {
			p.Count = len(p.Items)
		}
		err := yield(p)
		if err == nil {
			r.given += p.Count
		}
		return err
	}
	if r.request.IsCount() {
		n, err := r.cursor.Count(ctx)
		if err != nil {
			return err
		}
		return hand(Page{Count: n})
	}
	last := false
	err = r.cursor.Drain(ctx, min(len(r.request.Legs), allTogether), func(rows []models.Item) error {
		if r.hydrate {
			var err error
			if rows, err = r.whole(ctx, rows); err != nil {
				return err
			}
		}
		done, all := r.cursor.Legs()
		last = done == all
		return hand(Page{Items: rows, More: !last})
	})
	if err == nil && !last {
		return hand(Page{})
	}
	return r.stopped(ctx, err)
}

// stopped makes the end of ctx an error like those of requests that it ended.
func (r *Run) stopped(ctx context.Context, err error) error {
	var known *store.Error
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) || errors.As(err, &known) {
		return err
	}
	return &store.Error{Class: store.Canceled, Table: r.request.Pattern.Table.Name, What: "the read was canceled", Err: err}
}

// WholeTable returns a run of every item of the table.
func (rd *Reader) WholeTable(t *models.Table) *Run {
	r := &Run{rd: rd, request: accesspatterns.WholeTable(t), reader: rd.s.Store(), splits: true}
	r.cursor = r.request.Open(r.fetch, nil)
	return r
}

// Totals returns what the run gave and did so far, without the items.
func (r *Run) Totals() Page {
	st := r.stats()
	return Page{Count: r.given, Scanned: st.Scanned, Capacity: st.Capacity, Requests: st.Requests}
}

// split asks how large the table of a scan is, and makes one that has not begun a
// scan of several segments, as many as that asks for.
func (r *Run) split(ctx context.Context) error {
	if !r.request.IsScan() || !r.splits && r.expected > 0 {
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
	if !r.splits {
		return nil
	}
	r.splits = false
	r.replace(r.request.Split(segments))
	return nil
}
