package profiles_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// A markedItem is an item with a unique mark in every sensitive value.
type markedItem struct {
	item        models.Item
	pii, secret []string
}

func (m *markedItem) text(s models.Sensitivity) string {
	text := fmt.Sprintf("mk%dq%dzw", len(m.pii), len(m.secret))
	if s == models.Secret {
		m.secret = append(m.secret, text)
	} else {
		m.pii = append(m.pii, text)
	}
	return text
}

func (m *markedItem) format(a *models.Attribute, text string) string {
	if a != nil && a.Format == models.Email {
		return text + "@example.com"
	}
	return text
}

// value replaces every sensitive text in v by a mark. s is the sensitivity of the surrounding document.
func (m *markedItem) value(a *models.Attribute, s models.Sensitivity, v types.AttributeValue) types.AttributeValue {
	if a != nil && a.Sensitive != models.NotSensitive && s != models.Secret {
		s = a.Sensitive
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		if s == models.NotSensitive {
			return v
		}
		return models.StringValue(m.format(a, m.text(s)))
	case *types.AttributeValueMemberM:
		doc := map[string]types.AttributeValue{}
		for name, inner := range v.Value {
			var in *models.Attribute
			if a != nil {
				for _, x := range a.Attributes {
					if x.Name == name {
						in = x
					}
				}
			}
			doc[name] = m.value(in, s, inner)
		}
		return &types.AttributeValueMemberM{Value: doc}
	case *types.AttributeValueMemberL:
		list := make([]types.AttributeValue, len(v.Value))
		for i, inner := range v.Value {
			list[i] = m.value(nil, s, inner)
		}
		return &types.AttributeValueMemberL{Value: list}
	default:
		return v
	}
}

// markItem replaces the item's sensitive values with marks and computes its keys again.
func markItem(t *testing.T, s sample.Item) *markedItem {
	t.Helper()
	e, m := s.Entity, &markedItem{}
	it, extra := models.Item{}, map[string]string{}
	for name, v := range s.Item {
		if a := e.Attribute(name); a != nil {
			if tmpl, key := e.Keys[name]; !key || tmpl.Has(name) {
				it[name] = m.value(a, models.NotSensitive, v)
			}
		} else if _, key := e.Keys[name]; !key && e.Undocumented {
			it[name] = m.value(nil, models.PII, v)
		}
	}
	values := e.Values(s.Item)
	for _, a := range e.Attributes {
		if text, ok := values(a.Name); ok && a.KeyOnly {
			if a.Sensitive != models.NotSensitive {
				text = m.format(a, m.text(a.Sensitive))
			}
			extra[a.Name] = text
		}
	}
	built, err := e.Build(it, extra)
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	m.item = built
	return m
}

func leakedMarks(it models.Item, marks []string) []string {
	text := string(it.AppendJSON(nil))
	var found []string
	for _, m := range marks {
		if strings.Contains(text, m) {
			found = append(found, m)
		}
	}
	return found
}

func TestMaskedItemsShowNothingSensitive(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		masked, revealed := models.NewMasker(p.Entities, false), models.NewMasker(p.Entities, true)
		for _, s := range schemas.Samples(t, p, sample.Options{Items: 12}) {
			m := markItem(t, s)
			if found := leakedMarks(masked.Item(s.Table, m.item), append(m.pii, m.secret...)); len(found) > 0 {
				t.Errorf("%s shows %v: %s", s.Entity.Name, found, masked.Item(s.Table, m.item).AppendJSON(nil))
			}
			shown := revealed.Item(s.Table, m.item)
			if found := leakedMarks(shown, m.secret); len(found) > 0 {
				t.Errorf("%s shows secrets after a reveal: %s", s.Entity.Name, shown.AppendJSON(nil))
			}
			if found := leakedMarks(shown, m.pii); len(found) != len(m.pii) {
				t.Errorf("%s masks revealed personal data: %s", s.Entity.Name, shown.AppendJSON(nil))
			}
		}
	})
}

func TestItemsWithoutEntityAreMasked(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		masker := models.NewMasker(p.Entities, false)
		for _, s := range schemas.Samples(t, p, sample.Options{Items: 12}) {
			m := markItem(t, s)
			for _, key := range []string{s.Table.PartitionKey.Name, s.Table.SortKey.Name} {
				if key == "" {
					continue
				}
				stray := models.Item{}
				maps.Copy(stray, m.item)
				stray[key] = models.StringValue("nothing like this is documented")
				if _, known := models.Recognize(p.Entities, s.Table, stray); known {
					continue
				}
				if found := leakedMarks(masker.Item(s.Table, stray), append(m.pii, m.secret...)); len(found) > 0 {
					t.Errorf("an item like %s shows %v: %s", s.Entity.Name, found, masker.Item(s.Table, stray).AppendJSON(nil))
				}
			}
		}
	})
}

// TestUndeclaredAttributesAreMasked adds the sensitive attributes and keys of the table's other entities to every item.
func TestUndeclaredAttributesAreMasked(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		masker := models.NewMasker(p.Entities, false)
		list := schemas.Samples(t, p, sample.Options{Items: 3})
		for _, s := range list {
			for _, other := range list {
				if other.Table != s.Table || other.Entity == s.Entity {
					continue
				}
				m, it := markItem(t, other), models.Item{}
				for n, v := range m.item {
					_, key := other.Entity.Keys[n]
					if s.Entity.Attribute(n) == nil && (key || other.Entity.Attribute(n) != nil) {
						it[n] = v
					}
				}
				maps.Copy(it, s.Item)
				if r, ok := models.Recognize(p.Entities, s.Table, it); !ok || r.Entity != s.Entity {
					continue
				}
				if found := leakedMarks(masker.Item(s.Table, it), append(m.pii, m.secret...)); len(found) > 0 {
					t.Fatalf(
						"%s with attributes of %s shows %v: %s", s.Entity.Name, other.Entity.Name, found,
						masker.Item(s.Table, it).AppendJSON(nil),
					)
				}
			}
		}
	})
}

func TestMaskingKeepsUnmaskedValues(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		masker := models.NewMasker(p.Entities, false)
		for _, s := range schemas.Samples(t, p, sample.Options{Items: 12}) {
			before := string(s.Item.AppendDynamoDBJSON(nil))
			shown := masker.Item(s.Table, s.Item)
			if after := string(s.Item.AppendDynamoDBJSON(nil)); after != before {
				t.Fatalf("masking changed the item from %s to %s", before, after)
			}
			if diff := cmp.Diff(s.Item.Names(), shown.Names()); diff != "" {
				t.Errorf("%s: names (-item +shown):\n%s", s.Entity.Name, diff)
			}
			for name, v := range s.Item {
				tmpl, key := s.Entity.Keys[name]
				a := s.Entity.Attribute(name)
				switch {
				case key && s.Entity.TemplateSensitivity(tmpl) != models.NotSensitive:
				case !key && a == nil:
				case !key && (hasSensitive(a) || a.Undocumented): // The masker hides its undeclared parts.
				default:
					if !models.EqualValues(v, shown[name]) {
						t.Errorf("%s.%s is not sensitive, but %v is shown as %v", s.Entity.Name, name, v, shown[name])
					}
				}
			}
		}
	})
}

func hasSensitive(a *models.Attribute) bool {
	if a.Sensitive != models.NotSensitive {
		return true
	}
	return slices.ContainsFunc(a.Attributes, hasSensitive)
}
