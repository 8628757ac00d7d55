package sample

import (
	"fmt"
	"strconv"
	"strings"

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
			r.item.With(c.Path, v)
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
