package sample

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxAge is the age of the oldest items.
const maxAge = 30 * 24 * time.Hour

// A timeRole is the meaning of a time attribute.
type timeRole int

const (
	timeStart  timeRole = iota // the item's creation
	timeStep                   // the transition to a state
	timeMiddle                 // a time between creation and last change
	timeLast                   // the last change
	timeSeen                   // the last use, which changes no other attribute
	timeExpiry                 // the end of validity
	timeNext                   // a known future time: when something is due or ends
	timeRoles
)

func (plan *entityPlan) findTimeRoles() {
	started := false
	var walk func([]*part)
	walk = func(parts []*part) {
		for _, a := range parts {
			if a.isTime() && a.Equals == "" {
				a.role = plan.role(a)
				if a.role == timeMiddle && !started {
					a.role = timeStart
				}
				started = started || a.role == timeStart
			}
			walk(a.nested)
		}
	}
	walk(plan.attrs)
}

func (plan *entityPlan) setStateTimes(p *profiles.Profile) {
	if plan.lifecycle == nil {
		return
	}
	for _, a := range p.Actions {
		if a.Lifecycle != plan.lifecycle {
			continue
		}
		for _, path := range append(a.CopyTargets("actor"), a.CopyTargets("reason")...) {
			if attribute := find(plan.attrs, path); attribute != nil {
				attribute.always = true
			}
		}
		for _, st := range plan.lifecycle.States {
			for path, after := range a.RelativeTimes(st.Name) {
				if at := find(plan.attrs, path); at != nil {
					if at.sets == nil {
						at.sets = map[string]time.Duration{}
					}
					at.sets[st.Name] = after
				}
			}
		}
	}
}

func find(parts []*part, path string) *part {
	for _, a := range parts {
		if a.Path == path {
			return a
		}
		if in := find(a.nested, path); in != nil {
			return in
		}
	}
	return nil
}

func (p *part) isTime() bool {
	return p.Format.IsTime() || p.Format == models.NoFormat && p.Type == models.TypeS && p.last() == "at" && len(p.words) > 1
}

// role checks words about the future first, because nextRetryAt is not the time of a past retry.
func (plan *entityPlan) role(a *part) timeRole {
	initial := false
	if plan.lifecycle != nil {
		s := plan.lifecycle.State(a.state)
		initial = s != nil && s.Initial
	}
	switch {
	case len(a.sets) > 0:
		return timeStep
	case a.Name == plan.e.Table.TTL || a.hasWord("expires", "expire", "expiry", "expiration", "ttl", "until"):
		return timeExpiry
	case a.hasWord("next", "due", "deadline", "end", "ends", "ending"):
		return timeNext
	case a.hasWord("updated", "modified", "changed"):
		return timeLast
	case a.hasWord("last", "latest"):
		return timeSeen
	case a.hasWord("created", "timestamp", "first", "opened") || initial:
		return timeStart
	case a.state != "":
		return timeStep
	default:
		return timeMiddle
	}
}

func (ck *clock) between(a, b time.Time) time.Time {
	d := b.Sub(a)
	if d <= 0 {
		return a
	}
	return a.Add(time.Duration(ck.m.rng.Int64N(int64(d))))
}

func (ck *clock) within(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(ck.m.rng.Int64N(int64(hi-lo)))
}

// A clock contains the times of one item by their meaning.
type clock struct {
	m  *itemMaker
	at [timeRoles]time.Time
}

func (ck *clock) setTimes() {
	if known := ck.m.given; known != nil {
		ck.at[timeStart], ck.at[timeLast] = known.at, known.at
	} else {
		ck.setHistory()
	}
	ck.setEnds()
	ck.m.r.start = ck.at[timeStart]
}

// setHistory starts after the creation of all referenced items, and fits the transitions into the remaining time.
func (ck *clock) setHistory() {
	now, changes := ck.m.s.o.At, ck.m.r.stateChanges
	elapsed, ends := time.Duration(0), make([]time.Duration, len(changes))
	for i, c := range changes {
		d := ck.logRandom(6*time.Minute, 50*time.Hour)
		if slices.Contains(automaticActors, strings.ToLower(c.transition.Actor)) {
			d = ck.logRandom(3*time.Second, 4*time.Minute)
		}
		elapsed += d
		ends[i] = elapsed
	}
	after := ck.latestReference()
	start := now.Add(-elapsed - ck.openStateAge())
	if ck.m.isActor && after.IsZero() {
		start = now.Add(-maxAge - ck.within(0, maxAge/10)) // before all items that these users act on
	} else if first := later(after, now.Add(-maxAge)); start.Before(first) {
		start = ck.between(first, first.Add(now.Sub(first)/2))
	}
	scale := 1.0
	if available := now.Sub(start); elapsed > available {
		scale = ck.m.rng.Float64() * float64(available) / float64(elapsed)
	}
	last := start
	for i := range changes {
		last = start.Add(time.Duration(scale * float64(ends[i])))
		changes[i].at = last
	}
	if ck.m.plan.lifecycle == nil {
		last = ck.between(start, now)
	}
	ck.at[timeStart], ck.at[timeLast] = start, last
}

// latestReference returns the latest creation time of the items that this item refers to, which must be older.
func (ck *clock) latestReference() time.Time {
	var after time.Time
	if owner := ck.m.parent; owner != nil {
		after = owner.entered(ck.m.plan.hints.During)
	}
	for _, a := range ck.m.plan.attrs {
		if a.target == nil || !ck.m.present[a] || a.hasWord("resulting") {
			continue
		}
		if other := ck.m.r.related(a.target); other != nil {
			after = later(after, other.start)
		}
	}
	return after
}

// openStateAge returns the age of the item. It spreads items in an open state evenly from minutes to days.
func (ck *clock) openStateAge() time.Duration {
	plan, state := ck.m.plan, ck.m.state
	if plan.lifecycle == nil || ck.m.kind() != models.StateOpen {
		return ck.within(0, maxAge)
	}
	n := plan.openItems[state]
	plan.openItems[state]++
	_, f := math.Modf(0.618034 * float64(n)) // The golden ratio spreads any number of points evenly.
	return logarithmic(2*time.Minute, 12*24*time.Hour, f)
}

func (ck *clock) logRandom(lo, hi time.Duration) time.Duration {
	return logarithmic(lo, hi, ck.m.rng.Float64())
}

func logarithmic(lo, hi time.Duration, f float64) time.Duration {
	return time.Duration(float64(lo) * math.Pow(float64(hi)/float64(lo), f))
}

// setEnds makes some items overdue; the others end in the next days.
func (ck *clock) setEnds() {
	const day = 24 * time.Hour
	now, last, open := ck.m.s.o.At, ck.at[timeLast], ck.m.kind() == models.StateOpen
	recent, soon := later(last, now.Add(-ck.within(time.Minute, 3*time.Hour))), now.Add(ck.logRandom(time.Minute, 20*day))
	ck.at[timeExpiry], ck.at[timeNext], ck.at[timeSeen] = soon, soon, recent
	if ttl := ck.m.plan.part(ck.m.plan.e.Table.TTL); ttl != nil && ttl.Equals == "" {
		ck.at[timeExpiry] = soon.Add(day) // because DynamoDB deletes expired items
	}
	switch {
	case ck.m.stateHasWord("expired"):
		ck.at[timeExpiry], ck.at[timeSeen] = last, last
	case ck.m.plan.lifecycle != nil && ck.m.rng.IntN(5) == 0:
		ck.at[timeExpiry], ck.at[timeNext] = recent, recent
	case !open:
		ck.at[timeNext], ck.at[timeSeen] = last, last
	}
}

func (ck *clock) timeOf(a *part) time.Time {
	if a.role == timeStep {
		return ck.stepTime(a)
	}
	if a.role == timeMiddle {
		ck.at[timeMiddle] = ck.between(later(ck.at[timeMiddle], ck.at[timeStart]), ck.at[timeLast])
	}
	return ck.at[a.role]
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (ck *clock) stepTime(a *part) time.Time {
	for _, c := range slices.Backward(ck.m.r.stateChanges) {
		if after, sets := a.sets[c.to]; sets || c.to == a.state {
			return c.at.Add(after)
		}
	}
	if len(ck.m.r.path) > 0 && ck.m.r.path[0] == a.state {
		return ck.at[timeStart]
	}
	return ck.at[timeLast]
}

// A stateChange is a transition of an item.
type stateChange struct {
	transition *models.Transition
	from, to   string
	at         time.Time
}

func stateChangesTo(l *models.Lifecycle, state string) []stateChange {
	documented := func(t *models.Transition) bool { return t.Documented }
	if transitions, ok := shortestChanges(l, state, documented); ok {
		return transitions
	}
	transitions, _ := shortestChanges(l, state, func(*models.Transition) bool { return true })
	return transitions
}

func shortestChanges(l *models.Lifecycle, state string, usable func(*models.Transition) bool) ([]stateChange, bool) {
	changeTo := map[string]stateChange{}
	var queue []string
	for _, s := range l.States {
		if s.Initial {
			changeTo[s.Name] = stateChange{}
			queue = append(queue, s.Name)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, t := range l.TransitionsFrom(at) {
			if _, seen := changeTo[t.To]; !seen && usable(t) {
				changeTo[t.To] = stateChange{transition: t, from: at, to: t.To}
				queue = append(queue, t.To)
			}
		}
	}
	if _, reached := changeTo[state]; !reached {
		return nil, false
	}
	var changes []stateChange
	for c := changeTo[state]; c.transition != nil; c = changeTo[c.from] {
		changes = append([]stateChange{c}, changes...)
	}
	return changes, true
}

func pathOf(changes []stateChange, state string) []string {
	if len(changes) == 0 {
		return []string{state}
	}
	path := []string{changes[0].from}
	for _, c := range changes {
		path = append(path, c.to)
	}
	return path
}

// isConsistentState compares states of the same name, because an approval is approved only if its request is.
func isConsistentState(l *models.Lifecycle, state string, owner *record) bool {
	path := pathOf(stateChangesTo(l, state), state)
	if !isReached(path, owner) {
		return false
	}
	last := l.State(state)
	for i, at := range slices.Backward(owner.path) {
		switch {
		case l.State(at) == nil:
		case slices.Contains(path, at):
			return i == len(owner.path)-1 || last.Kind != models.StateOpen
		default:
			return last.Kind != models.StateOpen && owner.plan.lifecycle.State(state) == nil
		}
	}
	return true
}

func isReached(path []string, other *record) bool {
	life := other.plan.lifecycle
	return life == nil || !slices.ContainsFunc(path, func(s string) bool {
		return life.State(s) != nil && !slices.Contains(other.path, s)
	})
}
