package changes

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A TransitionOffer is a transition from the current state of an item.
type TransitionOffer struct {
	Lifecycle  *models.Lifecycle
	Transition *models.Transition
	To         *models.State     // nil if the lifecycle does not describe the state
	Action     *change.Action    // action for the transition; nil if the schema has none
	Args       map[string]string // inputs filled from the item and the transition
	Reason     string            // why the user can neither apply nor request it now, or ""
}

// An Offer is an action of an item's entity.
type Offer struct {
	Action *change.Action
	Args   map[string]string // inputs filled from the item
	Reason string            // why the user can neither apply nor request it now, or ""
	Now    string            // title of the item's state if the action does not start from it, or ""
	// Refused is set if the item allows the action and Reason concerns the session, for example its role.
	Refused bool
}

// MenuReason returns the reason as a restriction that stands alone, such as "only after Claim for review".
func (o Offer) MenuReason() string {
	if strings.HasPrefix(o.Reason, "after ") {
		return "only " + o.Reason
	}
	return o.Reason
}

// TransitionOffers lists the transitions from the item's current states, by lifecycle, in the schema's order.
func (pl *Planner) TransitionOffers(e *models.Entity, it models.Item) []TransitionOffer {
	var offers []TransitionOffer
	for _, l := range e.Lifecycles {
		now, ok := it.Text(l.Attribute)
		if !ok {
			continue
		}
		for _, t := range l.TransitionsFrom(now) {
			m := TransitionOffer{Lifecycle: l, Transition: t, To: l.State(t.To), Action: pl.actionFor(l, t)}
			if m.Action == nil {
				m.Reason = noActionReason(t)
			} else {
				m.Args = ActionArgs(m.Action, e, it)
				if m.Action.Target != "" {
					m.Args[m.Action.Target] = t.To
				}
				m.Reason, _ = pl.obstacle(m.Action, it)
			}
			offers = append(offers, m)
		}
	}
	return offers
}

// Offers lists every action of the item's entity, in the schema's order.
func (pl *Planner) Offers(e *models.Entity, it models.Item) []Offer {
	var offers []Offer
	for _, a := range pl.s.Profile().ActionsOf(e) {
		o := Offer{Action: a, Args: ActionArgs(a, e, it)}
		o.Reason, o.Refused = pl.obstacle(a, it)
		if now, starts := startsFrom(a, it); !starts {
			o.Now = a.Lifecycle.Title(now)
		}
		offers = append(offers, o)
	}
	return offers
}

// A QueueOffer is a queue that the user can open from an item.
type QueueOffer struct {
	Queue *change.Queue
	Given map[string]string // parameters of the queue, filled from the item
}

// Queues lists the queues whose parameters an item of e can fill, in the schema's order.
func (pl *Planner) Queues(e *models.Entity, it models.Item) []QueueOffer {
	var offers []QueueOffer
	view := accesspatterns.ItemView(e, it)
	for _, q := range pl.s.Profile().Queues {
		if inputs, ok := q.Fill(pl.s.Profile().Entities, view); ok {
			offers = append(offers, QueueOffer{q, inputs})
		}
	}
	return offers
}

// A Membership lists the conditions of a queue's pattern that an item meets and does not meet.
type Membership struct {
	Queue      *change.Queue
	Met, Unmet []accesspatterns.Condition // the item is in the queue if Unmet is empty
}

// Memberships evaluates an item of e against every queue that returns e and whose parameters the item fills, in the
// schema's order. It sends no requests.
func (pl *Planner) Memberships(e *models.Entity, it models.Item) []Membership {
	var list []Membership
	for _, q := range pl.s.Profile().Queues {
		if !slices.Contains(q.Pattern.Returns, e) {
			continue
		}
		inputs, _ := q.Fill(pl.s.Profile().Entities, accesspatterns.ItemView(e, it))
		args, ok := q.Bind(inputs)
		if !ok {
			continue
		}
		if r, err := q.Pattern.Bind(args, pl.s.Now()); err == nil {
			m := Membership{Queue: q}
			m.Met, m.Unmet = r.Meets(it)
			list = append(list, m)
		}
	}
	return list
}

// QueuesAfter lists the queues that follow an applied plan. It returns nil for an undo.
func (pl *Planner) QueuesAfter(p *change.Plan) []QueueOffer {
	it := p.Writes[0].After
	if it == nil {
		it = p.Writes[0].Before
	}
	if p.Undoes != nil || it == nil {
		return nil
	}
	return slices.DeleteFunc(pl.Queues(p.Action.Entity, it), func(o QueueOffer) bool { return !o.Queue.Follows(p.Action) })
}

// ActionArgs returns the inputs that form the action's primary key, filled from an item of e. It is empty for an item
// of another entity.
func ActionArgs(a *change.Action, e *models.Entity, it models.Item) map[string]string {
	if a.Entity != e {
		return map[string]string{}
	}
	return a.Args(it)
}

// actionFor prefers an action for only this transition over one for several, and an enabled action over a disabled one.
func (pl *Planner) actionFor(l *models.Lifecycle, t *models.Transition) *change.Action {
	var best *change.Action
	rank := func(a *change.Action) int {
		n := 0
		if a.Disabled == "" {
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

func noActionReason(t *models.Transition) string {
	switch {
	case !t.Documented:
		return "the schema does not document this transition"
	case t.Actor != "" && t.Actor != "staff" && t.Actor != "admin":
		return "performed by the " + t.Actor + "; the schema has no action for it"
	default:
		return "the schema has no action for it"
	}
}

// obstacle checks the schema, the item and the session, in order, and returns the reason with titles instead of IDs.
// refused means that only the session prevents the action.
func (pl *Planner) obstacle(a *change.Action, it models.Item) (reason string, refused bool) {
	err := pl.s.CanPlan(a)
	if err == nil {
		err = a.Obstacle(it, pl.s.Now(), pl.s.Actor())
	}
	if err == nil && a.Kind == change.KindRepair {
		err = pl.drift.CheckRepairable(a.Entity, it)
	}
	if err == nil {
		err = pl.s.CanChangeOrRequest(a)
		refused = err != nil
	}
	var refusal *session.Refusal
	var conflict *change.Conflict
	switch isRefusal := errors.As(err, &refusal); {
	case err == nil:
		return "", false
	case a.Disabled != "":
		return "disabled: " + strings.TrimRight(a.Disabled, "."), false
	case isRefusal && !pl.s.Plain():
		return refusal.Reason, refused
	case isRefusal:
		return refusal.PlainReason(), refused
	case errors.As(err, &conflict):
		return cmp.Or(pl.StateObstacle(a, it), conflict.Plain()), refused
	}
	return pl.s.ErrorText(err), refused
}

// StateObstacle returns the reason why the action does not start from the item's state, or "".
func (pl *Planner) StateObstacle(a *change.Action, it models.Item) string {
	if first := pl.Prerequisites(a, it); len(first) > 0 {
		return "after " + english.WordSeries(models.MapSlice(first, func(a *change.Action) string { return a.Title }), "or")
	}
	switch now, starts := startsFrom(a, it); {
	case starts:
		return ""
	case a.Target != "":
		return "no transition leaves " + a.Lifecycle.Title(now)
	}
	return "only when " + english.WordSeries(models.MapSlice(a.From(), a.Lifecycle.Title), "or")
}

// startsFrom returns the item's state, and whether the action starts from it or changes no state.
func startsFrom(a *change.Action, it models.Item) (now string, starts bool) {
	if a.Lifecycle == nil {
		return "", true
	}
	now, _ = it.Text(a.Lifecycle.Attribute)
	return now, slices.Contains(a.From(), now)
}

// Prerequisites lists the actions that bring the item into a state that allows the action. The list is empty if the
// item is in such a state, or if no single action leads to one.
func (pl *Planner) Prerequisites(a *change.Action, it models.Item) []*change.Action {
	now, starts := startsFrom(a, it)
	if starts {
		return nil
	}
	var actions []*change.Action
	for _, other := range pl.s.Profile().ActionsOf(a.Entity) {
		reachesState := slices.ContainsFunc(other.Transitions, func(t *models.Transition) bool {
			return slices.Contains(t.From, now) && slices.Contains(a.From(), t.To)
		})
		if reachesState && other != a && other.Disabled == "" && other.Target == "" && other.Lifecycle == a.Lifecycle {
			actions = append(actions, other)
		}
	}
	return actions
}
