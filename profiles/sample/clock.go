package sample

import (
	"regexp"
	"slices"
	"strconv"
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
