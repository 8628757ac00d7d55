// This file finds the patterns that can be run from what is in view: every
// pattern whose required parameters an item, or a decoded key, can fill.

package accesspatterns

import (
	"github.com/ddbdesk/ddbdesk/models"
)

// A Related is a pattern with its parameters filled from something in view.
type Related struct {
	Pattern *Pattern
	Args    map[string]string
	Via     string   // the attribute that filled the first parameter, when it has another name
	Missing []string // required parameters that nothing in view fills; of Nearly alone
}

// A View is what parameters can be filled from.
type View struct {
	Entity *models.Entity
	// Values has attributes and key placeholders by path.
	Values models.Values
	// Keys has the key attributes' texts by name.
	Keys map[string]string
}

// ItemView returns the view of an item of the entity.
func ItemView(e *models.Entity, it models.Item) View {
	keys := map[string]string{}
	for _, k := range e.Table.KeyAttributes() {
		if text, ok := it.Text(k.Name); ok {
			keys[k.Name] = text
		}
	}
	return View{Entity: e, Values: e.Values(it), Keys: keys}
}

// Relations returns the patterns that can be run from the view, in the order
// of patterns.
func Relations(patterns []*Pattern, entities []*models.Entity, v View) []Related {
	f := filler{view: v, canon: canonicals(entities)}
	var found []Related
	for _, p := range patterns {
		if p.IsRead() {
			found = append(found, f.fill(p)...)
		}
	}
	return found
}

// Nearly returns the patterns of which the view fills the partition key, or a
// part of it, but not every required parameter: a person has to give the rest.
func Nearly(patterns []*Pattern, entities []*models.Entity, v View) []Related {
	f := filler{view: v, canon: canonicals(entities), nearly: true}
	var found []Related
	for _, p := range patterns {
		if p.IsRead() {
			found = append(found, f.fill(p)...)
		}
	}
	return found
}

type filler struct {
	view   View
	canon  map[*models.Attribute]string
	nearly bool // what lacks a required parameter is looked for
}

// canonicals follows what attributes refer to, so that two attributes that
// hold the same ids have the same name.
func canonicals(entities []*models.Entity) map[*models.Attribute]string {
	refers := map[string]string{}
	own := map[*models.Attribute]string{}
	var walk func(e *models.Entity, list []*models.Attribute)
	walk = func(e *models.Entity, list []*models.Attribute) {
		for _, a := range list {
			name := e.Name + "." + a.Path
			own[a] = name
			if a.Refers != "" {
				refers[name] = a.Refers
			}
			walk(e, a.Attributes)
		}
	}
	for _, e := range entities {
		walk(e, e.Attributes)
	}
	for a, name := range own {
		for hops := 0; refers[name] != "" && hops < len(refers); hops++ {
			name = refers[name]
		}
		own[a] = name
	}
	return own
}

// filling is how far the view fills a pattern.
type filling struct {
	args    map[string]string
	first   string // the first parameter that is filled, "" for none
	choices []choice
	missing []string // required parameters that are not
	partly  bool     // the partition key is filled, or a part of it
}

// fill returns the ways to run p from the view: one for each attribute that
// fits its first parameter.
func (f *filler) fill(p *Pattern) []Related {
	g := f.filling(p)
	switch {
	case f.nearly && (len(g.missing) == 0 || !g.partly), !f.nearly && len(g.missing) > 0:
		return nil
	case g.first == "":
		return f.fixed(p)
	}
	var found []Related
	for _, c := range g.choices {
		own := map[string]string{}
		for k, v := range g.args {
			own[k] = v
		}
		own[g.first] = c.value
		via := ""
		if c.path != g.first {
			via = c.path
		}
		found = append(found, Related{Pattern: p, Args: own, Via: via, Missing: g.missing})
	}
	return found
}

// filling fills what the view can of p's parameters.
func (f *filler) filling(p *Pattern) filling {
	g := filling{args: map[string]string{}}
	for _, q := range p.Params {
		day := q.Type == Day && inPartitionKey(p, q)
		if !q.Required && q.Attribute == nil && !day || q.Type == Token || q.Name == p.PageParam {
			continue
		}
		// A range of times is the person's to choose; a time that names one item
		// is not.
		if q.Type == Timestamp && (!q.Required || q.Default != "") {
			continue
		}
		options := f.options(p, q)
		if len(options) == 0 {
			if q.Required {
				g.missing = append(g.missing, q.Name)
			}
			continue
		}
		if !q.Required && (q.Type == Enum || q.Default != "") && !day {
			continue
		}
		g.args[q.Name] = options[0].value
		g.partly = g.partly || inPartitionKey(p, q)
		if g.first == "" {
			g.first, g.choices = q.Name, options
		}
	}
	return g
}

// fixed returns the pattern when it takes no parameter and its key is the one
// in view: the only way to ask for this item.
func (f *filler) fixed(p *Pattern) []Related {
	if len(p.Params) > 0 || p.Read.Operation != Get {
		return nil
	}
	for _, c := range p.Read.Key {
		if f.view.Keys[c.Attribute.Name] != c.Template.String() {
			return nil
		}
	}
	return []Related{{Pattern: p, Args: map[string]string{}}}
}

// inPartitionKey reports whether the parameter names the partition that is
// read: a day that has a default is still the day of what is in view.
func inPartitionKey(p *Pattern, q *Param) bool {
	partition, _ := p.Table.KeysOf(p.Read.Index)
	for _, c := range p.Read.Key {
		if c.Attribute == partition && c.Template.Has(q.Name) {
			return true
		}
	}
	return false
}

type choice struct{ path, value string }

// options lists the values in view that fit q, best first, each value once.
func (f *filler) options(p *Pattern, q *Param) []choice {
	var list []choice
	add := func(path, value string) {
		for _, c := range list {
			if c.value == value {
				return
			}
		}
		if _, err := q.Read(value, noTime); err == nil {
			list = append(list, choice{path, value})
		}
	}
	for _, path := range q.From {
		// An attribute may hold ids of several kinds; its form tells which.
		if v, ok := f.view.Values(path); ok && q.Warn(v) == "" {
			add(path, v)
		}
	}
	if a := f.view.Entity.Attribute(q.Name); a != nil && f.same(p, q, a) {
		if v, ok := f.view.Values(q.Name); ok {
			add(q.Name, v)
		}
	}
	for _, a := range f.view.Entity.Attributes {
		if q.Attribute != nil && a.Name != q.Name && f.canon[a] == f.canon[q.Attribute] && len(q.Enum) == 0 {
			if v, ok := f.view.Values(a.Path); ok {
				add(a.Name, v)
			}
		}
	}
	if len(list) == 0 && returns(p, f.view.Entity) {
		if v, ok := f.fromKey(p, q); ok {
			add(q.Name, v)
		}
	}
	return list
}

// returns reports whether the pattern answers items of the entity. Another
// entity's key may look the same and mean something else.
func returns(p *Pattern, e *models.Entity) bool {
	for _, r := range p.Returns {
		if r == e {
			return true
		}
	}
	return false
}

// same reports whether attribute a of the view's entity holds the values that
// q asks for.
func (f *filler) same(p *Pattern, q *Param, a *models.Attribute) bool {
	if q.Attribute == nil {
		return f.view.Entity.Table == p.Table && len(a.Enum) == 0
	}
	if f.canon[a] == f.canon[q.Attribute] {
		return true
	}
	// In one table an id of one name is one id; an enum or a time is not.
	return f.view.Entity.Table == p.Table && q.Entity != nil && q.Entity.Table == p.Table &&
		len(a.Enum) == 0 && len(q.Enum) == 0 && q.Type != Timestamp
}

// fromKey reads q from the view's own keys by the pattern's key templates: the
// date in DATE#2026-01-14 is no attribute of the item.
func (f *filler) fromKey(p *Pattern, q *Param) (string, bool) {
	for _, c := range p.Read.Key {
		key, ok := f.view.Keys[c.Attribute.Name]
		if !ok || c.Template.IsZero() || !c.Template.Has(q.Name) {
			continue
		}
		if m, err := c.Template.Parse(key); err == nil {
			return m.Values[q.Name], true
		}
	}
	return "", false
}
