package change

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// seen returns the conditions that the item is there and as it was read: its
// state, and its version; without one the time of its last change, and
// everything that the write touches.
func seen(d draft, w Write) []accesspatterns.Condition {
	list := []accesspatterns.Condition{{Attribute: w.Table.PartitionKey.Name, Compare: accesspatterns.Exists}}
	if d.lifecycle != nil {
		list = append(list, as(d.before, d.lifecycle.Attribute))
	}
	if _, there := d.before[d.entity.Version]; d.entity.Version != "" && there {
		return append(list, as(d.before, d.entity.Version))
	}
	if _, there := d.before[d.entity.Updated]; d.entity.Updated != "" && there {
		list = append(list, as(d.before, d.entity.Updated))
	}
	if w.Operation == Delete { // all of it goes
		for _, name := range d.before.Names() {
			a := d.entity.Attribute(name)
			if name != w.Table.PartitionKey.Name && name != w.Table.SortKey.Name && (a == nil || !a.Volatile) {
				touched := as(d.before, name)
				touched.Touched = true
				list = append(list, touched)
			}
		}
		return merge(list, nil)
	}
	// Two changes within one tick leave the same time of change behind: what is
	// written over must be what was read as well.
	for _, c := range w.Changes {
		touched := as(d.before, c.Path)
		touched.Touched = true
		list = append(list, touched)
	}
	return merge(list, nil)
}

// as is the condition that the attribute is what it was.
func as(before models.Item, path string) accesspatterns.Condition {
	if v, ok := before.At(path); ok {
		return accesspatterns.Condition{Attribute: path, Compare: accesspatterns.Equal, Values: []types.AttributeValue{v}}
	}
	return accesspatterns.Condition{Attribute: path, Compare: accesspatterns.NotExists}
}

// merge joins conditions, each once.
func merge(a, b []accesspatterns.Condition) []accesspatterns.Condition {
	var list []accesspatterns.Condition
	for _, c := range append(slices.Clone(a), b...) {
		if !slices.ContainsFunc(list, func(o accesspatterns.Condition) bool {
			return o.Attribute == c.Attribute && o.Compare == c.Compare && slices.EqualFunc(o.Values, c.Values, models.EqualValues)
		}) {
			list = append(list, c)
		}
	}
	return list
}

// require checks what the action requires of the item as it was read, and
// returns the same as conditions.
func (s *scope) require(d draft) ([]accesspatterns.Condition, error) {
	var list []accesspatterns.Condition
	for _, r := range d.require {
		c := accesspatterns.Condition{Attribute: r.Attribute, Compare: r.Compare, OrMissing: r.OrMissing, Because: r.Because}
		if r.Compare != accesspatterns.Exists && r.Compare != accesspatterns.NotExists {
			a := d.entity.Attribute(r.Attribute)
			var t models.Type
			if a != nil {
				t = a.Type
			}
			v, ok, err := s.eval(r.Value, a, t, d.place+".require")
			if err != nil {
				return nil, &Conflict{What: err.Error()}
			}
			if !ok {
				continue // what it is compared with was not given
			}
			c.Values = []types.AttributeValue{v}
		}
		if !c.Holds(d.before) {
			return nil, &Conflict{What: unmet(d.entity, d.before, c)}
		}
		list = append(list, c)
	}
	return list, nil
}

func unmet(e *models.Entity, it models.Item, c accesspatterns.Condition) string {
	if c.Because != "" {
		return c.Because
	}
	now, ok := it.Text(c.Attribute)
	if !ok {
		now = "not set"
	}
	if a := e.Attribute(c.Attribute); a != nil && a.Sensitive != models.Open {
		now = "something else"
	}
	return fmt.Sprintf("%s of %s is %s, needed: %s", c.Attribute, e.Title, models.Printable(now), c)
}
