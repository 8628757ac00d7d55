package sample

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// An entrySource is a change of a subject that a trail records.
type entrySource struct {
	subject    *models.Entity
	action     *change.Action
	entry      change.Entry
	transition *models.Transition // nil for the creation of the subject
}

// fixedPart is the predetermined part of an item, such as a trail entry.
type fixedPart struct {
	item   models.Item
	absent map[string]bool // attributes that the item must not have
	at     time.Time
}

func (s *sampler) entrySources(e *models.Entity) []entrySource {
	var list []entrySource
	known := func(a *change.Action, transition *models.Transition) bool {
		return slices.ContainsFunc(list, func(x entrySource) bool { return x.subject == a.Entity && x.transition == transition })
	}
	for _, a := range s.p.Actions {
		entry, ok := models.Find(a.Audits, func(entry change.Entry) bool { return entry.Trail.Entity == e })
		if !ok {
			continue
		}
		source := entrySource{subject: a.Entity, action: a, entry: entry}
		switch {
		case a.Kind == change.KindPut:
		case a.To() != "" && a.Lifecycle == firstLifecycle(a.Entity):
			source.transition = a.Transitions[0]
		default:
			continue
		}
		if !known(a, source.transition) {
			list = append(list, source)
		}
	}
	return list
}

func firstLifecycle(e *models.Entity) *models.Lifecycle {
	if len(e.Lifecycles) == 0 {
		return nil
	}
	return e.Lifecycles[0]
}

func (s *sampler) fillTrail(plan *entityPlan) error {
	var subjects []*entityPlan
	for _, source := range plan.trails {
		if subject := s.plans[source.subject]; !slices.Contains(subjects, subject) {
			subjects = append(subjects, subject)
		}
	}
	for _, subject := range subjects {
		for _, r := range subject.records {
			h := trailWriter{s: s, plan: plan, subject: r}
			if err := h.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// A trailWriter writes the trail entries of one item.
type trailWriter struct {
	s       *sampler
	plan    *entityPlan // plan of the entries
	subject *record
	handler *handler
}

// A handler is the user who handles an item. The same user makes all of the item's transitions.
type handler struct {
	name string
	item models.Item // the user's item, nil if the schema does not store users
}

func (w *trailWriter) write() error {
	changes := w.subject.stateChanges
	states := make([]models.Item, len(changes)+1) // states before each move and after the last one
	states[len(changes)] = w.subject.item
	for i := len(changes) - 1; i >= 0; i-- {
		states[i] = w.before(changes[i], states[i+1])
	}
	if source, ok := w.source(nil); ok {
		if err := w.entry(source, stateChange{transition: w.creator(), at: w.subject.start}, nil, states[0]); err != nil {
			return err
		}
	}
	for i, c := range changes {
		source, ok := w.source(c.transition)
		if !ok {
			continue
		}
		if err := w.entry(source, c, states[i], states[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (w *trailWriter) source(transition *models.Transition) (entrySource, bool) {
	return models.Find(w.plan.trails, func(x entrySource) bool {
		return x.subject == w.subject.plan.e && x.transition == transition
	})
}

func (w *trailWriter) creator() *models.Transition {
	life := w.subject.plan.lifecycle
	if life == nil || len(w.subject.path) == 0 || len(life.TransitionsFrom(w.subject.path[0])) == 0 {
		return nil
	}
	return life.TransitionsFrom(w.subject.path[0])[0]
}

func (w *trailWriter) before(c stateChange, after models.Item) models.Item {
	plan, it := w.subject.plan, after.Clone()
	for _, a := range plan.attrs {
		if _, sets := a.sets[c.to]; !a.Required && (sets || a.state == c.to) {
			delete(it, a.Name)
		}
		for _, in := range a.nested {
			if _, sets := in.sets[c.to]; sets && !a.Required {
				delete(it, a.Name)
			}
		}
	}
	it[plan.lifecycle.Attribute] = w.subject.item[plan.lifecycle.Attribute]
	if v, err := plan.e.Attribute(plan.lifecycle.Attribute).Value(c.from); err == nil {
		it[plan.lifecycle.Attribute] = v
	}
	return it
}

func (w *trailWriter) entry(source entrySource, c stateChange, before, after models.Item) error {
	actor, cause := w.actor(source, c.transition, after)
	reason, err := change.MakeReason(cause)
	if err != nil || actor.name == "" {
		return err
	}
	in := textGenerator{m: &itemMaker{rng: w.plan.rng}}
	past := change.PastAction{
		UserInput: change.UserInput{Actor: actor.name, Reason: reason, Token: in.uuid(), Now: c.at},
		Before:    before, After: after, Items: map[string]models.Item{},
	}
	for _, r := range source.entry.Trail.Reads {
		if actor.item != nil {
			past.Items[r.Alias] = actor.item
		}
	}
	it, err := source.entry.Attributes(source.action, past)
	if err != nil {
		return fmt.Errorf("entry of %s: %w", source.action.ID, err)
	}
	known := &fixedPart{item: it, absent: map[string]bool{}, at: c.at}
	for _, other := range w.plan.trails { // attributes that only the entries of other changes have
		for _, set := range other.entry.Set {
			name, _, _ := strings.Cut(set.Name, ".")
			known.absent[name] = it[name] == nil
		}
	}
	made, err := w.s.makeFrom(w.plan, w.subject, known)
	trail, n := source.entry.Trail, len(w.plan.records)
	for _, line := range w.plan.reasons {
		// Choose without random numbers, so that the reasons do not change the other entries.
		if list := line.Values[trail.Reason]; made && len(list) > 0 && slices.Contains(line.Values[trail.What], source.action.ID) {
			w.plan.e.Set(w.plan.records[n-1].item, trail.Reason, models.StringValue(list[n%len(list)]))
		}
	}
	return err
}

// automaticActors lists the transition actors that are not people.
var automaticActors = []string{"system", "service", "scheduler", "job"}

// actor returns a handler without a name if an entry is impossible: entries refer to users and the transition has none.
func (w *trailWriter) actor(source entrySource, t *models.Transition, after models.Item) (handler, string) {
	role := ""
	if t != nil {
		role = strings.ToLower(t.Actor)
	}
	reason := ""
	if a := w.plan.part(source.entry.Trail.Reason); a != nil && a.Required {
		reason = w.reason(source)
	}
	if id := w.subject.plan.named(role, "id"); id != nil {
		name, _ := w.subject.text(id.Path)
		return handler{name: name}, reason
	}
	switch automatic := slices.Contains(automaticActors, role); {
	case automatic && w.namesUsers(source):
		return handler{}, ""
	case automatic:
		return handler{name: role}, reason
	}
	if t == nil {
		return handler{}, ""
	}
	if w.handler == nil {
		w.handler = w.pickHandler(source.entry.Trail)
	}
	user := *w.handler
	if name, ok := source.action.CopiedValue("actor", after); ok && name != user.name {
		user = w.user(source.entry.Trail, name)
	}
	if text, ok := source.action.CopiedValue("reason", after); ok {
		return user, text
	}
	if st := w.subject.plan.lifecycle.State(t.To); source.action.Reason != change.ReasonRequired && st.Kind == models.StateOpen {
		return user, reason
	}
	return user, w.reason(source)
}

func (w *trailWriter) namesUsers(source entrySource) bool {
	actorPart := w.plan.part(source.entry.Trail.Who)
	return actorPart != nil && actorPart.target != nil && slices.ContainsFunc(source.entry.Set, func(set change.Setting) bool {
		return set.Name == actorPart.Path && set.Formula.String() == "{actor}"
	})
}

func (w *trailWriter) reason(source entrySource) string {
	if a := w.plan.part(source.entry.Trail.Reason); a != nil && len(a.values) > 0 {
		return a.nextValue(w.plan.rng)
	}
	return sentences[w.plan.rng.IntN(len(sentences))]
}

func (w *trailWriter) pickHandler(t *change.Trail) *handler {
	actorPart := w.plan.part(t.Who)
	switch {
	case actorPart != nil && actorPart.target != nil:
		if r := olderThan(w.subject.start, actorPart.target.recordsWith(actorPart.preferred), w.plan.rng); r != nil {
			name, _ := r.text(actorPart.targetAt)
			return &handler{name: name, item: r.item}
		}
	case actorPart != nil && len(actorPart.values) > 0:
		return &handler{name: actorPart.nextValue(w.plan.rng)}
	}
	return &handler{name: strings.ToLower(givenNames[w.plan.rng.IntN(len(givenNames))])}
}

func (w *trailWriter) user(t *change.Trail, name string) handler {
	u := handler{name: name}
	if actorPart := w.plan.part(t.Who); actorPart != nil && actorPart.target != nil {
		if list := actorPart.target.recordsWith([2]string{actorPart.targetAt, name}); len(list) == 1 {
			u.item = list[0].item
		}
	}
	return u
}

func (plan *entityPlan) named(list ...string) *part {
	return models.First(plan.attrs, func(a *part) bool { return slices.Equal(a.words, list) })
}
