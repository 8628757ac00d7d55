package profiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// actionBuilder builds one action, with what its bundles add.
type actionBuilder struct {
	*builder
	path  string
	decl  actionDecl
	a     *change.Action
	names names
	lets  []portion[formulaDecl]
	reads []portion[readingDecl]
	also  []portion[companionDecl]
	// implied is set for an action that stands nowhere in the profile.
	implied bool
}

// A portion of an action may stand in a bundle.
type portion[T any] struct {
	name, path string
	decl       T
}

func (b *builder) actions() {
	used := map[string]bool{}
	for _, e := range b.decl.Actions {
		for _, name := range e.Value.Uses {
			used[name] = true
		}
		ab := &actionBuilder{builder: b, path: "actions." + e.Key, decl: e.Value}
		if a := ab.build(e.Key); a != nil {
			b.p.Actions = append(b.p.Actions, a)
			b.builders = append(b.builders, ab)
		}
	}
	for _, e := range b.decl.Bundles {
		b.id("bundles."+e.Key, "bundle", e.Key)
		if !used[e.Key] {
			b.errorf("bundles."+e.Key, "reference it in uses: of an action, or remove it", "bundle is not used by any action")
		}
	}
}

func (b *builder) id(path, what, id string) {
	if !nameText.MatchString(id) {
		b.errorf(path, "use lowercase letters, digits and hyphens", "%q is no id of %s %s", models.Printable(id), article(what), what)
	}
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an"
	}
	return "a"
}

// build returns nil when nothing more can be said about the action.
func (b *actionBuilder) build(id string) *change.Action {
	d := b.decl
	if !b.implied {
		b.id(b.path, "action", id)
	}
	b.a = &change.Action{
		ID: id, Profile: b.p.Name, Title: d.Title, Description: d.Description, Documented: documented(d.Documented), Source: d.Source,
		Kind: change.ActionKind(d.Kind), Reason: change.ReasonRule(d.Reason), Off: d.Off, FourEyes: d.FourEyes, Manual: d.Manual,
	}
	if d.Title == "" {
		b.a.Title = id
	}
	if d.Kind == "" {
		b.a.Kind = change.Changes
	}
	if d.Reason == "" {
		b.a.Reason = change.ReasonOptional
	}
	b.word(b.path+".kind", d.Kind, actionKinds())
	b.word(b.path+".reason", d.Reason, reasonRules())
	if !b.subject() {
		return nil
	}
	b.inputs()
	b.gather()
	b.letFormulas()
	b.readings()
	b.write()
	b.companions()
	b.undo()
	b.actionFindings()
	return b.a
}

func actionKinds() []string {
	return []string{string(change.Changes), string(change.Creates), string(change.Deletes), string(change.Repairs)}
}

func reasonRules() []string {
	return []string{string(change.ReasonRequired), string(change.ReasonOptional)}
}

// subject finds the entity and the moves of the action.
func (b *actionBuilder) subject() bool {
	e := b.p.Entity(b.decl.Entity)
	if b.decl.Entity != "" && e == nil {
		b.entity(b.path+".entity", b.decl.Entity)
		return false
	}
	if b.decl.Transition != "" {
		life, moves, target := b.moves(b.path+".transition", b.decl.Transition, e)
		if life == nil {
			return false
		}
		e = life.Entity
		b.a.Lifecycle, b.a.Transitions, b.a.Target = life, moves, target
		switch k := b.a.Kind; k {
		case change.Creates:
			b.errorf(b.path+".transition", "set the state under set:", "an action of kind %s cannot make a transition", k)
		case change.Deletes, change.Repairs:
			b.errorf(b.path+".transition", "", "an action of kind %s cannot make a transition", k)
		default:
		}
		b.a.OnEnter = map[string][]change.Setting{}
		for _, t := range moves {
			if set := b.onEnter[life][t.To]; len(set) > 0 {
				b.a.OnEnter[t.To] = set
			}
		}
	}
	if e == nil {
		b.errorf(b.path, "", "action needs entity: or transition:")
		return false
	}
	if e.Owner != "" {
		b.errorf(b.path, "", "%s is owned by another service (%s) and cannot be changed", e.Name, e.Owner)
	}
	b.a.Entity = e
	b.names = names{aliases: map[string]*models.Entity{}}
	if b.a.Kind != change.Creates {
		b.names.subject = e
	}
	return true
}

// gather puts what the bundles have before what the action has itself. Writes
// are the other way round: a person reads the action's own first.
func (b *actionBuilder) gather() {
	for i, name := range b.decl.Uses {
		d, ok := b.builder.decl.Bundles.get(name)
		if !ok {
			b.word(fmt.Sprintf("%s.uses.%d", b.path, i), name, b.builder.decl.Bundles.keys())
			continue
		}
		b.add("bundles."+name, d.Let, d.Reads, d.Also)
	}
	b.add(b.path, b.decl.Let, b.decl.Reads, b.decl.Also)
}

func (b *actionBuilder) add(path string, lets ordered[formulaDecl], reads ordered[readingDecl], also []companionDecl) {
	own := path == b.path
	for _, l := range lets {
		p := portion[formulaDecl]{l.Key, path + ".let." + l.Key, l.Value}
		if i := slices.IndexFunc(b.lets, func(o portion[formulaDecl]) bool { return o.name == l.Key }); i >= 0 && own {
			b.lets[i] = p
		} else if b.claim(p.path, l.Key) {
			b.lets, b.names.lets = append(b.lets, p), append(b.names.lets, l.Key)
		}
	}
	for _, r := range reads {
		if p := path + ".reads." + r.Key; b.claim(p, r.Key) {
			b.reads = append(b.reads, portion[readingDecl]{r.Key, p, r.Value})
		}
	}
	writes := make([]portion[companionDecl], len(also))
	for i, c := range also {
		writes[i] = portion[companionDecl]{path: fmt.Sprintf("%s.also.%d", path, i), decl: c}
	}
	if own {
		writes, b.also = append(writes, b.also...), nil
	}
	b.also = append(b.also, writes...)
}

// claim reports whether a name is free, and fit to be one.
func (b *actionBuilder) claim(path, name string) bool {
	taken := ""
	switch {
	case !plainName.MatchString(name):
		b.errorf(path, "use letters, digits, _ and -", "invalid name %q", models.Printable(name))
		return false
	case reserved(name):
		taken = "a built-in value"
	case slices.Contains(b.names.inputs, name):
		taken = "an input"
	case slices.Contains(b.names.lets, name):
		taken = "a value under let:"
	case slices.ContainsFunc(b.reads, func(r portion[readingDecl]) bool { return r.name == name }):
		taken = "an item under reads:"
	}
	if taken != "" {
		b.errorf(path, "choose another name", "%s is already the name of %s", name, taken)
	}
	return taken == ""
}

// letFormulas compiles the names that several formulas need.
func (b *actionBuilder) letFormulas() {
	for _, r := range b.reads {
		if e := b.entity(r.path+".entity", r.decl.Entity); e != nil {
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
		if circular(l.name, l.name, needs, map[string]bool{}) {
			b.errorf(l.path, "", "{%s} refers to itself", l.name)
		}
	}
}

func circular(name, start string, needs map[string][]string, seen map[string]bool) bool {
	for _, n := range needs[name] {
		if n == start {
			return true
		}
		if !seen[n] {
			seen[n] = true
			if circular(n, start, needs, seen) {
				return true
			}
		}
	}
	return false
}

func (b *actionBuilder) readings() {
	before := b.names
	before.aliases = map[string]*models.Entity{} // a key may name what was read before
	for _, r := range b.reads {
		if e := b.names.aliases[r.name]; e != nil {
			b.a.Reads = append(b.a.Reads, b.reading(r, e, before))
			before.aliases[r.name] = e
		}
	}
}

func (b *actionBuilder) actionFindings() {
	for i, id := range b.decl.Findings {
		if !b.word(fmt.Sprintf("%s.findings.%d", b.path, i), id, b.builder.decl.Findings.keys()) {
			continue
		}
		for _, f := range b.p.Findings {
			if f.ID == id {
				b.a.Findings = append(b.a.Findings, f)
			}
		}
	}
}
