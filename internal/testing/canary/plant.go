package canary

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// A MarkedData contains the items of a schema, with markers.
type MarkedData struct {
	Profile *profiles.Profile
	Watch   *Watch
	Items   []MarkedItem
}

// A MarkedItem is an item with markers.
type MarkedItem struct {
	Table  *models.Table
	Entity *models.Entity // nil for an item that no entity matches
	Item   models.Item
}

// PlantUndeclared is Plant with an undeclared attribute in each item. All roles except support see it; agents do not.
func PlantUndeclared(p *profiles.Profile, n int, at time.Time) (*MarkedData, error) {
	return plantAll(p, n, at, true, false)
}

// PlantTwin is PlantUndeclared with other markers in otherwise equal data. It plants them in the same order. Its Watch
// does not identify the markers that it finds.
func PlantTwin(p *profiles.Profile, n int, at time.Time) (*MarkedData, error) {
	return plantAll(p, n, at, true, true)
}

// Plant returns n items of every entity of the schema at the time at, and for each table one item that no entity
// matches. Every sensitive value is a separate marker.
func Plant(p *profiles.Profile, n int, at time.Time) (*MarkedData, error) {
	return plantAll(p, n, at, false, false)
}

func plantAll(p *profiles.Profile, n int, at time.Time, undeclared, isTwin bool) (*MarkedData, error) {
	samples, err := sample.Items(p, sample.Options{Items: n, Seed: 1, At: at})
	if err != nil {
		return nil, err
	}
	d := &MarkedData{Profile: p, Watch: &Watch{twin: isTwin}}
	counts := map[*models.Entity]int{}
	for _, s := range samples {
		if counts[s.Entity]++; counts[s.Entity] > n {
			continue
		}
		it, err := d.addMarkers(s, undeclared)
		if err != nil {
			return nil, fmt.Errorf("planting in %s: %w", s.Entity.Name, err)
		}
		d.Items = append(d.Items, MarkedItem{s.Table, s.Entity, it})
	}
	for _, t := range p.Tables {
		it := d.unmatchedItem(t)
		if _, known := models.Recognize(p.Entities, t, it); !known {
			d.Items = append(d.Items, MarkedItem{Table: t, Item: it})
		}
	}
	return d, d.Watch.prepare()
}

// ItemsOf returns the planted items of an entity.
func (d *MarkedData) ItemsOf(e *models.Entity) []models.Item {
	var list []models.Item
	for _, p := range d.Items {
		if p.Entity == e {
			list = append(list, p.Item)
		}
	}
	return list
}

// Tables returns the items of each table.
func (d *MarkedData) Tables() map[*models.Table][]models.Item {
	byTable := map[*models.Table][]models.Item{}
	for _, p := range d.Items {
		byTable[p.Table] = append(byTable[p.Table], p.Item)
	}
	return byTable
}

// A marking adds markers to one item.
type marking struct {
	w      *Watch
	e      *models.Entity
	byPath map[string]string // markers by attribute path; keys contain the same markers
}

// addMarkers puts markers into a sample item.
func (d *MarkedData) addMarkers(s sample.Item, undeclared bool) (models.Item, error) {
	m := &marking{d.Watch, s.Entity, map[string]string{}}
	it := s.Item.Clone()
	for _, a := range s.Entity.Attributes {
		if v := m.attributeValue(a, it[a.Name]); v != nil && !a.KeyOnly {
			it[a.Name] = v
		}
	}
	for _, k := range s.Table.KeyAttributes() {
		t, ok := s.Entity.Keys[k.Name]
		if !ok || s.Entity.TemplateSensitivity(t) == models.NotSensitive {
			continue
		}
		v, err := m.keyValue(k, t, s.Item)
		if err != nil {
			return nil, err
		}
		if v != nil {
			it[k.Name] = v
		}
	}
	if undeclared || s.Entity.Undocumented {
		it["furtherThing"] = models.StringValue(m.newMarker("(undeclared)", models.PII, models.NoFormat))
		it[m.newMarker("(undeclared name)", models.PII, models.Email)] = models.StringValue("x")
	}
	for _, other := range d.Profile.EntitiesOf(s.Table) {
		m.addForeignAttributes(it, other)
	}
	return it, nil
}

// addForeignAttributes adds the sensitive attributes of another entity to the item.
func (b *marking) addForeignAttributes(it models.Item, other *models.Entity) {
	for _, a := range other.Attributes {
		_, exists := it[a.Name]
		_, isKeyAttribute := b.e.Keys[a.Name]
		if exists || isKeyAttribute || a.Sensitive == models.NotSensitive || a.KeyOnly || b.e.Attribute(a.Name) != nil || isKey(b.e.Table, a.Name) {
			continue
		}
		if slices.Contains(b.e.Lacks, a.Name) {
			continue
		}
		it[a.Name] = b.sensitiveValue(a, a.Sensitive)
	}
}

func isKey(t *models.Table, name string) bool {
	return slices.ContainsFunc(t.KeyAttributes(), func(k models.Key) bool { return k.Name == name })
}

// keyValue derives a key that contains markers in place of sensitive values.
func (b *marking) keyValue(k models.Key, t models.Template, it models.Item) (types.AttributeValue, error) {
	text, exists := it.Text(k.Name)
	if !exists {
		return nil, nil
	}
	m, err := t.Parse(text)
	if err != nil {
		return nil, err
	}
	parts := maps.Clone(m.Values)
	for name := range parts {
		if a := b.e.Attribute(name); a != nil && a.Sensitive != models.NotSensitive {
			marker, ok := b.byPath[a.Path]
			if !ok {
				marker = b.newMarker(a.Path, a.Sensitive, a.Format)
				b.byPath[a.Path] = marker
			}
			parts[name] = marker
		}
	}
	text, err = t.Format(models.MapValues(parts))
	if err != nil {
		return nil, err
	}
	return models.ScalarValue(k.Type, text)
}

// attributeValue returns the value of an attribute with markers in place of sensitive values, or nil if it has none.
func (b *marking) attributeValue(a *models.Attribute, v types.AttributeValue) types.AttributeValue {
	if a.Sensitive != models.NotSensitive {
		return b.sensitiveValue(a, a.Sensitive)
	}
	highest := maxSensitivity(a)
	if highest == models.NotSensitive || a.Type != models.TypeM && a.Type != models.TypeL {
		return nil
	}
	doc := map[string]types.AttributeValue{}
	if document, ok := v.(*types.AttributeValueMemberM); ok {
		doc = maps.Clone(document.Value)
	}
	for _, n := range a.Attributes {
		if inner := b.attributeValue(n, doc[n.Name]); inner != nil {
			doc[n.Name] = inner
		}
	}
	doc["furtherPart"] = models.StringValue(b.newMarker(a.Path+".(undeclared)", highest, models.NoFormat))
	doc[b.newMarker(a.Path+".(undeclared name)", highest, models.Email)] = models.StringValue("x")
	if a.Type == models.TypeL {
		return listValue(&types.AttributeValueMemberM{Value: doc}, models.StringValue(b.newMarker(a.Path+"[]", highest, models.NoFormat)))
	}
	return &types.AttributeValueMemberM{Value: doc}
}

// maxSensitivity returns the highest sensitivity of an attribute and its parts.
func maxSensitivity(a *models.Attribute) models.Sensitivity {
	s := a.Sensitive
	if a.Undocumented && s == models.NotSensitive {
		s = models.PII
	}
	for _, n := range a.Attributes {
		if d := maxSensitivity(n); s == models.NotSensitive || d == models.Secret {
			s = d
		}
	}
	return s
}

// sensitiveValue returns a value of the attribute's type that contains markers.
func (b *marking) sensitiveValue(a *models.Attribute, s models.Sensitivity) types.AttributeValue {
	newText := func() string { return a.Prefix + b.newMarker(a.Path, s, a.Format) }
	switch a.Type {
	case models.TypeN:
		return &types.AttributeValueMemberN{Value: b.newNumber(a.Path, s)}
	case models.TypeB:
		return &types.AttributeValueMemberB{Value: []byte(newText())}
	case models.TypeBOOL:
		return nil // a Boolean cannot contain a marker
	case models.TypeSS:
		return &types.AttributeValueMemberSS{Value: []string{newText(), newText()}}
	case models.TypeNS:
		return &types.AttributeValueMemberNS{Value: []string{b.newNumber(a.Path, s), b.newNumber(a.Path, s)}}
	case models.TypeBS:
		return &types.AttributeValueMemberBS{Value: [][]byte{[]byte(newText())}}
	case models.TypeL:
		return listValue(models.StringValue(newText()), listValue(models.StringValue(newText())))
	case models.TypeM:
		doc := map[string]types.AttributeValue{
			"further": models.StringValue(newText()), b.newMarker(a.Path+" (name)", s, models.NoFormat): models.StringValue("x"),
			"list": listValue(&types.AttributeValueMemberN{Value: b.newNumber(a.Path, s)}),
		}
		for _, n := range a.Attributes {
			if v := b.sensitiveValue(n, n.Sensitive); v != nil {
				doc[n.Name] = v
			}
		}
		return &types.AttributeValueMemberM{Value: doc}
	default:
		v := b.newMarker(a.Path, s, a.Format)
		b.byPath[a.Path] = a.Prefix + v
		return models.StringValue(a.Prefix + v)
	}
}

func listValue(values ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: values}
}

func (b *marking) newMarker(path string, s models.Sensitivity, f models.Format) string {
	return b.w.addMarker(b.location(path), s, func(st stem, n int) string { return st.text(n, f) })
}

func (b *marking) newNumber(path string, s models.Sensitivity) string {
	return b.w.addMarker(b.location(path), s, stem.number)
}

func (b *marking) location(path string) string {
	if b.e == nil {
		return "(no kind)." + path
	}
	return b.e.Name + "." + path
}

// unmatchedItem returns an item that no entity matches, with all sensitive attributes of the table and an undeclared
// one.
func (d *MarkedData) unmatchedItem(t *models.Table) models.Item {
	m := &marking{d.Watch, nil, map[string]string{}}
	it := models.Item{"furtherThing": models.StringValue(m.newMarker("(undeclared)", models.PII, models.NoFormat))}
	for _, e := range d.Profile.EntitiesOf(t) {
		for _, a := range e.Attributes {
			if s := maxSensitivity(a); s != models.NotSensitive && !a.KeyOnly && !isKey(t, a.Name) && it[a.Name] == nil {
				if v := m.sensitiveValue(a, s); v != nil {
					it[a.Name] = v
				}
			}
		}
	}
	for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
		switch k.Type {
		case "":
		case models.TypeN:
			it[k.Name] = &types.AttributeValueMemberN{Value: "4"}
		case models.TypeB:
			it[k.Name] = &types.AttributeValueMemberB{Value: []byte("stranger")}
		default:
			it[k.Name] = models.StringValue("?STRANGER")
		}
	}
	return it
}
