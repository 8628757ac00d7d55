package present

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Request adds a pattern's requests: the reads, their order, and the attributes that they return and omit.
func (f *Facts) Request(p *accesspatterns.Pattern) {
	f.addRead("request", p.Read)
	for _, v := range p.Variants {
		f.Text("or", widget.RoleMuted, "with "+strings.Join(v.When, " and ")+":")
		f.addRead("", v.Read)
	}
	f.Text("order", widget.RoleText, p.OrderNote)
	f.Text("filter", widget.RoleText, filterTexts(p.Read.Filter))
	f.Text("partitions", widget.RoleText, fanOutText(p.Read.FanOut))
	f.Text("projection", widget.RoleText, strings.Join(p.Read.Projection, ", "))
}

func (f *Facts) addRead(label string, r accesspatterns.Read) {
	if line := ReadLine(f.Styles, r); ansi.StringWidth(line) <= f.room() || len(r.Key) == 0 {
		f.Styled(label, line)
		return
	}
	withoutKey := r
	withoutKey.Key = nil
	f.Styled(label, ReadLine(f.Styles, withoutKey))
	for _, k := range r.Key {
		f.Styled("", ReadLine(f.Styles, accesspatterns.Read{Key: []accesspatterns.KeyCondition{k}}))
	}
}

func filterTexts(list []accesspatterns.FilterCondition) string {
	if len(list) == 0 {
		return ""
	}
	return "after reading: " + strings.Join(models.MapSlice(list, filterText), " and ")
}

func filterText(f accesspatterns.FilterCondition) string {
	if f.Any != nil {
		return "(" + strings.Join(models.MapSlice(f.Any, filterText), " or ") + ")"
	}
	name := f.Attribute
	if f.Size {
		name = "size of " + name
	}
	values := models.MapSlice(f.Values, models.Template.String)
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
		return name + " " + OperatorText(f.Compare) + " " + values[0]
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

// SourcesOf returns the titles of the patterns whose items contain a value for the parameter q of p. Scans come last.
// Patterns with fewer required parameters come first, and among these, patterns that return the entities of p.
func SourcesOf(env *screen.Env, p *accesspatterns.Pattern, q *accesspatterns.Param) []string {
	if !q.NeedsValue() {
		return nil
	}
	profile := env.Session.Profile()
	var list []*accesspatterns.Pattern
	for _, other := range slices.Concat(profile.Patterns, profile.Listings()) {
		hasValue := func(e *models.Entity) bool { return accesspatterns.CanFill(p, q, profile.Entities, e) }
		sameParam := other.Param(q.Name)
		canList := other.IsRead() && other.Read.Operation != accesspatterns.Count && (sameParam == nil || !sameParam.Required)
		if canList && slices.ContainsFunc(other.Returns, hasValue) {
			list = append(list, other)
		}
	}
	// rank returns sort criteria, the most important first.
	rank := func(other *accesspatterns.Pattern) []int {
		needs, scans, foreign := 0, 0, 0
		for _, param := range other.Params {
			if param.NeedsValue() {
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
	return models.MapSlice(list, func(other *accesspatterns.Pattern) string { return other.Title })
}

// A Relation is a pattern that the user can run from an item. Its arguments are the stored values; ArgsText contains
// them in masked form.
type Relation struct {
	accesspatterns.Related
	ArgsText string
	Hidden   map[string]models.Sensitivity // parameters to mask on the screen
	Queue    *change.Queue                 // queue that reads with the pattern; nil for the pattern itself
}

// Title returns the title of the queue or the pattern.
func (r Relation) Title() string {
	if r.Queue != nil {
		return r.Queue.Title
	}
	return r.Pattern.Title
}

// Section returns the heading above the relation in the list of an item's relations.
func (r Relation) Section() string {
	if r.Queue != nil {
		return "Queues"
	}
	return RelatedSection(r.Pattern)
}

// RelationsOf returns the patterns that the user can run from an item, except patterns that read only the same item.
// Queues follow the patterns, and patterns with a missing required parameter come last. masked is the item as the
// masker shows it: RelationsOf masks every parameter whose value differs in it.
func RelationsOf(env *screen.Env, masker *models.Masker, table *models.Table, it, masked models.Item) []Relation {
	key, _ := table.PrimaryKey(it)
	hidden := map[string]string{}
	collectHidden(hidden, it, masked)
	var list []Relation
	for _, r := range env.Reading.Related(table, it) {
		if !readsSameItem(env, r, table, key) {
			list = append(list, newRelation(env, masker, r, hidden))
		}
	}
	list = append(sortBySection(list), queuesOf(env, masker, table, it, hidden)...)
	for _, r := range env.Reading.NearlyRelated(table, it) {
		list = append(list, newRelation(env, masker, r, hidden))
	}
	return list
}

func queuesOf(env *screen.Env, masker *models.Masker, table *models.Table, it models.Item, hidden map[string]string) []Relation {
	r, ok := env.Session.Recognize(table, it)
	if !ok {
		return nil
	}
	var list []Relation
	for _, o := range env.Planner.Queues(r.Entity, it) {
		args, _ := o.Queue.Bind(o.Given)
		rel := newRelation(env, masker, accesspatterns.Related{Pattern: o.Queue.Pattern, Args: args}, hidden)
		rel.Queue = o.Queue
		list = append(list, rel)
	}
	return list
}

func sortBySection(list []Relation) []Relation {
	order := map[string]int{}
	for _, r := range list {
		if section := r.Section(); order[section] == 0 {
			order[section] = len(order) + 1
		}
	}
	slices.SortStableFunc(list, func(a, b Relation) int {
		return order[a.Section()] - order[b.Section()]
	})
	return list
}

// collectHidden maps every masked text to its replacement, because any of them may fill a parameter.
func collectHidden(hidden map[string]string, it, masked models.Item) {
	for name, v := range it {
		if inner, ok := v.(*types.AttributeValueMemberM); ok {
			if m, ok := masked[name].(*types.AttributeValueMemberM); ok {
				collectHidden(hidden, inner.Value, m.Value)
			}
			continue
		}
		text, ok := models.ValueText(v)
		shown, _ := models.ValueText(masked[name])
		if ok && text != "" && shown != text {
			hidden[text] = shown
		}
	}
}

func readsSameItem(env *screen.Env, r accesspatterns.Related, table *models.Table, key models.Item) bool {
	if r.Pattern.Read.Operation != accesspatterns.Get || r.Pattern.Table != table {
		return false
	}
	request, err := env.Reading.Bind(r.Pattern, r.Args)
	if err != nil || len(request.Legs) != 1 || request.Legs[0].Get == nil {
		return false
	}
	return string(models.Item(request.Legs[0].Get.Key).AppendDynamoDBJSON(nil)) == string(key.AppendDynamoDBJSON(nil))
}

func newRelation(env *screen.Env, masker *models.Masker, r accesspatterns.Related, hidden map[string]string) Relation {
	rel := Relation{Related: r, ArgsText: MaskedArgs(env, masker, r, hidden), Hidden: map[string]models.Sensitivity{}}
	for _, q := range r.Pattern.Params {
		if v, ok := r.Args[q.Name]; ok && ShownArg(masker, q, v, hidden) != v {
			rel.Hidden[q.Name] = models.PII
		}
	}
	return rel
}

// MaskedArgs returns the names and masked values of a pattern's parameters. For hidden, see ShownArg.
func MaskedArgs(env *screen.Env, masker *models.Masker, r accesspatterns.Related, hidden map[string]string) string {
	var parts []string
	for _, q := range r.Pattern.Params {
		if v, ok := r.Args[q.Name]; ok {
			parts = append(parts, ParamLabel(env.Plain(),
				q)+" "+models.PrintableCell(ParamValue(env, q, ShownArg(masker, q, v, hidden)), 48))
		}
	}
	return strings.Join(parts, " · ")
}

// ShownArg masks the value of a parameter. hidden maps texts that the item masks to their replacements. It masks by
// text as well as by parameter, because a sensitive attribute's value can fill a parameter that is not declared
// sensitive.
func ShownArg(masker *models.Masker, q *accesspatterns.Param, v string, hidden map[string]string) string {
	if shown, ok := hidden[v]; ok {
		v = shown
	}
	v = masker.MaskText(v, q.Sensitive, q.Format)
	if q.Attribute != nil {
		v = masker.MaskText(v, q.Attribute.Sensitive, q.Attribute.Format)
	}
	return v
}

// RelatedSection returns the heading above a related pattern.
func RelatedSection(p *accesspatterns.Pattern) string {
	if p.Group != "" {
		return p.Group
	}
	if len(p.Returns) > 0 {
		return EntityName(p.Returns[0])
	}
	return "Patterns"
}

// These are the headings of attribute groups.
const (
	sectionOther = "Further attributes"
	// SectionUndocumented is the heading of attributes that the schema does not declare.
	SectionUndocumented = "Not in the schema"
	SectionMissing      = "Missing: the schema requires them"
	SectionUnknown      = "Attributes"
	SectionRemoved      = "Removed since the list was read"
	// ListChunk is the number of elements of a long list that expand together.
	ListChunk = 500
	// MaxIndent is the depth below which nested documents are not indented further.
	MaxIndent = 6
)

// MeaningOf returns the description of an attribute, or "" if the schema does not have one.
func MeaningOf(e *models.Entity, path string) string {
	if e == nil {
		return ""
	}
	if a := e.Attribute(path); a != nil {
		return a.Description
	}
	return ""
}
