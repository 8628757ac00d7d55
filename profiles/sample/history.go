package sample

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// A move is a transition that an item made.
type move struct {
	by       *models.Transition
	from, to string
	at       time.Time
}

func movesTo(l *models.Lifecycle, state string) []move {
	documented := func(t *models.Transition) bool { return t.Documented }
	if way, ok := shortest(l, state, documented); ok {
		return way
	}
	way, _ := shortest(l, state, func(*models.Transition) bool { return true })
	return way
}

func shortest(l *models.Lifecycle, state string, usable func(*models.Transition) bool) ([]move, bool) {
	cameBy := map[string]move{}
	var queue []string
	for _, s := range l.States {
		if s.Initial {
			cameBy[s.Name] = move{}
			queue = append(queue, s.Name)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, t := range l.Moves(at) {
			if _, seen := cameBy[t.To]; !seen && usable(t) {
				cameBy[t.To] = move{by: t, from: at, to: t.To}
				queue = append(queue, t.To)
			}
		}
	}
	if _, reached := cameBy[state]; !reached {
		return nil, false
	}
	var way []move
	for mv := cameBy[state]; mv.by != nil; mv = cameBy[mv.from] {
		way = append([]move{mv}, way...)
	}
	return way, true
}

func pathOf(moves []move, state string) []string {
	if len(moves) == 0 {
		return []string{state}
	}
	path := []string{moves[0].from}
	for _, mv := range moves {
		if !slices.Contains(path, mv.to) {
			path = append(path, mv.to)
		}
	}
	return path
}

func (m *maker) repeats(l *models.Lifecycle, moves []move, state string) []move {
	var all []move
	add := func(at string) {
		for _, t := range l.Moves(at) {
			if t.To == at && m.s.recorded[t] && m.rng.IntN(3) == 0 {
				all = append(all, move{by: t, from: at, to: at})
			}
		}
	}
	for _, mv := range moves {
		add(mv.from)
		all = append(all, mv)
	}
	add(state)
	return all
}

// suits compares states of the same name: an approval is approved only if its request is, and no document is still in
// processing once its case was.
func suits(l *models.Lifecycle, state string, owner *record) bool {
	path := pathOf(movesTo(l, state), state)
	if !reached(path, owner) {
		return false
	}
	last := l.State(state)
	for i := len(owner.path) - 1; i >= 0; i-- {
		switch at := owner.path[i]; {
		case l.State(at) == nil:
		case slices.Contains(path, at):
			return i == len(owner.path)-1 || last.Kind != models.StateOpen
		default:
			return last.Kind != models.StateOpen && owner.plan.life.State(state) == nil
		}
	}
	return true
}

func reached(path []string, other *record) bool {
	life := other.plan.life
	return life == nil || !slices.ContainsFunc(path, func(s string) bool {
		return life.State(s) != nil && !slices.Contains(other.path, s)
	})
}

func (ck *clock) setHistory(life time.Duration) {
	at, oldest, r := ck.m.s.o.At, spread, ck.m.r
	if life > 0 && ck.m.plan.e.Table.TTL != "" {
		oldest = min(oldest, life) // DynamoDB has deleted what is older
	}
	took := time.Duration(0)
	lengths := make([]time.Duration, len(r.moves))
	for i, mv := range r.moves {
		lengths[i] = ck.takes(mv)
		took += lengths[i]
	}
	w := ck.window(oldest)
	switch ended := ck.m.kind() != models.StateOpen; {
	case ck.m.stateHasWord("expired"):
		ck.start = later(at.Add(-max(life, time.Hour)-ck.within(time.Minute, 48*time.Hour)), w.after)
		w.from = ck.start
		if life > 0 {
			w.to, w.ended = earlier(ck.start.Add(life), at), true
		}
	case w.ended:
		ck.start = w.to.Add(-took)
	case ended && life > 0 && life <= spread && ck.m.plan.fourth():
		ck.start = at.Add(-life + ck.within(-life/20, min(life/20, 24*time.Hour))) // some expire shortly before or after the present
		if ck.m.plan.ended%8 == 0 {
			ck.start = at.Add(-life + ck.within(0, min(life/20, 24*time.Hour)))
		}
		w.from = later(earlier(w.from, ck.start), w.after)
	case ck.m.staff && w.after.IsZero():
		ck.start = at.Add(-spread - ck.within(0, spread/10)) // before all items that they act on
		w.from = ck.start
	default:
		ck.start = at.Add(-took - ck.waits(oldest))
	}
	ck.place(lengths, w)
	ck.besideOwner()
	switch n := len(r.moves); {
	case n > 0:
		ck.last = r.moves[n-1].at
	case ck.m.plan.life == nil:
		ck.last = ck.between(ck.start, ck.between(ck.start, at))
	default:
		ck.last = ck.start
	}
}

// A window is when an item can have its history.
type window struct {
	from, begun, to time.Time // it begins from from to begun, and its last change is not after to
	after           time.Time // when the last of the items began that it refers to
	ended           bool      // its last change is at to
}

func (ck *clock) window(oldest time.Duration) window {
	at := ck.m.s.o.At
	w := window{from: at.Add(-oldest), begun: at, to: at}
	if owner := ck.m.parent; owner != nil {
		w.from = later(w.from, owner.start)
		if from, to, ok := owner.entered(ck.m.plan.hints.During, at); ok {
			w.from, w.begun = later(w.from, from), to
		}
	}
	for _, a := range ck.m.plan.attrs {
		if a.target == nil || !ck.m.present[a] {
			continue
		}
		switch other := ck.m.r.of(a.target); {
		case other == nil:
		case !a.hasWord("resulting"):
			w.after = later(w.after, other.start)
		case other.start.After(w.from):
			w.to, w.ended = other.start, true
		}
	}
	w.from = later(w.from, w.after)
	return w
}

func (ck *clock) place(lengths []time.Duration, w window) {
	if ck.start.Before(w.from) || ck.start.After(w.begun) {
		ck.start = w.from.Add(ck.between(w.from, earlier(w.begun, w.to)).Sub(w.from) / 2)
	}
	moves := ck.m.r.moves
	total := time.Duration(0)
	for _, d := range lengths {
		total += d
	}
	left := w.to.Sub(ck.start)
	if !w.ended && total > left {
		left = time.Duration(float64(left) * ck.m.rng.Float64())
	}
	t := ck.start
	for i, d := range lengths {
		if total > 0 && (w.ended || total > left) {
			d = time.Duration(float64(d) / float64(total) * float64(left))
		}
		t = t.Add(d)
		moves[i].at = t
	}
}

// besideOwner moves what the item did into the time in which its owner was in the state of the same name: documents
// are processed while their case is.
func (ck *clock) besideOwner() {
	owner, moves := ck.m.parent, ck.m.r.moves
	if owner == nil {
		return
	}
	for i := range moves {
		from, to, ok := owner.entered(moves[i].to, ck.m.s.o.At)
		if !ok || moves[i].to == owner.path[0] {
			continue
		}
		if t := later(from, ck.start); ck.m.plan.life.Terminal(moves[i].to) && owner.plan.life.Terminal(moves[i].to) {
			moves[i].at = earlier(t.Add(ck.within(0, 3*time.Second)), to) // both are decided together
			return
		}
		for t := later(from, ck.start); i < len(moves); i++ {
			t = ck.between(t, later(t, to))
			moves[i].at = t
		}
		return
	}
}

func (ck *clock) takes(mv move) time.Duration {
	f := ck.m.rng.Float64()
	switch actor := strings.ToLower(mv.by.Actor); {
	case slices.Contains(words(mv.to), "expired"):
		return ck.spread(time.Hour, 50*time.Hour, f)
	case slices.Contains(automatic, actor):
		return ck.spread(3*time.Second, 4*time.Minute, f)
	case actor == "client" || actor == "user" || actor == "customer":
		return ck.spread(2*time.Minute, 14*time.Hour, f)
	default:
		return ck.spread(6*time.Minute, 50*time.Hour, f)
	}
}

func (ck *clock) waits(oldest time.Duration) time.Duration {
	plan := ck.m.plan
	if plan.life == nil || ck.m.kind() != models.StateOpen {
		switch u := ck.m.rng.Float64(); {
		case u < 0.15:
			return ck.within(0, min(time.Hour, oldest))
		case u < 0.45:
			return ck.within(0, min(24*time.Hour, oldest))
		default:
			return ck.within(0, oldest)
		}
	}
	n := plan.waiting[ck.m.state]
	plan.waiting[ck.m.state]++
	// The golden ratio spreads any number of points evenly.
	_, f := math.Modf(0.618034 * float64(n))
	f = min(1, f+ck.m.rng.Float64()/8)
	return ck.spread(2*time.Minute, min(12*24*time.Hour, oldest*9/10), f)
}

func (plan *entityPlan) fourth() bool {
	plan.ended++
	return plan.ended%4 == 0
}

func (*clock) spread(lo, hi time.Duration, f float64) time.Duration {
	return time.Duration(float64(lo) * math.Pow(float64(hi)/float64(lo), f))
}
