package draft

import (
	"cmp"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// CountMatches returns the number of items that belong to exactly one entity, and the number that belong to several. If
// the templates of several entities fit an item, entities with more literal text in their keys, or with a condition,
// win.
func CountMatches(entities []*models.Entity, t *models.Table, items []models.Item) (known, several int) {
	weights := map[*models.Entity]int{}
	for _, e := range entities {
		weights[e] = boolToInt(len(e.Has)+len(e.Lacks)+len(e.Is) > 0)
		for _, k := range t.PrimaryKeys() {
			template, _ := e.KeyTemplate(k.Name)
			weights[e] += 2 * literalLength(template)
		}
	}
	for _, it := range items {
		maximum, n := -1, 0
		for _, e := range entities {
			switch w := weights[e]; {
			case e.Table != t || w < maximum || e.Explain(it) != nil:
			case w > maximum:
				maximum, n = w, 1
			default:
				n++
			}
		}
		known += boolToInt(n == 1)
		several += boolToInt(n > 1)
	}
	return known, several
}

func literalLength(t models.Template) (n int) {
	for _, s := range t.Segments() {
		n += len(s.Literal)
	}
	return n
}

// joinIndistinguishable joins clusters that cannot be distinguished: each entity would list the items of both.
func (a *analysis) joinIndistinguishable(clusters []cluster) []cluster {
	drafts := make([]*Entity, len(clusters))
	for i, c := range clusters {
		drafts[i], _ = a.draftEntity(c)
	}
	for i := range clusters {
		for j := i + 1; j < len(clusters); j++ {
			if !a.matchesMostItems(drafts[i], drafts[j], clusters[j]) && !a.matchesMostItems(drafts[j], drafts[i], clusters[i]) &&
				!a.areOneEntity(drafts[i], drafts[j], clusters[i], clusters[j]) {
				continue
			}
			joined := clusters[i]
			if len(drafts[i].Keys)+len(drafts[j].Keys) == 0 {
				joined.name = entityName(a.table.ID) // the words at the beginning of the keys are values
			} else if len(clusters[j].items) > len(joined.items) {
				joined.name, joined.combinedName = clusters[j].name, clusters[j].combinedName
			}
			joined.items = append(slices.Clip(joined.items), clusters[j].items...)
			if joined.kind != clusters[j].kind {
				joined.kind = ""
			}
			rest := append(clusters[:j:j], clusters[j+1:]...)
			rest[i] = joined
			return a.joinIndistinguishable(rest)
		}
	}
	return clusters
}

func (a *analysis) matchesMostItems(e, other *Entity, items cluster) bool {
	if len(e.Equals)+len(other.Equals) > 0 {
		return false
	}
	own, theirs, n := 0, 0, 0
	var templates []models.Template
	for _, k := range a.table.PrimaryKeys() {
		t, err := parseKey(e, k.Name)
		if err != nil {
			return false
		}
		templates = append(templates, t.Bind(func(name string) *models.Attribute {
			if d := e.Attribute(name); d != nil {
				return &d.Attribute
			}
			return nil
		}))
		o, err := parseKey(other, k.Name)
		if err != nil {
			return false
		}
		own, theirs = own+literalLength(t), theirs+literalLength(o)
	}
	if own < theirs {
		return false
	}
	for _, it := range items.items {
		matched := 1
		for i, k := range a.table.PrimaryKeys() {
			text, _ := it.Text(k.Name)
			if _, err := templates[i].ParseItem(text, it.Text); err != nil {
				matched = 0
			}
		}
		n += matched
	}
	return n*2 > len(items.items)
}

// parseKey returns the template of a key. For a plain key, which has none before its attributes are drafted, it returns
// a template that matches every value.
func parseKey(e *Entity, key string) (models.Template, error) {
	return models.ParseTemplate(cmp.Or(e.Template(key), "{value}"), nil)
}
