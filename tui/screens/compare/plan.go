package compare

import (
	"context"
	"errors"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// planSources plans the changes that the item allows, and applies none.
func planSources(env *screen.Env, left compareSide) []compareSource {
	r, ok := env.Session.Recognize(left.table, left.item)
	if !ok {
		return nil
	}
	var list []compareSource
	add := func(a *change.Action, to string, args map[string]string) {
		if env.Session.CanPlan(a) != nil || a.Obstacle(left.item, env.Session.Now(), env.Session.Actor()) != nil {
			return
		}
		inputs, made := planInputs(env, a, args)
		title, note := "after "+a.Title+to, ""
		if len(made) > 0 {
			note = "with ‹" + strings.Join(made, "›, ‹") + "› as placeholder"
		}
		list = append(
			list,
			compareSource{
				id: title, section: "This item after a planned change", title: title, note: note,
				load: planSide(env, title, left, a, inputs),
			},
		)
	}
	for _, o := range env.Planner.Offers(r.Entity, left.item) {
		repair := o.Action.Kind == change.Repairs && !drifted(r.Entity, left.item)
		if o.Action.Kind != change.Creates && o.Action.Target == "" && !repair {
			add(o.Action, "", o.Args)
		}
	}
	for _, m := range env.Planner.Moves(r.Entity, left.item) {
		if m.Action != nil && m.Action.Target != "" {
			add(m.Action, ": "+m.Transition.To, m.Args)
		}
	}
	return list
}

func drifted(e *models.Entity, it models.Item) bool {
	for _, k := range e.KeyStates(it) {
		if k.Problem != "" {
			return true
		}
	}
	return false
}

func planInputs(env *screen.Env, a *change.Action, args map[string]string) (inputs map[string]string, made []string) {
	inputs = maps.Clone(args)
	if inputs == nil {
		inputs = map[string]string{}
	}
	for _, q := range a.Inputs {
		if _, given := inputs[q.Name]; given || !q.Required || q.Default != "" || len(q.Enum) > 0 {
			continue
		}
		if _, computed := a.Defaults[q.Name]; computed {
			continue
		}
		text := "‹" + q.Name + "›"
		if _, err := q.Read(text, env.Session.Now()); err == nil {
			inputs[q.Name] = text
			made = append(made, q.Name)
		}
	}
	return inputs, made
}

// planReason is the reason in a plan that is only compared with.
const planReason = "‹reason›"

func planSide(
	env *screen.Env, title string, left compareSide, a *change.Action, inputs map[string]string,
) func(context.Context) (compareSide, error) {
	from := env.Workspace
	return func(ctx context.Context) (compareSide, error) {
		plan, err := from.Planner.Plan(ctx, a, inputs, planReason)
		if err != nil {
			return compareSide{}, planFault(a, title, inputs, err)
		}
		own := left.table.KeyText(left.item)
		for _, w := range plan.Writes {
			if w.Table == left.table && left.table.KeyText(w.Key) == own {
				if w.After == nil {
					return compareSide{}, errors.New(a.Title + " deletes the item, so there is nothing to compare with")
				}
				return compareSide{title: title, table: left.table, item: w.After, origin: fromPlan}, nil
			}
		}
		return compareSide{}, errors.New(a.Title + " does not change this item; press o on the item to plan it")
	}
}

// planAsks is the error of a plan without a required input.
type planAsks struct {
	action *change.Action
	title  string // of the right side
	param  *accesspatterns.Param
	inputs map[string]string // the other inputs
	err    error
}

func (e *planAsks) Error() string { return e.action.Title + ": " + e.err.Error() }

func (e *planAsks) Unwrap() error { return e.err }

// planFault returns a planAsks if the user can enter the input that a plan lacks.
func planFault(a *change.Action, title string, inputs map[string]string, err error) error {
	var p *accesspatterns.ParamError
	if errors.As(err, &p) && a.Input(p.Param) != nil {
		return &planAsks{a, title, a.Input(p.Param), inputs, err}
	}
	var refusal *session.Refusal
	if errors.As(err, &refusal) {
		return errors.New(refusal.Why)
	}
	return err
}

func (s *compareScreen) askInput(asks *planAsks) {
	a, q := asks.action, asks.param
	field := present.Form{Table: a.Entity.Table, Action: a, Item: s.left.item}.Fields(s.env, q)[0]
	box := overlay.NewCalmQuestion(
		a.Title, "only planned", "Compare", nil, "Enter "+q.Name+". The change is only planned; nothing is written.",
	)
	box.Ask(s.env.Styles, field, func(value string) string {
		if value == "" {
			return q.Name + " is required"
		}
		if err := present.Problem(q, value, s.env.Session.Now()); err != nil {
			return err.Error()
		}
		return ""
	})
	box.Yes = func() tea.Cmd {
		inputs := maps.Clone(asks.inputs)
		inputs[q.Name] = box.Value()
		return s.start(asks.title, planSide(s.env, asks.title, s.left, a, inputs))
	}
	s.Box = box
}
