package items

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// keepsType reports whether load reads a cell with the type of its value. e may be nil.
func (l *layout) keepsType(e *models.Entity, name string, v types.AttributeValue, cell string) bool {
	want := l.keyTypes[name]
	var a *models.Attribute
	if e != nil {
		a = e.Attribute(name)
	}
	if want == "" && a != nil {
		want = a.Type
	}
	switch v.(type) {
	case *types.AttributeValueMemberS:
		_, isText := cellValue(cell).(string)
		return want == models.TypeS || want == "" && isText
	case *types.AttributeValueMemberN, *types.AttributeValueMemberBOOL, *types.AttributeValueMemberB:
		return want == models.ValueType(v)
	case *types.AttributeValueMemberM, *types.AttributeValueMemberL:
		return (want == "" || want == models.ValueType(v)) && countRetyped(a, v) == 0
	}
	return countRetyped(a, v) == 0
}

// countRetyped counts the values that load reads from plain JSON with another type: binary values and sets that no
// attribute declares, and values whose type differs from the declared one. a may be nil.
func countRetyped(a *models.Attribute, v types.AttributeValue) (n int) {
	isOther := a != nil && a.Type != models.ValueType(v)
	switch v := v.(type) {
	case *types.AttributeValueMemberB, *types.AttributeValueMemberSS, *types.AttributeValueMemberNS, *types.AttributeValueMemberBS:
		if a == nil || isOther {
			return 1
		}
	case *types.AttributeValueMemberS, *types.AttributeValueMemberN, *types.AttributeValueMemberBOOL:
		if isOther && slices.Contains(scalarTypes, a.Type) {
			return 1
		}
	case *types.AttributeValueMemberL:
		if isOther && slices.Contains(setTypes, a.Type) {
			return 1
		}
		for _, inner := range v.Value {
			n += countRetyped(a.Element(), inner)
		}
	case *types.AttributeValueMemberM:
		if a == nil {
			return countRetypedIn(nil, v.Value)
		}
		return countRetypedIn(a.Attributes, v.Value)
	}
	return n
}

func countRetypedIn(list []*models.Attribute, it models.Item) (n int) {
	for name, v := range it {
		n += countRetyped(models.First(list, func(a *models.Attribute) bool { return a.Name == name }), v)
	}
	return n
}

// countRetyped counts the values of an item. It recognizes the item only if one of its values may count.
func (l *layout) countRetyped(it models.Item) int {
	if l.declared == nil {
		l.declared = map[string][]*models.Attribute{}
		for _, e := range l.Entities {
			for _, a := range e.Attributes {
				l.declared[a.Name] = append(l.declared[a.Name], a)
			}
		}
	}
	for name, v := range it {
		isRetyped := func(a *models.Attribute) bool { return countRetyped(a, v) > 0 }
		if isRetyped(nil) || slices.ContainsFunc(l.declared[name], isRetyped) {
			if e := l.Masker.Lazy(l.Table, it).Entity; e != nil {
				return countRetypedIn(e.Attributes, it)
			}
			return countRetypedIn(nil, it)
		}
	}
	return 0
}
