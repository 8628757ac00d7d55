package workbench

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/query"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// customQueryGroup is the group of the most recent custom query.
const customQueryGroup = "Custom query"

func (b *Workbench) openQueryDialog(from screen.CustomQuery) tea.Cmd {
	box, cmd := query.New(b.env, from, func(p *accesspatterns.Pattern, args map[string]string) tea.Cmd { return b.Show(p, args, true) })
	b.Box = box
	return cmd
}

// editCustomQuery opens the query dialog with the current query, or with the selected pattern's table, index and key.
func (b *Workbench) editCustomQuery() tea.Cmd {
	from := screen.CustomQuery{Table: b.env.Session.Profile().Tables[0]}
	if b.job != nil && b.job.pattern.Table != nil {
		p := b.job.pattern
		from.Table = p.Table
		if p.IsRead() {
			from.Index = p.Read.Index
		}
		if r := b.job.input.requestLine.Request; p.CustomQuery != nil {
			from.Query = *p.CustomQuery
		} else if r != nil {
			from.Index, from.Query = r.Read.Index, keyQuery(r, b.job.input.hidden)
		}
	}
	return b.openQueryDialog(from)
}

// keyQuery returns the key of a request with one query as a custom query. It omits every value if the request has
// masked ones.
func keyQuery(r *accesspatterns.Request, hidden map[string]models.Sensitivity) accesspatterns.CustomQuery {
	customQuery := accesspatterns.CustomQuery{Descending: r.Read.Descending}
	if len(r.Legs) != 1 || r.HasRedactedValues(hidden) {
		return customQuery
	}
	for _, c := range r.Legs[0].KeyConditions() {
		name := raw.Name{Path: []string{c.Attribute}}
		texts := models.MapSlice(c.Values, func(v types.AttributeValue) string {
			text, _ := models.ValueText(v)
			return text
		})
		if c.Compare == accesspatterns.Equal {
			customQuery.Key = append(customQuery.Key, raw.Assignment{Name: name, Value: texts[0]}.String())
		} else {
			customQuery.Where = append(customQuery.Where, raw.Comparison{Name: name, Compare: c.Compare, Values: texts}.String())
		}
	}
	return customQuery
}

func (b *Workbench) editParameters() tea.Cmd {
	if b.job.pattern.CustomQuery != nil {
		return b.editCustomQuery()
	}
	b.setFocus(paneForm)
	return nil
}

func noFilter(j *job) string {
	return reasonIf(j == nil || j.pattern.CustomQuery == nil || len(j.pattern.Read.Filters()) == 0, "needs a custom query with a filter")
}

// runWithoutFilter runs the query with its conditions on the key only.
func (j *job) runWithoutFilter() tea.Cmd {
	p, customQuery := j.pattern, *j.pattern.CustomQuery
	customQuery.Where = slices.DeleteFunc(slices.Clone(customQuery.Where), func(text string) bool {
		c, err := raw.ParseComparison(text)
		return err != nil || !slices.ContainsFunc(p.Read.Key, func(k accesspatterns.KeyCondition) bool {
			return len(c.Path) == 1 && k.Attribute.Name == c.Path[0]
		})
	})
	q, args, err := j.b.env.Session.Profile().CustomPattern(p.Table, p.Read.Index, p.Read.Operation, customQuery, false)
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	return j.b.Show(q, args, true)
}

func cannotEditQuery(j *job) string {
	if j != nil && j.pattern.CustomQuery != nil {
		return ""
	}
	return noForm(j)
}

// listCustomQuery adds the user's query to the patterns. It replaces the previous one.
func (b *Workbench) listCustomQuery(p *accesspatterns.Pattern) *accesspatterns.Pattern {
	custom := *p
	custom.ID, custom.Group = "own-"+p.ID, customQueryGroup
	b.listings = slices.DeleteFunc(slices.Clone(b.listings), func(q *accesspatterns.Pattern) bool {
		if q.CustomQuery != nil {
			b.Forget(q)
		}
		return q.CustomQuery != nil
	})
	b.listings = append(b.listings, &custom)
	b.list.SetItems(present.PatternItems(b.env, b.listings...))
	return &custom
}

func (b *Workbench) pattern(id string) *accesspatterns.Pattern {
	if i := slices.IndexFunc(b.listings, func(p *accesspatterns.Pattern) bool { return p.CustomQuery != nil && p.ID == id }); i >= 0 {
		return b.listings[i]
	}
	return b.env.Session.Profile().Pattern(id)
}

func (j *job) omittedAttributes() string {
	if j.sent == nil {
		return ""
	}
	return english.OxfordWordSeries(j.b.env.Reading.OmittedAttributes(j.sent), "or")
}
