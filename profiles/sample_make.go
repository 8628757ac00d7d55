// This file makes one sample item: its states, what it refers to, its times,
// its attributes, its keys.

package profiles

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A maker makes one item.
type maker struct {
	s      *sampler
	plan   *samplePlan
	rng    *rand.Rand
	parent *sampleRecord
	fresh  bool // the profile's own words lead to keys that are taken

	r       *sampleRecord
	chosen  map[*samplePart]string // states, before the other attributes
	state   string                 // of the plan's lifecycle, "" without one
	path    []string               // the states up to it
	present map[*samplePart]bool
	clock   clock
	middle  time.Time
	person  *person
	picked  map[*samplePart]*sampleRecord // of the attributes that pick for themselves
}

func newMaker(s *sampler, plan *samplePlan, parent *sampleRecord, fresh bool) *maker {
	return &maker{
		s: s, plan: plan, rng: plan.rng, parent: parent, fresh: fresh,
		r:      &sampleRecord{plan: plan, item: models.Item{}, extra: map[string]string{}},
		chosen: map[*samplePart]string{}, present: map[*samplePart]bool{}, picked: map[*samplePart]*sampleRecord{},
	}
}

// record makes the item.
func (m *maker) record() (*sampleRecord, error) {
	m.states()
	for _, a := range m.plan.attrs {
		m.present[a] = m.needed(a)
	}
	m.choose()
	m.setClock()
	var repeated []*samplePart
	for _, a := range m.plan.attrs {
		switch {
		case a.composed || !m.present[a]:
		case a.Equals != "":
			repeated = append(repeated, a)
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
	if m.plan.e.Undocumented && len(m.r.item) == 0 {
		// Somebody else's item: it has content, of which nothing is known.
		m.r.item["data"] = m.document()
	}
	it, err := m.plan.e.Build(m.r.item, m.r.extra)
	if err != nil {
		return nil, fmt.Errorf("building the keys: %w", err)
	}
	m.r.item = it
	return m.r, nil
}

// states chooses a state in every lifecycle of the entity.
func (m *maker) states() {
	for _, a := range m.plan.attrs {
		if a.life == nil || len(a.life.States) == 0 {
			continue
		}
		state := a.life.States[m.rng.IntN(len(a.life.States))].Name
		if len(a.deck) > 0 {
			state = a.draw(m.rng)
		}
		m.chosen[a] = state
		if a.life == m.plan.life {
			m.state, m.path = state, statePath(a.life, state)
		}
	}
}

// statePath returns the shortest way from an initial state to state, both
// included.
func statePath(l *models.Lifecycle, state string) []string {
	cameFrom := map[string]string{}
	var queue []string
	for _, s := range l.States {
		if s.Initial {
			cameFrom[s.Name] = ""
			queue = append(queue, s.Name)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, t := range l.Moves(at) {
			if _, seen := cameFrom[t.To]; !seen {
				cameFrom[t.To] = at
				queue = append(queue, t.To)
			}
		}
	}
	if _, reached := cameFrom[state]; !reached {
		return []string{state}
	}
	var path []string
	for at := state; at != ""; at = cameFrom[at] {
		path = append([]string{at}, path...)
	}
	return path
}

// kind returns the kind of the item's state, open when it has none.
func (m *maker) kind() models.StateKind {
	if m.plan.life != nil {
		if s := m.plan.life.State(m.state); s != nil {
			return s.Kind
		}
	}
	return models.StateOpen
}

// stateSays reports whether the item's state is named by one of the words.
func (m *maker) stateSays(list ...string) bool {
	for _, w := range words(m.state) {
		if has(list, w) {
			return true
		}
	}
	return false
}

// needed reports whether the item has the attribute. An optional one follows
// the state when its name speaks of a state: cancelledAt exists only once the
// item is cancelled.
func (m *maker) needed(a *samplePart) bool {
	if a.Required || a.KeyOnly || a.life != nil {
		return true
	}
	if m.plan.life != nil {
		kind := m.kind()
		ended := kind != models.StateOpen
		trouble := kind == models.StateBad && m.stateSays("failed", "fail", "failure", "error", "dead", "failing")
		switch {
		case a.says("error", "failure", "retry"):
			return trouble
		case a.state != "":
			return has(m.path, a.state)
		case a.says("completed", "finished", "closed", "decided", "decision", "resolved", "ended"):
			return ended
		case a.says("response", "responding", "resulting", "result"):
			return kind == models.StateGood || kind == models.StateBad && !a.says("resulting", "result")
		case a.Name == m.plan.e.Table.TTL && a.Equals == "":
			return ended
		case a.last() == "reason":
			return len(m.path) > 1
		}
	}
	return m.rng.Float64() < 0.75
}

// set gives the item the attribute.
func (m *maker) set(a *samplePart) error {
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

// repeat gives the item an attribute whose moment is that of another one.
func (m *maker) repeat(a *samplePart) error {
	text, ok := m.r.text(a.Equals)
	if !ok {
		return nil
	}
	if a.isTime() {
		t, err := models.ParseTime(text, m.s.o.At)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Path, err)
		}
		text = spell(a, t.Time)
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

// value makes the attribute's value; nil when it refers to nothing that
// exists and may be absent.
func (m *maker) value(a *samplePart) (types.AttributeValue, error) {
	switch a.Type {
	case models.TypeM:
		return m.mapValue(a)
	case models.TypeL:
		return m.list(a)
	case models.TypeSS, models.TypeNS, models.TypeBS:
		return m.setValue(a), nil
	case models.TypeNULL:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case models.TypeB:
		return &types.AttributeValueMemberB{Value: []byte(m.letters(16))}, nil
	default:
		text, ok := m.text(a)
		if !ok {
			return nil, nil //nolint:nilnil // no value is a value here: the attribute is absent
		}
		if a.Type == models.TypeN && len(text) < 16 && digits(text) {
			return &types.AttributeValueMemberN{Value: text}, nil // quicker
		}
		return a.Value(text)
	}
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (m *maker) mapValue(a *samplePart) (types.AttributeValue, error) {
	if len(a.inside) == 0 {
		return m.document(), nil
	}
	doc := map[string]types.AttributeValue{}
	for _, in := range a.inside {
		if !in.Required && len(a.inside) > 1 && m.rng.Float64() < 0.15 {
			continue
		}
		v, err := m.value(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Path, err)
		}
		if v != nil {
			doc[in.Name] = v
		}
	}
	return &types.AttributeValueMemberM{Value: doc}, nil
}

// list makes a list: of ids that it refers to, of its examples, of maps.
func (m *maker) list(a *samplePart) (types.AttributeValue, error) {
	var list []types.AttributeValue
	n := 1 + m.rng.IntN(3)
	seen := map[string]bool{}
	for range n {
		if len(a.inside) > 0 || a.Items == models.TypeM {
			v, err := m.mapValue(a)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			continue
		}
		text := ""
		if a.target != nil {
			r := m.pick(a.target, a.prefer)
			if r == nil {
				break
			}
			text, _ = r.text(a.targetAt)
		} else {
			text = m.invent(a)
		}
		if seen[text] {
			continue
		}
		seen[text] = true
		v, err := models.ScalarValue(a.Items, text)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return &types.AttributeValueMemberL{Value: list}, nil
}

// setValue makes a set of two elements.
func (m *maker) setValue(a *samplePart) types.AttributeValue {
	switch a.Type {
	case models.TypeNS:
		n := m.rng.IntN(50)
		return &types.AttributeValueMemberNS{Value: []string{fmt.Sprint(n), fmt.Sprint(n + 1 + m.rng.IntN(50))}}
	case models.TypeBS:
		return &types.AttributeValueMemberBS{Value: [][]byte{[]byte(m.letters(8)), []byte(m.letters(9))}}
	default:
		one, two := m.invent(a), m.invent(a)
		if one == two {
			return &types.AttributeValueMemberSS{Value: []string{one}}
		}
		return &types.AttributeValueMemberSS{Value: []string{one, two}}
	}
}

// document makes a small document for a map whose shape is not documented.
func (m *maker) document() types.AttributeValue {
	attempt := &types.AttributeValueMemberN{Value: fmt.Sprint(1 + m.rng.IntN(3))}
	yes := &types.AttributeValueMemberBOOL{Value: m.rng.IntN(3) > 0}
	docs := []map[string]types.AttributeValue{
		{"source": models.StringValue("console"), "attempt": attempt},
		{"summary": models.StringValue(m.one(sentences)), "automatic": yes},
		{"summary": models.StringValue(m.one(sentences)), "attempt": attempt},
		{"checks": &types.AttributeValueMemberL{Value: []types.AttributeValue{models.StringValue("format"), models.StringValue("limits")}}, "passed": yes},
	}
	return &types.AttributeValueMemberM{Value: docs[m.rng.IntN(len(docs))]}
}

// text makes the text of a scalar; false when it refers to nothing that
// exists.
func (m *maker) text(a *samplePart) (string, bool) {
	if state, ok := m.chosen[a]; ok {
		return state, true
	}
	if text, ok := m.referred(a); ok {
		return text, true
	}
	if a.target != nil && !a.Required && !a.KeyOnly {
		return "", false
	}
	return m.invent(a), true
}

// spell writes a moment as the attribute stores it.
func spell(a *samplePart, t time.Time) string {
	text, ok := a.Format.FormatTime(t)
	if !ok {
		text, _ = models.ISO8601.FormatTime(t)
	}
	return text
}
