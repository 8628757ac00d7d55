package results

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// sortBy is an order that a person asked for.
type SortBy struct {
	Key   string // of a column
	Order widget.Order
}

// arranged is how rows are filtered and sorted.
type arranged struct {
	Filter string // in force; "" lets everything through
	Sieve  *rowset.Filter
	By     SortBy
	Show   []int32    // places of the rows of the grid, nil for all as they were read
	View   *arranging // what show was made by, nil for all as they were read
	Work   *arranging // what is asked for; view once it is done
	full   *arranging // the order of all rows that a filter was put over, nil for none
	last   int        // numbers the arrangements
	Laid   int        // the arrangement for whose values the columns were laid out
}

// arranging is an arrangement and how far it came. Steps pass it on by value:
// the one that a screen has is never changed behind its back.
type arranging struct {
	Id     int
	ctx    context.Context
	cancel context.CancelFunc
	filter *rowset.Filter // nil for all
	exact  *rowset.Filter // what filter was before it fell back
	by     SortBy
	lens   lens

	busy    bool      // a step is under way
	Back    *Standing // where the cursor returns to, nil for where it is
	next    int       // rows that were looked at
	Hits    []int32   // places of the rows that passed, as they are shown
	Rank    Ranking   // those rows, when they are shown in another order than they were read in
	values  MadeValues
	news    bool // hits are others than those that the screen has
	failed  int  // rows of which jq made an error
	slow    int  // those of them for which it took too long
	failure error
}

// rowsArrangedMsg is what a step found.
type RowsArrangedMsg struct {
	Pattern *accesspatterns.Pattern
	Work    arranging
}

// arrange starts to filter and sort all rows as is asked.
func (r *Rows) Arrange() tea.Cmd {
	r.stopArranging()
	if r.Sieve == nil && r.By.Order == widget.Unsorted {
		r.Show, r.View, r.Work, r.full = nil, nil, nil, nil
		return nil
	}
	masker := r.env.Session.Masker()
	if w := r.View; w != nil && w.filter == nil && w.next >= r.Items.Len() {
		r.full = w
	}
	if w := r.full; w != nil && (w.by != r.By || w.lens.masker != masker) {
		r.full = nil
	}
	if r.full != nil && r.Sieve == nil {
		r.resume(r.full)
		return r.GoOn()
	}
	w := &arranging{Id: r.last, filter: r.Sieve, exact: r.Sieve, by: r.By, lens: r.lens()}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.Rank.Descending = w.by.Order == widget.Descending
	if r.Show == nil && r.Items.Len() == 0 {
		r.Show = []int32{}
	}
	r.Work = w
	return r.GoOn()
}

// resume shows an arrangement again that was in view before. What it goes on to
// find is written elsewhere than what a step that was dropped still finds.
func (r *Rows) resume(was *arranging) {
	w := *was
	w.Id, w.busy, w.Back = r.last, false, nil
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.Hits, w.Rank = slices.Clip(w.Hits), w.Rank.apart()
	w.values.from, w.values.text = slices.Clip(w.values.from), slices.Clip(w.values.text)
	r.Work, r.View, r.Show = &w, &w, w.Hits
}

// stopArranging drops what a step under way will find.
func (r *Rows) stopArranging() {
	if r.Work != nil {
		r.Work.cancel()
	}
	r.last++
}

// sorting reports whether rows are being put in another order than they are in.
func (r *Rows) Sorting() bool {
	w := r.Work
	return w != nil && w.busy && w.by.Order != widget.Unsorted && w.by != r.inView()
}

// inView is the order in which the rows are.
func (r *Rows) inView() SortBy {
	if r.View == nil {
		return SortBy{}
	}
	return r.View.by
}

// keepOrder gives up sorting: the rows stay in the order in which they are.
func (r *Rows) KeepOrder() tea.Cmd {
	r.By = r.inView()
	if r.View == nil && r.Sieve == nil || r.View != nil && r.View.exact == r.Sieve && !r.View.Stale(r) {
		r.stopArranging()
		if r.View == nil {
			r.Show, r.Work = nil, nil
			return nil
		}
		r.resume(r.View)
		return r.GoOn()
	}
	return r.Arrange()
}

// goOn looks at the rows that were not looked at yet, nil when there are none.
func (r *Rows) GoOn() tea.Cmd {
	w := r.Work
	if w == nil || w.busy {
		return nil
	}
	if w.next >= r.Items.Len() {
		if r.Items.Len() == 0 {
			r.Show = []int32{}
		}
		return nil
	}
	if w.filter != w.exact && w.next > 0 { // What is new may hold the words themselves.
		return r.Arrange()
	}
	w.busy = true
	return r.step(*w)
}

func (r *Rows) step(w arranging) tea.Cmd {
	items, pattern := r.Items, r.Pattern
	return func() tea.Msg { return RowsArrangedMsg{pattern, w.step(items.Reader())} }
}

// canWait reports whether it pays to let more rows come before they are put among
// those that are in an order: that costs as much as there are.
func (r *Rows) CanWait() bool {
	const part = 20
	w := r.Work
	return w != nil && w.keyed() && w.next > 0 && part*(r.Items.Len()-w.next) < w.next
}

// stale reports whether rows were arranged by what is hidden or shown by now.
func (r *Rows) Stale() bool { return r.Work != nil && r.Work.Stale(r) }

func (w *arranging) Stale(r *Rows) bool { return w.lens.masker != r.env.Session.Masker() }

// took takes in what a step found, and returns the next.
func (r *Rows) Took(msg RowsArrangedMsg) tea.Cmd {
	if r.Work == nil || msg.Work.Id != r.Work.Id {
		return nil
	}
	w := msg.Work
	done := w.next >= r.Items.Len()
	if next := w.fallback(); done && next != nil {
		w.filter, w.next, done = next, 0, false
	}
	w.busy, w.Back = !done, nil
	if !done {
		w.Back = r.Work.Back
	}
	r.Work = &w
	if done || w.news && w.filter != nil {
		w.news = false
		if w.Hits == nil {
			w.Hits = []int32{}
		}
		r.Show, r.View = w.Hits, &w
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
func (r *Rows) Valued() bool { return r.View != nil && r.View.values.any() }

// asRead reports whether the grid shows all rows in the order in which they came.
func (r *Rows) AsRead() bool { return r.Work == nil }

// searching says how far a long arrangement came, "" for a short one.
func (r *Rows) searching() string {
	const long = 20_000
	if r.Work == nil || !r.Work.busy || r.Items.Len() < long {
		return ""
	}
	return present.Thousands(r.Work.next) + " of " + present.Plural(r.Items.Len(), "row") + " looked at"
}

// A standing is what the cursor is on.
type Standing struct{ Row, At int }
