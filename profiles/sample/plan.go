package sample

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// defaultCount is the number of items of an entity without a count in the profile.
const defaultCount = 10

// An entityPlan describes how to make the items of one entity.
type entityPlan struct {
	e      *models.Entity
	hints  profiles.SampleHints
	rng    *rand.Rand
	count  int
	parent *entityPlan // items belong to items of this plan
	single bool        // the parent's item decides the whole primary key
	attrs  []*part
	life   *models.Lifecycle // the one that optional attributes follow
	links  []link            // referred entities, those that refer to others first
	staff  [][2]string       // attributes with the values of those who act on other items, such as admins

	lifetime time.Duration  // from start to expiry, 0 when it is not documented
	trails   []entrySource  // where the items are entries of a trail: what they record
	together []int          // indexes of lines of values that occur together, as a deck
	dealt    int            // how many of them are used up
	waiting  map[string]int // items so far that are in an open state
	waited   map[string]int // those of them that could have expired
	ended    int            // items so far that are in another state

	records []*record
	byRef   map[*record][]*record   // records by what they refer to
	byValue map[[2]string][]*record // records by an attribute and its value, filled on demand
}

// newSampler sorts the plans, so that an item exists before another one refers to it.
func newSampler(p *profiles.Profile, o Options) *sampler {
	s := &sampler{p: p, o: o, plans: map[*models.Entity]*entityPlan{}, taken: map[string]bool{}, recorded: map[*models.Transition]bool{}}
	for _, e := range p.Entities {
		s.plans[e] = s.plan(e)
	}
	state := map[*entityPlan]int{}
	var visit func(*entityPlan)
	visit = func(plan *entityPlan) {
		if state[plan] != 0 {
			return // made before, or a circle: then declaration order decides
		}
		state[plan] = 1
		for _, before := range s.needs(plan) {
			visit(before)
		}
		s.order = append(s.order, plan)
	}
	for _, e := range p.Entities {
		visit(s.plans[e])
	}
	for _, plan := range s.order {
		s.link(plan)
	}
	return s
}

func (s *sampler) plan(e *models.Entity) *entityPlan {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.p.Name + "." + e.Name)) // a hash never fails
	plan := &entityPlan{
		e: e, count: defaultCount, byRef: map[*record][]*record{},
		byValue: map[[2]string][]*record{}, waiting: map[string]int{}, waited: map[string]int{},
		// Each entity has its own generator, so that a new entity does not change
		// the items of the others.
		rng: rand.New(rand.NewPCG(s.o.Seed, h.Sum64())),
	}
	if len(e.Lifecycles) > 0 {
		plan.life = e.Lifecycles[0]
	}
	plan.hints = s.p.SampleHintsOf(e)
	if plan.hints.Count > 0 {
		plan.count = plan.hints.Count
	}
	for i, line := range plan.hints.Together {
		for range min(line.Times, maxDeck) {
			plan.together = append(plan.together, i)
		}
	}
	plan.attrs = plan.parts(e.Attributes)
	plan.timesOfStates(s.p)
	plan.timeRoles()
	plan.trails = s.entrySources(e)
	for _, source := range plan.trails {
		s.recorded[source.by] = true
	}
	return plan
}

func (plan *entityPlan) parts(list []*models.Attribute) []*part {
	parts := make([]*part, 0, len(list))
	for _, a := range list {
		part := &part{Attribute: a, words: words(a.Name), examples: plan.hints.Examples[a.Path], life: plan.e.Lifecycle(a.Path)}
		part.shuffle(plan.hints.Weights[a.Path], plan.rng)
		if t, ok := plan.e.Keys[a.Path]; ok && !t.Has(a.Path) {
			part.composed = true
		}
		part.inKey = plan.inPrimaryKey(a.Path)
		part.inside = plan.parts(a.Attributes)
		part.state = plan.stateOf(part)
		parts = append(parts, part)
	}
	return parts
}

func (s *sampler) needs(plan *entityPlan) []*entityPlan {
	var list []*entityPlan
	add := func(name string) {
		if other := s.plans[s.p.Entity(name)]; other != nil && other != plan {
			list = append(list, other)
		}
	}
	for _, source := range plan.trails {
		add(source.subject.Name)
	}
	add(plan.hints.Per)
	add(plan.e.Parent)
	var walk func([]*part)
	walk = func(parts []*part) {
		for _, a := range parts {
			name, _, _ := strings.Cut(a.Refers, ".")
			add(name)
			walk(a.inside)
		}
	}
	walk(plan.attrs)
	return list
}

func (plan *entityPlan) stateOf(a *part) string {
	if plan.life == nil || a.Path == plan.life.Attribute || len(a.words) < 2 {
		return ""
	}
	stem := strings.Join(a.words[:len(a.words)-1], "")
	near := ""
	for _, st := range plan.life.States {
		name := strings.Join(words(st.Name), "")
		if name == stem {
			return st.Name
		}
		n := 0
		for n < len(name) && n < len(stem) && name[n] == stem[n] {
			n++
		}
		if n >= 5 && n >= min(len(name), len(stem))-2 && near == "" {
			near = st.Name
		}
	}
	return near
}
