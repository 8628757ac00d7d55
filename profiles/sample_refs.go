// This file lets sample items refer to each other: an id that refers to
// another entity is one of an item that exists, and what an item and its
// references have in common agrees (one organisation, one user).

package profiles

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// sampleDraws is how many records are looked at for one that fits.
const sampleDraws = 24

// A sampleLink is another entity that items of a plan refer to: one record of
// it gives all the attributes that refer there.
type sampleLink struct {
	to    *samplePlan
	attrs []*samplePart
}

// link resolves what the attributes of plan refer to. The plans that it refers
// to have been linked before.
func (s *sampler) link(plan *samplePlan) {
	d, _ := s.p.decl.Entities.get(plan.e.Name)
	if per := s.plans[s.p.Entity(d.Sample.Per)]; per != nil && per != plan && s.before(per, plan) {
		plan.parent = per
	}
	var walk func([]*samplePart)
	walk = func(parts []*samplePart) {
		for _, a := range parts {
			name, attr, _ := strings.Cut(a.Refers, ".")
			if to := s.plans[s.p.Entity(name)]; to != nil && to != plan && s.before(to, plan) {
				a.target, a.targetAt = to, attr
				a.prefer = preference(a, to.e)
			}
			walk(a.inside)
		}
	}
	walk(plan.attrs)
	for i := len(s.order) - 1; i >= 0; i-- {
		if l := plan.linkTo(s.order[i]); len(l.attrs) > 0 {
			plan.links = append(plan.links, l)
		}
	}
	for _, a := range plan.attrs {
		if a.target != nil && a.Type != models.TypeL {
			plan.follow(a)
		}
	}
	plan.single = plan.parent != nil && plan.keyFromParent()
}

func (s *sampler) before(a, b *samplePlan) bool {
	for _, x := range s.order {
		if x == a || x == b {
			return x == a
		}
	}
	return false
}

// linkTo collects the attributes that one record of to fills. Two attributes
// that refer to the same attribute there mean two records: the one of the same
// name takes the link, the other picks its own.
func (plan *samplePlan) linkTo(to *samplePlan) sampleLink {
	first := map[string]*samplePart{}
	for _, a := range plan.attrs {
		if a.target != to || a.Type == models.TypeL {
			continue
		}
		if old := first[a.targetAt]; old == nil || a.Name == a.targetAt && old.Name != a.targetAt {
			first[a.targetAt] = a
		}
	}
	l := sampleLink{to: to}
	for _, a := range plan.attrs {
		if a.target != to {
			continue
		}
		if a.own = first[a.targetAt] != a; !a.own {
			l.attrs = append(l.attrs, a)
		}
	}
	return l
}

// keyFromParent reports whether one item of the parent has one item of plan at
// most: nothing in the primary key is its own.
func (plan *samplePlan) keyFromParent() bool {
	for _, k := range []models.Key{plan.e.Table.PartitionKey, plan.e.Table.SortKey} {
		t, ok := plan.e.KeyTemplate(k.Name)
		if !ok {
			continue
		}
		for _, name := range t.Placeholders() {
			a := plan.part(name)
			if a == nil || a.target == nil || a.own {
				return false
			}
			if a.target != plan.parent && !plan.parent.refersTo(a.target) {
				return false
			}
		}
	}
	return true
}

func (plan *samplePlan) refersTo(to *samplePlan) bool {
	for _, l := range plan.links {
		if l.to == to {
			return true
		}
	}
	return false
}

func (plan *samplePlan) part(name string) *samplePart {
	for _, a := range plan.attrs {
		if a.Path == name {
			return a
		}
	}
	return nil
}

// preference reads from an attribute's name which records it means:
// adminId is the id of a user whose role is admin.
func preference(a *samplePart, e *models.Entity) [2]string {
	for _, t := range e.Attributes {
		for _, v := range t.Enum {
			if a.says(strings.ToLower(v)) {
				return [2]string{t.Path, v}
			}
		}
	}
	return [2]string{}
}

// add keeps a record for those that refer to it.
func (plan *samplePlan) add(r *sampleRecord) {
	plan.records = append(plan.records, r)
	for _, x := range r.refs {
		plan.byRef[x] = append(plan.byRef[x], r)
	}
}

// choose finds the records that the item refers to, the most dependent first:
// they decide the others.
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

// join adds r, and what r refers to, unless the item has a record of that
// entity already.
func (m *maker) join(r *sampleRecord) {
	for _, x := range append([]*sampleRecord{r}, r.refs...) {
		if m.r.of(x.plan) == nil {
			m.r.refs = append(m.r.refs, x)
		}
	}
}

// pick returns a record of plan: one that agrees with what the item refers to
// already, if there is one, nil when there is none at all.
func (m *maker) pick(plan *samplePlan, prefer [2]string) *sampleRecord {
	for _, have := range m.r.refs {
		if near := plan.byRef[have]; len(near) > 0 {
			return near[m.rng.IntN(len(near))]
		}
	}
	n := len(plan.records)
	if n == 0 {
		return nil
	}
	// Each one once, as long as there are enough.
	if i := len(m.plan.records); i < n && prefer[0] == "" && !m.fresh {
		if r := plan.records[i]; m.agrees(r) {
			return r
		}
	}
	list := plan.having(prefer)
	r := list[m.rng.IntN(len(list))]
	for range sampleDraws {
		if m.agrees(r) {
			break
		}
		r = list[m.rng.IntN(len(list))]
	}
	return r
}

// agrees reports whether r belongs to the same records as the item.
func (m *maker) agrees(r *sampleRecord) bool {
	for _, have := range m.r.refs {
		if other := r.of(have.plan); other != nil && other != have {
			return false
		}
	}
	return true
}

// referred returns the value that the attribute takes from another record;
// false when it has none there.
func (m *maker) referred(a *samplePart) (string, bool) {
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
		// A placeholder that says nothing of itself is its parent's.
		return m.parent.text(a.Path)
	}
	return "", false
}

// pickAny returns any record that the attribute may refer to.
func (m *maker) pickAny(a *samplePart) *sampleRecord {
	list := a.target.having(a.prefer)
	if len(list) == 0 {
		return nil
	}
	r := list[m.rng.IntN(len(list))]
	m.picked[a] = r
	return r
}

// having returns the records with the attribute's value, all when there are
// none or nothing is preferred. All records of the plan must be made.
func (plan *samplePlan) having(prefer [2]string) []*sampleRecord {
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

// follow finds the attributes that repeat another attribute of the record that
// one refers to: adminEmail beside adminId.
func (plan *samplePlan) follow(a *samplePart) {
	role, ok := strings.CutSuffix(strings.ToLower(a.Name), strings.ToLower(a.targetAt))
	if !ok || role == "" {
		return
	}
	for _, b := range plan.attrs {
		rest, ok := strings.CutPrefix(strings.ToLower(b.Name), role)
		if !ok || b.Refers != "" || b.isTime() {
			continue
		}
		for _, t := range a.target.attrs {
			if strings.ToLower(t.Name) == rest && t.Type == b.Type {
				b.follows, b.targetAt = a, t.Path
			}
		}
	}
}
