package profiles

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// schemaBuilder builds variables, tables, entities, lifecycles and findings.
type schemaBuilder struct{ *builder }

func (b schemaBuilder) variables(values Values) {
	for _, e := range b.decl.Variables {
		v := Variable{Name: e.Key, Value: e.Value.Default, Default: e.Value.Default, Description: e.Value.Description}
		if value, ok := values.lookup(e.Key); ok {
			v.Value = value
		}
		if v.Value == "" {
			b.Errorf("variables."+e.Key, "set a default, or pass --var "+e.Key+"=VALUE", "variable has no value")
		}
		b.p.Variables = append(b.p.Variables, v)
	}
	for name := range values.Given {
		if _, ok := b.decl.Variables.Get(name); !ok {
			known := b.decl.Variables.Keys()
			all := "the schema's variables are " + cmp.Or(english.OxfordWordSeries(known, "and"), "none")
			b.Errorf("variables", hintOr(name, known, all), "--var %s: unknown variable", models.Printable(name))
		}
	}
}

// valueMaps rejects maps that are not reversible, because ddbdesk also decodes keys with them.
func (b schemaBuilder) valueMaps() {
	b.p.ValueMaps = map[string]models.ValueMap{}
	for _, e := range b.decl.Maps {
		m := models.ValueMap{}
		keys := map[string]string{}
		for _, v := range e.Value.Values {
			if other, duplicate := keys[v.Value]; duplicate {
				b.Errorf("maps."+e.Key+".values."+v.Key, "", "%q and %q both map to %q, so a key cannot be decoded", other, v.Key, v.Value)
			}
			keys[v.Value] = v.Key
			m[v.Key] = v.Value
		}
		b.p.ValueMaps[e.Key] = m
	}
}

var variableText = models.LazyRegexp(`\{([^{}]*)\}`)

func (b schemaBuilder) resolveVariables(path, name string) string {
	return variableText().ReplaceAllStringFunc(name, func(ref string) string {
		for _, v := range b.p.Variables {
			if v.Name == ref[1:len(ref)-1] {
				return v.Value
			}
		}
		b.Errorf(path, nearestHint(ref[1:len(ref)-1], b.decl.Variables.Keys()), "unknown variable %s", ref)
		return ref
	})
}

// minFixedName is the number of characters that a table name needs besides its variables, so that it identifies a table.
const minFixedName = 4

// MayName reports whether name is the name of t, a table of the schema, for any values of the variables.
func (p *Profile) MayName(t *models.Table, name string) bool {
	d, _ := p.decl.Tables.Get(t.ID)
	matched, _ := regexp.MatchString("^"+variableText().ReplaceAllString(d.Name, ".+")+"$", name) // An invalid name matches nothing.
	return t.Name == name || matched && len(variableText().ReplaceAllString(d.Name, "")) >= minFixedName
}

func (b schemaBuilder) requests() {
	name := b.resolveVariables("requests", b.decl.Requests)
	if b.Has("requests") && !models.IsTableName(name) {
		b.Errorf("requests", "use 3 to 255 letters, digits, '_', '.' and '-'", "invalid table name %q", models.Printable(name))
	}
	b.p.Requests = name
}

func (b schemaBuilder) session() {
	d := b.decl.Session
	b.checkWord("session.reason", d.Reason, []string{"required", "optional"})
	b.Regexp("session.ticket", d.Ticket, "OPS-[0-9]+")
	b.p.Session = SessionRules{Reason: d.Reason == "required", Ticket: d.Ticket}
}

func (b schemaBuilder) key(path string, k keyDecl) models.Key {
	b.checkWord(path+".type", k.Type, []string{"S", "N", "B"})
	return models.Key{Name: k.Name, Type: cmp.Or(models.Type(k.Type), models.TypeS)}
}

func (b schemaBuilder) tables() {
	if len(b.decl.Tables) == 0 {
		b.Errorf("tables", "", "schema has no tables")
	}
	for _, e := range b.decl.Tables {
		path, d := "tables."+e.Key, e.Value
		t := &models.Table{
			ID: e.Key, Name: b.resolveVariables(path+".name", cmp.Or(d.Name, e.Key)), TTL: d.TTL, TTLDocumented: d.TTLDocumented,
			Billing: d.Billing, Stream: b.streamView(path+".stream", d.Stream), Description: d.Description, Source: d.Source,
			PartitionKey: b.key(path+".partition_key", d.PartitionKey),
		}
		if d.PartitionKey.Name == "" {
			b.Errorf(path, "", "table has no partition_key")
		}
		if d.SortKey.Name != "" {
			t.SortKey = b.key(path+".sort_key", d.SortKey)
		}
		for _, x := range d.Indexes {
			t.Indexes = append(t.Indexes, b.index(path+".indexes."+x.Key, x.Key, x.Value, t))
		}
		b.p.Tables = append(b.p.Tables, t)
	}
}

func (b schemaBuilder) streamView(path, word string) models.StreamView {
	if !b.checkWord(path, word, models.MapSlice(models.StreamViews(), models.StreamView.Word)) {
		return ""
	}
	return models.StreamView(strings.ToUpper(word))
}

func (b schemaBuilder) keys(path string, list keysDecl) []models.Key {
	if len(list) > models.MaxKeyAttributes {
		b.Errorf(path, "combine some of them in an attribute", "key has %d attributes; DynamoDB allows %d", len(list),
			models.MaxKeyAttributes)
	}
	var keys []models.Key
	for i, d := range list {
		at := path
		if len(list) > 1 {
			at = fmt.Sprintf("%s.%d", path, i)
		}
		k := b.key(at, d)
		switch {
		case k.Name == "" && len(list) > 1:
			b.Errorf(at, "", "key attribute has no name")
		case models.KeyPosition(keys, k.Name) >= 0:
			b.Errorf(at, "remove it", "duplicate key attribute %s", models.Printable(k.Name))
		default:
			keys = append(keys, models.KeyList(k)...)
		}
	}
	return keys
}

// localIndex checks DynamoDB's requirements. Source: DynamoDB Developer Guide, "Local secondary indexes".
func (b schemaBuilder) localIndex(path string, x *models.Index, d indexDecl, t *models.Table) {
	switch {
	case !x.Local:
	case len(x.PartitionKeys) != 1 || x.PartitionKeys[0] != t.PartitionKey:
		b.Errorf(path+".partition_key", "remove it, or remove local:",
			"local index has the partition key of the table, which is %s", t.PartitionKey.Name)
	case len(x.SortKeys) == 0 || t.SortKey.Name == "":
		b.Errorf(path, "give the index and the table a sort_key", "local index needs a sort key, and so does its table")
	case len(x.SortKeys) > 1:
		b.Errorf(path+".sort_key", "remove local:, or the other attributes", "only a global index can have several key attributes")
	case d.Optional:
		b.Errorf(path+".optional", "remove it", "a local index is created with its table and cannot be missing")
	}
}

func (b schemaBuilder) index(path, name string, d indexDecl, t *models.Table) *models.Index {
	x := &models.Index{
		Name: name, Label: d.Label, Projection: models.Projection(d.Projection), Include: d.Include, Local: d.Local,
		Optional: d.Optional, Source: d.Source,
		PartitionKeys: b.keys(path+".partition_key", d.PartitionKey), SortKeys: b.keys(path+".sort_key", d.SortKey),
	}
	if d.Local && d.PartitionKey == nil {
		x.PartitionKeys = models.KeyList(t.PartitionKey)
	}
	b.localIndex(path, x, d, t)
	b.checkWord(path+".projection", d.Projection, []string{"ALL", "KEYS_ONLY", "INCLUDE"})
	if len(x.PartitionKeys) == 0 {
		b.Errorf(path, "", "index has no partition_key")
	}
	for _, k := range x.SortKeys {
		if models.KeyPosition(x.PartitionKeys, k.Name) >= 0 {
			b.Errorf(path+".sort_key", "remove it from one of them", "%s is in the partition key and in the sort key", k.Name)
		}
	}
	return x
}

func (b schemaBuilder) lifecycles() {
	kinds := texts(models.StateOpen, models.StateGood, models.StateBad, models.StateFinal)
	for _, e := range b.decl.Lifecycles {
		path, d := "lifecycles."+e.Key, e.Value
		l := &models.Lifecycle{Name: e.Key, Attribute: d.Attribute, Documented: isDocumented(d.Documented)}
		for _, s := range d.States {
			b.checkWord(path+".states."+s.Key+".kind", s.Value.Kind, kinds)
			l.States = append(l.States, &models.State{
				Name: s.Key, Label: cmp.Or(s.Value.Label, s.Key), Kind: cmp.Or(models.StateKind(s.Value.Kind), models.StateOpen),
				Initial: s.Value.Initial, Description: s.Value.Description, Documented: isDocumented(s.Value.Documented),
			})
		}
		b.transitions(path, d, l)
		if l.Entity = b.entity(path+".entity", d.Entity); l.Entity != nil {
			if l.Entity.Attribute(d.Attribute) == nil {
				b.reportUnknownAttribute(path+".attribute", l.Entity, d.Attribute)
			}
			l.Entity.Lifecycles = append(l.Entity.Lifecycles, l)
			b.stateSettings(path+".states", d, l)
		}
		b.p.Lifecycles = append(b.p.Lifecycles, l)
	}
	for _, e := range b.decl.Entities {
		var states []string
		if per := b.p.Entity(e.Value.Sample.Per); per != nil && len(per.Lifecycles) > 0 {
			states = models.MapSlice(per.Lifecycles[0].States, func(s *models.State) string { return s.Name })
		}
		b.checkWord("entities."+e.Key+".sample.during", e.Value.Sample.During, states)
		if entity := b.p.Entity(e.Key); entity != nil {
			b.checkSampleData("entities."+e.Key+".sample", e.Value.Sample, entity)
		}
	}
}

func (b schemaBuilder) transitions(path string, d lifecycleDecl, l *models.Lifecycle) {
	for i, t := range d.Transitions {
		p := fmt.Sprintf("%s.transitions.%d", path, i)
		b.checkWord(p+".to", t.To, d.States.Keys())
		b.checkWords(p+".from", t.From, d.States.Keys())
		l.Transitions = append(l.Transitions, &models.Transition{
			Name: t.Name, From: t.From, To: t.To, Actor: t.Actor, Documented: isDocumented(t.Documented), Source: t.Source,
		})
	}
}

// stateSettings allows only built-in values in formulas, because any action can lead to the state.
func (b schemaBuilder) stateSettings(path string, d lifecycleDecl, l *models.Lifecycle) {
	if b.onEnter == nil {
		b.onEnter = map[*models.Lifecycle]map[string][]change.Setting{}
	}
	b.onEnter[l] = map[string][]change.Setting{}
	for i, s := range d.States {
		for _, set := range s.Value.Set {
			if set.Value.text == "{now}" && l.States[i].Entered == "" {
				l.States[i].Entered = set.Key
			}
		}
		if len(s.Value.Set) > 0 {
			p := path + "." + s.Key
			b.onEnter[l][s.Key] = formulas(b).changes(p, s.Value.Set, nil, l.Entity, names{})
		}
	}
}

// findTransitions resolves transition, Lifecycle.transition or Lifecycle.{input}. e is nil if the lifecycle defines the
// entity.
func (b *builder) findTransitions(
	path, word string, e *models.Entity,
) (lifecycle *models.Lifecycle, moves []*models.Transition, target string) {
	lifecycleName, name, dotted := strings.Cut(word, ".")
	if !dotted {
		lifecycleName, name = "", word
	}
	if strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}") {
		target = name[1 : len(name)-1]
	}
	found, moves, known := b.matchingTransitions(e, lifecycleName, name, target != "")
	switch {
	case len(found) == 0 && target != "" && slices.Contains(known, word):
		b.Errorf(path, "", "%s has no documented transitions", lifecycleName)
	case len(found) == 0:
		b.checkWord(path, word, known)
	case len(found) > 1:
		b.Errorf(
			path, fmt.Sprintf("write %s.%s", found[0].Name, name), "%s and %s both have transition %s", found[0].Name,
			found[1].Name, name,
		)
	case len(moves) > 1 && target == "":
		b.Errorf(path, "use different names", "%d transitions of %s have the name %s", len(moves), found[0].Name, name)
	default:
		return found[0], moves, target
	}
	return nil, nil, ""
}

func (b *builder) matchingTransitions(e *models.Entity, lifecycleName, name string, every bool) (found []*models.Lifecycle,
	transitions []*models.Transition, known []string,
) {
	for _, l := range b.p.Lifecycles {
		if l.Entity == nil || e != nil && l.Entity != e {
			continue
		}
		if every {
			known = append(known, l.Name+"."+name)
		}
		matches := false
		for _, t := range l.Transitions {
			if t.Name != "" && !every {
				known = append(known, t.Name, l.Name+"."+t.Name)
			}
			applies := lifecycleName == "" || l.Name == lifecycleName
			if applies && (t.Name == name && name != "" || every && t.Documented) {
				transitions, matches = append(transitions, t), true
			}
		}
		if matches {
			found = append(found, l)
		}
	}
	return found, transitions, known
}

func (b schemaBuilder) findings() {
	kinds := texts(accesspatterns.FindingKinds()...)
	for _, e := range b.decl.Findings {
		path, d := "findings."+e.Key, e.Value
		b.checkWord(path+".kind", d.Kind, kinds)
		if d.Text == "" || d.Kind == "" {
			b.Errorf(path, "", "finding needs a kind and a text")
		}
		f := &accesspatterns.Finding{
			ID: e.Key, Kind: accesspatterns.FindingKind(d.Kind), Rules: d.Rules, Title: d.Title, Text: d.Text,
			Workaround: d.Workaround, Source: d.Source,
			Patterns: d.Patterns, Entities: d.Entities, Tables: d.Tables, Decides: d.Decides,
		}
		b.findingRefs(path, d)
		b.p.Findings = append(b.p.Findings, f)
	}
	b.attachFindings()
}

func (b schemaBuilder) findingRefs(path string, d findingDecl) {
	b.checkWords(path+".patterns", d.Patterns, b.decl.Patterns.Keys())
	b.checkWords(path+".decides", d.Decides, b.decl.Patterns.Keys())
	b.checkWords(path+".entities", d.Entities, b.decl.Entities.Keys())
	b.checkWords(path+".tables", d.Tables, b.decl.Tables.Keys())
}

func (b schemaBuilder) attachFindings() {
	attach := func(path string, ids []string, add func(f *accesspatterns.Finding)) {
		b.checkWords(path+".findings", ids, b.decl.Findings.Keys())
		for _, f := range b.p.Findings {
			if slices.Contains(ids, f.ID) {
				add(f)
			}
		}
	}
	for _, p := range b.p.Patterns {
		d, _ := b.decl.Patterns.Get(p.ID)
		attach("patterns."+p.ID, d.Findings, func(f *accesspatterns.Finding) { f.Patterns = models.AppendOnce(f.Patterns, p.ID) })
		for _, decides := range []bool{true, false} {
			for _, f := range b.p.Findings {
				if f.DecidesPattern(p.ID) == decides && (decides || slices.Contains(f.Patterns, p.ID)) {
					p.Findings = append(p.Findings, f)
				}
			}
		}
	}
	for _, e := range b.p.Entities {
		d, _ := b.decl.Entities.Get(e.Name)
		attach("entities."+e.Name, d.Findings, func(f *accesspatterns.Finding) { f.Entities = models.AppendOnce(f.Entities, e.Name) })
	}
}

func (b schemaBuilder) withMixins(path string, d entityDecl) entityDecl {
	for i, name := range d.Mixins {
		m, ok := b.decl.Mixins.Get(name)
		if !ok {
			b.checkWord(fmt.Sprintf("%s.mixins.%d", path, i), name, b.decl.Mixins.Keys())
			continue
		}
		b.mixins[name] = true
		d.Keys = addMissing(b.source, d.Keys, m.Keys, path+".keys", "mixins."+name+".keys")
		d.Attributes = addMissing(b.source, d.Attributes, m.Attributes, path+".attributes", "mixins."+name+".attributes")
	}
	return d
}

func addMissing[T any](s *source, own, more placed.Ordered[T], path, from string) placed.Ordered[T] {
	own = slices.Clip(own)
	for _, e := range more {
		if _, ok := own.Get(e.Key); !ok {
			own = append(own, e)
			s.ReusePositions(placed.Join(from, e.Key), placed.Join(path, e.Key))
		}
	}
	return own
}

func (b schemaBuilder) reportUnusedMixins() {
	for _, name := range b.decl.Mixins.Keys() {
		if !b.mixins[name] {
			b.Errorf("mixins."+name, "name it in mixins: of an entity, or remove it", "mixin is not used by any entity")
		}
	}
}

func (b schemaBuilder) labels(path string, a *models.Attribute, list placed.Ordered[string]) {
	if len(list) == 0 {
		return
	}
	if len(a.Enum) == 0 {
		a.Enum = list.Keys()
	}
	a.Labels = b.labelsOf(path, a.Path, list, a.Enum, a.OpenEnum)
}

func (b *builder) labelsOf(path, subject string, list placed.Ordered[string], enum []string, open bool) models.Labels {
	labels := models.Labels{}
	for _, l := range list {
		if !open && !slices.Contains(enum, l.Key) {
			b.Errorf(path+"."+l.Key, hintOr(l.Key, enum, "known: "+strings.Join(enum, ", ")), "%q is not a value of %s",
				models.Printable(l.Key), subject)
		}
		labels[l.Key] = l.Value
	}
	return labels
}

func (b schemaBuilder) itemTitle(path, text string, e *models.Entity) {
	t := b.template(path, text)
	for _, name := range t.Placeholders() {
		if a := e.Attribute(name); a == nil || a.KeyOnly {
			b.reportUnknownAttribute(path, e, name)
		}
	}
	e.ItemTitle = t
}
