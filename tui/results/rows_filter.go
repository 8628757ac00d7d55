package results

import (
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// FilterChoices is how many ways to go on are offered at once.
const FilterChoices = 5

// FilterSigns are the words of the filter's language, for the help.
var FilterSigns = []screen.Sign{
	{Glyph: "/ a b", Means: "rows that contain both words; \"a b\" matches the exact text, -a excludes a word"},
	{Glyph: "/ a:b,c", Means: "rows whose attribute a contains b or c; a=b is equal, a:? exists, -a:b excludes"},
	{Glyph: "/ a>1", Means: "numbers by value, times by moment: amount>100, createdAt>=-7d, updatedAt:today"},
	{Glyph: "/ .a > 1", Means: "a jq expression; a result other than true or false becomes a column"},
}

// A typedFilter is the text of a filter, which may not be right yet. The rows
// stay as they are until it is.
type typedFilter struct {
	Text    string
	Problem error // nil when nothing is wrong
	fields  *rows.Fields
	known   int // number of rows whose attributes are among the fields
}

// NewFilterLine returns the input of filters.
func NewFilterLine(s *widget.Styles) *widget.Form {
	f := widget.NewForm(s, widget.FormField{
		Name: "filter", Label: "/", Placeholder: "text, field:value, amount>100, createdAt>=-7d, -not, or jq: .amount > 100", Width: 500,
	})
	f.SetFocused(false)
	return f
}

// Fields returns what a filter can name: the documented attributes, and the others
// of the first rows.
func (r *Rows) Fields() *rows.Fields {
	const sample = 100
	if n := min(r.Items.Len(), sample); r.Typed.fields == nil || n != r.Typed.known {
		var extra []string
		for i := range n {
			extra = append(extra, r.Items.At(i).Names()...)
		}
		r.Typed.fields, r.Typed.known = rows.NewFields(r.Pattern.Table, r.Pattern.Returns, extra...), n
	}
	return r.Typed.fields
}

// SetFilter reads the text of a filter; changed reports whether the rows are to
// be arranged anew.
func (r *Rows) SetFilter(text string) (changed bool) {
	if text == r.Typed.Text && r.Typed.Problem == nil {
		return false
	}
	r.Typed.Text = text
	f, err := rows.Parse(text, r.Fields(), r.env.Session.Now())
	r.Typed.Problem = err
	if err != nil {
		if rows.IsJQ(text) {
			return false // Half an expression says nothing: the rows stay.
		}
		f, text = r.beforeMistake(text)
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

// beforeMistake is the filter without its last term, which is wrong or not
// complete yet; none when more is wrong.
func (r *Rows) beforeMistake(text string) (*rows.Filter, string) {
	text = strings.TrimRight(text, " ")
	text = strings.TrimSpace(text[:strings.LastIndexByte(text, ' ')+1])
	f, err := rows.Parse(text, r.Fields(), r.env.Session.Now())
	if err != nil {
		return nil, ""
	}
	return f, text
}

// Account says how the rows are filtered and sorted, and that this is about the
// rows that were read; "" when they are shown as they came.
func (r *Rows) Account(more bool) string {
	var parts []string
	var f *rows.Filter
	if r.Work != nil {
		f = r.Work.search.Filter()
	}
	switch {
	case f != nil && f.Pending() != "":
		parts = append(parts, fmt.Sprintf("no row holds %s", models.PrintableCell(r.Filter, 24)))
	case r.Filter != "" && f != nil && f.IsFuzzy():
		parts = append(parts, fmt.Sprintf("no row holds %s: %s", models.PrintableCell(r.Filter, 24),
			present.Plural(r.Len(), "row")+" with such letters"))
	case r.HasValues():
		parts = append(parts, "jq "+models.PrintableCell(r.Filter, 32))
	case r.Filter != "":
		parts = append(parts, present.Thousands(r.Len())+" with "+models.PrintableCell(r.Filter, 32))
	}
	if r.By.Order != widget.Unsorted {
		sorted := "sorted by "
		if r.Sorting() && r.searching() != "" {
			sorted = "esc stops sorting by "
		}
		parts = append(parts, sorted+models.PrintableCell(Column{Key: r.By.Key}.Title(), 24)+" "+r.By.Order.Arrow())
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
	if searching := r.searching(); searching != "" {
		parts = append(parts, searching)
	}
	if r.Work != nil && !r.Stale() { // The error may quote a value.
		if n, err := r.Work.search.Failed(); n > 0 {
			parts = append(parts, fmt.Sprintf("%s failed: %v", present.Plural(n, "row"), err))
		}
	}
	if r.filter != nil {
		parts = append(parts, r.filter.Notes()...)
	}
	return strings.Join(parts, " · ")
}
