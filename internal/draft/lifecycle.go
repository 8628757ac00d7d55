package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Lifecycle is an attribute whose name and values suggest that it contains a state. Only a person can decide which
// states are open.
type Lifecycle struct {
	Entity, Attribute string
	States            []string
	Open              []string // states with remaining work; empty until a person names them
}

// stateNote marks an attribute that can become a lifecycle.
var stateNote = CheckNote("may be a lifecycle state")

// Lifecycles returns the attributes that can become lifecycles.
func (p *Profile) Lifecycles() (list []Lifecycle) {
	for _, e := range p.Entities {
		for _, a := range e.Attributes {
			if len(a.Enum) > 1 && strings.Contains(a.Note, stateNote) {
				list = append(list, Lifecycle{Entity: e.Name, Attribute: a.Name, States: a.Enum})
			}
		}
	}
	return list
}

// SetOpen turns an attribute into a lifecycle with a queue of the items in open states. open must not be empty.
func (p *Profile) SetOpen(entity, attribute string, open []string) error {
	i := slices.IndexFunc(p.Lifecycles(), func(l Lifecycle) bool { return l.Entity == entity && l.Attribute == attribute })
	if i < 0 {
		names := models.MapSlice(p.Lifecycles(), func(l Lifecycle) string { return l.Entity + "." + l.Attribute })
		return fmt.Errorf("%s.%s is not a state; states are %s", models.Printable(entity), models.Printable(attribute),
			cmp.Or(strings.Join(names, ", "), "none"))
	}
	l := p.Lifecycles()[i]
	if l.Open = open; len(open) == 0 {
		return fmt.Errorf("%s.%s: name at least one state", l.Entity, l.Attribute)
	}
	for _, v := range open {
		if !slices.Contains(l.States, v) {
			return fmt.Errorf("%s is not a state of %s.%s; states are %s", models.Printable(v), l.Entity, l.Attribute,
				strings.Join(l.States, ", "))
		}
	}
	a := p.Entity(entity).Attribute(attribute)
	a.Note = withoutNote(a.Note, stateNote)
	p.lifecycles = append(p.lifecycles, l)
	return nil
}

func withoutNote(note, removed string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(note, noteMark), func(part string) bool { return part == removed }), noteMark)
}

func (l Lifecycle) field() Field {
	states := Map{}
	for _, s := range l.States {
		kind := "final"
		if slices.Contains(l.Open, s) {
			kind = "open"
		}
		states = append(states, Field{Key: s, Value: Map{{Key: "kind", Value: kind}}})
	}
	return Field{
		Key: l.Entity + Pascal(l.Attribute), Above: []string{CheckNote("transitions are unknown, and a final state may be good or bad")},
		Value: Map{
			{Key: "entity", Value: l.Entity},
			{Key: "attribute", Value: l.Attribute},
			{Key: "documented", Value: false},
			{Key: "states", Value: states},
		},
	}
}

// queue reads a partition of the table or an index if one contains the open items. Otherwise it scans.
func (p *Profile) queue(l Lifecycle) Field {
	e := p.Entity(l.Entity)
	t := p.Table(e.Table)
	read := Map{{Key: "operation", Value: "scan"}, {Key: "table", Value: t.ID}}
	filter := Map{{Key: "attribute", Value: l.Attribute}, {Key: "in", Value: l.Open}}
	for _, x := range append([]*models.Index{nil}, t.Indexes...) {
		pk, _ := t.KeysOf(x)
		template, err := models.ParseTemplate(e.Template(pk[0].Name), nil)
		if err != nil || len(pk) > 1 || len(read) > 2 {
			continue
		}
		names := template.Placeholders()
		if len(names) > 1 || len(names) == 1 && names[0] != l.Attribute || len(names) == 0 && x == nil {
			continue
		}
		read = Map{{Key: "operation", Value: "query"}, {Key: "table", Value: t.ID}}
		if x != nil {
			read = append(read, Field{Key: "index", Value: x.Name})
		}
		read = append(read, Field{Key: "key", Value: Map{{Key: pk[0].Name, Value: template.String()}}})
		if len(names) == 1 {
			filter = nil
			read = append(read, Field{Key: "fan_out", Value: Map{{Key: "placeholder", Value: l.Attribute}, {Key: "values", Value: l.Open}}})
		}
	}
	if filter != nil {
		read = append(read, Field{Key: "filter", Value: []Map{filter}})
	}
	read = append(read, Field{Key: "returns", Value: []string{l.Entity}})
	name := "Open " + strings.ToLower(titleOf(plural(l.Entity)))
	return Field{Key: "open-" + Kebab(plural(l.Entity)), Value: Map{{Key: "title", Value: name}, {Key: "read", Value: read}}}
}
