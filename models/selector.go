package models

import (
	"fmt"
	"slices"
	"strings"
)

// An Equality is a condition on an attribute: it has one of the values. DynamoDB compares
// values with their type; here text is enough, because an attribute has one type.
type Equality struct {
	Path   string
	Values []string // as Item.Text returns them
}

// Holds reports whether the condition holds for an item with the values.
func (q Equality) Holds(values Values) bool {
	v, ok := values(q.Path)
	return ok && slices.Contains(q.Values, v)
}

// String describes the condition: status is open or review.
func (q Equality) String() string {
	return fmt.Sprintf("%s is %s", q.Path, strings.Join(q.Values, " or "))
}

// Distinguishes reports whether an attribute tells items of the entity from those of
// others.
func (e *Entity) Distinguishes(path string) bool {
	return slices.ContainsFunc(e.Is, func(q Equality) bool { return q.Path == path })
}

// HasKey reports whether an item with the values has the key attribute, if its template
// has all its parts. Without a condition it is true. It says nothing about the parts of the
// template: Key.Value does.
func (e *Entity) HasKey(name string, values Values) bool {
	return !slices.ContainsFunc(e.KeyWhen[name], func(q Equality) bool { return !q.Holds(values) })
}

// KeyCondition describes when an item has the key attribute: "status is open", "" if
// always.
func (e *Entity) KeyCondition(name string) string {
	return strings.Join(NamesOf(e.KeyWhen[name], Equality.String), " and ")
}

// KeyInputs lists the attributes that a key attribute depends on: those of its template
// and of its condition. A name may occur twice. A change of any of them requires that the key
// is computed again.
func (e *Entity) KeyInputs(name string) []string {
	t, _ := e.KeyTemplate(name)
	names := t.Placeholders()
	for _, q := range e.KeyWhen[name] {
		names = append(names, q.Path)
	}
	return names
}
