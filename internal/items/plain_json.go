package items

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

func isTypedObject(m map[string]any) bool {
	for _, v := range m {
		inner, ok := v.(map[string]any)
		if !ok || len(inner) != 1 {
			return false
		}
		for t := range inner {
			if !slices.Contains(models.Types(), models.Type(t)) {
				return false
			}
		}
	}
	return len(m) > 0
}

// plain uses the item's entity to distinguish binary values from text, and sets from lists.
func (r *reader) plain(m map[string]any) (models.Item, error) {
	if err := r.removeEntityField(m); err != nil {
		return nil, err
	}
	it := models.Item{}
	for name, v := range m {
		it[name] = models.PlainValue(v)
	}
	e := r.entity
	if e == nil {
		t := r.table
		if t == nil {
			t = r.tableOf(r.withTypedKeys(it))
		}
		if t != nil {
			it = r.withKeysOf(t, it)
			if found, ok := models.Recognize(r.o.Profile.Entities, t, it); ok {
				e = found.Entity
			}
		}
	}
	if e == nil {
		return it, nil
	}
	for _, a := range e.Attributes {
		if text, ok := r.cells[a.Name]; ok && a.Type == models.TypeS {
			it[a.Name] = models.StringValue(text) // even if it looks like JSON
		}
	}
	return typedBy(e.Attributes, it)
}

// removeEntityField removes the entity's name that an export adds, but no attribute of the same name.
func (r *reader) removeEntityField(m map[string]any) error {
	v, ok := m[models.EntityField]
	if !ok || r.declares(models.EntityField) {
		return nil
	}
	if name, _ := v.(string); v != nil && r.o.Profile.Entity(name) == nil {
		return fmt.Errorf("%s does not name an entity of the schema; if it is an attribute, declare it, or load DynamoDB JSON",
			models.EntityField)
	}
	delete(m, models.EntityField)
	return nil
}

func (r *reader) declares(attribute string) bool {
	return slices.ContainsFunc(r.o.Profile.Entities, func(e *models.Entity) bool { return e.Attribute(attribute) != nil })
}

func (r *reader) withTypedKeys(it models.Item) models.Item {
	for _, t := range r.o.Profile.Tables {
		it = r.withKeysOf(t, it)
	}
	return it
}

func (r *reader) withKeysOf(t *models.Table, it models.Item) models.Item {
	for _, k := range t.KeyAttributes() {
		if text, ok := it.Text(k.Name); ok && models.ValueType(it[k.Name]) != k.Type {
			if v, err := scalar(k.Type, text); err == nil {
				it[k.Name] = v
			}
		}
	}
	return it
}

func typedBy(list []*models.Attribute, it models.Item) (models.Item, error) {
	out := it.Clone()
	for _, a := range list {
		v, ok := it[a.Name]
		if !ok || models.ValueType(v) == models.TypeNULL {
			continue
		}
		typed, err := typedAs(a, v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", a.Path, err)
		}
		out[a.Name] = typed
	}
	return out, nil
}

var (
	scalarTypes = []models.Type{models.TypeS, models.TypeN, models.TypeB, models.TypeBOOL}
	setTypes    = []models.Type{models.TypeSS, models.TypeNS, models.TypeBS}
)

func typedAs(a *models.Attribute, v types.AttributeValue) (types.AttributeValue, error) {
	text, isScalar := models.ValueText(v)
	switch value := v.(type) {
	case *types.AttributeValueMemberM:
		m, err := typedBy(a.Attributes, value.Value)
		return &types.AttributeValueMemberM{Value: m}, err
	case *types.AttributeValueMemberL:
		return typedList(a, value.Value)
	}
	if isScalar && models.ValueType(v) != a.Type && slices.Contains(scalarTypes, a.Type) {
		return scalar(a.Type, text)
	}
	return v, nil
}

func typedList(a *models.Attribute, list []types.AttributeValue) (types.AttributeValue, error) {
	switch a.Type {
	case models.TypeSS, models.TypeNS, models.TypeBS:
		return typedSet(a.Type, list)
	default:
	}
	element := a.Element()
	out := make([]types.AttributeValue, len(list))
	for i, v := range list {
		out[i] = v
		if element != nil {
			var err error
			if out[i], err = typedAs(element, v); err != nil {
				return nil, err
			}
		}
	}
	return &types.AttributeValueMemberL{Value: out}, nil
}

func typedSet(t models.Type, list []types.AttributeValue) (types.AttributeValue, error) {
	var texts []string
	var blobs [][]byte
	for i, v := range list {
		text, ok := models.ValueText(v)
		if !ok {
			return nil, fmt.Errorf("element %d has type %s instead of %s", i, models.ValueType(v), t[:1])
		}
		element, err := scalar(t[:1], text)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		if b, ok := element.(*types.AttributeValueMemberB); ok {
			blobs = append(blobs, b.Value)
		}
		text, _ = models.ValueText(element)
		texts = append(texts, text)
	}
	switch t {
	case models.TypeBS:
		return &types.AttributeValueMemberBS{Value: blobs}, nil
	case models.TypeNS:
		return &types.AttributeValueMemberNS{Value: texts}, nil
	default:
		return &types.AttributeValueMemberSS{Value: texts}, nil
	}
}

func scalar(t models.Type, text string) (types.AttributeValue, error) {
	switch t {
	case models.TypeB:
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, errors.New("not base64")
		}
		return &types.AttributeValueMemberB{Value: b}, nil
	default:
		v, err := models.ScalarValue(t, text)
		if err != nil {
			return nil, fmt.Errorf("not a value of type %s", t)
		}
		return v, nil
	}
}
