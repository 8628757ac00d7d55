package profiles

import (
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

func (b *actionBuilder) companions() {
	for _, c := range b.also {
		if out, ok := b.companion(c.path, c.decl); ok {
			b.a.Also = append(b.a.Also, out)
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
	refuse := func(other string, there bool) {
		if there {
			b.Errorf(path+"."+other, "", "%s does not support %s", word, other)
		}
	}
	refuse("transition", d.Transition != "" && word != "update")
	refuse("set", len(d.Set) > 0 && word != "update" && word != "put")
	refuse("remove", len(d.Remove) > 0 && word != "update")
	refuse("require", len(d.Require) > 0 && word == "put")
	switch out.Operation {
	case change.Put:
		set, uses := b.settings(path+".set", d.Set, out.Entity)
		b.check(uses, b.names)
		b.complete(path, out.Entity, set, b.names)
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
	suggestion := nearOr(c.Alias, aliases, "add it to reads:")
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
	life, moves, target := b.moves(path+".transition", d.Transition, out.Entity)
	switch {
	case life == nil:
	case target != "":
		b.Errorf(
			path+".transition", "name a single transition",
			"only the transition of the action itself can take its state from an input",
		)
	default:
		out.Lifecycle, out.Transition = life, moves[0]
		out.Set = append(slices.Clone(b.onEnter[life][moves[0].To]), out.Set...)
	}
}

func (b *actionBuilder) condition(path, name string) {
	if name == "" || b.names.knows(name) || b.names.aliases[name] != nil {
		return
	}
	known := append(b.names.all(), slices.Sorted(maps.Keys(b.names.aliases))...)
	b.Errorf(path, near(name, known), "unknown name %q", models.Printable(name))
}
