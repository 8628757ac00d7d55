// This file filters and sorts rows, off the screen's time and a few at a time:
// what is found first is shown first, and what is asked for meanwhile is not
// kept waiting.

package screens

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/sieve"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// How many rows are looked at between two frames, at first and then.
const (
	firstStep = 500
	laterStep = 4000
)

// sortBy is an order that a person asked for.
type sortBy struct {
	key   string // of a column
	order widget.Order
}

// A rowHit is a row that is shown.
type rowHit struct {
	at    int32     // its place on the shelf
	key   sieve.Key // what it is ordered by
	value string    // what a jq expression made of it
}

// arranged is how rows are filtered and sorted.
type arranged struct {
	filter string // in force; "" lets everything through
	sieve  *sieve.Filter
	by     sortBy
	show   []rowHit   // the rows of the grid, nil for all as they were read
	work   *arranging // nil when rows are shown as they were read
	last   int        // numbers the arrangements
}

// arranging is an arrangement and how far it came. Steps pass it on by value:
// the one that a screen has is never changed behind its back.
type arranging struct {
	id     int
	ctx    context.Context
	cancel context.CancelFunc
	filter *sieve.Filter // nil for all
	exact  *sieve.Filter // what filter was before it fell back
	by     widget.Order
	column column
	lens   lens

	busy    bool      // a step is under way
	back    *standing // where the cursor returns to, nil for where it is
	next    int       // rows that were looked at
	hits    []rowHit
	merging bool // hits are in order; else they are sorted once all are there
	valued  bool // jq made values of rows
	failed  int  // rows of which jq made an error
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
		r.show, r.work = nil, nil
		return nil
	}
	w := &arranging{id: r.last, filter: r.sieve, exact: r.sieve, by: r.by.order, column: column{key: r.by.key}, lens: r.lens()}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.merging = w.by == widget.Unsorted || w.filter != nil
	if r.show == nil && r.items.size() == 0 {
		r.show = []rowHit{}
	}
	r.work = w
	return r.goOn()
}

// stopArranging drops what a step under way will find.
func (r *rows) stopArranging() {
	if r.work != nil {
		r.work.cancel()
	}
	r.last++
}

// goOn looks at the rows that were not looked at yet, nil when there are none.
func (r *rows) goOn() tea.Cmd {
	w := r.work
	if w == nil || w.busy {
		return nil
	}
	if w.next >= r.items.size() {
		if r.items.size() == 0 {
			r.show = []rowHit{}
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
	return func() tea.Msg { return rowsArrangedMsg{pattern, w.step(items)} }
}

// stale reports whether rows were arranged by what is hidden or shown by now.
func (r *rows) stale() bool {
	return r.work != nil && r.work.lens.masker != r.env.Session.Masker()
}

// took takes in what a step found, and returns the next.
func (r *rows) took(msg rowsArrangedMsg) tea.Cmd {
	if r.work == nil || msg.work.id != r.work.id {
		return nil
	}
	w := msg.work
	done := w.next >= r.items.size()
	if next := w.fallback(); done && next != nil {
		w.filter, w.next, done = next, 0, false
	}
	w.busy, w.back = !done, nil
	if !done {
		w.back = r.work.back
	}
	r.work = &w
	if done || w.filter != nil && len(w.hits) > 0 {
		r.show = w.hits
		if r.show == nil {
			r.show = []rowHit{}
		}
	}
	if done {
		return nil
	}
	return r.step(w)
}

// fallback is the filter to try when no row passed, nil when there is none.
func (w *arranging) fallback() *sieve.Filter {
	if w.filter == nil || len(w.hits) > 0 {
		return nil
	}
	next, ok := w.filter.Fallback()
	if !ok {
		return nil
	}
	return next
}

// step looks at the next rows. It only looks at what is shown: a hidden value
// can be found out neither by a filter nor by an order.
func (w arranging) step(items shelf) arranging {
	to := w.next + laterStep
	if w.next == 0 {
		to = firstStep
	}
	to = min(to, items.size())
	var found []rowHit
	for at := w.next; at < to && w.ctx.Err() == nil; at++ {
		h, in, err := w.look(at, items.at(at))
		switch {
		case errors.Is(err, sieve.ErrSlow):
			w.failed, w.failure, to = w.failed+1, err, items.size()
			at = to
		case err != nil:
			w.failed, w.failure = w.failed+1, err
		case in:
			found = append(found, h)
		}
	}
	w.next = to
	w.take(found, to == items.size())
	return w
}

// look decides about one row.
func (w *arranging) look(at int, it models.Item) (h rowHit, in bool, err error) {
	h.at = int32(at)
	seen := &glimpse{&w.lens, w.lens.masker.Veil(w.lens.pattern.Table, it)}
	var v sieve.Verdict
	if w.filter != nil {
		v, err = w.filter.Match(w.ctx, seen)
		if err != nil || !v.In {
			return h, false, err
		}
	}
	if v.HasValue {
		w.valued = true
		h.value = v.Value
	}
	switch {
	case w.by == widget.Unsorted && w.filter != nil && w.filter.IsLoose():
		h.key = sieve.ScoreKey(v.Score)
	case w.by == widget.Unsorted:
	case w.column.key == queryColumn:
		h.key = sieve.JSONKey(v.Value)
	default:
		h.key = w.column.sortKey(seen)
	}
	return h, true, nil
}

// take puts hits among those that are there already.
func (w *arranging) take(found []rowHit, last bool) {
	if !w.merging {
		w.hits = append(w.hits, found...)
		if last {
			slices.SortFunc(w.hits, w.compare)
			w.merging = true
		}
		return
	}
	slices.SortFunc(found, w.compare)
	if len(w.hits) == 0 || len(found) == 0 || w.compare(w.hits[len(w.hits)-1], found[0]) < 0 {
		w.hits = append(w.hits, found...)
		return
	}
	merged := make([]rowHit, 0, len(w.hits)+len(found))
	i := 0
	for _, h := range found {
		for i < len(w.hits) && w.compare(w.hits[i], h) < 0 {
			merged = append(merged, w.hits[i])
			i++
		}
		merged = append(merged, h)
	}
	w.hits = append(merged, w.hits[i:]...)
}

// compare orders hits: by what was asked for, then as they were read.
func (w *arranging) compare(a, b rowHit) int {
	if w.by != widget.Unsorted || w.filter != nil && w.filter.IsLoose() {
		if c := sieve.Compare(a.key, b.key, w.by == widget.Descending); c != 0 {
			return c
		}
	}
	return int(a.at - b.at)
}

// valued reports whether there is a column of what jq made.
func (r *rows) valued() bool { return r.work != nil && r.work.valued }

// queryCell is what jq made of a row.
func queryCell(show []rowHit, i int) widget.Cell {
	if i >= len(show) || show[i].value == "" {
		return widget.Cell{Text: noValue, Role: widget.RoleFaint}
	}
	role := widget.RoleStrong
	if show[i].value == "null" {
		role = widget.RoleFaint
	}
	return widget.Cell{Text: models.PrintableCell(show[i].value, cellRunes), Role: role}
}

// asRead reports whether the grid shows all rows in the order in which they came.
func (r *rows) asRead() bool { return r.work == nil }

// searching says how far a long arrangement came, "" for a short one.
func (r *rows) searching() string {
	const long = 20_000
	if r.work == nil || !r.work.busy || r.items.size() < long {
		return ""
	}
	return thousands(r.work.next) + " of " + plural(r.items.size(), "row") + " looked at"
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
	if valued := j.rows.valued(); valued != slices.ContainsFunc(j.rows.shown, func(c column) bool { return c.key == queryColumn }) {
		j.relaid(j.rows.layout)
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
