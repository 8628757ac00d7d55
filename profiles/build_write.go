package profiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

func (b formulas) settings(path string, list placed.Ordered[formulaDecl], e *models.Entity) ([]change.Setting, []mention) {
	var out []change.Setting
	var uses []mention
	for _, s := range list {
		p := path + "." + s.Key
		a, ok := b.writable(p, e, s.Key)
		if !ok {
			continue
		}
		f, more := b.formula(p, s.Value, a)
		names, inPath := b.path(p, s.Key)
		out, uses = append(out, change.Setting{Name: s.Key, Formula: f.Into(names)}), slices.Concat(uses, more, inPath)
	}
	return out, uses
}

// path compiles a path with references such as approvals.{user}. It is nil without one.
func (b formulas) path(at, path string) ([]change.Formula, []mention) {
	if !strings.Contains(path, "{") {
		return nil, nil
	}
	var names []change.Formula
	var uses []mention
	depth := 0
	parts := strings.FieldsFunc(path, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return r == '.' && depth == 0 // {item.user} is one reference.
	})
	for _, part := range parts {
		f, more := b.name(at, formulaDecl{form: textForm, text: part})
		names, uses = append(names, f), append(uses, more...)
	}
	return names, uses
}

func (b formulas) writable(path string, e *models.Entity, name string) (*models.Attribute, bool) {
	a, ok := attributeAt(e, name)
	template, derives := e.Keys[name]
	switch {
	case derives && template.String() != "{"+name+"}":
		b.Errorf(path, "remove it", "key attribute %s is derived from %s", name, template)
	case !ok:
		b.noAttribute(path, e, name)
	case a != nil && a.KeyOnly:
		b.Errorf(path, "", "%s exists only in the keys of %s", name, e.Name)
	case e.Distinguishes(name):
		b.Errorf(path, "remove it", "%s distinguishes %s from other entities and is set automatically", name, e.Name)
	case a != nil && a.Equals != "":
		b.Errorf(path, "remove it", "%s repeats %s and is set automatically", name, a.Equals)
	default:
		return a, true
	}
	return nil, false
}

func (b formulas) checkNotInKey(path string, e *models.Entity, name string) {
	keys, _ := keyPlaceholders(e)
	for _, k := range keys {
		if a := e.Attribute(k); overlap(k, name) && a != nil && !a.KeyOnly {
			b.Errorf(path, "", "%s is part of the primary key of %s, which an update cannot change", name, e.Name)
		}
	}
}

func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

func (b formulas) changes(path string, set placed.Ordered[formulaDecl], remove []string, e *models.Entity, known names) []change.Setting {
	out, uses := b.settings(path+".set", set, e)
	b.check(uses, known)
	var touched []string
	touch := func(p, name string) {
		for _, t := range touched {
			switch {
			case t == name:
				b.Errorf(p, "", "%s is both set and removed", name)
			case overlap(t, name):
				b.Errorf(p, "", "%s and %s overlap, and DynamoDB refuses to change both", t, name)
			}
		}
		touched = append(touched, name)
		b.checkNotInKey(p, e, name)
	}
	for _, s := range set {
		touch(path+".set."+s.Key, s.Key)
	}
	for i, name := range remove {
		p := fmt.Sprintf("%s.remove.%d", path, i)
		if strings.Contains(name, "{") {
			b.Errorf(p, "name the attribute", "remove takes no references, found %q", models.Printable(name))
		}
		a, ok := b.writable(p, e, name)
		if ok && a != nil && a.Required && a.Path == a.Name {
			b.Errorf(p, "", "every %s requires %s, so it cannot be removed", e.Name, name)
		}
		touch(p, name)
	}
	return out
}

func (b *actionBuilder) write() {
	d, a := b.decl, b.a
	refuse := func(word string, there bool) {
		if there {
			b.Errorf(b.path+"."+word, "", "an action of kind %s cannot have %s", a.Kind, word)
		}
	}
	switch a.Kind {
	case change.Creates:
		refuse("remove", len(d.Remove) > 0)
		refuse("require", len(d.Require) > 0)
		set, uses := b.settings(b.path+".set", d.Set, a.Entity)
		b.check(uses, b.names)
		a.Set = set
		b.complete(b.path, a.Entity, set, b.names)
		return
	case change.Deletes, change.Repairs:
		refuse("set", len(d.Set) > 0)
		refuse("remove", len(d.Remove) > 0)
	default:
		a.Set, a.Remove = b.changes(b.path, d.Set, d.Remove, a.Entity, b.names), d.Remove
		if a.Lifecycle == nil && len(d.Set)+len(d.Remove)+len(b.also) == 0 {
			b.Errorf(b.path, "add set:, remove: or transition:", "action changes nothing")
		}
		for _, s := range d.Set {
			if a.Lifecycle != nil && s.Key == a.Lifecycle.Attribute {
				b.Errorf(b.path+".set."+s.Key, "remove it", "the transition sets %s", s.Key)
			}
		}
	}
	a.Require = b.requirements(b.path+".require", d.Require, a.Entity, b.names)
}

func (b formulas) complete(path string, e *models.Entity, set []change.Setting, known names) {
	given := func(change.Setting) bool { return true } // unknown names are faults of their own
	for _, name := range missing(e, set, known, given) {
		where := "set:"
		if a := e.Attribute(name); a != nil && a.KeyOnly {
			where = "let:, because it exists only in a key"
		}
		b.Errorf(path+".set", "add "+name+" to "+where, "a new %s has no value for %s", e.Name, name)
	}
}

// missing returns placeholders of the primary key without a value of that name, and required attributes. has reports
// whether a setting will have a value.
func missing(e *models.Entity, set []change.Setting, known names, has func(change.Setting) bool) []string {
	given := func(name string) bool {
		return slices.ContainsFunc(set, func(s change.Setting) bool {
			return (s.Name == name || strings.HasPrefix(s.Name, name+".")) && has(s)
		})
	}
	var missing []string
	keys, needed := keyPlaceholders(e)
	for _, k := range keys {
		if needed[k] && !given(k) && !known.knows(k) {
			missing = append(missing, k)
		}
	}
	for _, a := range e.Attributes {
		_, derives := e.Keys[a.Name]
		automatic := a.KeyOnly || derives || a.Equals != "" || a.Name == e.Version || a.Name == e.Updated ||
			e.Distinguishes(a.Name) || slices.Contains(keys, a.Name)
		if a.Required && !automatic && !given(a.Name) {
			missing = append(missing, a.Name)
		}
	}
	return missing
}

func (b formulas) requirements(path string, list []requirementDecl, e *models.Entity, known names) []change.Requirement {
	var out []change.Requirement
	for i, d := range list {
		p := fmt.Sprintf("%s.%d", path, i)
		r := change.Requirement{Attribute: d.Attribute, OrMissing: d.OrMissing, Because: d.Because}
		if len(d.Any) > 0 && d.Attribute == "" {
			r.Any = b.requirements(p+".any", d.Any, e, known)
			out = append(out, r)
			continue
		}
		a, _ := attributeAt(e, d.Attribute)
		if !stored(e, d.Attribute) {
			b.noAttribute(p+".attribute", e, d.Attribute)
			continue
		}
		words := len(d.Any)
		for _, c := range comparisons[formulaDecl](d) {
			words++
			var uses []mention
			if r.Compare = c.compare; a != nil && r.Compare.Ordered() {
				b.ordered(p+"."+c.word, a.Path, a.Format)
			}
			of := a
			if c.compare == accesspatterns.Contains {
				of = a.Member()
			}
			r.Value, uses = b.formula(p+"."+c.word, c.value, of)
			b.check(uses, known)
		}
		if d.Exists != nil {
			words++
			r.Compare = accesspatterns.NotExists
			if *d.Exists {
				r.Compare = accesspatterns.Exists
			}
		}
		if words != 1 {
			b.Errorf(p, "", "expected exactly one of equals, differs, under, up_to, over, from, contains and exists, found %d", words)
			continue
		}
		out = append(out, r)
	}
	return out
}

// reading takes the value of the same name for a missing part of the key.
func (b formulas) reading(r portion[readingDecl], e *models.Entity, known names) change.Reading {
	out := change.Reading{Alias: r.name, Entity: e, Optional: r.decl.Optional}
	keys, needed := keyPlaceholders(e)
	for _, k := range r.decl.Key.Keys() {
		if !slices.Contains(keys, k) {
			b.Errorf(r.path+".key."+k, near(k, keys), "the primary key of %s does not contain {%s}", e.Name, models.Printable(k))
		}
	}
	for _, name := range keys {
		path := r.path + ".key." + name
		d, given := r.decl.Key.Get(name)
		switch {
		case given:
		case known.knows(name):
			d = formulaDecl{form: textForm, text: "{" + name + "}"}
		case needed[name]:
			b.Errorf(path, "add key: {"+name+": ..}", "the key of %s needs {%s}, which has no value here", e.Name, name)
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
