package present

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Relation is a pattern that can be run from an item. Its arguments are the stored values;
// Shown has them masked.
type Relation struct {
	accesspatterns.Related
	Shown  string
	Hidden map[string]models.Sensitivity // parameters that are shown masked
	Queue  *change.Queue                 // that the pattern belongs to, nil for the pattern itself
}

// Title returns the title of the queue or the pattern.
func (r Relation) Title() string {
	if r.Queue != nil {
		return r.Queue.Title
	}
	return r.Pattern.Title
}

// Section returns the heading in the list of what an item leads to.
func (r Relation) Section() string {
	if r.Queue != nil {
		return "Queues"
	}
	return RelatedSection(r.Pattern)
}

// RelationsOf lists the patterns that can be run from an item, except one that reads only
// the same item. Patterns without a parameter that they need come last. masked is the item as
// the masker shows it: a text that differs there is masked in every parameter that it fills.
// Queues come after the patterns.
func RelationsOf(env *screen.Env, masker *models.Masker, table *models.Table, it, masked models.Item) []Relation {
	key, _ := table.PrimaryKey(it)
	hidden := map[string]string{}
	collectHidden(hidden, it, masked)
	var list []Relation
	for _, r := range env.Reading.Related(table, it) {
		if !opensSame(env, r, table, key) {
			list = append(list, newRelation(masker, r, hidden))
		}
	}
	list = append(bySection(list), queuesOf(env, masker, table, it, hidden)...)
	for _, r := range env.Reading.NearlyRelated(table, it) {
		list = append(list, newRelation(masker, r, hidden))
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
		rel := newRelation(masker, accesspatterns.Related{Pattern: o.Queue.Pattern, Args: args}, hidden)
		rel.Queue = o.Queue
		list = append(list, rel)
	}
	return list
}

func bySection(list []Relation) []Relation {
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

// collectHidden maps every masked text, because any of them may fill a parameter.
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

func opensSame(env *screen.Env, r accesspatterns.Related, table *models.Table, key models.Item) bool {
	if r.Pattern.Read.Operation != accesspatterns.Get || r.Pattern.Table != table {
		return false
	}
	request, err := env.Reading.Bind(r.Pattern, r.Args)
	if err != nil || len(request.Legs) != 1 || request.Legs[0].Get == nil {
		return false
	}
	return string(models.Item(request.Legs[0].Get.Key).AppendDynamoDBJSON(nil)) == string(key.AppendDynamoDBJSON(nil))
}

func newRelation(masker *models.Masker, r accesspatterns.Related, hidden map[string]string) Relation {
	rel := Relation{Related: r, Shown: ShownArgs(masker, r, hidden), Hidden: map[string]models.Sensitivity{}}
	for _, q := range r.Pattern.Params {
		if v, ok := r.Args[q.Name]; ok && ShownArg(masker, q, v, hidden) != v {
			rel.Hidden[q.Name] = models.PII
		}
	}
	return rel
}

// ShownArgs returns the names and masked values of the parameters; hidden as in ShownArg.
func ShownArgs(masker *models.Masker, r accesspatterns.Related, hidden map[string]string) string {
	var parts []string
	for _, q := range r.Pattern.Params {
		if v, ok := r.Args[q.Name]; ok {
			parts = append(parts, q.Name+" "+models.PrintableCell(ShownArg(masker, q, v, hidden), 48))
		}
	}
	return strings.Join(parts, " · ")
}

// ShownArg returns the masked value of a parameter. hidden maps texts that the item masks
// to what is shown instead. It masks by the text as well as by the parameter, because a value
// of a sensitive attribute can fill a parameter that is not declared sensitive.
func ShownArg(masker *models.Masker, q *accesspatterns.Param, v string, hidden map[string]string) string {
	if shown, ok := hidden[v]; ok {
		v = shown
	}
	v = masker.MaskText(v, q.Sensitive, q.Format)
	if q.Attribute != nil {
		v = masker.MaskText(v, q.Attribute.Sensitive, q.Attribute.Format)
	}
	return q.Labels.Of(v)
}

// RelatedSection returns the heading of a related pattern.
func RelatedSection(p *accesspatterns.Pattern) string {
	if p.Group != "" {
		return p.Group
	}
	if len(p.Returns) > 0 {
		return EntityName(p.Returns[0])
	}
	return "Patterns"
}

// The headings above attributes.
const (
	sectionOther = "Further attributes"
	// SectionUndocumented is the heading of attributes that the document does not name.
	SectionUndocumented = "Not in the document"
	SectionMissing      = "Missing: the document requires them"
	SectionUnknown      = "Attributes"
	SectionGone         = "Gone since the list"
	// ListChunk is the number of elements of a long list that are unfolded together.
	ListChunk = 500
	// DeepestIndent is the depth from which documents are no longer indented further.
	DeepestIndent = 6
)

// MeaningOf returns the description of an attribute, "" if the profile has none.
func MeaningOf(e *models.Entity, path string) string {
	if e == nil {
		return ""
	}
	if a := e.Attribute(path); a != nil {
		return a.Description
	}
	return ""
}
