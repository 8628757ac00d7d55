package results

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A SortBy is the user's sort order.
type SortBy struct {
	Key   string // key of a Column
	Order widget.Order
}

// arrangedRows filters and sorts the items of a store in steps, outside of Update. The previous arrangement stays
// visible until the first results of the new one arrive.
type arrangedRows struct {
	env      *screen.Env
	pattern  *accesspatterns.Pattern
	items    *rows.Store
	snapshot func() snapshot // returns the current presentation of rows

	Filter    string // active filter text, or ""
	filter    *rows.Filter
	SortOrder SortBy
	Visible   []int32      // numbers of the items in the grid; nil for all items in store order
	Applied   *Arrangement // source of Visible; nil for all items in store order
	Requested *Arrangement // requested arrangement; becomes Applied when it is complete
	lastID    int          // ID of the last arrangement
}

// An Arrangement is the state of a search for rows. Steps work on copies.
type Arrangement struct {
	ID       int
	ReturnTo *Position // position to which the cursor returns; nil to keep its place
	search   rows.Search
	ctx      context.Context
	cancel   context.CancelFunc
	sortBy   SortBy
	masker   *models.Masker // masker that the search uses
	busy     bool           // a step is running
}

// ArrangedMsg contains the result of a step.
type ArrangedMsg struct {
	Pattern     *accesspatterns.Pattern
	Arrangement Arrangement
}

// Arrange starts to filter and sort all rows as Filter and SortOrder request.
func (r *arrangedRows) Arrange() tea.Cmd {
	if r.filter == nil && r.SortOrder.Order == widget.Unsorted {
		r.clearArrangement()
		return nil
	}
	r.stopArranging()
	s := r.snapshot()
	order := rows.Order{Descending: r.SortOrder.Order == widget.Descending}
	if r.SortOrder.Order != widget.Unsorted {
		order.Column = r.SortOrder.Key
	}
	w := &Arrangement{ID: r.lastID, sortBy: r.SortOrder, masker: r.env.Session.Masker()}
	w.search = rows.NewSearch(r.filter, order, func(it models.Item) rows.Row { return s.searchRow(it) })
	w.ctx, w.cancel = context.WithCancel(r.env.Context)
	if r.Visible == nil && r.items.Len() == 0 {
		r.Visible = []int32{}
	}
	r.Requested = w
	return r.Continue()
}

func (r *arrangedRows) clearArrangement() {
	r.stopArranging()
	r.Visible, r.Applied, r.Requested = nil, nil, nil
}

func (r *arrangedRows) stopArranging() {
	if r.Requested != nil {
		r.Requested.cancel()
	}
	r.lastID++
}

// Continue examines the remaining rows. It returns nil if there are none, if a step is running, or if the program is
// ending.
func (r *arrangedRows) Continue() tea.Cmd {
	w := r.Requested
	if w == nil || w.busy || w.ctx.Err() != nil {
		return nil
	}
	if w.search.Examined() >= r.items.Len() {
		if r.items.Len() == 0 {
			r.Visible = []int32{}
		}
		return nil
	}
	if w.search.HasFallenBack() && w.search.Examined() > 0 { // New rows may match the complete filter.
		return r.Arrange()
	}
	w.busy = true
	return r.step(*w)
}

func (r *arrangedRows) step(w Arrangement) tea.Cmd {
	items, pattern := *r.items, r.pattern
	return func() tea.Msg {
		w.search = w.search.Step(w.ctx, items.Reader())
		return ArrangedMsg{pattern, w}
	}
}

// CanWait reports whether the caller should collect more rows before arranging them, because a sort handles all rows.
func (r *arrangedRows) CanWait() bool {
	const part = 20
	if r.Requested == nil || !r.Requested.search.Sorts() {
		return false
	}
	done := r.Requested.search.Examined()
	return done > 0 && part*(r.items.Len()-done) < done
}

// Stale reports whether the rows were arranged with a different masker, which showed different data.
func (r *arrangedRows) Stale() bool { return r.Requested != nil && r.isStale(r.Requested) }

func (r *arrangedRows) isStale(w *Arrangement) bool { return w.masker != r.env.Session.Masker() }

// ApplyStep shows the result of a step and returns the command for the next one.
func (r *arrangedRows) ApplyStep(msg ArrangedMsg) tea.Cmd {
	if r.Requested == nil || msg.Arrangement.ID != r.Requested.ID {
		return nil
	}
	w := msg.Arrangement
	done := w.search.Examined() >= r.items.Len()
	if done && w.search.FallBack() {
		done = false
	}
	w.busy, w.ReturnTo = !done, nil
	if !done {
		w.ReturnTo = r.Requested.ReturnTo
	}
	r.Requested = &w
	if done || w.search.Changed() && w.search.Filter() != nil {
		r.Visible, _ = w.search.Hits()
		r.Applied = &w
	}
	if done {
		return nil
	}
	return r.step(w)
}

// InReadOrder reports whether the grid shows all rows in store order.
func (r *arrangedRows) InReadOrder() bool { return r.Requested == nil }

func (r *arrangedRows) searchProgress() string {
	const minRows = 20_000
	if r.Requested == nil || !r.Requested.busy || r.items.Len() < minRows {
		return ""
	}
	return present.Thousands(r.Requested.search.Examined()) + " of " + present.Plural(r.items.Len(), "row") + " searched"
}

// A Position is the place of the cursor: the grid row and the number of its item; -1 means none.
type Position struct{ Row, At int }

// MaxFilterChoices is the maximum number of completions to offer.
const MaxFilterChoices = 5

// FilterSigns explain the filter language in the help.
var FilterSigns = []screen.Sign{
	{Glyph: "/ a b", Meaning: "rows that contain both words; \"a b\" matches the exact text, -a excludes a word"},
	{Glyph: "/ a:b,c", Meaning: "rows whose attribute a contains b or c; a=b is equal, a:? exists, -a:b excludes"},
	{Glyph: "/ a>1", Meaning: "numbers by value, times by moment: amount>100, createdAt>=-7d, updatedAt:today"},
}

// A typedFilter is the text of a filter. While it is invalid, the rows do not change.
type typedFilter struct {
	Text    string
	Problem error // nil if the filter is valid
	fields  *rows.Fields
	sampled int // number of rows that contributed to fields
}

// NewFilterLine returns the input line for a filter.
func NewFilterLine(s *widget.Styles) *widget.Form {
	f := widget.NewForm(s, widget.FormField{
		Name: "filter", Label: "/", Placeholder: "text, field:value, amount>100, createdAt>=-7d, -not", Width: 500,
	})
	f.SetFocused(false)
	return f
}

// Fields returns the fields that a filter can name: the documented attributes, and other attributes in the first rows.
func (r *Rows) Fields() *rows.Fields {
	const sample = 100
	if n := min(r.Items.Len(), sample); r.Typed.fields == nil || n != r.Typed.sampled {
		var extra []string
		for i := range n {
			extra = append(extra, r.Items.At(i).Names()...)
		}
		r.Typed.fields, r.Typed.sampled = rows.NewFields(r.Pattern.Table, r.Pattern.Returns, extra...), n
	}
	return r.Typed.fields
}

// SetFilter changes the text of the filter. changed reports whether the caller must arrange the rows again.
func (r *Rows) SetFilter(text string) (changed bool) {
	if text == r.Typed.Text && r.Typed.Problem == nil {
		return false
	}
	r.Typed.Text = text
	f, err := r.parse(text)
	r.Typed.Problem = err
	if err != nil {
		// Try the text without its last term, which may be incomplete. If it is still invalid, use no filter.
		text = strings.TrimRight(text, " ")
		text = strings.TrimSpace(text[:strings.LastIndexByte(text, ' ')+1])
		f, _ = r.parse(text)
	}
	if f == nil {
		text = ""
	}
	if text == r.Filter {
		return false
	}
	r.Filter, r.filter = text, f
	return true
}

func (r *Rows) parse(text string) (*rows.Filter, error) {
	return rows.Parse(text, r.Fields(), r.env.Session.Now())
}

// Describe describes the filter and the order of the rows, or returns "" if the rows are as read. more means that the
// result has unread rows.
func (r *Rows) Describe(more bool) string {
	parts := r.describeFilter()
	if r.SortOrder.Order != widget.Unsorted {
		parts = append(parts, "sorted by "+models.PrintableCell(r.Title(Column{Key: r.SortOrder.Key}), 24)+" "+r.SortOrder.Order.Arrow())
	}
	if len(parts) == 0 {
		return ""
	}
	all := "all " + present.Plural(r.Items.Len(), "row")
	if more {
		all = "the " + present.Plural(r.Items.Len(), "row") + " read"
	}
	if r.Filter != "" {
		all = "of " + all
	}
	parts = append(parts, all)
	if searching := r.searchProgress(); searching != "" {
		parts = append(parts, searching)
	}
	if r.filter != nil {
		parts = append(parts, r.filter.Notes()...)
	}
	return strings.Join(parts, " · ")
}

func (r *Rows) describeFilter() []string {
	var f *rows.Filter
	if r.Requested != nil {
		f = r.Requested.search.Filter()
	}
	text := models.PrintableCell(r.Filter, 24)
	switch {
	case f != nil && f.Pending() != "":
		return []string{"no row contains " + text}
	case r.Filter != "" && f != nil && f.IsFuzzy():
		return []string{fmt.Sprintf("no row contains %s; showing %s with these letters", text, present.Plural(r.Len(), "row"))}
	case r.Filter != "":
		return []string{present.Thousands(r.Len()) + " with " + models.PrintableCell(r.Filter, 32)}
	}
	return nil
}
