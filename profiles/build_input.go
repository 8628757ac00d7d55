package profiles

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// keyPlaceholders lists what the primary key of the entity is made from; what
// stands in an optional tail is not needed.
func keyPlaceholders(e *models.Entity) (all []string, needed map[string]bool) {
	needed = map[string]bool{}
	for _, k := range []models.Key{e.Table.PartitionKey, e.Table.SortKey} {
		t, _ := e.KeyTemplate(k.Name)
		for _, s := range t.Segments() {
			if s.Name != "" {
				all = appendOnce(all, s.Name)
				needed[s.Name] = needed[s.Name] || !s.Optional
			}
		}
	}
	return all, needed
}

// inputs makes the inputs: what names the subject, the state to go to, and what
// else is declared.
func (b *actionBuilder) inputs() {
	keys, needed := keyPlaceholders(b.a.Entity)
	list := slices.Clone(keys)
	if b.a.Target != "" {
		list = appendOnce(list, b.a.Target)
	}
	for _, name := range b.decl.Inputs.keys() {
		list = appendOnce(list, name)
	}
	for _, name := range list {
		path := b.path + ".inputs." + name
		switch {
		case reserved(name) && !slices.Contains(keys, name):
			b.errorf(path, "choose another name", "%s is already the name of a built-in value", name)
		case !slices.Contains(keys, name) && !plainName.MatchString(name):
			b.errorf(path, "use letters, digits, _ and -", "invalid name %q", models.Printable(name))
		}
		b.names.inputs = append(b.names.inputs, name)
	}
	b.a.Defaults = map[string]change.Formula{}
	for _, name := range list {
		d, _ := b.decl.Inputs.get(name)
		p := b.input(b.path+".inputs."+name, name, d, slices.Contains(keys, name))
		if opt, isKey := needed[name]; isKey && !opt && d.Required == nil {
			p.Required = false
		}
		b.a.Inputs = append(b.a.Inputs, p)
	}
}

func (b *actionBuilder) input(path, name string, d paramDecl, key bool) *accesspatterns.Param {
	computed := d.Default
	if strings.ContainsAny(computed, "{}") {
		d.Default = ""
	} else {
		computed = ""
	}
	p := b.param(path, name, d, []*models.Entity{b.a.Entity})
	if name == b.a.Target {
		b.targetInput(p, d)
	}
	if computed == "" {
		return p
	}
	p.Required = false
	t := models.TypeS
	if p.Type == accesspatterns.Number || p.Type == accesspatterns.Integer {
		t = models.TypeN
	}
	f, uses := b.typed(path+".default", formulaDecl{form: textForm, text: computed}, nil, t)
	known := names{inputs: b.names.inputs}
	if !key { // the items are read when the key is known
		known = b.declared()
	}
	b.check(uses, known)
	b.a.Defaults[name] = f
	return p
}

// declared returns the names that the action will have, before its readings
// and lets are built.
func (b *actionBuilder) declared() names {
	n := b.names
	n.aliases = map[string]*models.Entity{}
	add := func(lets ordered[formulaDecl], reads ordered[readingDecl]) {
		n.lets = append(slices.Clone(n.lets), lets.keys()...)
		for _, r := range reads {
			if e := b.p.Entity(r.Value.Entity); e != nil {
				n.aliases[r.Key] = e
			}
		}
	}
	for _, name := range b.decl.Uses {
		d, _ := b.builder.decl.Bundles.get(name)
		add(d.Let, d.Reads)
	}
	add(b.decl.Let, b.decl.Reads)
	return n
}

// targetInput offers the states that the moves of the action lead to.
func (b *actionBuilder) targetInput(p *accesspatterns.Param, d paramDecl) {
	p.Type, p.Enum, p.OpenEnum = accesspatterns.Enum, nil, false
	for _, t := range b.a.Transitions {
		p.Enum = appendOnce(p.Enum, t.To)
	}
	a := b.a.Entity.Attribute(b.a.Lifecycle.Attribute)
	if p.Attribute == nil {
		p.Entity, p.Attribute = b.a.Entity, a
	}
	if d.Description == "" && p.Description == "" {
		p.Description = "The new " + b.a.Lifecycle.Attribute
	}
}

// reading builds an item that is read first. A part of its key that is not
// given has the value of the same name.
func (b *builder) reading(r portion[readingDecl], e *models.Entity, known names) change.Reading {
	out := change.Reading{Alias: r.name, Entity: e, Optional: r.decl.Optional}
	keys, needed := keyPlaceholders(e)
	for _, k := range r.decl.Key.keys() {
		if !slices.Contains(keys, k) {
			b.errorf(r.path+".key."+k, near(k, keys), "the primary key of %s does not contain {%s}", e.Name, models.Printable(k))
		}
	}
	for _, name := range keys {
		path := r.path + ".key." + name
		d, given := r.decl.Key.get(name)
		switch {
		case given:
		case known.knows(name):
			d = formulaDecl{form: textForm, text: "{" + name + "}"}
		case needed[name]:
			b.errorf(path, "add key: {"+name+": ..}", "the key of %s needs {%s}, which has no value here", e.Name, name)
			continue
		default:
			continue
		}
		f, uses := b.name(path, d)
		b.check(uses, known)
		out.Key = append(out.Key, change.Setting{Name: name, Formula: f})
	}
	return out
}
