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

// FilterChoices is the maximum number of completions that are offered.
const FilterChoices = 5

// FilterSigns explain the filter language in the help.
var FilterSigns = []screen.Sign{
	{Glyph: "/ a b", Means: "rows that contain both words; \"a b\" matches the exact text, -a excludes a word"},
	{Glyph: "/ a:b,c", Means: "rows whose attribute a contains b or c; a=b is equal, a:? exists, -a:b excludes"},
	{Glyph: "/ a>1", Means: "numbers by value, times by moment: amount>100, createdAt>=-7d, updatedAt:today"},
}

// A typedFilter is the text of a filter, which may be invalid while it is typed. Then
// the rows stay as they are.
type typedFilter struct {
	Text    string
	Problem error // nil for a valid filter
	fields  *rows.Fields
	known   int // number of rows whose attributes are among the fields
}

// NewFilterLine returns the input of filters.
func NewFilterLine(s *widget.Styles) *widget.Form {
	f := widget.NewForm(s, widget.FormField{
		Name: "filter", Label: "/", Placeholder: "text, field:value, amount>100, createdAt>=-7d, -not", Width: 500,
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

// SetFilter changes the text of the filter; changed reports whether the rows must be
// arranged again.
func (r *Rows) SetFilter(text string) (changed bool) {
	if text == r.Typed.Text && r.Typed.Problem == nil {
		return false
	}
	r.Typed.Text = text
	f, err := r.parse(text)
	r.Typed.Problem = err
	if err != nil {
		// Without the last term, which is wrong or incomplete. If more is wrong, there is
		// no filter.
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

// Account describes how the rows are filtered and sorted; "" for rows as they were
// read. more says that the result has more rows than were read.
func (r *Rows) Account(more bool) string {
	parts := r.filterAccount()
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
	if r.filter != nil {
		parts = append(parts, r.filter.Notes()...)
	}
	return strings.Join(parts, " · ")
}

func (r *Rows) filterAccount() []string {
	var f *rows.Filter
	if r.Work != nil {
		f = r.Work.search.Filter()
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
