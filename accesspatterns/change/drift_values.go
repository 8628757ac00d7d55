package change

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// wrongValues lists values with a wrong type or format, or outside a closed enum. It treats NULL as missing.
func (f *finder) wrongValues(list []*models.Attribute, doc models.Item) []Defect {
	var found []Defect
	for _, a := range list {
		if v, present := doc[a.Name]; present && !a.KeyOnly {
			found = append(found, f.wrongValue(a, v)...)
		}
	}
	return found
}

// wrongParts lists values that exist only in keys and do not have their documented form.
func (f *finder) wrongParts() []Defect {
	var found []Defect
	for _, a := range f.entity.Attributes {
		text, ok := f.values(a.Path)
		if !a.KeyOnly || !ok || f.isPartial(a.Path) {
			continue
		}
		if reason := a.Differs(text); reason != "" {
			found = append(found, Defect{Kind: kindOf(f.entity, a), Attribute: a.Path, Stored: text, Text: "in the key: " + reason})
		}
	}
	return found
}

// isPartial reports whether a key contains only a part of the value, such as the day of a time.
func (f *finder) isPartial(path string) bool {
	for _, t := range f.entity.Keys {
		for _, s := range t.Segments() {
			if s.Name == path && s.Format.IsLossy() {
				return true
			}
		}
	}
	return false
}

func (f *finder) wrongValue(a *models.Attribute, v types.AttributeValue) []Defect {
	kind := models.ValueType(v)
	switch {
	case kind == models.TypeNULL:
		return nil
	case a.Type != "" && kind != a.Type:
		return []Defect{f.wrongType(a, v)}
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		return f.wrongValues(a.Attributes, v.Value)
	case *types.AttributeValueMemberL:
		return f.wrongElement(a, v.Value)
	case *types.AttributeValueMemberSS:
		return f.wrongMember(a, v.Value)
	case *types.AttributeValueMemberNS:
		return f.wrongMember(a, v.Value)
	}
	text, _ := models.ValueText(v)
	if a.Equals != "" && a.Format.IsTime() && f.has(a.Equals) {
		return nil // The check of repeated times reports it with the correct value.
	}
	if reason := a.Differs(text); reason != "" {
		return []Defect{{Kind: kindOf(f.entity, a), Attribute: a.Path, Stored: text, Text: reason}}
	}
	return nil
}

// wrongType never shows a document, because its parts may be sensitive. Source: Amazon DynamoDB Developer Guide,
// "Using time to live (TTL)": the attribute must be a number.
func (f *finder) wrongType(a *models.Attribute, v types.AttributeValue) Defect {
	d := Defect{Kind: kindOf(f.entity, a), Attribute: a.Path, Text: fmt.Sprintf("is of type %s, not %s", models.ValueType(v), a.Type)}
	if a.Path == f.entity.Table.TTL {
		d.Text += "; DynamoDB never expires the item"
	}
	switch a.Type {
	case models.TypeS, models.TypeN, models.TypeB, models.TypeBOOL:
		d.Stored, _ = models.ValueText(v)
	default:
	}
	return d
}

func (f *finder) wrongElement(a *models.Attribute, list []types.AttributeValue) []Defect {
	element := a.Element()
	if element == nil {
		return nil
	}
	var first []Defect
	wrong := 0
	for i, v := range list {
		found := f.wrongValue(element, v)
		if len(found) == 0 {
			continue
		}
		if wrong++; wrong == 1 {
			first = found[:1]
			first[0].Text = fmt.Sprintf("element %d %s", i+1, first[0].Text)
		}
	}
	if wrong > 1 {
		first[0].Text += fmt.Sprintf("; %d elements are wrong", wrong)
	}
	return first
}

func (f *finder) wrongMember(a *models.Attribute, set []string) []Defect {
	for _, text := range set {
		if reason := a.Differs(text); reason != "" {
			return []Defect{{Kind: kindOf(f.entity, a), Attribute: a.Path, Stored: text, Text: "a member " + reason}}
		}
	}
	return nil
}

func kindOf(e *models.Entity, a *models.Attribute) DefectKind {
	if a.Format.IsTime() || a.Path == e.Table.TTL {
		return StaleTTL
	}
	return WrongValue
}
