package results

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// SortBy is an order that a person chose.
type SortBy struct {
	Key   string // of a column
	Order widget.Order
}

// arranged is how rows are filtered and sorted.
type arranged struct {
	Filter string // in force; "" for none
	filter *rows.Filter
	By     SortBy
	Show   []int32      // numbers of the rows in the grid, nil for all in the order of the store
	View   *Arrangement // the source of Show, nil for all in the order of the store
	Work   *Arrangement // what was requested; View once it is complete
	full   *Arrangement // the order of all rows before they were filtered, nil for none
	last   int          // number of the last arrangement
	Laid   int          // the arrangement for whose values the columns were laid out
}

// An Arrangement is a search for rows and its state. Steps work on copies.
type Arrangement struct {
	ID     int
	Back   *Position // where the cursor returns to, nil for where it is
	search rows.Search
	ctx    context.Context
	cancel context.CancelFunc
	by     SortBy
	masker *models.Masker // of the rows that the search saw
	busy   bool           // a step is running
}

// ArrangedMsg is the result of a step.
type ArrangedMsg struct {
	Pattern *accesspatterns.Pattern
	Work    Arrangement
}

// Filtered reports whether a filter is in force.
func (r *Rows) Filtered() bool { return r.filter != nil }

// Arrange starts to filter and sort all rows as requested.
func (r *Rows) Arrange() tea.Cmd {
	r.stopArranging()
	if r.filter == nil && r.By.Order == widget.Unsorted {
		r.Show, r.View, r.Work, r.full = nil, nil, nil, nil
		return nil
	}
	masker := r.env.Session.Masker()
	if w := r.View; w != nil && w.search.Filter() == nil && w.search.Examined() >= r.Items.Len() {
		r.full = w
	}
	if w := r.full; w != nil && (w.by != r.By || w.masker != masker) {
		r.full = nil
	}
	if r.full != nil && r.filter == nil {
		r.resume(r.full)
		return r.Continue()
	}
	l := r.lens()
	order := rows.Order{Descending: r.By.Order == widget.Descending}
	if r.By.Order != widget.Unsorted {
		order.Column = r.By.Key
	}
	w := &Arrangement{ID: r.last, by: r.By, masker: l.masker}
	w.search = rows.NewSearch(r.filter, order, func(it models.Item) rows.Row { return l.preview(it) })
	w.ctx, w.cancel = context.WithCancel(r.env.Context)
	if r.Show == nil && r.Items.Len() == 0 {
		r.Show = []int32{}
	}
	r.Work = w
	return r.Continue()
}

// resume shows an earlier arrangement again. A step of it that was dropped may
// still be running.
func (r *Rows) resume(was *Arrangement) {
	w := *was
	w.ID, w.busy, w.Back = r.last, false, nil
	w.ctx, w.cancel = context.WithCancel(r.env.Context)
	w.search = w.search.Detached()
	r.Work, r.View = &w, &w
	r.Show, _ = w.search.Hits()
}

// stopArranging drops the result of a running step.
func (r *Rows) stopArranging() {
	if r.Work != nil {
		r.Work.cancel()
	}
	r.last++
}

// Sorting reports whether the rows are being sorted in another order.
func (r *Rows) Sorting() bool {
	w := r.Work
	return w != nil && w.busy && w.by.Order != widget.Unsorted && w.by != r.inView()
}

// inView returns the current order of the rows.
func (r *Rows) inView() SortBy {
	if r.View == nil {
		return SortBy{}
	}
	return r.View.by
}

// KeepOrder cancels sorting: the rows keep their order.
func (r *Rows) KeepOrder() tea.Cmd {
	r.By = r.inView()
	if r.View == nil && r.filter == nil || r.View != nil && r.View.search.Exact() == r.filter && !r.View.stale(r) {
		r.stopArranging()
		if r.View == nil {
			r.Show, r.Work = nil, nil
			return nil
		}
		r.resume(r.View)
		return r.Continue()
	}
	return r.Arrange()
}

// Continue examines the rows that were not examined yet, nil when there are none or the
// program ends.
func (r *Rows) Continue() tea.Cmd {
	w := r.Work
	if w == nil || w.busy || w.ctx.Err() != nil {
		return nil
	}
	if w.search.Examined() >= r.Items.Len() {
		if r.Items.Len() == 0 {
			r.Show = []int32{}
		}
		return nil
	}
	if w.search.FellBack() && w.search.Examined() > 0 { // New rows may match the filter itself.
		return r.Arrange()
	}
	w.busy = true
	return r.step(*w)
}

func (r *Rows) step(w Arrangement) tea.Cmd {
	items, pattern := r.Items, r.Pattern
	return func() tea.Msg {
		w.search = w.search.Step(w.ctx, items.Reader())
		return ArrangedMsg{pattern, w}
	}
}

// CanWait reports whether it pays to wait for more rows before sorting them in: the
// cost is that of all rows.
func (r *Rows) CanWait() bool {
	const part = 20
	if r.Work == nil || !r.Work.search.Sorts() {
		return false
	}
	done := r.Work.search.Examined()
	return done > 0 && part*(r.Items.Len()-done) < done
}

// Stale reports whether the rows were arranged while other data was revealed.
func (r *Rows) Stale() bool { return r.Work != nil && r.Work.stale(r) }

func (w *Arrangement) stale(r *Rows) bool { return w.masker != r.env.Session.Masker() }

// Arranged shows the result of a step, and returns the next.
func (r *Rows) Arranged(msg ArrangedMsg) tea.Cmd {
	if r.Work == nil || msg.Work.ID != r.Work.ID {
		return nil
	}
	w := msg.Work
	done := w.search.Examined() >= r.Items.Len()
	if done && w.search.FallBack() {
		done = false
	}
	w.busy, w.Back = !done, nil
	if !done {
		w.Back = r.Work.Back
	}
	r.Work = &w
	if done || w.search.Changed() && w.search.Filter() != nil {
		r.Show, _ = w.search.Hits()
		r.View = &w
	}
	if done {
		return nil
	}
	return r.step(w)
}

// HasValues reports whether there is a column of jq results.
func (r *Rows) HasValues() bool { return r.View != nil && r.View.search.HasValues() }

// AsRead reports whether the grid shows all rows in the order of the store.
func (r *Rows) AsRead() bool { return r.Work == nil }

// searching returns the progress of a long search, "" for a short one.
func (r *Rows) searching() string {
	const long = 20_000
	if r.Work == nil || !r.Work.busy || r.Items.Len() < long {
		return ""
	}
	return present.Thousands(r.Work.search.Examined()) + " of " + present.Plural(r.Items.Len(), "row") + " looked at"
}

// A Position is that of the cursor: the row of the grid and the number of its item.
type Position struct{ Row, At int }
