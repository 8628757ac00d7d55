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

// queuePattern returns the pattern of a queue, or nil after a reported error.
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

// args checks the arguments of the queue's pattern.
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
	for _, p := range q.Pattern.Params {
		if _, given := q.Args[p.Name]; p.Required && !given {
			b.Errorf(path, "add "+p.Name+" to args:", "%s requires %s, and a queue does not ask for parameters", q.Pattern.ID, p.Name)
		}
	}
}

// queueActions resolves the actions of a queue, which must change what the queue returns.
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
