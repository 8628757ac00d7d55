package sample

import (
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
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
	timeExpiry          // when it ends to count
	timeEnd             // when what it is about ends: known in advance
	timeNext            // when something is due
)

// timeRoles derives the role of every time attribute from its name.
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

// isTime reports whether the attribute holds a time: by its format, or by a name such as createdAt.
func (a *part) isTime() bool {
	return a.Format.IsTime() || a.Format == models.NoFormat && a.Type == models.TypeS && a.last() == "at" && len(a.words) > 1
}

// role derives the role of a time attribute from the words of its name. Words about the future come first:
// nextRetryAt is not the time of a retry.
func (plan *entityPlan) role(a *part) timeRole {
	initial := false
	if plan.life != nil {
		s := plan.life.State(a.state)
		initial = s != nil && s.Initial
	}
	switch {
	case a.Name == plan.e.Table.TTL || a.hasWord("expires", "expire", "expiry", "expiration", "ttl", "until"):
		return timeExpiry
	case a.hasWord("next", "due", "deadline"):
		return timeNext
	case a.hasWord("end", "ends", "ending"):
		return timeEnd
	case a.hasWord("updated", "modified", "changed", "last", "latest"):
		return timeLast
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

// readLifetime reads the lifetime of an item from the description of its expiry,
// such as "an hour after creation". It returns 0 if there is none.
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

// between returns a random time from a to b, or a when b is earlier.
func (ck *clock) between(a, b time.Time) time.Time {
	d := b.Sub(a)
	if d <= 0 {
		return a
	}
	return a.Add(time.Duration(ck.m.rng.Int64N(int64(d))))
}

// within returns a random duration from lo to hi.
func (ck *clock) within(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(ck.m.rng.Int64N(int64(hi-lo)))
}

// clock holds the times of one item.
type clock struct {
	m *maker

	start, last, expiry, end, next time.Time
	steps                          map[string]time.Time // by state
}

// setClock sets all times of the item, whose states are already chosen.
func (ck *clock) setClock() {
	at, life := ck.m.s.o.At, ck.m.plan.lifetime
	spread := spread
	if life > 0 && ck.m.plan.e.Table.TTL != "" {
		spread = min(spread, life) // DynamoDB has deleted what is older
	}
	switch u := ck.m.rng.Float64(); {
	case ck.m.stateHasWord("expired"):
		ck.start = at.Add(-max(life, time.Hour) - ck.within(time.Minute, 48*time.Hour))
	case u < 0.15:
		ck.start = at.Add(-ck.within(0, min(time.Hour, spread)))
	case u < 0.45:
		ck.start = at.Add(-ck.within(0, min(24*time.Hour, spread)))
	case u < 0.52 && life > 0 && life <= spread:
		// Some expire shortly before or after the present.
		ck.start = at.Add(-life + ck.within(-life/20, life/20))
	default:
		ck.start = at.Add(-ck.within(0, spread))
	}
	if ck.m.parent != nil && ck.start.Before(ck.m.parent.start) {
		ck.start = ck.between(ck.m.parent.start, at)
	}
	ck.setSteps(life)
	ck.setEnds(life)
	ck.m.r.start = ck.start
}

// setSteps spreads the states that the item went through from start to last.
func (ck *clock) setSteps(life time.Duration) {
	at := ck.m.s.o.At
	ck.last = ck.start
	if len(ck.m.path) != 1 {
		ck.last = ck.between(ck.start, ck.between(ck.start, at))
	}
	if ck.m.stateHasWord("expired") && life > 0 {
		ck.last = earlier(ck.start.Add(life), at)
	}
	ck.steps = map[string]time.Time{}
	for i, state := range ck.m.path {
		t := ck.last
		if n := len(ck.m.path) - 1; n > 0 {
			t = ck.start.Add(ck.last.Sub(ck.start) / time.Duration(n) * time.Duration(i))
		}
		ck.steps[state] = t
	}
	if len(ck.m.path) > 0 {
		ck.steps[ck.m.path[len(ck.m.path)-1]] = ck.last
	}
}

// setEnds sets the times in the near future or past.
func (ck *clock) setEnds(life time.Duration) {
	at := ck.m.s.o.At
	day := 24 * time.Hour
	open := ck.m.kind() == models.StateOpen
	soon := at.Add(ck.within(time.Minute, 3*time.Hour))
	justNow := later(ck.last, at.Add(-ck.within(time.Minute, 3*time.Hour)))
	u := ck.m.rng.Float64()
	switch {
	case life > 0:
		ck.expiry = ck.start.Add(life)
	case ck.m.stateHasWord("expired"):
		ck.expiry = ck.last
	case u < 0.15:
		ck.expiry = justNow
	case u < 0.4:
		ck.expiry = soon
	case open:
		ck.expiry = at.Add(ck.within(3*time.Hour, 20*day))
	default:
		ck.expiry = ck.last.Add(ck.within(day, 30*day))
	}
	switch v := ck.m.rng.Float64(); {
	case !open:
		ck.end = later(ck.start, ck.last.Add(-ck.within(5*time.Second, time.Minute)))
	case v < 0.4:
		ck.end = at.Add(ck.within(time.Minute, 58*time.Minute))
	default:
		ck.end = at.Add(ck.within(time.Hour, 7*day))
	}
	switch w := ck.m.rng.Float64(); {
	case ck.m.kind() == models.StateGood && ck.m.plan.life != nil && ck.m.plan.life.Terminal(ck.m.state):
		ck.next = ck.start.Add(ck.within(time.Minute, time.Hour))
	case w < 0.5:
		ck.next = justNow
	default:
		ck.next = soon
	}
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// moment returns the time of the attribute.
func (ck *clock) moment(a *part) time.Time {
	switch a.role {
	case timeStep:
		if t, ok := ck.steps[a.state]; ok {
			return t
		}
		return ck.last
	case timeLast:
		return ck.last
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
