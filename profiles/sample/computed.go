package sample

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

func (plan *entityPlan) deal() map[string][]string {
	if len(plan.together) == 0 {
		return nil
	}
	if plan.dealt%len(plan.together) == 0 {
		plan.rng.Shuffle(len(plan.together), func(i, j int) {
			plan.together[i], plan.together[j] = plan.together[j], plan.together[i]
		})
	}
	plan.dealt++
	return plan.hints.Together[plan.together[(plan.dealt-1)%len(plan.together)]].Values
}

func (plan *entityPlan) inLines(path string) bool {
	for _, line := range plan.hints.Together {
		if _, ok := line.Values[path]; ok {
			return true
		}
	}
	return false
}

func (s *sampler) compute(plan *entityPlan) error {
	if len(plan.hints.Computed) == 0 {
		return nil
	}
	if plan.parent == nil {
		return s.computeAll(slices.Clone(plan.records))
	}
	for _, owner := range plan.parent.records {
		if err := s.computeAll(plan.of(owner)); err != nil {
			return err
		}
	}
	return nil
}

func (plan *entityPlan) of(owner *record) []*record { return slices.Clone(plan.byRef[owner]) }

// computeAll begins at the newest item if a formula refers to the next one.
func (s *sampler) computeAll(list []*record) error {
	if len(list) == 0 {
		return nil
	}
	sortByStart(list)
	computed := list[0].plan.hints.Computed
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	for _, c := range computed {
		for _, f := range c.From {
			for _, r := range f.References() {
				if strings.HasPrefix(r.Name, "next.") {
					slices.SortFunc(order, func(a, b int) int { return b - a })
				}
			}
		}
	}
	for _, i := range order {
		for _, c := range computed {
			for _, f := range c.From {
				text, ok := f.Text(func(name string) (string, bool) { return s.lookUp(name, list, i) })
				if !ok {
					continue
				}
				v, err := list[i].plan.e.Attribute(c.Path).Value(text)
				if err != nil {
					return fmt.Errorf("%s: %w", c.Path, err)
				}
				list[i].item.With(c.Path, v)
				if err := s.changeLater(f, list[i]); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// changeLater keeps times consistent: an item with totals was changed with the last item that they count, and the
// owner of a history with its last entry.
func (s *sampler) changeLater(f change.Formula, r *record) error {
	for _, ref := range f.References() {
		head, rest, _ := strings.Cut(ref.Name, ".")
		switch of := s.plans[s.p.Entity(head)]; {
		case head == "sum" || head == "count":
			name, _, _ := strings.Cut(rest, ".")
			for _, x := range s.plans[s.p.Entity(name)].byRef[r] {
				if err := r.changeAt(x.last); err != nil {
					return err
				}
			}
		case of != nil && of == r.plan.parent && r.plan.tellsHistory():
			if err := r.of(of).changeAt(r.start); err != nil {
				return err
			}
		}
	}
	return nil
}

func (plan *entityPlan) tellsHistory() bool {
	for _, c := range plan.hints.Computed {
		for _, f := range c.From {
			for _, r := range f.References() {
				if name, ok := strings.CutPrefix(r.Name, "next."); ok && plan.e.Attribute(name) != nil {
					return true
				}
			}
		}
	}
	return false
}

func (r *record) changeAt(at time.Time) error {
	a := r.plan.part(r.plan.e.Updated)
	if a == nil || !at.After(r.last) {
		return nil
	}
	v, err := a.Value(timeText(a, at))
	if err != nil {
		return err
	}
	r.last = at
	r.item.With(a.Path, v)
	return nil
}

func sortByStart(list []*record) {
	slices.SortStableFunc(list, func(a, b *record) int { return a.start.Compare(b.start) })
}

func (s *sampler) lookUp(name string, list []*record, i int) (string, bool) {
	r := list[i]
	head, rest, _ := strings.Cut(name, ".")
	switch head {
	case "previous", "next":
		return s.neighbor(head == "next", rest, list, i)
	case "sum":
		return s.sum(rest, r)
	case "count":
		of, state, _ := strings.Cut(rest, ".")
		n := 0
		for _, x := range s.plans[s.p.Entity(of)].byRef[r] {
			if state == "" || len(x.path) > 0 && x.path[len(x.path)-1] == state {
				n++
			}
		}
		return strconv.Itoa(n), true
	}
	if other := s.plans[s.p.Entity(head)]; other != nil {
		if x := r.of(other); x != nil {
			return x.text(rest)
		}
		return "", false
	}
	return r.text(name)
}

func (s *sampler) neighbor(next bool, name string, list []*record, i int) (string, bool) {
	r := list[i]
	head, rest, _ := strings.Cut(name, ".")
	if other := s.plans[s.p.Entity(head)]; other != nil {
		if r.plan.parent == nil {
			return "", false
		}
		siblings := other.of(r.of(r.plan.parent))
		sortByStart(siblings)
		after := slices.IndexFunc(siblings, func(x *record) bool { return x.start.After(r.start) })
		if after < 0 {
			after = len(siblings)
		}
		list, name, i = siblings, rest, after
		if !next {
			i--
		}
	} else if i--; next {
		i += 2
	}
	if i < 0 || i >= len(list) {
		return "", false
	}
	return list[i].text(name)
}

func (s *sampler) sum(name string, r *record) (string, bool) {
	of, attribute, _ := strings.Cut(name, ".")
	total := "0"
	for _, x := range s.plans[s.p.Entity(of)].byRef[r] {
		text, ok := x.text(attribute)
		if !ok {
			continue
		}
		next, err := models.AddNumbers(total, text, false)
		if err != nil {
			return "", false
		}
		total = next
	}
	return total, true
}

// plant gives a few items the defects that programs leave in real tables. Each kind occurs once, if the schema can
// have it.
func (s *sampler) plant() error {
	spoilt := map[*record]bool{}
	for _, defect := range []func(*entityPlan, map[*record]bool) (bool, error){s.staleKey, s.ghost, s.wrongExpiry} {
		for _, plan := range s.order {
			if plan.e.Owner != "" || len(plan.records) == 0 {
				continue
			}
			done, err := defect(plan, spoilt)
			if err != nil {
				return fmt.Errorf("defect of %s: %w", plan.e.Name, err)
			}
			if done {
				break
			}
		}
	}
	return nil
}

func (s *sampler) staleKey(plan *entityPlan, spoilt map[*record]bool) (bool, error) {
	for _, k := range plan.e.Table.KeyAttributes()[len(plan.e.Table.PrimaryKeys()):] {
		t, ok := plan.e.KeyTemplate(k.Name)
		if !ok {
			continue
		}
		for _, r := range slices.Backward(plan.records) {
			former, ok := plan.former(r, t)
			if _, stored := r.item[k.Name]; !ok || !stored || spoilt[r] {
				continue
			}
			v, err := k.Value(t, plan.e.Values(former))
			if err != nil {
				return false, err
			}
			if models.EqualValues(v, r.item[k.Name]) {
				continue
			}
			r.item[k.Name], spoilt[r] = v, true
			return true, nil
		}
	}
	return false, nil
}

func (plan *entityPlan) former(r *record, t models.Template) (models.Item, bool) {
	it := plan.attributesOf(r)
	if n := len(r.moves); plan.life != nil && n > 0 && t.Has(plan.life.Attribute) {
		v, err := plan.e.Attribute(plan.life.Attribute).Value(r.moves[n-1].from)
		it[plan.life.Attribute] = v
		return it, err == nil
	}
	for _, name := range t.Placeholders() {
		a := plan.part(name)
		if a == nil || !a.isTime() || a.KeyOnly {
			continue
		}
		text, _ := r.item.Text(name)
		at, ok := a.Format.ReadTime(text)
		if !ok {
			continue
		}
		v, err := a.Value(timeText(a, at.Add(-24*time.Hour)))
		it[name] = v
		return it, err == nil
	}
	return nil, false
}

func (plan *entityPlan) attributesOf(r *record) models.Item {
	it := r.item.Clone()
	for _, k := range plan.e.Table.KeyAttributes() {
		if plan.part(k.Name) == nil {
			delete(it, k.Name)
		}
	}
	return it
}

func (s *sampler) ghost(plan *entityPlan, _ map[*record]bool) (bool, error) {
	if plan.life == nil {
		return false, nil
	}
	id := plan.ownID()
	r := plan.records[len(plan.records)-1]
	if id == nil {
		return false, nil
	}
	text, _ := r.text(id.Path)
	wrong := "0"
	if text[len(text)-1] == '0' {
		wrong = "1"
	}
	text = text[:len(text)-1] + wrong
	it := plan.attributesOf(r)
	it[id.Name] = models.StringValue(text)
	for _, k := range plan.e.Table.PrimaryKeys() { // a key that is composed of the ID
		if t, ok := plan.e.KeyTemplate(k.Name); ok && k.Name != id.Name && t.Has(id.Path) {
			delete(it, k.Name)
		}
	}
	full, err := plan.e.Build(it, r.extra)
	if err != nil {
		return false, err
	}
	ghost, _ := plan.e.Table.PrimaryKey(full)
	if s.taken[keyOf(plan.e.Table, ghost)] {
		return false, nil
	}
	for _, name := range []string{plan.life.Attribute, plan.e.Updated} {
		if v, ok := r.item[name]; ok {
			ghost[name] = v
		}
	}
	s.out = append(s.out, Item{Entity: plan.e, Table: plan.e.Table, Item: ghost})
	return true, nil
}

func (plan *entityPlan) ownID() *part {
	for _, a := range plan.attrs {
		if a.inKey && a.target == nil && !a.isTime() && !a.KeyOnly && !a.composed && a.Type == models.TypeS && a.life == nil {
			return a
		}
	}
	return nil
}

func (s *sampler) wrongExpiry(plan *entityPlan, spoilt map[*record]bool) (bool, error) {
	a := plan.part(plan.e.Table.TTL)
	if a == nil {
		return false, nil
	}
	for _, r := range slices.Backward(plan.records) {
		text, ok := r.item.Text(a.Name)
		if !ok || spoilt[r] {
			continue
		}
		if at, ok := a.Format.ReadTime(text); ok && a.Equals != "" {
			text = timeText(a, at.Add(365*24*time.Hour))
		} else {
			text += "000"
		}
		r.item[a.Name], spoilt[r] = &types.AttributeValueMemberN{Value: text}, true
		return true, nil
	}
	return false, nil
}
