package profiles

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// A builder turns declarations into the types of models, accesspatterns and change. It reports every fault and
// continues, so that one run lists them all.
type builder struct {
	*source
	decl *profileDecl
	p    *Profile
	// onEnter contains, by lifecycle and state, the attributes to set when an item enters the state.
	onEnter  map[*models.Lifecycle]map[string][]change.Setting
	builders []*actionBuilder // one for every action, including generated ones
	mixins   map[string]bool  // mixins of an entity
}

var nameText = models.LazyRegexp(`^[a-z][a-z0-9-]*$`)

// build builds tables before entities and entities before patterns, because each part refers to earlier ones.
func (b *builder) build(values Values) {
	d := b.decl
	b.p.Name, b.p.Title, b.p.Description, b.p.Source = d.Name, d.Title, d.Description, d.Source
	b.p.Guardrails = Guardrails(d.Guardrails)
	if words := []string{"", "yes", "no"}; !slices.Contains(words, d.Guardrails.RawEdits) {
		b.Errorf("guardrails.raw_edits", "use yes or no", "invalid value %q", models.Printable(d.Guardrails.RawEdits))
	}
	if !nameText().MatchString(d.Name) {
		b.Errorf("name", "use lowercase letters, digits and hyphens", "invalid schema name %q", models.Printable(d.Name))
	}
	s := schemaBuilder{b}
	s.variables(values)
	s.valueMaps()
	s.tables()
	s.requests()
	s.session()
	b.mixins = map[string]bool{}
	s.entities()
	s.reportUnusedMixins()
	s.lifecycles()
	b.patterns()
	b.listings()
	s.findings()
	b.actionsAndTrails()
	b.markCopies()
	for i, a := range d.Accept {
		if a.Finding == "" || a.Why == "" {
			b.Errorf(fmt.Sprintf("accept.%d", i), "write finding: with the rule and why: with the reason", "acceptance is incomplete")
		}
		b.p.Accepts = append(b.p.Accepts, Acceptance{Finding: a.Finding, At: a.At, Reason: a.Why})
	}
}

// actionsAndTrails builds actions first, because audit entries can use the values of their action.
func (b *builder) actionsAndTrails() {
	b.actions()
	b.repairs()
	b.trails()
	for _, ab := range b.builders {
		ab.audits()
	}
	b.queues()
}

// markCopies marks attributes that refer to or are computed from sensitive ones, because copies stay sensitive.
func (b *builder) markCopies() {
	changed := true
	mark := func(to *models.Attribute, from string, s models.Sensitivity) {
		if strictest := models.Stricter(to.Sensitive, s); strictest != to.Sensitive {
			to.Sensitive, to.Copied, changed = strictest, from, true
		}
	}
	var markReferences func(list []*models.Attribute)
	markReferences = func(list []*models.Attribute) {
		for _, a := range list {
			entity, path, _ := strings.Cut(a.Refers, ".")
			if other := b.p.Entity(entity); other != nil && path != "" {
				mark(a, "it refers to "+a.Refers, other.Stricter(models.NotSensitive, strings.Split(path, ".")))
			}
			markReferences(a.Attributes)
		}
	}
	for changed {
		changed = false
		for _, e := range b.p.Entities {
			markReferences(e.Attributes)
		}
		for _, action := range b.p.Actions {
			for _, c := range action.Copies() {
				mark(c.Attribute, "action "+action.ID+" computes it from {"+c.From+"}", c.Sensitive)
			}
		}
	}
	for _, action := range b.p.Actions {
		if len(action.RevealingNames()) > 0 {
			action.Reason = change.ReasonRequired
		}
		for _, p := range action.Inputs {
			p.Sensitive = models.Stricter(p.Sensitive, action.DefaultSensitivity(p))
		}
	}
	for _, q := range b.p.Patterns {
		for _, p := range q.Params {
			if p.Attribute != nil && p.Attribute.Copied != "" {
				p.Sensitive = models.Stricter(p.Sensitive, p.Attribute.Sensitive)
			}
		}
	}
}

func isDocumented(flag *bool) bool { return flag == nil || *flag }

func (b *builder) checkWord(path, value string, known []string) bool {
	if value == "" || slices.Contains(known, value) {
		return true
	}
	suggestion := hintOr(value, known, "known: "+strings.Join(known, ", "))
	if len(known) == 0 {
		suggestion = "none is declared"
	}
	b.Errorf(path, suggestion, "unknown %s %q", noun(path), models.Printable(value))
	return false
}

func (b *builder) checkPositive(path string, n int) {
	if n < 0 {
		b.Errorf(path, "write a number from 1 on, or remove it", "invalid number %d", n)
	}
}

func (b *builder) checkWords(path string, list, known []string) {
	for i, name := range list {
		b.checkWord(fmt.Sprintf("%s.%d", path, i), name, known)
	}
}

// wordNouns maps a field to the noun for its value, if that is not the field's name.
var wordNouns = map[string]string{
	"returns": "entity", "entities": "entity", "refers": "entity", "parent": "entity", "per": "entity",
	"patterns": "pattern", "decides": "pattern", "tables": "table", "findings": "finding",
	"from": "state", "to": "state", "during": "state", "items": "type", "sensitive": "sensitivity", "equals": "attribute",
	"put": "entity", "writes": "operation", "if": "parameter", "uses": "bundle", "mixins": "mixin", "actions": "action",
}

// keyNouns maps a mapping to the noun for its keys.
var keyNouns = map[string]string{"trails": "entity", "about": "entity"}

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
		b.Errorf(path, "", "template %q: %v", models.Printable(text), err)
	}
	return t
}

// entity reports an unknown name and returns nil for it.
func (b *builder) entity(path, name string) *models.Entity {
	if e := b.p.Entity(name); e != nil {
		return e
	}
	b.checkWord(path, name, b.decl.Entities.Keys())
	if name == "" {
		b.Errorf(path, "", "entity is missing")
	}
	return nil
}

// attributeRef reports an unknown name and returns nil for it.
func (b *builder) attributeRef(path, ref string) (*models.Entity, *models.Attribute) {
	name, attr, ok := strings.Cut(ref, ".")
	if !ok {
		b.Errorf(path, "", "expected Entity.attribute, found %q", models.Printable(ref))
		return nil, nil
	}
	e := b.entity(path, name)
	if e == nil {
		return nil, nil
	}
	a := e.Attribute(attr)
	if a == nil {
		b.reportUnknownAttribute(path, e, attr)
	}
	return e, a
}

func (b *builder) checkID(path, kind, id string) {
	if !nameText().MatchString(id) {
		b.Errorf(path, "use lowercase letters, digits and hyphens", "invalid %s ID %q", kind, models.Printable(id))
	}
}

func (b *builder) actions() {
	used := map[string]bool{}
	for _, e := range b.decl.Actions {
		for _, name := range e.Value.Uses {
			used[name] = true
		}
		ab := &actionBuilder{formulas: formulas{b}, path: "actions." + e.Key, decl: e.Value}
		if a := ab.build(e.Key); a != nil {
			b.p.Actions = append(b.p.Actions, a)
			b.builders = append(b.builders, ab)
		}
	}
	for _, e := range b.decl.Bundles {
		b.checkID("bundles."+e.Key, "bundle", e.Key)
		if !used[e.Key] {
			b.Errorf("bundles."+e.Key, "reference it in uses: of an action, or remove it", "bundle is not used by any action")
		}
	}
}

func (b *builder) patterns() {
	for _, e := range b.decl.Patterns {
		pb := &patternBuilder{builder: b, path: "patterns." + e.Key, decl: e.Value}
		if p := pb.build(e.Key); p != nil {
			b.p.Patterns = append(b.p.Patterns, p)
		}
	}
}

// queues runs last, because queues refer to patterns and actions.
func (b *builder) queues() {
	for _, e := range b.decl.Queues {
		path, d := "queues."+e.Key, e.Value
		b.checkID(path, "queue", e.Key)
		q := &change.Queue{
			ID: e.Key, Title: cmp.Or(d.Title, e.Key), Description: d.Description, Documented: isDocumented(d.Documented),
		}
		qb := queueBuilder{b}
		if q.Pattern = qb.queuePattern(path, q, d); q.Pattern == nil {
			continue
		}
		qb.args(path+".args", q, d.Args)
		qb.parameters(path, q, d.Parameters)
		qb.queueActions(path+".actions", q, d.Actions)
		qb.after(path+".after", q, d.After)
		b.p.Queues = append(b.p.Queues, q)
	}
}

func (b *builder) trails() {
	for _, e := range b.decl.Trails {
		path, d := "trails."+e.Key, e.Value
		entity := b.entity(path, e.Key)
		if entity == nil {
			continue
		}
		t := &change.Trail{
			Entity: entity, Title: cmp.Or(d.Title, entity.Title), Documented: isDocumented(d.Documented),
			Who: d.Who, What: d.What, When: d.When, Before: d.Before, After: d.After, Reason: d.Reason,
		}
		tb := trailBuilder{formulas{b}}
		tb.trailFields(path, t)
		tb.about(path+".about", t, d)
		tb.trailPut(path, t, d)
		tb.trailRead(path+".read", t, d)
		b.p.Trails = append(b.p.Trails, t)
	}
}

// repairs adds a repair action to every entity without one, so that ddbdesk can always repair derived attributes.
func (b *builder) repairs() {
	for _, e := range b.p.Entities {
		declared := slices.ContainsFunc(b.p.Actions, func(a *change.Action) bool {
			return a.Kind == change.KindRepair && a.Entity == e
		})
		if declared || e.Owner != "" {
			continue
		}
		ab := &actionBuilder{formulas: formulas{b}, path: "entities." + e.Name, implied: true, decl: actionDecl{
			Title: "Repair derived attributes", Entity: e.Name, Kind: string(change.KindRepair),
			Description: "Recompute index keys and duplicated times from the attributes they derive from.",
		}}
		if a := ab.build(impliedRepair); a != nil {
			b.p.repairs = append(b.p.repairs, a)
			b.builders = append(b.builders, ab)
		}
	}
}

func texts[T ~string](list ...T) []string {
	return models.MapSlice(list, func(w T) string { return string(w) })
}

// These are the valid values of an attribute's fields format, type and sensitive.
var (
	formatWords   = sync.OnceValue(func() []string { return texts(models.Formats()...) })
	typeWords     = sync.OnceValue(func() []string { return texts(models.Types()...) })
	sensitivities = sync.OnceValue(func() []string { return texts(models.PII, models.Secret) })
)

func actionKinds() []string {
	return texts(change.KindUpdate, change.KindPut, change.KindDelete, change.KindMove, change.KindRepair)
}

func reasonRules() []string {
	return texts(change.ReasonRequired, change.ReasonOptional)
}

func (b *builder) reportUnknownAttribute(path string, e *models.Entity, name string) {
	b.Errorf(path, nearestHint(name, paths(e.Attributes)), "%s has no attribute %q", e.Name, models.Printable(name))
}
