package changes

import (
	"errors"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	session "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Move is a transition that leaves the current state of an item.
type Move struct {
	Lifecycle  *models.Lifecycle
	Transition *models.Transition
	To         *models.State     // nil when the lifecycle does not describe it
	Action     *change.Action    // that makes it; nil when none of the profile does
	Args       map[string]string // inputs of the action that the item and the move fill
	Why        string            // why it cannot be made now, "" when it can
}

// An Offer is an action of an item's entity.
type Offer struct {
	Action *change.Action
	Args   map[string]string // inputs that the item fills
	Why    string            // why it cannot be carried out now, "" when it can
}

// Moves lists the transitions that leave the current states of the item, by
// lifecycle, in the profile's order.
func (pl *Planner) Moves(e *models.Entity, it models.Item) []Move {
	var moves []Move
	for _, l := range e.Lifecycles {
		now, ok := it.Text(l.Attribute)
		if !ok {
			continue
		}
		for _, t := range l.Moves(now) {
			m := Move{Lifecycle: l, Transition: t, To: l.State(t.To), Action: pl.maker(l, t)}
			if m.Action == nil {
				m.Why = noAction(t)
			} else {
				m.Args = ActionArgs(m.Action, e, it)
				if m.Action.Target != "" {
					m.Args[m.Action.Target] = t.To
				}
				m.Why = pl.whyNot(m.Action, it)
			}
			moves = append(moves, m)
		}
	}
	return moves
}

// Offers lists every action of the item's entity, in the profile's order.
func (pl *Planner) Offers(e *models.Entity, it models.Item) []Offer {
	var offers []Offer
	for _, a := range pl.s.Profile().ActionsOf(e) {
		offers = append(offers, Offer{Action: a, Args: ActionArgs(a, e, it), Why: pl.whyNot(a, it)})
	}
	return offers
}

// ActionArgs returns the inputs of the action that an item of e fills: what its
// primary key is made of. There are none for an item of another entity.
func ActionArgs(a *change.Action, e *models.Entity, it models.Item) map[string]string {
	if a.Entity != e {
		return map[string]string{}
	}
	return a.Args(it)
}

// maker returns the action that makes a transition: one of its own before one
// that can make many, and one that is on before one that is off.
func (pl *Planner) maker(l *models.Lifecycle, t *models.Transition) *change.Action {
	var best *change.Action
	rank := func(a *change.Action) int {
		n := 0
		if a.Off == "" {
			n += 2
		}
		if a.Target == "" {
			n++
		}
		return n
	}
	for _, a := range pl.s.Profile().ActionsOf(l.Entity) {
		if a.Lifecycle == l && slices.Contains(a.Transitions, t) && (best == nil || rank(a) > rank(best)) {
			best = a
		}
	}
	return best
}

// noAction says why nothing here makes the transition.
func noAction(t *models.Transition) string {
	switch {
	case !t.Documented:
		return "the schema does not document this transition"
	case t.Actor != "" && t.Actor != "staff" && t.Actor != "admin":
		return "performed by the " + t.Actor + "; the schema has no action for it"
	default:
		return "the schema has no action for it"
	}
}

// whyNot says why the action cannot be carried out on the item by this session:
// what lies in the profile first, then in the item, then in the session.
func (pl *Planner) whyNot(a *change.Action, it models.Item) string {
	err := pl.s.CanPlan(a)
	if err == nil {
		err = a.Obstacle(it, pl.s.Now(), pl.s.Actor())
	}
	if err == nil && a.Kind == change.Repairs {
		err = pl.drift.CannotRepair(a.Entity, it)
	}
	if err == nil {
		err = pl.s.CanChange(a)
	}
	var refusal *session.Refusal
	switch {
	case errors.As(err, &refusal):
		return refusal.Why
	case err != nil:
		return err.Error() + pl.waysTo(a, it)
	}
	return ""
}

// Ways lists the actions that bring the item into a state in which the action
// can be carried out, none when it is in one, or when no single one does.
func (pl *Planner) Ways(a *change.Action, it models.Item) []*change.Action {
	if a.Lifecycle == nil {
		return nil
	}
	now, _ := it.Text(a.Lifecycle.Attribute)
	if slices.Contains(a.From(), now) {
		return nil
	}
	var ways []*change.Action
	for _, other := range pl.s.Profile().ActionsOf(a.Entity) {
		leads := slices.ContainsFunc(other.Transitions, func(t *models.Transition) bool {
			return slices.Contains(t.From, now) && slices.Contains(a.From(), t.To)
		})
		if leads && other != a && other.Off == "" && other.Target == "" && other.Lifecycle == a.Lifecycle {
			ways = append(ways, other)
		}
	}
	return ways
}

// waysTo says which actions lead to where the action can be carried out, "" for
// none.
func (pl *Planner) waysTo(a *change.Action, it models.Item) string {
	var ids []string
	for _, other := range pl.Ways(a, it) {
		ids = append(ids, other.ID)
	}
	switch len(ids) {
	case 0:
		return ""
	case 1:
		return "; run " + ids[0] + " first"
	}
	return "; run " + strings.Join(ids, " or ") + " first"
}
