package present

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Relation is a pattern that can be run from here. Its arguments are the
// stored values; shown is how they may be seen.
type Relation struct {
	accesspatterns.Related
	Shown  string
	Hidden map[string]models.Sensitivity // parameters that are shown masked
}

// RelationsOf lists the patterns that can be run from the item, but not the one
// that would only open the same item again. Those that lack a parameter come
// last.
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
	list = bySection(list)
	for _, r := range env.Reading.NearlyRelated(table, it) {
		list = append(list, newRelation(masker, r, hidden))
	}
	return list
}

// bySection puts patterns under one heading next to each other, headings in the
// order of their first pattern.
func bySection(list []Relation) []Relation {
	order := map[string]int{}
	for _, r := range list {
		if section := RelatedSection(r.Pattern); order[section] == 0 {
			order[section] = len(order) + 1
		}
	}
	slices.SortStableFunc(list, func(a, b Relation) int {
		return order[RelatedSection(a.Pattern)] - order[RelatedSection(b.Pattern)]
	})
	return list
}

// collectHidden maps every text of the item that is masked to what is shown in
// its place: a parameter may be filled from any of them.
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

// opensSame reports whether the pattern reads exactly this item.
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

// newRelation spells the parameters that are filled in.
func newRelation(masker *models.Masker, r accesspatterns.Related, hidden map[string]string) Relation {
	rel := Relation{Related: r, Shown: ShownArgs(masker, r, hidden), Hidden: map[string]models.Sensitivity{}}
	for _, q := range r.Pattern.Params {
		if v, ok := r.Args[q.Name]; ok && ShownArg(masker, q, v, hidden) != v {
			rel.Hidden[q.Name] = models.PII
		}
	}
	return rel
}

// ShownArgs spells the parameters that are filled in.
func ShownArgs(masker *models.Masker, r accesspatterns.Related, hidden map[string]string) string {
	var parts []string
	for _, q := range r.Pattern.Params {
		if v, ok := r.Args[q.Name]; ok {
			parts = append(parts, q.Name+" "+models.PrintableCell(ShownArg(masker, q, v, hidden), 48))
		}
	}
	return strings.Join(parts, " · ")
}

// ShownArg is a parameter as it may be shown; hidden has the texts that the item
// hides.
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

// RelatedSection is the heading under which a related pattern is listed.
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
	// SectionUndocumented heads the attributes that the document does not name.
	SectionUndocumented = "Not in the document"
	SectionMissing      = "Missing: the document requires them"
	SectionUnknown      = "Attributes"
	SectionGone         = "Gone since the list"
	// ListChunk parts long lists, so that unfolding one stays instant.
	ListChunk = 500
	// DeepestIndent keeps deep documents on the screen.
	DeepestIndent = 6
)

// MeaningOf says what an attribute means, "" when the profile does not.
func MeaningOf(e *models.Entity, path string) string {
	if e == nil {
		return ""
	}
	if a := e.Attribute(path); a != nil {
		return a.Description
	}
	return ""
}
