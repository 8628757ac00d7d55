package screens

import (
	"context"
	"slices"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// sortBy is an order that a person asked for.
type sortBy struct {
	key   string // of a column
	order widget.Order
}

// arranged is how rows are filtered and sorted.
type arranged struct {
	filter string // in force; "" lets everything through
	sieve  *rowset.Filter
	by     sortBy
	show   []int32    // places of the rows of the grid, nil for all as they were read
	view   *arranging // what show was made by, nil for all as they were read
	work   *arranging // what is asked for; view once it is done
	full   *arranging // the order of all rows that a filter was put over, nil for none
	last   int        // numbers the arrangements
	laid   int        // the arrangement for whose values the columns were laid out
}

// arranging is an arrangement and how far it came. Steps pass it on by value:
// the one that a screen has is never changed behind its back.
type arranging struct {
	id     int
	ctx    context.Context
	cancel context.CancelFunc
	filter *rowset.Filter // nil for all
	exact  *rowset.Filter // what filter was before it fell back
	by     sortBy
	lens   lens

	busy    bool      // a step is under way
	back    *standing // where the cursor returns to, nil for where it is
	next    int       // rows that were looked at
	hits    []int32   // places of the rows that passed, as they are shown
	rank    ranking   // those rows, when they are shown in another order than they were read in
	values  madeValues
	news    bool // hits are others than those that the screen has
	failed  int  // rows of which jq made an error
	slow    int  // those of them for which it took too long
	failure error
}

// rowsArrangedMsg is what a step found.
type rowsArrangedMsg struct {
	pattern *accesspatterns.Pattern
	work    arranging
}

// arrange starts to filter and sort all rows as is asked.
func (r *rows) arrange() tea.Cmd {
	r.stopArranging()
	if r.sieve == nil && r.by.order == widget.Unsorted {
		r.show, r.view, r.work, r.full = nil, nil, nil, nil
		return nil
	}
	masker := r.env.Session.Masker()
	if w := r.view; w != nil && w.filter == nil && w.next >= r.items.Len() {
		r.full = w
	}
	if w := r.full; w != nil && (w.by != r.by || w.lens.masker != masker) {
		r.full = nil
	}
	if r.full != nil && r.sieve == nil {
		r.resume(r.full)
		return r.goOn()
	}
	w := &arranging{id: r.last, filter: r.sieve, exact: r.sieve, by: r.by, lens: r.lens()}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.rank.descending = w.by.order == widget.Descending
	if r.show == nil && r.items.Len() == 0 {
		r.show = []int32{}
	}
	r.work = w
	return r.goOn()
}

// resume shows an arrangement again that was in view before. What it goes on to
// find is written elsewhere than what a step that was dropped still finds.
func (r *rows) resume(was *arranging) {
	w := *was
	w.id, w.busy, w.back = r.last, false, nil
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.hits, w.rank = slices.Clip(w.hits), w.rank.apart()
	w.values.from, w.values.text = slices.Clip(w.values.from), slices.Clip(w.values.text)
	r.work, r.view, r.show = &w, &w, w.hits
}

// stopArranging drops what a step under way will find.
func (r *rows) stopArranging() {
	if r.work != nil {
		r.work.cancel()
	}
	r.last++
}

// sorting reports whether rows are being put in another order than they are in.
func (r *rows) sorting() bool {
	w := r.work
	return w != nil && w.busy && w.by.order != widget.Unsorted && w.by != r.inView()
}

// inView is the order in which the rows are.
func (r *rows) inView() sortBy {
	if r.view == nil {
		return sortBy{}
	}
	return r.view.by
}

// keepOrder gives up sorting: the rows stay in the order in which they are.
func (r *rows) keepOrder() tea.Cmd {
	r.by = r.inView()
	if r.view == nil && r.sieve == nil || r.view != nil && r.view.exact == r.sieve && !r.view.stale(r) {
		r.stopArranging()
		if r.view == nil {
			r.show, r.work = nil, nil
			return nil
		}
		r.resume(r.view)
		return r.goOn()
	}
	return r.arrange()
}

// goOn looks at the rows that were not looked at yet, nil when there are none.
func (r *rows) goOn() tea.Cmd {
	w := r.work
	if w == nil || w.busy {
		return nil
	}
	if w.next >= r.items.Len() {
		if r.items.Len() == 0 {
			r.show = []int32{}
		}
		return nil
	}
	if w.filter != w.exact && w.next > 0 { // What is new may hold the words themselves.
		return r.arrange()
	}
	w.busy = true
	return r.step(*w)
}

func (r *rows) step(w arranging) tea.Cmd {
	items, pattern := r.items, r.pattern
	return func() tea.Msg { return rowsArrangedMsg{pattern, w.step(items.Reader())} }
}

// canWait reports whether it pays to let more rows come before they are put among
// those that are in an order: that costs as much as there are.
func (r *rows) canWait() bool {
	const part = 20
	w := r.work
	return w != nil && w.keyed() && w.next > 0 && part*(r.items.Len()-w.next) < w.next
}

// stale reports whether rows were arranged by what is hidden or shown by now.
func (r *rows) stale() bool { return r.work != nil && r.work.stale(r) }

func (w *arranging) stale(r *rows) bool { return w.lens.masker != r.env.Session.Masker() }

// took takes in what a step found, and returns the next.
func (r *rows) took(msg rowsArrangedMsg) tea.Cmd {
	if r.work == nil || msg.work.id != r.work.id {
		return nil
	}
	w := msg.work
	done := w.next >= r.items.Len()
	if next := w.fallback(); done && next != nil {
		w.filter, w.next, done = next, 0, false
	}
	w.busy, w.back = !done, nil
	if !done {
		w.back = r.work.back
	}
	r.work = &w
	if done || w.news && w.filter != nil {
		w.news = false
		if w.hits == nil {
			w.hits = []int32{}
		}
		r.show, r.view = w.hits, &w
	}
	if done {
		return nil
	}
	return r.step(w)
}

// fallback is the filter to try when no row passed, nil when there is none.
func (w *arranging) fallback() *rowset.Filter {
	if w.filter == nil || w.found() > 0 {
		return nil
	}
	return w.filter.Fallback()
}

// valued reports whether there is a column of what jq made.
func (r *rows) valued() bool { return r.view != nil && r.view.values.any() }

// asRead reports whether the grid shows all rows in the order in which they came.
func (r *rows) asRead() bool { return r.work == nil }

// searching says how far a long arrangement came, "" for a short one.
func (r *rows) searching() string {
	const long = 20_000
	if r.work == nil || !r.work.busy || r.items.Len() < long {
		return ""
	}
	return thousands(r.work.next) + " of " + plural(r.items.Len(), "row") + " looked at"
}

// rearrange filters and sorts the rows of a job as is asked. The cursor
// stays on its item; while a filter is typed on that which it was on before, so
// that where it ends up does not hang on how fast one types.
func (b *Workbench) rearrange(j *job) tea.Cmd {
	at := j.place()
	if b.finding {
		at = j.anchor
	}
	cmd := j.rows.arrange()
	if b.finding && j.rows.work != nil {
		j.rows.work.back = &at
	}
	j.settle(at)
	b.preview.forget()
	return cmd
}

// tookRows takes in what a step found, unless something else is asked for by now.
func (b *Workbench) tookRows(msg rowsArrangedMsg) tea.Cmd {
	j := b.jobs[msg.pattern]
	if j == nil {
		return nil
	}
	at := j.place()
	if w := j.rows.work; w != nil && w.id == msg.work.id && w.back != nil {
		at = *w.back
	}
	cmd := j.rows.took(msg)
	j.settle(at)
	b.preview.forget()
	return cmd
}

// readOn takes in that rows were added to a job.
func (b *Workbench) readOn(j *job) tea.Cmd {
	at, back := j.rows.awaited()
	if j.rows.work == nil && (j.rows.sieve != nil || j.rows.by.order != widget.Unsorted) {
		cmd := b.rearrange(j)
		if back {
			j.rows.work.back = &standing{at, at}
		}
		return cmd
	}
	if back {
		j.settle(standing{at, at})
	}
	if j.loading() && j.rows.canWait() {
		return nil // The end of the load takes them in at the latest.
	}
	return j.rows.goOn()
}

// A standing is what the cursor is on.
type standing struct{ row, at int }

// place is where the cursor is.
func (j *job) place() standing {
	row := j.grid.Cursor()
	if row < 0 || row >= j.rows.Len() {
		return standing{-1, -1}
	}
	return standing{row, j.rows.at(row)}
}

// settle brings the cursor back to its item, or to its row when that is gone,
// and shows the columns that there are now.
func (j *job) settle(was standing) {
	valued := j.rows.valued()
	if valued != slices.ContainsFunc(j.rows.shown, func(c column) bool { return c.key == queryColumn }) || valued && j.rows.laid != j.rows.view.id {
		j.relaid(j.rows.layout)
		if valued {
			j.rows.laid = j.rows.view.id // Another expression makes values of other widths.
		}
	}
	if was.at < 0 {
		return
	}
	row := j.rows.find(was.at)
	if row < 0 {
		row = min(was.row, max(j.rows.Len()-1, 0))
	}
	j.grid.SetCursor(row)
}
