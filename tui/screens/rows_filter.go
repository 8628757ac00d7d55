package screens

import (
	"errors"
	"fmt"
	"strings"

	"charm.land/bubbletea/v2"

	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// filterChoices is how many ways to go on are offered at once.
const filterChoices = 5

// filterSigns are the words of the filter's language, for the help.
var filterSigns = []Sign{
	{"/ a b", "rows that show both; \"a b\" for the two together, -a for rows without it"},
	{"/ a:b,c", "rows whose attribute a holds b or c; a=b is b, a:? has one, -a:b not so"},
	{"/ a>1", "numbers by value, times by moment: amount>100, createdAt>=-7d, updatedAt:today"},
	{"/ .a > 1", "jq; what it makes beside true and false becomes a column"},
}

// A typedFilter is the text of a filter, which may not be right yet. The rows
// stay as they are until it is.
type typedFilter struct {
	text    string
	problem error // nil when nothing is wrong
	schema  *rowset.Fields
	known   int // rows whose attributes the schema knows
}

// newFilterLine returns the input of filters.
func newFilterLine(s *widget.Styles) *widget.Form {
	f := widget.NewForm(s, widget.FormField{
		Name: "filter", Label: "/", Placeholder: "text, field:value, amount>100, createdAt>=-7d, -not, or jq: .amount > 100", Width: 500,
	})
	f.SetFocused(false)
	return f
}

// sieveSchema is what a filter can name: documented attributes, and those that
// the first rows hold beside them.
func (r *rows) sieveSchema() *rowset.Fields {
	const sample = 100
	if n := min(r.items.Len(), sample); r.typed.schema == nil || n != r.typed.known {
		var extra []string
		for i := range n {
			extra = append(extra, r.items.At(i).Names()...)
		}
		r.typed.schema, r.typed.known = rowset.NewFields(r.pattern.Table, r.pattern.Returns, extra...), n
	}
	return r.typed.schema
}

// setFilter reads the text of a filter; changed reports whether the rows are to
// be arranged anew.
func (r *rows) setFilter(text string) (changed bool) {
	if text == r.typed.text && r.typed.problem == nil {
		return false
	}
	r.typed.text = text
	f, err := rowset.Parse(text, r.sieveSchema(), r.env.Session.Now())
	r.typed.problem = err
	if err != nil {
		if rowset.IsJQ(text) {
			return false // Half an expression says nothing: the rows stay.
		}
		f, text = r.beforeMistake(text)
	}
	if f == nil {
		text = ""
	}
	if text == r.filter {
		return false
	}
	r.filter, r.sieve = text, f
	return true
}

// beforeMistake is the filter without its last term, which is wrong or not
// complete yet; none when more is wrong.
func (r *rows) beforeMistake(text string) (*rowset.Filter, string) {
	text = strings.TrimRight(text, " ")
	text = strings.TrimSpace(text[:strings.LastIndexByte(text, ' ')+1])
	f, err := rowset.Parse(text, r.sieveSchema(), r.env.Session.Now())
	if err != nil {
		return nil, ""
	}
	return f, text
}

// startFilter types into the filter of the patterns or of the rows.
func (b *Workbench) startFilter() tea.Cmd {
	if b.focus == panePatterns || !b.job.gridded() {
		b.setFocus(panePatterns)
		b.list.StartTyping()
		return nil
	}
	b.finding, b.job.anchor = true, b.job.place()
	b.filter.SetValues(map[string]string{"filter": b.job.rows.typed.text})
	b.filter.SetFocused(true)
	b.setFocus(paneRows)
	return nil
}

func (b *Workbench) pressFilter(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		return b.clearFilter()
	case "enter", "down":
		if b.job.rows.typed.problem == nil {
			b.stopFilter()
		}
		return nil
	case "tab":
		return b.completeFilter()
	}
	return b.typeFilter(msg)
}

// completeFilter goes on as the only way, or the common part of all, says.
// Without one it goes to the rows.
func (b *Workbench) completeFilter() tea.Cmd {
	text := b.filter.Values()["filter"]
	tail, choices := rowset.Complete(text, b.job.rows.sieveSchema(), filterChoices)
	if tail != "" {
		b.filter.SetValues(map[string]string{"filter": text + tail})
		return b.typeFilter(nil)
	}
	if len(choices) == 0 && b.job.rows.typed.problem == nil {
		b.stopFilter()
	}
	return nil
}

func (b *Workbench) typeFilter(msg tea.Msg) tea.Cmd {
	cmd, _ := b.filter.Update(msg)
	if !b.job.rows.setFilter(b.filter.Values()["filter"]) {
		return cmd
	}
	return tea.Batch(cmd, b.rearrange(b.job))
}

func (b *Workbench) stopFilter() {
	b.finding = false
	b.filter.SetFocused(false)
	b.setFocus(paneRows)
}

func (b *Workbench) clearFilter() tea.Cmd {
	b.stopFilter()
	b.filter.SetValues(map[string]string{"filter": ""})
	if !b.job.rows.setFilter("") {
		return nil
	}
	return b.rearrange(b.job)
}

// viewFilter is the line that is typed into.
func (b *Workbench) viewFilter(w int) string {
	b.filter.SetSize(max(w, 0), 1)
	return b.filter.View()
}

// viewAnswer is the line under the filter: what is wrong, or what came of it and
// how it can go on.
func (b *Workbench) viewAnswer(w int) string {
	s, r := b.env.Styles, b.job.rows
	_, choices := rowset.Complete(r.typed.text, r.sieveSchema(), filterChoices)
	goOn := ""
	if len(choices) > 0 {
		goOn = "tab " + strings.Join(choices, " · ")
	}
	switch err := r.typed.problem; {
	case errors.Is(err, rowset.ErrIncomplete) && goOn != "":
		return widget.Rule(s, "… needs a value: "+goOn, "", w)
	case errors.Is(err, rowset.ErrIncomplete):
		return widget.Rule(s, "… "+err.Error(), "", w)
	case err != nil:
		return s.PaintCell(widget.RoleBad, widget.SurfacePlain, " ✗ "+err.Error(), w, widget.AlignLeft)
	}
	return widget.Rule(s, r.account(b.job.more), goOn, w)
}

// account says how the rows are filtered and sorted, and that this is about the
// rows that were read; "" when they are shown as they came.
func (r *rows) account(more bool) string {
	var parts []string
	var f *rowset.Filter
	if r.work != nil {
		f = r.work.filter
	}
	switch {
	case f != nil && f.Pending() != "":
		parts = append(parts, fmt.Sprintf("no row holds %s", models.PrintableCell(r.filter, 24)))
	case r.filter != "" && f != nil && f.IsFuzzy():
		parts = append(parts, fmt.Sprintf("no row holds %s: %s", models.PrintableCell(r.filter, 24), plural(r.Len(), "row")+" with such letters"))
	case r.valued():
		parts = append(parts, "jq "+models.PrintableCell(r.filter, 32))
	case r.filter != "":
		parts = append(parts, thousands(r.Len())+" with "+models.PrintableCell(r.filter, 32))
	}
	if r.by.order != widget.Unsorted {
		sorted := "sorted by "
		if r.sorting() && r.searching() != "" {
			sorted = "esc stops sorting by "
		}
		parts = append(parts, sorted+models.PrintableCell(column{key: r.by.key}.title(), 24)+" "+r.by.order.Arrow())
	}
	if len(parts) == 0 {
		return ""
	}
	all := "all " + plural(r.items.Len(), "row")
	if more {
		all = "the " + plural(r.items.Len(), "row") + " read"
	}
	if r.filter != "" {
		all = "of " + all
	}
	parts = append(parts, all)
	if searching := r.searching(); searching != "" {
		parts = append(parts, searching)
	}
	if r.work != nil && r.work.failed > 0 && !r.stale() { // The words may quote a value.
		parts = append(parts, fmt.Sprintf("%s failed: %v", plural(r.work.failed, "row"), r.work.failure))
	}
	if r.sieve != nil {
		parts = append(parts, r.sieve.Notes()...)
	}
	return strings.Join(parts, " · ")
}
