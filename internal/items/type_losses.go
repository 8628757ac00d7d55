package items

import (
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
		return (want == "" || want == models.ValueType(v)) && countUntyped(a, v) == 0
	}
	return countUntyped(a, v) == 0
}

// countUntyped counts the binary values and sets that plain JSON turns into texts and lists, because no attribute
// declares their type. a may be nil.
func countUntyped(a *models.Attribute, v types.AttributeValue) int {
	switch v := v.(type) {
	case *types.AttributeValueMemberB, *types.AttributeValueMemberSS, *types.AttributeValueMemberNS, *types.AttributeValueMemberBS:
		if a == nil || a.Type != models.ValueType(v) {
			return 1
		}
	case *types.AttributeValueMemberL:
		n, element := 0, a.Element()
		for _, inner := range v.Value {
			n += countUntyped(element, inner)
		}
		return n
	case *types.AttributeValueMemberM:
		var list []*models.Attribute
		if a != nil {
			list = a.Attributes
		}
		return countUntypedIn(list, v.Value)
	}
	return 0
}

func countUntypedIn(list []*models.Attribute, it models.Item) (n int) {
	for name, v := range it {
		n += countUntyped(models.First(list, func(a *models.Attribute) bool { return a.Name == name }), v)
	}
	return n
}

// countUntyped returns the number of values in an item that load reads with another type from plain JSON. It needs the
// item's entity only if there are such types.
func (l *layout) countUntyped(it models.Item) int {
	if countUntypedIn(nil, it) == 0 {
		return 0
	}
	row := l.Masker.Lazy(l.Table, it)
	var list []*models.Attribute
	if row.Entity != nil {
		list = row.Entity.Attributes
	}
	return countUntypedIn(list, row.Item())
}
