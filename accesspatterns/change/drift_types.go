package change

import (
	"fmt"

	"github.com/ddbdesk/ddbdesk/models"
)

// wrongTypes lists the times whose values have another type than the documented one. A
// filter or a condition on a number does not find the same digits as text. NULL stands
// for a missing value.
// Source: Amazon DynamoDB Developer Guide, "Using time to live (TTL)": the attribute
// must be a number.
func (f *finder) wrongTypes(list []*models.Attribute) []Defect {
	var found []Defect
	for _, a := range list {
		v, present := f.item.At(a.Path)
		is := models.ValueType(v)
		if !present || a.KeyOnly || a.Type == "" || is == models.TypeNULL {
			continue
		}
		if is == a.Type {
			found = append(found, f.wrongTypes(a.Attributes)...)
			continue
		}
		if !a.Format.IsTime() && a.Path != f.entity.Table.TTL {
			continue
		}
		d := Defect{Kind: StaleTTL, Attribute: a.Path, Text: fmt.Sprintf("is of type %s, not %s", is, a.Type)}
		if a.Path == f.entity.Table.TTL {
			d.Text += "; DynamoDB never expires the item"
		}
		d.Stored, _ = models.ValueText(v)
		found = append(found, d)
	}
	return found
}

// timeAt reads the time of the attribute at a path in its own format; a guess between
// seconds and milliseconds is for attributes without a format only.
func (f *finder) timeAt(path, text string) (models.Time, error) {
	if a := f.entity.Attribute(path); a != nil && a.Format.IsTime() {
		if t, ok := a.Format.ReadTime(text); ok {
			return models.Time{Time: t, Day: a.Format.IsDay()}, nil
		}
	}
	return models.ParseTime(text, f.Now)
}
