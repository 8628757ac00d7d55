package profiles

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// actionBuilder builds one action, including the parts from its bundles.
type actionBuilder struct {
	formulas
	path           string
	decl           actionDecl
	a              *change.Action
	names          names
	lets           []namedPart[formulaDecl]
	reads          []namedPart[readingDecl]
	companionDecls []namedPart[companionDecl]
	// implied is set for an action that ddbdesk adds to the declared ones.
	implied bool
}

// A namedPart is a value, read or write of an action, declared in the action or in a bundle.
type namedPart[T any] struct {
	name, path string
	decl       T
}

func (b *actionBuilder) build(id string) *change.Action {
	d := b.decl
	if !b.implied {
		b.checkID(b.path, "action", id)
		b.aliases(id)
	}
	b.a = &change.Action{
		ID: id, Aliases: d.Aliases, Profile: b.p.Name, Title: cmp.Or(d.Title, id), Description: d.Description,
		Documented: isDocumented(d.Documented), Source: d.Source,
		Kind: cmp.Or(change.ActionKind(d.Kind), change.KindUpdate), Reason: cmp.Or(change.ReasonRule(d.Reason),
			change.ReasonOptional), FourEyes: d.FourEyes, Manual: d.Manual,
		Disabled: d.Disabled, Replace: d.Replace,
	}
	b.checkWord(b.path+".kind", d.Kind, actionKinds())
	b.checkWord(b.path+".reason", d.Reason, reasonRules())
	if d.Replace && b.a.Kind != change.KindPut {
		b.Errorf(b.path+".replace", "write kind: put", "an action of kind %s cannot have replace: true", b.a.Kind)
	}
	if !b.subject() {
		return nil
	}
	b.inputs()
	b.collectParts()
	b.letFormulas()
	b.readings()
	b.write()
	b.companions()
	b.undo()
	b.actionFindings()
	b.exclusivePatterns()
	return b.a
}

// exclusivePatterns resolves the patterns that must find no other item. The item fills their parameters; none may scan.
func (b *actionBuilder) exclusivePatterns() {
	for i, id := range b.decl.Alone {
		path := fmt.Sprintf("%s.alone.%d", b.path, i)
		p := b.p.Pattern(id)
		if p == nil {
			b.Errorf(path, nearestHint(id, b.builder.decl.Patterns.Keys()), "unknown pattern %q", models.Printable(id))
			continue
		}
		if p.Read.Operation != accesspatterns.Query {
			b.Errorf(path, "", "%s is not a query", p.ID)
		}
		for _, q := range p.Params {
			if q.Required && !accesspatterns.CanFill(p, q, b.p.Entities, b.a.Entity) {
				b.Errorf(path, "", "%s has no attribute for parameter %s of %s", b.a.Entity.Name, q.Name, p.ID)
			}
		}
		b.a.Exclusive = append(b.a.Exclusive, p)
	}
}

func (b *actionBuilder) aliases(id string) {
	for i, alias := range b.decl.Aliases {
		path := fmt.Sprintf("%s.aliases.%d", b.path, i)
		b.checkID(path, "alias", alias)
		_, taken := b.builder.decl.Actions.Get(alias)
		for _, other := range b.builder.decl.Actions {
			taken = taken || other.Key != id && slices.Contains(other.Value.Aliases, alias)
		}
		if taken || slices.Contains(b.decl.Aliases[:i], alias) {
			b.Errorf(path, "choose another name", "%s already names an action", models.Printable(alias))
		}
	}
}

func (b *actionBuilder) subject() bool {
	e := b.p.Entity(b.decl.Entity)
	if b.decl.Entity != "" && e == nil {
		b.entity(b.path+".entity", b.decl.Entity)
		return false
	}
	if b.decl.Transition != "" {
		lifecycle, transitions, target := b.findTransitions(b.path+".transition", b.decl.Transition, e)
		if lifecycle == nil {
			return false
		}
		e = lifecycle.Entity
		b.a.Lifecycle, b.a.Transitions, b.a.Target = lifecycle, transitions, target
		switch k := b.a.Kind; k {
		case change.KindPut:
			b.Errorf(b.path+".transition", "set the state under set:", "an action of kind %s cannot make a transition", k)
		case change.KindDelete, change.KindRepair:
			b.Errorf(b.path+".transition", "", "an action of kind %s cannot make a transition", k)
		default:
		}
		b.a.OnEnter = map[string][]change.Setting{}
		for _, t := range transitions {
			if set := b.onEnter[lifecycle][t.To]; len(set) > 0 {
				b.a.OnEnter[t.To] = set
			}
		}
	}
	if e == nil {
		b.Errorf(b.path, "", "action needs entity: or transition:")
		return false
	}
	if e.Owner != "" {
		b.Errorf(b.path, "", "%s is owned by another service (%s) and cannot be changed", e.Name, e.Owner)
	}
	b.a.Entity = e
	b.names = names{aliases: map[string]*models.Entity{}}
	if b.a.Kind != change.KindPut {
		b.names.subject = e
	}
	return true
}

// collectParts adds a bundle's reads before those of the action and its writes after it, in the order that users see.
func (b *actionBuilder) collectParts() {
	for i, name := range b.decl.Uses {
		d, ok := b.builder.decl.Bundles.Get(name)
		if !ok {
			b.checkWord(fmt.Sprintf("%s.uses.%d", b.path, i), name, b.builder.decl.Bundles.Keys())
			continue
		}
		b.addParts("bundles."+name, d.Let, d.Reads, d.Also)
	}
	b.addParts(b.path, b.decl.Let, b.decl.Reads, b.decl.Also)
}

func (b *actionBuilder) addParts(path string, lets placed.Ordered[formulaDecl], reads placed.Ordered[readingDecl], also []companionDecl) {
	isAction := path == b.path
	for _, l := range lets {
		p := namedPart[formulaDecl]{l.Key, path + ".let." + l.Key, l.Value}
		if i := slices.IndexFunc(b.lets, func(o namedPart[formulaDecl]) bool { return o.name == l.Key }); i >= 0 && isAction {
			b.lets[i] = p
		} else if b.checkPartName(p.path, l.Key) {
			b.lets, b.names.lets = append(b.lets, p), append(b.names.lets, l.Key)
		}
	}
	for _, r := range reads {
		if p := path + ".reads." + r.Key; b.checkPartName(p, r.Key) {
			b.reads = append(b.reads, namedPart[readingDecl]{r.Key, p, r.Value})
		}
	}
	companions := make([]namedPart[companionDecl], len(also))
	for i, c := range also {
		companions[i] = namedPart[companionDecl]{path: fmt.Sprintf("%s.also.%d", path, i), decl: c}
	}
	if isAction {
		companions, b.companionDecls = append(companions, b.companionDecls...), nil
	}
	b.companionDecls = append(b.companionDecls, companions...)
}

func (b *actionBuilder) checkPartName(path, name string) bool {
	existing := ""
	switch {
	case !plainName().MatchString(name):
		b.Errorf(path, "use letters, digits, _ and -", "invalid name %q", models.Printable(name))
		return false
	case isReserved(name):
		existing = "a built-in value"
	case slices.Contains(b.names.inputs, name):
		existing = "an input"
	case slices.Contains(b.names.lets, name):
		existing = "a value under let:"
	case slices.ContainsFunc(b.reads, func(r namedPart[readingDecl]) bool { return r.name == name }):
		existing = "an item under reads:"
	}
	if existing != "" {
		b.Errorf(path, "choose another name", "%s is already the name of %s", name, existing)
	}
	return existing == ""
}

func (b *actionBuilder) letFormulas() {
	for _, r := range b.reads {
		if e := b.readEntity(r.path, r.decl); e != nil {
			b.names.aliases[r.name] = e
		}
	}
	needs := map[string][]string{}
	for _, l := range b.lets {
		f, uses := b.name(l.path, l.decl)
		b.check(uses, b.names)
		for _, u := range uses {
			needs[l.name] = append(needs[l.name], u.ref.Name)
		}
		b.a.Let = append(b.a.Let, change.Setting{Name: l.name, Formula: f})
	}
	for _, l := range b.lets {
		if isCircular(l.name, l.name, needs, map[string]bool{}) {
			b.Errorf(l.path, "", "{%s} refers to itself", l.name)
		}
	}
}

func isCircular(name, start string, needs map[string][]string, previous map[string]bool) bool {
	for _, n := range needs[name] {
		if n == start {
			return true
		}
		if !previous[n] {
			previous[n] = true
			if isCircular(n, start, needs, previous) {
				return true
			}
		}
	}
	return false
}

// readings builds the items in order, because the key of each item may use the earlier ones.
func (b *actionBuilder) readings() {
	before := b.names
	before.aliases = map[string]*models.Entity{} // a key may refer to items from earlier reads
	for _, r := range b.reads {
		e := b.names.aliases[r.name]
		if e == nil {
			continue
		}
		reading := b.reading(r, e, before)
		for _, k := range reading.Key {
			for _, alias := range b.neededItems(k.Formula, map[string]bool{}) {
				if before.aliases[alias] == nil {
					b.Errorf(r.path+".key."+k.Name, "", "{%s} comes from %s, which is read after %s", k.Name, alias, r.name)
				}
			}
		}
		b.a.Reads = append(b.a.Reads, reading)
		before.aliases[r.name] = e
	}
	keys, _ := keyPlaceholders(b.a.Entity)
	b.a.ReadsFirst = slices.ContainsFunc(keys, func(name string) bool {
		return len(b.neededItems(b.a.Defaults[name], map[string]bool{})) > 0
	})
}

// neededItems lists the items that a formula needs, including those needed by let: values and input defaults.
func (b *actionBuilder) neededItems(f change.Formula, previous map[string]bool) []string {
	var list []string
	for _, r := range f.References() {
		inner, computed := b.a.Defaults[r.Name]
		for _, l := range b.a.Let {
			if l.Name == r.Name {
				inner, computed = l.Formula, true
			}
		}
		head, _, _ := strings.Cut(r.Name, ".")
		switch {
		case previous[r.Name]:
		case computed:
			previous[r.Name] = true
			list = append(list, b.neededItems(inner, previous)...)
		case b.names.aliases[head] != nil:
			list = append(list, head)
		}
	}
	return list
}

// readEntity returns the entity of an item that an action reads first, or nil if it is unknown.
func (b formulas) readEntity(path string, d readingDecl) *models.Entity {
	p := b.p.Pattern(d.Pattern)
	switch {
	case d.Pattern == "":
	case p == nil:
		b.Errorf(path+".pattern", nearestHint(d.Pattern, b.decl.Patterns.Keys()), "unknown pattern %q", models.Printable(d.Pattern))
		return nil
	case p.Read.Operation != accesspatterns.Query:
		b.Errorf(path+".pattern", "", "%s is not a query", p.ID)
	case p.Read.Projection != nil:
		b.Errorf(path+".pattern", "name a pattern without projection:", "%s reads only a part of its items", p.ID)
	case d.Entity == "" && len(p.Returns) == 1:
		return p.Returns[0]
	}
	return b.entity(path+".entity", d.Entity)
}

func (b *actionBuilder) actionFindings() {
	b.checkWords(b.path+".findings", b.decl.Findings, b.builder.decl.Findings.Keys())
	for _, id := range b.decl.Findings {
		b.a.Findings = append(b.a.Findings, models.Filter(b.p.Findings, func(f *accesspatterns.Finding) bool { return f.ID == id })...)
	}
}

var plainName = models.LazyRegexp(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// keyPlaceholders sets needed to false for a placeholder that occurs only in an optional tail.
func keyPlaceholders(e *models.Entity) (all []string, needed map[string]bool) {
	needed = map[string]bool{}
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		for _, s := range t.Segments() {
			if s.Name != "" {
				all = models.AppendOnce(all, s.Name)
				needed[s.Name] = needed[s.Name] || !s.Optional
			}
		}
	}
	return all, needed
}

func (b *actionBuilder) inputs() {
	keys, needed := keyPlaceholders(b.a.Entity)
	list := slices.Clone(keys)
	if b.a.Target != "" {
		list = models.AppendOnce(list, b.a.Target)
	}
	for _, name := range b.decl.Inputs.Keys() {
		list = models.AppendOnce(list, name)
	}
	for _, name := range list {
		path := b.path + ".inputs." + name
		switch {
		case isReserved(name) && !slices.Contains(keys, name):
			b.Errorf(path, "choose another name", "%s is already the name of a built-in value", name)
		case !slices.Contains(keys, name) && !plainName().MatchString(name):
			b.Errorf(path, "use letters, digits, _ and -", "invalid name %q", models.Printable(name))
		}
		b.names.inputs = append(b.names.inputs, name)
	}
	b.a.Defaults = map[string]change.Formula{}
	for _, name := range list {
		d, _ := b.decl.Inputs.Get(name)
		p := b.input(b.path+".inputs."+name, name, d, slices.Contains(keys, name))
		if isNeeded, isKey := needed[name]; isKey && !isNeeded && d.Required == nil {
			p.Required = false
		}
		if isKey := slices.Contains(keys, name); isKey {
			pk, _ := b.a.Entity.KeyTemplate(b.a.Entity.Table.PartitionKey.Name)
			sk, _ := b.a.Entity.KeyTemplate(b.a.Entity.Table.SortKey.Name)
			p.AllowsEmpty = mayBeEmpty(p, []models.Template{pk, sk})
		}
		b.a.Inputs = append(b.a.Inputs, p)
	}
}

// input builds an input. A default with braces is a formula. isKey is set for a placeholder of the primary key.
func (b *actionBuilder) input(path, name string, d paramDecl, isKey bool) *accesspatterns.Param {
	formula := d.Default
	if strings.ContainsAny(formula, "{}") {
		d.Default = ""
	} else {
		formula = ""
	}
	d.DefaultWhen = nil // A formula is the only default.
	p := b.param(path, name, d, []*models.Entity{b.a.Entity})
	if d.List {
		b.Errorf(path+".list", "remove it", "an action's input cannot be a list")
	}
	if name == b.a.Target {
		b.targetInput(p, d)
	}
	b.checkValues(path, p, nil)
	if formula == "" {
		return p
	}
	p.Required = false
	t := models.TypeS
	if p.Type == accesspatterns.Number || p.Type == accesspatterns.Integer {
		t = models.TypeN
	}
	f, uses := b.typed(path+".default", formulaDecl{form: textForm, text: formula}, nil, t)
	known := names{inputs: b.names.inputs}
	if !isKey || b.a.Kind == change.KindPut { // The action reads other items once the key is known.
		known = b.declaredNames()
	}
	b.check(uses, known)
	b.a.Defaults[name] = f
	return p
}

func (b *actionBuilder) declaredNames() names {
	n := b.names
	n.aliases = map[string]*models.Entity{}
	add := func(lets placed.Ordered[formulaDecl], reads placed.Ordered[readingDecl]) {
		n.lets = append(slices.Clone(n.lets), lets.Keys()...)
		for _, r := range reads {
			e := b.p.Entity(r.Value.Entity)
			if p := b.p.Pattern(r.Value.Pattern); e == nil && p != nil && len(p.Returns) == 1 {
				e = p.Returns[0]
			}
			if e != nil {
				n.aliases[r.Key] = e
			}
		}
	}
	for _, name := range b.decl.Uses {
		d, _ := b.builder.decl.Bundles.Get(name)
		add(d.Let, d.Reads)
	}
	add(b.decl.Let, b.decl.Reads)
	return n
}

func (b *actionBuilder) targetInput(p *accesspatterns.Param, d paramDecl) {
	p.Type, p.Enum, p.OpenEnum = accesspatterns.Enum, nil, false
	if len(d.Enum) > 0 {
		var known []string
		for _, t := range b.a.Transitions {
			known = models.AppendOnce(known, t.To)
		}
		for i, state := range d.Enum {
			b.checkWord(fmt.Sprintf("%s.inputs.%s.enum.%d", b.path, p.Name, i), state, known)
		}
		b.a.Transitions = slices.DeleteFunc(b.a.Transitions, func(t *models.Transition) bool { return !slices.Contains(d.Enum, t.To) })
	}
	for _, t := range b.a.Transitions {
		p.Enum = models.AppendOnce(p.Enum, t.To)
	}
	a := b.a.Entity.Attribute(b.a.Lifecycle.Attribute)
	if p.Attribute == nil {
		p.Entity, p.Attribute = b.a.Entity, a
	}
	if d.Description == "" && p.Description == "" {
		p.Description = "The new " + b.a.Lifecycle.Attribute
	}
}

func (b *actionBuilder) companions() {
	for _, c := range b.companionDecls {
		if out, ok := b.companion(c.path, c.decl); ok {
			b.a.Companions = append(b.a.Companions, out)
		}
	}
}

func (b *actionBuilder) companion(path string, d companionDecl) (change.Companion, bool) {
	out := change.Companion{If: d.If, Unless: d.Unless, Remove: d.Remove}
	b.condition(path+".if", d.If)
	b.condition(path+".unless", d.Unless)
	word, words := "", 0
	for _, w := range []struct {
		word, name string
		operation  change.Operation
	}{
		{"put", d.Put, change.Put},
		{"update", d.Update, change.Update},
		{"delete", d.Delete, change.Delete},
		{"check", d.Check, change.Check},
	} {
		if w.name != "" {
			words++
			word, out.Alias, out.Operation = w.word, w.name, w.operation
		}
	}
	if words != 1 {
		b.Errorf(path, "", "expected exactly one of put, update, delete and check, found %d", words)
		return out, false
	}
	if out.Entity = b.companionEntity(path+"."+word, &out); out.Entity == nil {
		return out, false
	}
	if out.Entity.Owner != "" && out.Operation != change.Check {
		b.Errorf(path+"."+word, "", "%s is owned by another service (%s) and cannot be changed", out.Entity.Name, out.Entity.Owner)
	}
	reject := func(other string, isSet bool) {
		if isSet {
			b.Errorf(path+"."+other, "", "%s does not support %s", word, other)
		}
	}
	reject("transition", d.Transition != "" && word != "update")
	reject("set", len(d.Set) > 0 && word != "update" && word != "put")
	reject("remove", len(d.Remove) > 0 && word != "update")
	reject("require", len(d.Require) > 0 && word == "put")
	switch out.Operation {
	case change.Put:
		set, uses := b.settings(path+".set", d.Set, out.Entity)
		b.check(uses, b.names)
		b.checkComplete(path, out.Entity, set, b.names)
		out.Set = set
		return out, true
	case change.Update:
		b.companionUpdate(path, d, &out)
	case change.Check:
		if len(d.Require) == 0 {
			b.Errorf(path, "add require:", "check requires nothing")
		}
	case change.Delete:
	}
	out.Require = b.requirements(path+".require", d.Require, out.Entity, b.names)
	return out, true
}

func (b *actionBuilder) companionEntity(path string, c *change.Companion) *models.Entity {
	if c.Operation == change.Put {
		name := c.Alias
		c.Alias = ""
		return b.entity(path, name)
	}
	if e := b.names.aliases[c.Alias]; e != nil {
		return e
	}
	aliases := slices.Sorted(maps.Keys(b.names.aliases))
	if c.Alias == change.Subject {
		b.Errorf(path, "use set:, remove: and require: of the action", "the action itself writes its subject")
		return nil
	}
	suggestion := hintOr(c.Alias, aliases, "add it to reads:")
	b.Errorf(path, suggestion, "unknown item %q", models.Printable(c.Alias))
	return nil
}

func (b *actionBuilder) companionUpdate(path string, d companionDecl, out *change.Companion) {
	out.Set = b.changes(path, d.Set, d.Remove, out.Entity, b.names)
	if d.Transition == "" {
		if len(d.Set)+len(d.Remove) == 0 {
			b.Errorf(path, "add set:, remove: or transition:", "update changes nothing")
		}
		return
	}
	life, transitions, target := b.findTransitions(path+".transition", d.Transition, out.Entity)
	switch {
	case life == nil:
	case target != "":
		b.Errorf(
			path+".transition", "name a single transition",
			"only the transition of the action itself can take its state from an input",
		)
	default:
		out.Lifecycle, out.Transition = life, transitions[0]
		out.Set = append(slices.Clone(b.onEnter[life][transitions[0].To]), out.Set...)
	}
}

func (b *actionBuilder) condition(path, name string) {
	if name == "" || b.names.has(name) || b.names.aliases[name] != nil {
		return
	}
	known := append(b.names.all(), slices.Sorted(maps.Keys(b.names.aliases))...)
	b.Errorf(path, nearestHint(name, known), "unknown name %q", models.Printable(name))
}
