package profiles

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

type builder struct {
	*source
	decl *profileDecl
	p    *Profile
	// onEnter has what is set on entering each state of a lifecycle.
	onEnter  map[*models.Lifecycle]map[string][]change.Setting
	builders []*actionBuilder // of every action, those made up included
}

var nameText = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (b *builder) build(vars map[string]string) {
	d := b.decl
	b.p.Name, b.p.Title, b.p.Description, b.p.Source = d.Name, d.Title, d.Description, d.Source
	b.p.Guardrails = Guardrails(d.Guardrails)
	if !nameText.MatchString(d.Name) {
		b.errorf("name", "use lowercase letters, digits and hyphens", "invalid profile name %q", models.Printable(d.Name))
	}
	b.variables(vars)
	b.valueMaps()
	b.tables()
	b.entities()
	b.lifecycles()
	b.patterns()
	b.findings()
	b.actionsAndTrails()
}

// actionsAndTrails builds what can be done with items. An entry may name what
// its action names, so actions come first.
func (b *builder) actionsAndTrails() {
	b.actions()
	b.repairs()
	b.trails()
	for _, ab := range b.builders {
		ab.audits()
	}
	b.queues()
}

func documented(flag *bool) bool { return flag == nil || *flag }

// word checks that value is one of the known words; "" is allowed.
func (b *builder) word(path, value string, known []string) bool {
	if value == "" {
		return true
	}
	for _, k := range known {
		if k == value {
			return true
		}
	}
	suggestion := "known: " + strings.Join(known, ", ")
	if near, ok := models.Nearest(value, known); ok {
		suggestion = fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		suggestion = "none is declared"
	}
	b.errorf(path, suggestion, "unknown %s %q", noun(path), models.Printable(value))
	return false
}

// wordNouns say what a field names when that is not the field's own name.
var wordNouns = map[string]string{
	"returns": "entity", "entities": "entity", "refers": "entity", "parent": "entity", "per": "entity",
	"patterns": "pattern", "decides": "pattern", "tables": "table", "findings": "finding",
	"from": "state", "to": "state", "items": "type", "sensitive": "sensitivity", "equals": "attribute",
	"put": "entity", "uses": "bundle", "actions": "action",
}

// keyNouns say what the keys of a mapping name.
var keyNouns = map[string]string{"trails": "entity", "about": "entity"}

// noun says what the field at path names.
func noun(path string) string {
	parts := strings.Split(path, ".")
	last := parts[len(parts)-1]
	if _, err := strconv.Atoi(last); err == nil && len(parts) > 1 {
		last = parts[len(parts)-2]
	}
	if n, ok := wordNouns[last]; ok {
		return n
	}
	if len(parts) > 1 && keyNouns[parts[len(parts)-2]] != "" {
		return keyNouns[parts[len(parts)-2]]
	}
	return last
}

func (b *builder) template(path, text string) models.Template {
	if text == "" {
		return models.Template{}
	}
	t, err := models.ParseTemplate(text, b.p.ValueMaps)
	if err != nil {
		b.errorf(path, "", "template %q: %v", models.Printable(text), err)
	}
	return t
}

func (b *builder) variables(vars map[string]string) {
	for _, e := range b.decl.Variables {
		v := Variable{Name: e.Key, Value: e.Value.Default, Default: e.Value.Default, Description: e.Value.Description}
		if given, ok := vars[e.Key]; ok {
			v.Value = given
		}
		if v.Value == "" {
			b.errorf("variables."+e.Key, "set a default, or pass --var "+e.Key+"=VALUE", "variable has no value")
		}
		b.p.Variables = append(b.p.Variables, v)
	}
	for name := range vars {
		if _, ok := b.decl.Variables.get(name); !ok {
			b.errorf("variables", strings.TrimPrefix(models.DidYouMean(name, b.decl.Variables.keys()), "; "), "--var %s: unknown variable", models.Printable(name))
		}
	}
}

func (b *builder) valueMaps() {
	b.p.ValueMaps = map[string]models.ValueMap{}
	for _, e := range b.decl.Maps {
		m := models.ValueMap{}
		spelled := map[string]string{}
		for _, v := range e.Value.Values {
			if other, twice := spelled[v.Value]; twice {
				b.errorf("maps."+e.Key+".values."+v.Key, "", "%q and %q both map to %q, so a key cannot be decoded", other, v.Key, v.Value)
			}
			spelled[v.Value] = v.Key
			m[v.Key] = v.Value
		}
		b.p.ValueMaps[e.Key] = m
	}
}

var variableText = regexp.MustCompile(`\{([^{}]*)\}`)

// resolve puts the values of variables into a table name.
func (b *builder) resolve(path, name string) string {
	return variableText.ReplaceAllStringFunc(name, func(ref string) string {
		for _, v := range b.p.Variables {
			if v.Name == ref[1:len(ref)-1] {
				return v.Value
			}
		}
		b.errorf(path, strings.TrimPrefix(models.DidYouMean(ref[1:len(ref)-1], b.decl.Variables.keys()), "; "), "unknown variable %s", ref)
		return ref
	})
}

func (b *builder) key(path string, k keyDecl) models.Key {
	t := models.Type(k.Type)
	if k.Type == "" {
		t = models.TypeS
	}
	b.word(path+".type", k.Type, []string{"S", "N", "B"})
	return models.Key{Name: k.Name, Type: t}
}

func (b *builder) tables() {
	if len(b.decl.Tables) == 0 {
		b.errorf("tables", "", "profile has no tables")
	}
	for _, e := range b.decl.Tables {
		path, d := "tables."+e.Key, e.Value
		name := d.Name
		if name == "" {
			name = e.Key
		}
		t := &models.Table{
			ID: e.Key, Name: b.resolve(path+".name", name), TTL: d.TTL, TTLDocumented: d.TTLDocumented,
			Billing: d.Billing, Description: d.Description, Source: d.Source,
			PartitionKey: b.key(path+".partition_key", d.PartitionKey),
		}
		if d.PartitionKey.Name == "" {
			b.errorf(path, "", "table has no partition_key")
		}
		if d.SortKey.Name != "" {
			t.SortKey = b.key(path+".sort_key", d.SortKey)
		}
		for _, x := range d.Indexes {
			t.Indexes = append(t.Indexes, b.index(path+".indexes."+x.Key, x.Key, x.Value))
		}
		b.p.Tables = append(b.p.Tables, t)
	}
}

func (b *builder) index(path, name string, d indexDecl) *models.Index {
	x := &models.Index{
		Name: name, Label: d.Label, Projection: models.Projection(d.Projection), Include: d.Include,
		Optional: d.Optional, Source: d.Source, PartitionKey: b.key(path+".partition_key", d.PartitionKey),
	}
	b.word(path+".projection", d.Projection, []string{"ALL", "KEYS_ONLY", "INCLUDE"})
	if d.PartitionKey.Name == "" {
		b.errorf(path, "", "index has no partition_key")
	}
	if d.SortKey.Name != "" {
		x.SortKey = b.key(path+".sort_key", d.SortKey)
	}
	return x
}

func (b *builder) lifecycles() {
	kinds := []string{string(models.StateOpen), string(models.StateGood), string(models.StateBad), string(models.StateFinal)}
	for _, e := range b.decl.Lifecycles {
		path, d := "lifecycles."+e.Key, e.Value
		l := &models.Lifecycle{Name: e.Key, Attribute: d.Attribute, Documented: documented(d.Documented)}
		for _, s := range d.States {
			b.word(path+".states."+s.Key+".kind", s.Value.Kind, kinds)
			label := s.Value.Label
			if label == "" {
				label = s.Key
			}
			kind := models.StateKind(s.Value.Kind)
			if kind == "" {
				kind = models.StateOpen
			}
			l.States = append(l.States, &models.State{
				Name: s.Key, Label: label, Kind: kind, Initial: s.Value.Initial,
				Description: s.Value.Description, Documented: documented(s.Value.Documented),
			})
		}
		b.transitions(path, d, l)
		if l.Entity = b.entity(path+".entity", d.Entity); l.Entity != nil {
			if l.Entity.Attribute(d.Attribute) == nil {
				b.errorf(path+".attribute", b.nearAttribute(l.Entity, d.Attribute), "%s has no attribute %q", d.Entity, models.Printable(d.Attribute))
			}
			l.Entity.Lifecycles = append(l.Entity.Lifecycles, l)
			b.entering(path+".states", d, l)
		}
		b.p.Lifecycles = append(b.p.Lifecycles, l)
	}
}

func (b *builder) transitions(path string, d lifeDecl, l *models.Lifecycle) {
	for i, t := range d.Transitions {
		p := fmt.Sprintf("%s.transitions.%d", path, i)
		b.word(p+".to", t.To, d.States.keys())
		for j, from := range t.From {
			b.word(fmt.Sprintf("%s.from.%d", p, j), from, d.States.keys())
		}
		l.Transitions = append(l.Transitions, &models.Transition{
			Name: t.Name, From: t.From, To: t.To, Actor: t.Actor, Documented: documented(t.Documented), Source: t.Source,
		})
	}
}

func (b *builder) entity(path, name string) *models.Entity {
	if e := b.p.Entity(name); e != nil {
		return e
	}
	b.word(path, name, b.decl.Entities.keys())
	if name == "" {
		b.errorf(path, "", "entity is missing")
	}
	return nil
}

func (b *builder) nearAttribute(e *models.Entity, name string) string {
	var names []string
	for _, a := range e.Attributes {
		names = append(names, a.Name)
	}
	return strings.TrimPrefix(models.DidYouMean(name, names), "; ")
}

func (b *builder) findings() {
	kinds := make([]string, 0, 8)
	for _, k := range accesspatterns.FindingKinds() {
		kinds = append(kinds, string(k))
	}
	for _, e := range b.decl.Findings {
		path, d := "findings."+e.Key, e.Value
		b.word(path+".kind", d.Kind, kinds)
		if d.Text == "" || d.Kind == "" {
			b.errorf(path, "", "finding needs a kind and a text")
		}
		f := &accesspatterns.Finding{
			ID: e.Key, Kind: accesspatterns.FindingKind(d.Kind), Title: d.Title, Text: d.Text, Behaviour: d.Behaviour, Source: d.Source,
			Patterns: d.Patterns, Entities: d.Entities, Tables: d.Tables, Decides: d.Decides,
		}
		b.findingRefs(path, d)
		b.p.Findings = append(b.p.Findings, f)
	}
	b.attachFindings()
}

func (b *builder) findingRefs(path string, d findingDecl) {
	each := func(field string, list, known []string) {
		for i, name := range list {
			b.word(fmt.Sprintf("%s.%s.%d", path, field, i), name, known)
		}
	}
	each("patterns", d.Patterns, b.decl.Patterns.keys())
	each("decides", d.Decides, b.decl.Patterns.keys())
	each("entities", d.Entities, b.decl.Entities.keys())
	each("tables", d.Tables, b.decl.Tables.keys())
}

// attachFindings gives each pattern its findings: those that decide first.
func (b *builder) attachFindings() {
	byID := map[string]*accesspatterns.Finding{}
	for _, f := range b.p.Findings {
		byID[f.ID] = f
	}
	for _, p := range b.p.Patterns {
		d, _ := b.decl.Patterns.get(p.ID)
		for i, id := range d.Findings {
			if b.word(fmt.Sprintf("patterns.%s.findings.%d", p.ID, i), id, b.decl.Findings.keys()) && byID[id] != nil {
				f := byID[id]
				f.Patterns = appendOnce(f.Patterns, p.ID)
			}
		}
		for _, decides := range []bool{true, false} {
			for _, f := range b.p.Findings {
				if f.DecidesPattern(p.ID) == decides && (decides || slices.Contains(f.Patterns, p.ID)) {
					p.Findings = append(p.Findings, f)
				}
			}
		}
	}
	for _, e := range b.p.Entities {
		d, _ := b.decl.Entities.get(e.Name)
		for i, id := range d.Findings {
			if b.word(fmt.Sprintf("entities.%s.findings.%d", e.Name, i), id, b.decl.Findings.keys()) && byID[id] != nil {
				byID[id].Entities = appendOnce(byID[id].Entities, e.Name)
			}
		}
	}
}

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
