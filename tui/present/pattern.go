package present

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Request adds what a pattern sends: its reads, the order of the rows, and what it reads and leaves out.
func (f *Facts) Request(p *accesspatterns.Pattern) {
	f.read("request", p.Read)
	for _, v := range p.Variants {
		f.Text("or", widget.RoleMuted, "with "+strings.Join(v.When, " and ")+":")
		f.read("", v.Read)
	}
	f.Text("order", widget.RoleText, p.OrderNote)
	f.Text("filter", widget.RoleText, filterTexts(p.Read.Filter))
	f.Text("partitions", widget.RoleText, fanOutText(p.Read.FanOut))
	f.Text("projection", widget.RoleText, strings.Join(p.Read.Projection, ", "))
}

func (f *Facts) read(label string, r accesspatterns.Read) {
	if line := ReadLine(f.Styles, r); ansi.StringWidth(line) <= f.room() || len(r.Key) == 0 {
		f.Styled(label, line)
		return
	}
	bare := r
	bare.Key = nil
	f.Styled(label, ReadLine(f.Styles, bare))
	for _, k := range r.Key {
		f.Styled("", ReadLine(f.Styles, accesspatterns.Read{Key: []accesspatterns.KeyCondition{k}}))
	}
}

func filterTexts(list []accesspatterns.FilterCondition) string {
	texts := make([]string, len(list))
	for i, f := range list {
		texts[i] = filterText(f)
	}
	if len(texts) == 0 {
		return ""
	}
	return "after reading: " + strings.Join(texts, " and ")
}

func filterText(f accesspatterns.FilterCondition) string {
	if f.Any != nil {
		return "(" + strings.Join(models.NamesOf(f.Any, filterText), " or ") + ")"
	}
	name := f.Attribute
	if f.Size {
		name = "size of " + name
	}
	values := make([]string, len(f.Values))
	for i, v := range f.Values {
		values[i] = v.String()
	}
	switch f.Compare {
	case accesspatterns.Exists:
		return f.Attribute + " exists"
	case accesspatterns.NotExists:
		return f.Attribute + " does not exist"
	case accesspatterns.In:
		return f.Attribute + " is one of " + strings.Join(values, ", ")
	case accesspatterns.Between:
		return name + " from " + values[0] + " to " + values[1]
	default:
		return name + " " + CompareWord(f.Compare) + " " + values[0]
	}
}

func fanOutText(f *accesspatterns.FanOut) string {
	switch {
	case f == nil:
		return ""
	case len(f.Values) > 0:
		return "one partition for each " + cmp.Or(f.Part, f.Placeholder) + ": " + ShortList(f.Values, 6)
	}
	period := cmp.Or(f.Format, models.Date).Period()
	return "one partition for each UTC " + period + " from " + f.From.String() + " to " + f.To.String() + ", " + Plural(
		f.Max, period,
	) + " at most"
}

// SourcesOf returns the titles of the patterns whose items have a value for a parameter of a pattern. Those that need the
// fewest parameters come first, of these the ones that list what the pattern returns. Scans come last.
func SourcesOf(env *screen.Env, p *accesspatterns.Pattern, q *accesspatterns.Param) []string {
	if !open(q) {
		return nil
	}
	profile := env.Session.Profile()
	var list []*accesspatterns.Pattern
	for _, other := range slices.Concat(profile.Patterns, profile.Listings()) {
		fills := func(e *models.Entity) bool { return accesspatterns.CanFill(p, q, profile.Entities, e) }
		same := other.Param(q.Name)
		lists := other.IsRead() && other.Read.Operation != accesspatterns.Count && (same == nil || !same.Required)
		if lists && slices.ContainsFunc(other.Returns, fills) {
			list = append(list, other)
		}
	}
	// rank compares by the first of these that differs.
	rank := func(other *accesspatterns.Pattern) []int {
		needs, scans, foreign := 0, 0, 0
		for _, param := range other.Params {
			if open(param) {
				needs++
			}
		}
		if other.Read.Operation == accesspatterns.Scan {
			scans = 1
		}
		if !slices.ContainsFunc(other.Returns, func(e *models.Entity) bool { return slices.Contains(p.Returns, e) }) {
			foreign = 1
		}
		return []int{scans, needs, foreign}
	}
	slices.SortStableFunc(list, func(a, b *accesspatterns.Pattern) int { return slices.Compare(rank(a), rank(b)) })
	return models.NamesOf(list, func(other *accesspatterns.Pattern) string { return other.Title })
}

func open(q *accesspatterns.Param) bool {
	kinds := []accesspatterns.ParamType{accesspatterns.Boolean, accesspatterns.Day, accesspatterns.Timestamp}
	return q.Required && q.Default == "" && len(q.Enum) == 0 && !slices.Contains(kinds, q.Type)
}

// Samples returns an invented item of each entity of the schema. It is empty if none can be made.
func Samples(env *screen.Env) map[*models.Entity]models.Item {
	samples := map[*models.Entity]models.Item{}
	list, err := sample.Items(env.Session.Profile(), sample.Options{Items: 1, Seed: 1, At: env.Now()})
	if err != nil {
		return samples // What shows an example is useful without it.
	}
	for _, one := range list {
		samples[one.Entity] = one.Item
	}
	return samples
}
