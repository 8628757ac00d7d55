package sample

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A maker makes one item.
type maker struct {
	s      *sampler
	plan   *entityPlan
	rng    *rand.Rand
	parent *record
	fresh  bool // the profile's own words lead to keys that are taken

	r       *record
	line    map[string][]string // values that occur together, by path
	chosen  map[*part]string    // states and positions, before the other attributes
	staff   bool                // others refer to the item as the one who acted on them
	state   string              // of the plan's lifecycle, "" without one
	given   *given              // nil unless a part of the item is known
	present map[*part]bool
	clock   clock
	middle  time.Time

	picked  map[*part]*record // of the attributes that pick for themselves
	invents inventor
}

func newMaker(s *sampler, plan *entityPlan, parent *record, fresh bool) *maker {
	m := &maker{
		s: s, plan: plan, rng: plan.rng, parent: parent, fresh: fresh,
		r:      &record{plan: plan, item: models.Item{}, extra: map[string]string{}},
		chosen: map[*part]string{}, present: map[*part]bool{}, picked: map[*part]*record{},
	}
	m.invents.m, m.clock.m = m, m
	m.line = plan.deal()
	return m
}

func (m *maker) record() (*record, error) {
	m.states()
	for _, a := range m.plan.attrs {
		m.present[a] = m.needed(a)
	}
	m.choose()
	m.choosePosition()
	m.clock.setClock()
	if m.given != nil {
		maps.Copy(m.r.item, m.given.item)
	}
	var repeated []*part
	for _, a := range m.plan.attrs {
		switch {
		case a.Equals != "" && !a.composed && (m.present[a] || a.isTime()): // A repeated time follows the other one always.
			repeated = append(repeated, a)
		case a.composed || !m.present[a]:
		default:
			if err := m.set(a); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range repeated {
		if err := m.repeat(a); err != nil {
			return nil, err
		}
	}
	if name := m.plan.e.Version; m.r.item[name] != nil {
		m.r.item[name] = &types.AttributeValueMemberN{Value: strconv.Itoa(1 + len(m.r.moves))}
	}
	if m.plan.e.Undocumented && len(m.r.item) == 0 {
		// An item of another service has content, but nothing is known of it.
		m.r.item["data"] = m.document()
	}
	it, err := m.plan.e.Build(m.r.item, m.r.extra)
	if err != nil {
		return nil, fmt.Errorf("build keys: %w", err)
	}
	m.r.item = it
	return m.r, nil
}

// choosePosition precedes the times: those who act on other items exist before them.
func (m *maker) choosePosition() {
	for _, position := range m.plan.staff {
		a := m.plan.part(position[0])
		if a == nil || !m.present[a] {
			continue
		}
		if _, ok := m.chosen[a]; !ok {
			m.chosen[a] = m.invent(a)
		}
		m.staff = m.staff || m.chosen[a] == position[1]
	}
}

func (m *maker) set(a *part) error {
	if _, known := m.r.item[a.Name]; known {
		return nil
	}
	if a.KeyOnly {
		text, ok := m.text(a)
		if ok {
			m.r.extra[a.Path] = text
		}
		return nil
	}
	v, err := m.value(a)
	if err != nil {
		return fmt.Errorf("%s: %w", a.Path, err)
	}
	if v != nil {
		m.r.item[a.Name] = v
	}
	return nil
}

func (m *maker) repeat(a *part) error {
	text, ok := m.r.text(a.Equals)
	if !ok {
		return nil
	}
	if a.isTime() {
		t, err := models.ParseTime(text, m.s.o.At)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Path, err)
		}
		text = timeText(a, t.Time)
	}
	if a.KeyOnly {
		m.r.extra[a.Path] = text
		return nil
	}
	v, err := a.Value(text)
	if err != nil {
		return fmt.Errorf("%s: %w", a.Path, err)
	}
	m.r.item[a.Name] = v
	return nil
}

func (m *maker) text(a *part) (string, bool) {
	if state, ok := m.chosen[a]; ok {
		return state, true
	}
	if text, ok := m.referred(a); ok {
		return text, true
	}
	if a.target != nil && !a.Required && !a.KeyOnly && !a.inKey {
		return "", false
	}
	return m.invent(a), true
}

func (plan *entityPlan) inPrimaryKey(path string) bool {
	return slices.ContainsFunc(plan.e.Table.PrimaryKeys(), func(k models.Key) bool {
		t, ok := plan.e.KeyTemplate(k.Name)
		return ok && slices.ContainsFunc(t.Segments(), func(s models.Segment) bool { return s.Name == path && !s.Optional })
	})
}

func timeText(a *part, t time.Time) string {
	text, ok := a.Format.FormatTime(t)
	if !ok {
		text, _ = models.ISO8601.FormatTime(t)
	}
	return text
}

// inventor invents texts: names, addresses, identifiers.
type inventor struct {
	m *maker

	person *person
}
