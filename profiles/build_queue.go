package profiles

import (
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// queueBuilder builds queues.
type queueBuilder struct{ *builder }

func (b queueBuilder) queuePattern(path string, q *change.Queue, d queueDecl) *accesspatterns.Pattern {
	switch {
	case d.Pattern != "" && d.Read != nil, d.Pattern == "" && d.Read == nil:
		b.Errorf(path, "", "expected either pattern: or read:")
		return nil
	case d.Pattern != "":
		return b.readPattern(path+".pattern", d.Pattern)
	}
	if d.Read.Pattern == "" && b.p.Pattern(q.ID) != nil {
		b.Errorf(path, "choose another ID", "%s is already the ID of a pattern", q.ID)
	}
	return b.inline(path+".read", *d.Read, q.ID, q.Title, q.Documented)
}

func (b queueBuilder) args(path string, q *change.Queue, list placed.Ordered[string]) {
	known := models.NamesOf(q.Pattern.Params, func(p *accesspatterns.Param) string { return p.Name })
	q.Args = map[string]string{}
	for _, a := range list {
		p := q.Pattern.Param(a.Key)
		if p == nil {
			b.Errorf(path+"."+a.Key, near(a.Key, known), "%s has no parameter %q", q.Pattern.ID, models.Printable(a.Key))
			continue
		}
		if p.Type == accesspatterns.Enum && !p.OpenEnum && !slices.Contains(p.Enum, a.Value) {
			b.Errorf(path+"."+a.Key, near(a.Value, p.Enum), "%q is not a value of %s", models.Printable(a.Value), p.Name)
		}
		q.Args[a.Key] = a.Value
	}
}

func (b queueBuilder) parameters(path string, q *change.Queue, names []string) {
	known := models.NamesOf(q.Pattern.Params, func(p *accesspatterns.Param) string { return p.Name })
	for i, name := range names {
		at := fmt.Sprintf("%s.parameters.%d", path, i)
		p := q.Pattern.Param(name)
		_, fixed := q.Args[name]
		switch {
		case p == nil:
			b.Errorf(at, near(name, known), "%s has no parameter %q", q.Pattern.ID, models.Printable(name))
		case fixed:
			b.Errorf(at, "remove it here or there", "%s already has a value under args:", name)
		case slices.Contains(q.Params, p):
			b.Errorf(at, "", "duplicate parameter %s", name)
		default:
			q.Params = append(q.Params, p)
		}
	}
	for _, p := range q.Pattern.Params {
		if _, fixed := q.Args[p.Name]; p.Required && !fixed && !slices.Contains(q.Params, p) {
			b.Errorf(path+".args", "add "+p.Name+" to args: or parameters:", "%s requires %s", q.Pattern.ID, p.Name)
		}
	}
}

func (b queueBuilder) after(path string, q *change.Queue, ids []string) {
	if len(ids) > 0 && len(q.Params) == 0 {
		b.Errorf(path, "add parameters:", "queue has no parameter that the item of an action fills")
		return
	}
	for i, id := range ids {
		at := fmt.Sprintf("%s.%d", path, i)
		a := b.p.Action(id)
		if a == nil {
			b.Errorf(at, near(id, b.decl.Actions.Keys()), "unknown action %q", models.Printable(id))
			continue
		}
		q.After = append(q.After, a)
		for _, p := range q.Params {
			if !accesspatterns.CanFill(q.Pattern, p, b.p.Entities, a.Entity) {
				b.Errorf(at, "", "%s has no attribute for parameter %s of %s", a.Entity.Name, p.Name, q.Pattern.ID)
			}
		}
	}
}

func (b queueBuilder) queueActions(path string, q *change.Queue, ids []string) {
	for i, id := range ids {
		p := fmt.Sprintf("%s.%d", path, i)
		a := b.p.Action(id)
		switch {
		case a == nil:
			b.word(p, id, b.decl.Actions.Keys())
		case !slices.Contains(q.Pattern.Returns, a.Entity):
			b.Errorf(p, "", "%s changes a %s, which the queue does not return", a.ID, a.Entity.Name)
		default:
			q.Actions = append(q.Actions, a)
		}
	}
}
