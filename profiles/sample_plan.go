// This file works out, once an entity, how its sample items are made: in which
// order, from which parent, and which attributes follow which state.

package profiles

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// defaultSampleCount is the number of items of an entity whose profile gives
// none.
const defaultSampleCount = 10

// A samplePlan is how the items of one entity are made.
type samplePlan struct {
	e      *models.Entity
	rng    *rand.Rand
	count  int
	parent *samplePlan // items hang on its items
	single bool        // the parent's item decides the whole primary key
	attrs  []*samplePart
	life   *models.Lifecycle // the one that optional attributes follow
	links  []sampleLink      // referred entities, those that refer to others first

	lifetime time.Duration // from start to expiry, 0 when it is not said

	records []*sampleRecord
	byRef   map[*sampleRecord][]*sampleRecord // records by what they refer to
	byValue map[[2]string][]*sampleRecord     // records by an attribute and its value, made when asked for
}

func newSampler(p *Profile, o SampleOptions) *sampler {
	s := &sampler{p: p, o: o, plans: map[*models.Entity]*samplePlan{}, taken: map[string]bool{}}
	for _, e := range p.Entities {
		s.plans[e] = s.plan(e)
	}
	state := map[*samplePlan]int{}
	var visit func(*samplePlan)
	visit = func(plan *samplePlan) {
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

func (s *sampler) plan(e *models.Entity) *samplePlan {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.p.Name + "." + e.Name)) // a hash never fails
	plan := &samplePlan{
		e: e, count: defaultSampleCount, byRef: map[*sampleRecord][]*sampleRecord{},
		byValue: map[[2]string][]*sampleRecord{},
		// A generator an entity: a new one leaves the others' items as they are.
		rng: rand.New(rand.NewPCG(s.o.Seed, h.Sum64())),
	}
	if len(e.Lifecycles) > 0 {
		plan.life = e.Lifecycles[0]
	}
	d, _ := s.p.decl.Entities.get(e.Name)
	if d.Sample.Count > 0 {
		plan.count = d.Sample.Count
	}
	plan.attrs = plan.parts(e.Attributes, d.Attributes, d.Sample.Of)
	plan.timeRoles()
	return plan
}

func (plan *samplePlan) parts(list []*models.Attribute, decls ordered[attributeDecl], of ordered[ordered[int]]) []*samplePart {
	parts := make([]*samplePart, 0, len(list))
	for _, a := range list {
		d, _ := decls.get(a.Name)
		part := &samplePart{Attribute: a, words: words(a.Name), examples: d.Examples, life: plan.e.Lifecycle(a.Path)}
		part.shuffle(of, plan.rng)
		if t, ok := plan.e.Keys[a.Path]; ok && !t.Has(a.Path) {
			part.composed = true
		}
		part.inside = plan.parts(a.Attributes, d.Attributes, of)
		part.state = plan.stateOf(part)
		parts = append(parts, part)
	}
	return parts
}

// needs lists the plans whose items must exist before plan's.
func (s *sampler) needs(plan *samplePlan) []*samplePlan {
	var list []*samplePlan
	add := func(name string) {
		if other := s.plans[s.p.Entity(name)]; other != nil && other != plan {
			list = append(list, other)
		}
	}
	d, _ := s.p.decl.Entities.get(plan.e.Name)
	add(d.Sample.Per)
	add(d.Parent)
	var walk func([]*samplePart)
	walk = func(parts []*samplePart) {
		for _, a := range parts {
			name, _, _ := strings.Cut(a.Refers, ".")
			add(name)
			walk(a.inside)
		}
	}
	walk(plan.attrs)
	return list
}

// stateOf returns the state that the attribute's name speaks of: cancelledAt
// is about cancelled.
func (plan *samplePlan) stateOf(a *samplePart) string {
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
