package accesspatterns

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Related is a pattern with parameters that an item or a decoded key fills. Bind accepts Args if Missing is empty.
type Related struct {
	Pattern *Pattern
	Args    map[string]string
	Via     string   // the attribute that fills the first parameter, "" if it has the same name
	Missing []string // required parameters without a value; set only by IncompleteRelations
}

// A View is an item or decoded key that fills parameters. Values and Keys are in clear text. Its item must not change.
type View struct {
	Entity *models.Entity
	Values models.Values     // values of attributes and key placeholders, by path
	Keys   map[string]string // the texts of key attributes, by name
}

// ItemView returns the view of an item of e.
func ItemView(e *models.Entity, it models.Item) View {
	keys := map[string]string{}
	for _, k := range e.Table.KeyAttributes() {
		if text, ok := it.Text(k.Name); ok {
			keys[k.Name] = text
		}
	}
	return View{Entity: e, Values: e.Values(it), Keys: keys}
}

// Relations returns the patterns for which the view fills every required parameter, in the order of patterns. It sends
// no requests, so a returned pattern can run but may return no rows.
func Relations(patterns []*Pattern, entities []*models.Entity, v View) []Related {
	return filler{view: v, entities: entities}.fillAll(patterns)
}

// IncompleteRelations returns the patterns for which the view fills at least a part of the partition key, but not every
// required parameter. The user must enter the rest.
func IncompleteRelations(patterns []*Pattern, entities []*models.Entity, v View) []Related {
	return filler{view: v, entities: entities, incomplete: true}.fillAll(patterns)
}

// ParamValues returns the values of views that fit a parameter of a pattern, in the order of the views and best first
// within a view.
func ParamValues(p *Pattern, q *Param, entities []*models.Entity, views ...View) []string {
	var list []string
	for f := (filler{entities: entities}); len(views) > 0; views = views[1:] {
		f.view = views[0]
		list = append(list, models.MapSlice(f.matchingValues(p, q), func(c pathValue) string { return c.value })...)
	}
	return list
}

// CanFill reports whether items of e have an attribute, or a placeholder in a key, that fits a parameter of a pattern.
func CanFill(p *Pattern, q *Param, entities []*models.Entity, e *models.Entity) bool {
	paths := filler{view: View{Entity: e}, entities: entities}.paths(p, q)
	return slices.ContainsFunc(paths, func(path string) bool {
		inKey := func(t models.Template) bool { return t.Has(path) }
		return e.Attribute(path) != nil || slices.ContainsFunc(slices.Collect(maps.Values(e.Keys)), inKey)
	})
}

type filler struct {
	view       View
	entities   []*models.Entity
	incomplete bool // whether to return patterns that lack a required parameter, or the others
}

func (f filler) fillAll(patterns []*Pattern) []Related {
	var found []Related
	for _, p := range patterns {
		if p.IsRead() {
			found = append(found, f.fill(p)...)
		}
	}
	return found
}

// An idSource is the attribute that IDs come from. Attributes with the same source contain the same IDs.
type idSource struct{ entity, path string }

// maxReferences is the maximum number of references to follow, because references may be circular.
const maxReferences = 100

func (f filler) idSource(e *models.Entity, a *models.Attribute) idSource {
	source := idSource{e.Name, a.Path}
	for range maxReferences {
		if a == nil || a.Refers == "" {
			break
		}
		source.entity, source.path, _ = strings.Cut(a.Refers, ".")
		if a = nil; f.entity(source.entity) != nil {
			a = f.entity(source.entity).Attribute(source.path)
		}
	}
	return source
}

func (f filler) entity(name string) *models.Entity {
	return models.First(f.entities, func(e *models.Entity) bool { return e.Name == name })
}

// fillResult contains the result of filling a pattern from the view.
type fillResult struct {
	args    map[string]string
	first   string      // the first filled parameter, "" for none
	choices []pathValue // its values
	missing []string    // required parameters without a value
	partly  bool        // the view fills a part of the partition key
}

func (f filler) fill(p *Pattern) []Related {
	filled := f.fillParams(p)
	switch {
	case f.incomplete && (len(filled.missing) == 0 || !filled.partly), !f.incomplete && len(filled.missing) > 0:
		return nil
	case filled.first == "":
		return f.constantGet(p)
	}
	var found []Related
	for _, c := range filled.choices {
		args := maps.Clone(filled.args)
		args[filled.first] = c.value
		via := ""
		if c.path != filled.first {
			via = c.path
		}
		p.dropUnused(args)
		found = append(found, Related{Pattern: p, Args: args, Via: via, Missing: filled.missing})
	}
	return found
}

func (f filler) fillParams(p *Pattern) fillResult {
	filled := fillResult{args: map[string]string{}}
	for _, q := range p.Params {
		isKeyDay := q.Type == Day && isInPartitionKey(p, q)
		if !q.Required && q.Attribute == nil && !isKeyDay || q.Type == Token || q.Name == p.PageParam {
			continue
		}
		if !q.Required && f.view.Entity.ByName != nil {
			continue // Without a schema, the sort key would find only the item itself.
		}
		// The user chooses ranges. A required time identifies one item.
		if q.Type == Timestamp && (!q.Required || q.Default != "") || !q.Required && p.Read.isRangeBound(q.Name) {
			continue
		}
		choices := f.matchingValues(p, q)
		if len(choices) == 0 {
			if q.Required {
				filled.missing = append(filled.missing, q.Name)
			}
			continue
		}
		if !q.Required && (q.Type == Enum || q.Default != "") && !isKeyDay {
			continue
		}
		filled.args[q.Name] = choices[0].value
		filled.partly = filled.partly || isInPartitionKey(p, q)
		if filled.first == "" {
			filled.first, filled.choices = q.Name, choices
		}
	}
	return filled
}

func (f filler) constantGet(p *Pattern) []Related {
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

// isInPartitionKey reports whether a parameter is in the partition key. The view fills such a day despite a default.
func isInPartitionKey(p *Pattern, q *Param) bool {
	partition, _ := p.Table.KeysOf(p.Read.Index)
	return slices.ContainsFunc(p.Read.Key, func(c KeyCondition) bool {
		return slices.Contains(partition, c.Attribute) && c.Template.Has(q.Name)
	})
}

type pathValue struct{ path, value string }

func (f filler) matchingValues(p *Pattern, q *Param) []pathValue {
	var list []pathValue
	add := func(path, value string) {
		if value = q.Argument(value); slices.ContainsFunc(list, func(c pathValue) bool { return c.value == value }) {
			return
		}
		if _, err := q.Read(value, noTime); err == nil {
			list = append(list, pathValue{path, value})
		}
	}
	for i, path := range f.paths(p, q) {
		// An attribute of from: may contain IDs of several kinds, which differ in format.
		if v, ok := f.view.Values(path); ok && (i >= len(q.From) || q.Warn(v) == "") {
			add(path, v)
		}
	}
	// The key of another entity may have the same form but a different meaning.
	if len(list) == 0 && slices.Contains(p.Returns, f.view.Entity) {
		if v, ok := f.fromKey(p, q); ok {
			add(q.Name, v)
		}
	}
	return list
}

func (f filler) paths(p *Pattern, q *Param) []string {
	list := slices.Clone(q.From)
	if a := f.view.Entity.Attribute(q.Name); a != nil && f.isSame(p, q, a) {
		list = append(list, q.Name)
	}
	for _, a := range f.view.Entity.Attributes {
		if q.Attribute != nil && a.Name != q.Name && len(q.Enum) == 0 && f.containsIDsOf(q, a) {
			list = append(list, a.Path)
		}
	}
	return list
}

// containsIDsOf reports whether an attribute of the view contains the IDs of a parameter with an attribute.
func (f filler) containsIDsOf(q *Param, a *models.Attribute) bool {
	return q.Entity != nil && f.idSource(f.view.Entity, a) == f.idSource(q.Entity, q.Attribute)
}

func (f filler) isSame(p *Pattern, q *Param, a *models.Attribute) bool {
	if q.Attribute == nil {
		return f.view.Entity.Table == p.Table && len(a.Enum) == 0
	}
	if f.containsIDsOf(q, a) {
		return true
	}
	// IDs with the same name in one table are the same; enums and times are not.
	return f.view.Entity.Table == p.Table && q.Entity != nil && q.Entity.Table == p.Table &&
		len(a.Enum) == 0 && len(q.Enum) == 0 && q.Type != Timestamp
}

// fromKey parses q from the keys of the view: the date in DATE#2026-01-14 may not be an attribute of the item.
func (f filler) fromKey(p *Pattern, q *Param) (string, bool) {
	for _, c := range p.Read.Key {
		key, ok := f.view.Keys[c.Attribute.Name]
		if !ok || c.Template.IsZero() || !c.Template.Has(q.Name) {
			continue
		}
		if m, err := c.Template.Parse(key); err == nil {
			v, ok := m.Values[q.Name]
			return v, ok
		}
	}
	return "", false
}
