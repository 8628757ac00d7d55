package sample

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

func (plan *entityPlan) nextValueSet() map[string][]string {
	if len(plan.together) == 0 {
		return nil
	}
	if plan.usedSets%len(plan.together) == 0 {
		plan.rng.Shuffle(len(plan.together), func(i, j int) {
			plan.together[i], plan.together[j] = plan.together[j], plan.together[i]
		})
	}
	plan.usedSets++
	return plan.hints.Together[plan.together[(plan.usedSets-1)%len(plan.together)]].Values
}

func (plan *entityPlan) isInValueSet(path string) bool {
	for _, line := range plan.hints.Together {
		if _, ok := line.Values[path]; ok {
			return true
		}
	}
	return false
}

func (s *sampler) compute(plan *entityPlan) error {
	for _, r := range plan.records {
		for _, c := range plan.hints.Computed {
			text, ok := c.From.Text(func(name string) (string, bool) { return s.lookUp(name, r) })
			if !ok {
				continue
			}
			v, err := plan.e.Attribute(c.Path).Value(text)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Path, err)
			}
			plan.e.Set(r.item, c.Path, v)
		}
	}
	return nil
}

func (s *sampler) lookUp(name string, r *record) (string, bool) {
	head, rest, _ := strings.Cut(name, ".")
	switch head {
	case "sum":
		return s.sum(rest, r)
	case "count":
		entity, state, _ := strings.Cut(rest, ".")
		n := 0
		for _, x := range s.plans[s.p.Entity(entity)].byRef[r] {
			if state == "" || len(x.path) > 0 && x.path[len(x.path)-1] == state {
				n++
			}
		}
		return strconv.Itoa(n), true
	}
	other := s.plans[s.p.Entity(head)]
	if other == nil {
		return r.text(name)
	}
	if x := r.related(other); x != nil {
		return x.text(rest)
	}
	return "", false
}

func (s *sampler) sum(name string, r *record) (string, bool) {
	entity, attribute, _ := strings.Cut(name, ".")
	total := "0"
	for _, x := range s.plans[s.p.Entity(entity)].byRef[r] {
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

// addDefects gives a few items the defects of real tables. Each kind occurs once, if the schema permits it.
func (s *sampler) addDefects() error {
	defective := map[*record]bool{}
	for _, defect := range []func(*entityPlan, map[*record]bool) (bool, error){s.addStaleKey, s.addIncompleteItem, s.addWrongExpiry} {
		for _, plan := range s.order {
			if plan.e.Owner != "" || len(plan.records) == 0 {
				continue
			}
			done, err := defect(plan, defective)
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

func (s *sampler) addStaleKey(plan *entityPlan, defective map[*record]bool) (bool, error) {
	for _, k := range plan.e.Table.KeyAttributes()[len(plan.e.Table.PrimaryKeys()):] {
		t, ok := plan.e.KeyTemplate(k.Name)
		if !ok {
			continue
		}
		for _, r := range slices.Backward(plan.records) {
			former, ok := plan.previousItem(r, t)
			if _, stored := r.item[k.Name]; !ok || !stored || defective[r] {
				continue
			}
			v, err := k.Value(t, plan.e.Values(former))
			if err != nil {
				return false, err
			}
			if models.EqualValues(v, r.item[k.Name]) {
				continue
			}
			r.item[k.Name], defective[r] = v, true
			return true, nil
		}
	}
	return false, nil
}

func (plan *entityPlan) previousItem(r *record, t models.Template) (models.Item, bool) {
	it := plan.attributesOf(r)
	if n := len(r.stateChanges); plan.lifecycle != nil && n > 0 && t.Has(plan.lifecycle.Attribute) {
		v, err := plan.e.Attribute(plan.lifecycle.Attribute).Value(r.stateChanges[n-1].from)
		it[plan.lifecycle.Attribute] = v
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

func (s *sampler) addIncompleteItem(plan *entityPlan, _ map[*record]bool) (bool, error) {
	if plan.lifecycle == nil {
		return false, nil
	}
	id := plan.ownID()
	r := plan.records[len(plan.records)-1]
	if id == nil {
		return false, nil
	}
	text, _ := r.text(id.Path)
	lastDigit := "0"
	if text[len(text)-1] == '0' {
		lastDigit = "1"
	}
	text = text[:len(text)-1] + lastDigit
	it := plan.attributesOf(r)
	it[id.Name] = models.StringValue(text)
	for _, k := range plan.e.Table.PrimaryKeys() { // a key that contains the ID
		if t, ok := plan.e.KeyTemplate(k.Name); ok && k.Name != id.Name && t.Has(id.Path) {
			delete(it, k.Name)
		}
	}
	full, err := plan.e.Build(it, r.extra)
	if err != nil {
		return false, err
	}
	key, _ := plan.e.Table.PrimaryKey(full)
	if s.taken[keyOf(plan.e.Table, key)] {
		return false, nil
	}
	for _, name := range []string{plan.lifecycle.Attribute, plan.e.Updated} {
		if v, ok := r.item[name]; ok {
			key[name] = v
		}
	}
	s.out = append(s.out, Item{Entity: plan.e, Table: plan.e.Table, Item: key})
	return true, nil
}

func (plan *entityPlan) ownID() *part {
	return models.First(plan.attrs, func(a *part) bool {
		return a.inKey && a.target == nil && !a.isTime() && !a.KeyOnly && !a.composed && a.Type == models.TypeS && a.lifecycle == nil
	})
}

func (s *sampler) addWrongExpiry(plan *entityPlan, defective map[*record]bool) (bool, error) {
	a := plan.part(plan.e.Table.TTL)
	if a == nil {
		return false, nil
	}
	for _, r := range slices.Backward(plan.records) {
		text, ok := r.item.Text(a.Name)
		if !ok || defective[r] {
			continue
		}
		if at, ok := a.Format.ReadTime(text); ok && a.Equals != "" {
			text = timeText(a, at.Add(365*24*time.Hour))
		} else {
			text += "000"
		}
		r.item[a.Name], defective[r] = &types.AttributeValueMemberN{Value: text}, true
		return true, nil
	}
	return false, nil
}
