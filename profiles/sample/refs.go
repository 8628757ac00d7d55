package sample

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A link is an entity that items of a plan refer to. One of its records fills
// all attributes that refer to it.
type link struct {
	to    *entityPlan
	attrs []*part
}

func (s *sampler) link(plan *entityPlan) {
	if per := s.plans[s.p.Entity(plan.hints.Per)]; per != nil && per != plan && s.before(per, plan) {
		plan.parent = per
	}
	var walk func([]*part, bool)
	walk = func(parts []*part, nested bool) {
		for _, a := range parts {
			name, attr, _ := strings.Cut(a.Refers, ".")
			if to := s.plans[s.p.Entity(name)]; to != nil && to != plan && s.before(to, plan) {
				a.target, a.targetAt = to, attr
				a.prefer = preference(a.words, to.e)
				if a.own = nested; nested && a.prefer[0] == "" {
					a.prefer = preference(words(a.Description), to.e)
				}
				if a.prefer[0] != "" && !slices.Contains(to.staff, a.prefer) {
					to.staff = append(to.staff, a.prefer)
				}
			}
			walk(a.inside, true)
		}
	}
	walk(plan.attrs, false)
	for i := len(s.order) - 1; i >= 0; i-- {
		if l := plan.linkTo(s.order[i]); len(l.attrs) > 0 {
			plan.links = append(plan.links, l)
		}
	}
	for _, a := range plan.attrs {
		if a.target != nil && !a.several() {
			plan.follow(a)
		}
	}
	plan.single = plan.parent != nil && plan.keyFromParent()
}

func (s *sampler) before(a, b *entityPlan) bool {
	return slices.Index(s.order, a) < slices.Index(s.order, b)
}

// linkTo lets one of two attributes with the same target use the link: the one with the target's name. The other
// picks its own record.
func (plan *entityPlan) linkTo(to *entityPlan) link {
	first := map[string]*part{}
	for _, a := range plan.attrs {
		if a.target != to || a.several() {
			continue
		}
		if old := first[a.targetAt]; old == nil || a.Name == a.targetAt && old.Name != a.targetAt {
			first[a.targetAt] = a
		}
	}
	l := link{to: to}
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

func (plan *entityPlan) keyFromParent() bool {
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

func (plan *entityPlan) refersTo(to *entityPlan) bool {
	return slices.ContainsFunc(plan.links, func(l link) bool { return l.to == to })
}

func (plan *entityPlan) part(name string) *part {
	for _, a := range plan.attrs {
		if a.Path == name {
			return a
		}
	}
	return nil
}

// preference reads adminId as the ID of a user whose role is admin.
func preference(about []string, e *models.Entity) [2]string {
	for _, t := range e.Attributes {
		for _, v := range t.Enum {
			if slices.Contains(about, strings.ToLower(v)) {
				return [2]string{t.Path, v}
			}
		}
	}
	return [2]string{}
}

func (plan *entityPlan) add(r *record) {
	plan.records = append(plan.records, r)
	for _, x := range r.refs {
		plan.byRef[x] = append(plan.byRef[x], r)
	}
}

// follow finds copies of attributes: adminEmail next to adminId.
func (plan *entityPlan) follow(a *part) {
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
