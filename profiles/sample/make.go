package sample

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// An itemMaker makes one item.
type itemMaker struct {
	s             *sampler
	plan          *entityPlan
	rng           *rand.Rand
	parent        *record
	generatesKeys bool // the schema's own values produce keys that are in use

	r           *record
	combination map[string][]string // values that occur together, by path
	chosen      map[*part]string    // states and positions, which are chosen before the other attributes
	isActor     bool                // other items refer to this item as the user who acted on them
	state       string              // state in the plan's lifecycle, or ""
	given       *fixedPart          // nil unless part of the item is predetermined
	present     map[*part]bool
	clock       clock

	picked map[*part]*record // records of the attributes that have no shared link
	texts  textGenerator
}

func newMaker(s *sampler, plan *entityPlan, parent *record, fresh bool) *itemMaker {
	m := &itemMaker{
		s: s, plan: plan, rng: plan.rng, parent: parent, generatesKeys: fresh,
		r:      &record{plan: plan, item: models.Item{}, extra: map[string]string{}},
		chosen: map[*part]string{}, present: map[*part]bool{}, picked: map[*part]*record{},
	}
	m.texts.m, m.clock.m = m, m
	m.combination = plan.nextValueSet()
	return m
}

func (m *itemMaker) record() (*record, error) {
	m.states()
	for _, a := range m.plan.attrs {
		m.present[a] = m.isNeeded(a)
	}
	m.chooseRecords()
	m.choosePosition()
	m.clock.setTimes()
	if m.given != nil {
		maps.Copy(m.r.item, m.given.item)
	}
	var repeated []*part
	for _, a := range m.plan.attrs {
		switch {
		case a.Equals != "" && !a.composed && (m.present[a] || a.isTime()): // A repeated time always follows the original.
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
		m.r.item[name] = &types.AttributeValueMemberN{Value: strconv.Itoa(1 + len(m.r.stateChanges))}
	}
	if m.plan.e.Undocumented && len(m.r.item) == 0 {
		// An item of another service has content, but its structure is not known.
		m.r.item["data"] = m.document()
	}
	it, err := m.plan.e.Build(m.r.item, m.r.extra)
	if err != nil {
		return nil, fmt.Errorf("build keys: %w", err)
	}
	m.r.item = it
	return m.r, nil
}

// choosePosition runs before the itemMaker sets times, because users must be older than the items that they act on.
func (m *itemMaker) choosePosition() {
	for _, position := range m.plan.actorRoles {
		a := m.plan.part(position[0])
		if a == nil || !m.present[a] {
			continue
		}
		if _, ok := m.chosen[a]; !ok {
			m.chosen[a] = m.generate(a)
		}
		m.isActor = m.isActor || m.chosen[a] == position[1]
	}
}

func (m *itemMaker) set(a *part) error {
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

func (m *itemMaker) repeat(a *part) error {
	text, ok := m.r.text(a.Equals)
	if !ok {
		return nil
	}
	text, err := m.repeated(a, text)
	if err != nil {
		return fmt.Errorf("%s: %w", a.Path, err)
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

// repeated returns the text of an attribute that equals another one with this text.
func (m *itemMaker) repeated(a *part, text string) (string, error) {
	if !a.isTime() {
		return text, nil
	}
	t, err := m.plan.e.ReadTime(strings.TrimSuffix(a.Path, a.Name)+a.Equals, text, m.s.o.At)
	return timeText(a, t.Time), err
}

func (m *itemMaker) text(a *part) (string, bool) {
	if state, ok := m.chosen[a]; ok {
		return state, true
	}
	if text, ok := m.referencedText(a); ok {
		return text, true
	}
	if a.target != nil && !a.Required && !a.KeyOnly && !a.inKey {
		return "", false
	}
	return m.generate(a), true
}

func (plan *entityPlan) isInPrimaryKey(path string) bool {
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

// A textGenerator generates texts such as names, addresses and identifiers.
type textGenerator struct {
	m *itemMaker

	person *person
}

func (m *itemMaker) states() {
	for _, a := range m.plan.attrs {
		if a.lifecycle == nil || len(a.lifecycle.States) == 0 {
			continue
		}
		state := m.drawState(a)
		m.chosen[a] = state
		if a.lifecycle == m.plan.lifecycle {
			m.state = state
			m.r.stateChanges = stateChangesTo(a.lifecycle, state)
			m.r.path = pathOf(m.r.stateChanges, state)
		}
	}
}

func (m *itemMaker) drawState(a *part) string {
	draw := func() string {
		if values := m.combination[a.Path]; len(values) > 0 {
			return m.texts.one(values)
		}
		if len(a.values) > 0 {
			return a.nextValue(m.rng)
		}
		return a.lifecycle.States[m.rng.IntN(len(a.lifecycle.States))].Name
	}
	first := draw()
	if m.parent == nil || a.lifecycle != m.plan.lifecycle {
		return first
	}
	for range maxDraws {
		if isConsistentState(a.lifecycle, first, m.parent) {
			return first
		}
		first = draw()
	}
	for _, s := range a.lifecycle.States {
		if isConsistentState(a.lifecycle, s.Name, m.parent) {
			return s.Name
		}
	}
	return first
}

func (m *itemMaker) kind() models.StateKind {
	if m.plan.lifecycle != nil {
		if s := m.plan.lifecycle.State(m.state); s != nil {
			return s.Kind
		}
	}
	return models.StateOpen
}

func (m *itemMaker) stateHasWord(list ...string) bool {
	return slices.ContainsFunc(words(m.state), func(w string) bool { return slices.Contains(list, w) })
}

func (m *itemMaker) hasFailed() bool {
	return m.kind() == models.StateBad && m.stateHasWord("failed", "fail", "failure", "error", "dead", "failing")
}

func (m *itemMaker) hasBeenIn(states ...string) bool {
	return slices.ContainsFunc(states, func(s string) bool { return slices.Contains(m.r.path, s) })
}

func (m *itemMaker) wasSet(a *part) bool { return m.hasBeenIn(slices.Collect(maps.Keys(a.sets))...) }

func (m *itemMaker) isNeeded(a *part) bool {
	switch {
	case slices.Contains(m.plan.e.Lacks, a.Path):
		return false
	case slices.Contains(m.plan.e.Has, a.Path):
		return true
	case a.Required || a.KeyOnly || a.inKey || a.lifecycle != nil:
		return true
	case m.given != nil && m.given.absent[a.Name]:
		return false
	case m.plan.isInValueSet(a.Path):
		return len(m.combination[a.Path]) > 0
	}
	if m.plan.lifecycle != nil {
		kind := m.kind()
		ended := kind != models.StateOpen
		switch {
		case a.hasWord("error", "failure", "retry"):
			return m.hasFailed()
		case len(a.sets) > 0:
			return m.wasSet(a)
		case a.state != "":
			return m.hasBeenIn(a.state)
		case a.hasWord("completed", "finished", "closed", "decided", "decision", "resolved", "ended"):
			return ended
		case a.hasWord("response", "responding", "resulting", "result"):
			return kind == models.StateGood || kind == models.StateBad && !a.hasWord("resulting", "result")
		case a.Name == m.plan.e.Table.TTL && a.Equals == "":
			return ended
		case a.last() == "reason":
			return len(m.r.path) > 1
		}
	}
	return m.rng.Float64() < 0.75
}

// maxDraws is the maximum number of records to try in search of a consistent one.
const maxDraws = 24

// chooseRecords selects the most dependent records first, because they determine the others.
func (m *itemMaker) chooseRecords() {
	if m.parent != nil {
		m.addReference(m.parent)
	}
	for _, l := range m.plan.links {
		if m.r.related(l.to) != nil {
			continue
		}
		isNeeded := false
		var preferred [2]string
		for _, a := range l.attrs {
			isNeeded = isNeeded || m.present[a]
			if a.preferred[0] != "" {
				preferred = a.preferred
			}
		}
		if !isNeeded {
			continue
		}
		if r := m.pickRecord(l.to, preferred); r != nil {
			m.addReference(r)
		}
	}
}

func (m *itemMaker) addReference(r *record) {
	for _, x := range append([]*record{r}, r.refs...) {
		if m.r.related(x.plan) == nil {
			m.r.refs = append(m.r.refs, x)
		}
	}
}

func (m *itemMaker) pickRecord(plan *entityPlan, preferred [2]string) *record {
	for _, ref := range m.r.refs {
		if related := plan.byRef[ref]; len(related) > 0 {
			return related[m.rng.IntN(len(related))]
		}
	}
	n := len(plan.records)
	if n == 0 {
		return nil
	}
	// Use each record once before repeating any.
	if i := len(m.plan.records); i < n && preferred[0] == "" && !m.generatesKeys {
		if r := plan.records[i]; m.isConsistent(r) {
			return r
		}
	}
	list := plan.recordsWith(preferred)
	r := list[m.rng.IntN(len(list))]
	for range maxDraws {
		if m.isConsistent(r) {
			break
		}
		r = list[m.rng.IntN(len(list))]
	}
	return r
}

func (m *itemMaker) isConsistent(r *record) bool {
	return isReached(m.r.path, r) && !slices.ContainsFunc(m.r.refs, func(have *record) bool {
		other := r.related(have.plan)
		return other != nil && other != have
	})
}

func (m *itemMaker) referencedText(a *part) (string, bool) {
	switch {
	case a.follows != nil:
		r := m.picked[a.follows]
		if r == nil {
			r = m.r.related(a.follows.target)
		}
		if r != nil {
			return r.text(a.targetAt)
		}
	case a.target != nil && a.selectsOwnRecord:
		if r := m.pickAny(a); r != nil {
			return r.text(a.targetAt)
		}
	case a.target != nil:
		if r := m.r.related(a.target); r != nil {
			return r.text(a.targetAt)
		}
		if r := m.pickAny(a); r != nil {
			return r.text(a.targetAt)
		}
	case a.KeyOnly && a.Equals == "" && m.parent != nil:
		// Any other placeholder has the parent's value.
		return m.parent.text(a.Path)
	}
	return "", false
}

func (m *itemMaker) pickAny(a *part) *record {
	r := olderThan(m.clock.at[timeStart], a.target.recordsWith(a.preferred), m.rng)
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

func (plan *entityPlan) recordsWith(preferred [2]string) []*record {
	if preferred[0] == "" {
		return plan.records
	}
	list, ok := plan.byValue[preferred]
	if !ok {
		list = models.Filter(plan.records, func(r *record) bool {
			v, _ := r.text(preferred[0])
			return v == preferred[1]
		})
		if len(list) == 0 {
			list = plan.records
		}
		plan.byValue[preferred] = list
	}
	return list
}

func (m *itemMaker) value(a *part) (types.AttributeValue, error) {
	switch a.Type {
	case models.TypeM:
		return m.mapValue(a)
	case models.TypeL:
		return m.list(a)
	case models.TypeSS, models.TypeNS, models.TypeBS:
		return m.setValue(a), nil
	case models.TypeNULL:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	default:
		if a.Type == models.TypeB && a.target == nil && len(a.values) == 0 {
			return &types.AttributeValueMemberB{Value: []byte(m.texts.letters(16))}, nil
		}
		text, ok := m.text(a)
		if !ok {
			return nil, nil
		}
		if a.Type == models.TypeN && len(text) < 16 && isDigits(text) {
			return &types.AttributeValueMemberN{Value: text}, nil // fast path
		}
		return a.Value(text)
	}
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (m *itemMaker) mapValue(a *part) (types.AttributeValue, error) {
	if len(a.nested) == 0 {
		return m.document(), nil
	}
	doc := models.Item{}
	var repeated []*part
	for _, in := range a.nested {
		if in.Equals != "" && in.isTime() {
			repeated = append(repeated, in)
			continue
		}
		if len(in.sets) > 0 && !m.wasSet(in) {
			continue
		}
		if !in.Required && !in.always && len(in.sets) == 0 && len(a.nested) > 1 && m.rng.Float64() < 0.15 {
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
	for _, in := range repeated {
		text, ok := doc.Text(in.Equals)
		if !ok {
			continue
		}
		text, err := m.repeated(in, text)
		if err == nil {
			doc[in.Name], err = in.Value(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Path, err)
		}
	}
	return &types.AttributeValueMemberM{Value: doc}, nil
}

func (m *itemMaker) list(a *part) (types.AttributeValue, error) {
	var list []types.AttributeValue
	n := 1 + m.rng.IntN(3)
	previous := map[string]bool{}
	for range n {
		isText := a.Items == models.TypeS || a.Items == "" || a.target != nil || len(a.values)+len(a.Enum) > 0
		if len(a.nested) > 0 || a.Items == models.TypeM || !isText {
			element := *a.Attribute
			element.Type, element.Items = cmp.Or(a.Items, models.TypeM), ""
			one := *a
			one.Attribute = &element
			v, err := m.value(&one)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			continue
		}
		text := ""
		if a.target != nil {
			r := m.pickRecord(a.target, a.preferred)
			if r == nil {
				break
			}
			text, _ = r.text(a.targetAt)
		} else {
			text = m.generate(a)
		}
		if previous[text] {
			continue
		}
		previous[text] = true
		v, err := models.ScalarValue(a.Items, text)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return &types.AttributeValueMemberL{Value: list}, nil
}

func (m *itemMaker) setValue(a *part) types.AttributeValue {
	if a.Type == models.TypeBS {
		return &types.AttributeValueMemberBS{Value: [][]byte{[]byte(m.texts.letters(8)), []byte(m.texts.letters(9))}}
	}
	var list []string
	for range 2 {
		switch text, ok := m.element(a); {
		case !ok:
			return nil
		case !slices.Contains(list, text):
			list = append(list, text)
		}
	}
	if a.Type == models.TypeNS {
		return &types.AttributeValueMemberNS{Value: list}
	}
	return &types.AttributeValueMemberSS{Value: list}
}

func (m *itemMaker) element(a *part) (string, bool) {
	if a.Type == models.TypeNS && len(a.values)+len(a.Enum) == 0 && a.target == nil {
		return strconv.Itoa(m.rng.IntN(100)), true
	}
	return m.text(a)
}

func (m *itemMaker) document() types.AttributeValue {
	automatic := &types.AttributeValueMemberBOOL{Value: m.rng.IntN(3) > 0}
	docs := []map[string]types.AttributeValue{
		{"source": models.StringValue("console"), "automatic": automatic},
		{"summary": models.StringValue(m.texts.one(sentences)), "automatic": automatic},
		{"checks": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			models.StringValue("format"),
			models.StringValue("limits"),
		}}, "passed": automatic},
	}
	return &types.AttributeValueMemberM{Value: docs[m.rng.IntN(len(docs))]}
}
