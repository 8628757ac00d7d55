package change

import (
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Queue is a pattern whose items need a decision, and the actions for them. It belongs to a schema and is immutable.
type Queue struct {
	ID, Title, Description string
	Documented             bool // whether the schema document describes it
	Pattern                *accesspatterns.Pattern
	Args                   map[string]string // parameters of the pattern; each refresh resolves relative times
	// Params contains the parameters of the pattern that an item or the user fills, all of which need a value. It is
	// nil for a queue that is the same for everyone.
	Params  []*accesspatterns.Param
	Actions []*Action // actions in menu order
	After   []*Action // after one of these actions, ddbdesk offers the queue; the item fills Params
}

// Bind returns the parameters of the pattern, with the inputs values of Params. It returns false if one of them has no
// value, and ignores other names in inputs. The caller owns args.
func (q *Queue) Bind(inputs map[string]string) (args map[string]string, ok bool) {
	args, ok = maps.Clone(q.Args), true
	for _, p := range q.Params {
		if args[p.Name] = inputs[p.Name]; args[p.Name] == "" {
			ok = false
		}
	}
	return args, ok
}

// Fill returns the values of Params that a view fills. It returns false if the view does not fill all of them or Params
// is empty. entities contains the schema's entities.
func (q *Queue) Fill(entities []*models.Entity, v accesspatterns.View) (map[string]string, bool) {
	inputs := map[string]string{}
	for _, p := range q.Params {
		values := accesspatterns.ParamValues(q.Pattern, p, entities, v)
		if len(values) == 0 {
			return nil, false
		}
		inputs[p.Name] = values[0]
	}
	return inputs, len(inputs) > 0
}

// Follows reports whether ddbdesk offers the queue after an action.
func (q *Queue) Follows(a *Action) bool { return slices.Contains(q.After, a) }
