package sample

import (
	"math/rand/v2"
	"slices"
	"time"
)

// maxDraws is how many records are tried to find a consistent one.
const maxDraws = 24

// choose selects the most dependent records first, because they determine the others.
func (m *maker) choose() {
	if m.parent != nil {
		m.join(m.parent)
	}
	for _, l := range m.plan.links {
		if m.r.of(l.to) != nil {
			continue
		}
		wanted := false
		var prefer [2]string
		for _, a := range l.attrs {
			wanted = wanted || m.present[a]
			if a.prefer[0] != "" {
				prefer = a.prefer
			}
		}
		if !wanted {
			continue
		}
		if r := m.pick(l.to, prefer); r != nil {
			m.join(r)
		}
	}
}

func (m *maker) join(r *record) {
	for _, x := range append([]*record{r}, r.refs...) {
		if m.r.of(x.plan) == nil {
			m.r.refs = append(m.r.refs, x)
		}
	}
}

func (m *maker) pick(plan *entityPlan, prefer [2]string) *record {
	for _, have := range m.r.refs {
		if near := plan.byRef[have]; len(near) > 0 {
			return near[m.rng.IntN(len(near))]
		}
	}
	n := len(plan.records)
	if n == 0 {
		return nil
	}
	// Use each record once before any is repeated.
	if i := len(m.plan.records); i < n && prefer[0] == "" && !m.fresh {
		if r := plan.records[i]; m.agrees(r) {
			return r
		}
	}
	list := plan.having(prefer)
	r := list[m.rng.IntN(len(list))]
	for range maxDraws {
		if m.agrees(r) {
			break
		}
		r = list[m.rng.IntN(len(list))]
	}
	return r
}

func (m *maker) agrees(r *record) bool {
	return reached(m.r.path, r) && !slices.ContainsFunc(m.r.refs, func(have *record) bool {
		other := r.of(have.plan)
		return other != nil && other != have
	})
}

func (m *maker) referred(a *part) (string, bool) {
	switch {
	case a.follows != nil:
		r := m.picked[a.follows]
		if r == nil {
			r = m.r.of(a.follows.target)
		}
		if r != nil {
			return r.text(a.targetAt)
		}
	case a.target != nil && a.own:
		if r := m.pickAny(a); r != nil {
			return r.text(a.targetAt)
		}
	case a.target != nil:
		if r := m.r.of(a.target); r != nil {
			return r.text(a.targetAt)
		}
		if r := m.pickAny(a); r != nil {
			return r.text(a.targetAt)
		}
	case a.KeyOnly && a.Equals == "" && m.parent != nil:
		// Any other placeholder has the value of the parent.
		return m.parent.text(a.Path)
	}
	return "", false
}

func (m *maker) pickAny(a *part) *record {
	r := olderThan(m.clock.start, a.target.having(a.prefer), m.rng)
	if r != nil {
		m.picked[a] = r
	}
	return r
}

func olderThan(at time.Time, list []*record, rng *rand.Rand) *record {
	if len(list) == 0 {
		return nil
	}
	for range maxDraws {
		if r := list[rng.IntN(len(list))]; !r.start.After(at) {
			return r
		}
	}
	return slices.MinFunc(list, func(a, b *record) int { return a.start.Compare(b.start) })
}

func (plan *entityPlan) having(prefer [2]string) []*record {
	if prefer[0] == "" {
		return plan.records
	}
	list, made := plan.byValue[prefer]
	if !made {
		for _, r := range plan.records {
			if v, _ := r.text(prefer[0]); v == prefer[1] {
				list = append(list, r)
			}
		}
		if len(list) == 0 {
			list = plan.records
		}
		plan.byValue[prefer] = list
	}
	return list
}
