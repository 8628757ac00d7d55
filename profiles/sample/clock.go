package sample

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// spread is the age of the oldest items.
const spread = 30 * 24 * time.Hour

// A timeRole is the meaning of a time attribute.
type timeRole int

const (
	noTime     timeRole = iota
	timeStart           // when the item came to be
	timeStep            // when it reached a state
	timeMiddle          // something between start and last change
	timeLast            // the last change
	timeSeen            // the last use, which changes nothing else
	timeExpiry          // when it ends to count
	timeEnd             // when what it is about ends: known in advance
	timeNext            // when something is due
)

func (plan *entityPlan) timeRoles() {
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
			walk(a.inside)
		}
	}
	walk(plan.attrs)
	plan.lifetime = plan.readLifetime()
}

func (plan *entityPlan) timesOfStates(p *profiles.Profile) {
	if plan.life == nil {
		return
	}
	for _, a := range p.Actions {
		if a.Lifecycle != plan.life {
			continue
		}
		for _, path := range append(a.Sets("actor"), a.Sets("reason")...) {
			if of := find(plan.attrs, path); of != nil {
				of.sure = true
			}
		}
		for _, st := range plan.life.States {
			for path, after := range a.SetsTimes(st.Name) {
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
		if in := find(a.inside, path); in != nil {
			return in
		}
	}
	return nil
}

func (a *part) isTime() bool {
	return a.Format.IsTime() || a.Format == models.NoFormat && a.Type == models.TypeS && a.last() == "at" && len(a.words) > 1
}

// role looks at words about the future first: nextRetryAt is not the time of a retry.
func (plan *entityPlan) role(a *part) timeRole {
	initial := false
	if plan.life != nil {
		s := plan.life.State(a.state)
		initial = s != nil && s.Initial
	}
	switch {
	case len(a.sets) > 0:
		return timeStep
	case a.Name == plan.e.Table.TTL || a.hasWord("expires", "expire", "expiry", "expiration", "ttl", "until"):
		return timeExpiry
	case a.hasWord("next", "due", "deadline"):
		return timeNext
	case a.hasWord("end", "ends", "ending"):
		return timeEnd
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

var distance = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(an?|one|\d{1,4}) (minute|hour|day|week|month|year)s?\b`)
})

// readLifetime reads texts such as "an hour after creation". It returns 0 if there is none.
func (plan *entityPlan) readLifetime() time.Duration {
	for _, a := range plan.attrs {
		m := distance().FindStringSubmatch(a.Description)
		if a.role != timeExpiry || m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			n = 1 // a, an, one
		}
		day := 24 * time.Hour
		unit := map[string]time.Duration{
			"minute": time.Minute, "hour": time.Hour, "day": day, "week": 7 * day, "month": 30 * day, "year": 365 * day,
		}[m[2]]
		return time.Duration(n) * unit
	}
	return 0
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

// clock holds the times of one item.
type clock struct {
	m *maker

	start, last, expiry, end, next, seen time.Time
}

func (ck *clock) setClock() {
	life := ck.m.plan.lifetime
	if known := ck.m.given; known != nil {
		ck.start, ck.last = known.at, known.at
	} else {
		ck.setHistory(life)
	}
	ck.setEnds(life)
	ck.m.r.start, ck.m.r.last = ck.start, ck.last
}

func (ck *clock) setEnds(life time.Duration) {
	at := ck.m.s.o.At
	day := 24 * time.Hour
	kind := ck.m.kind()
	open := kind == models.StateOpen
	soon := at.Add(ck.within(time.Minute, 3*time.Hour))
	justNow := later(ck.last, at.Add(-ck.within(time.Minute, 3*time.Hour)))
	u := ck.m.rng.Float64()
	switch {
	case life > 0:
		ck.expiry = ck.start.Add(life)
	case ck.m.stateHasWord("expired"):
		ck.expiry = ck.last
	case open && u < 0.3:
		ck.expiry = ck.expiryOfOpen(ck.between(ck.last, at), u/0.3)
	case u < 0.15:
		ck.expiry = justNow
	case u < 0.4:
		ck.expiry = later(soon, ck.last.Add(time.Hour))
	case open:
		ck.expiry = at.Add(ck.within(3*time.Hour, 20*day))
	default:
		ck.expiry = ck.last.Add(ck.within(day, 30*day))
		if ck.m.plan.e.Table.TTL != "" && ck.expiry.Before(at.Add(-2*day)) {
			ck.expiry = justNow // DynamoDB has deleted what expired earlier
		}
	}
	switch v := ck.m.rng.Float64(); {
	case kind == models.StateGood || kind == models.StateBad:
		ck.end = later(ck.start, ck.last.Add(-ck.within(5*time.Second, time.Minute)))
	case open && len(ck.m.r.moves) == 0 && v < 0.25:
		ck.end = ck.between(ck.start, at) // overdue
	case v < 0.5:
		ck.end = at.Add(ck.within(time.Minute, 58*time.Minute))
	default:
		ck.end = at.Add(ck.within(time.Hour, 7*day))
	}
	switch w := ck.m.rng.Float64(); {
	case kind == models.StateGood && ck.m.plan.life != nil && ck.m.plan.life.Terminal(ck.m.state):
		ck.next = ck.start.Add(ck.within(time.Minute, time.Hour))
	case w < 0.5:
		ck.next = justNow
	default:
		ck.next = soon
	}
	ck.seen = ck.last
	if open || kind == models.StateGood {
		ck.seen = later(ck.last, at.Add(-ck.within(0, day)))
	}
}

// expiryOfOpen returns over, a time in the past, for one in two items that have waited for hours, and a time in the
// next days for the others: most open items can still be decided.
func (ck *clock) expiryOfOpen(over time.Time, f float64) time.Time {
	at, waited := ck.m.s.o.At, ck.m.plan.waited
	if at.Sub(ck.last) > 2*time.Hour {
		waited[ck.m.state]++
		if waited[ck.m.state]%2 == 1 {
			return later(over, ck.last.Add(time.Hour))
		}
	}
	return at.Add(ck.spread(3*time.Hour, 20*24*time.Hour, f))
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (ck *clock) moment(a *part) time.Time {
	switch a.role {
	case timeStep:
		return ck.step(a)
	case timeLast:
		return ck.last
	case timeSeen:
		return ck.seen
	case timeExpiry:
		return ck.expiry
	case timeEnd:
		return ck.end
	case timeNext:
		if a.hasWord("due", "deadline") {
			return ck.m.s.o.At.Add(ck.within(time.Hour, spread))
		}
		return ck.next
	case timeMiddle:
		ck.m.middle = ck.between(later(ck.m.middle, ck.start), ck.last)
		return ck.m.middle
	default:
		return ck.start
	}
}

func (ck *clock) step(a *part) time.Time {
	for _, mv := range slices.Backward(ck.m.r.moves) {
		if after, sets := a.sets[mv.to]; mv.from != mv.to && (sets || mv.to == a.state) {
			return mv.at.Add(after)
		}
	}
	if len(ck.m.r.path) > 0 && ck.m.r.path[0] == a.state {
		return ck.start
	}
	return ck.last
}

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
