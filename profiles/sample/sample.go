// Package sample generates items for every entity of a schema. Its items are complete and match their entity, their
// index keys agree with their attributes, and they refer only to items that exist. The same options make the same
// items, byte for byte. It reads the schema's declarations and never a table.
package sample

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxAttempts is the maximum number of attempts to make an item whose key is in use. After half of them, the sampler
// generates values instead of using those in the schema.
const maxAttempts = 24

// maxMisses is the number of consecutive items without a free key after which the sampler makes no more items of the
// entity.
const maxMisses = 10

// maxItems limits memory use if the user mistypes a number.
const maxItems = 10_000_000

// Options determines the amount and the time of sample data.
type Options struct {
	// Items is the number of items per entity; 0 uses the schema's counts. An entity with fewer possible keys gets
	// fewer items. An audit trail always has an entry for each transition of its items.
	Items int
	// Seed selects the random values.
	Seed uint64
	// Defects adds a few known defects, each of which drift detection finds. Without it, the items have no defects.
	Defects bool
	// At is the present time of the data and is required. Times spread over the 30 days before it. Users who act on
	// other items, such as admins, are a little older.
	At time.Time
}

// An Item is a complete item of an entity with correct keys.
type Item struct {
	Entity *models.Entity
	Table  *models.Table
	Item   models.Item
}

// CheckTime returns an error if sample data cannot have the present time at.
func CheckTime(at time.Time) error {
	if at.Year() < 1971 || at.Year() > 9000 {
		return fmt.Errorf("sample data cannot be from the year %d; use 1971 to 9000", at.Year())
	}
	return nil
}

// Items returns items of every entity. Referenced entities come first, so an item precedes every reference to it.
// Primary keys are unique.
func Items(p *profiles.Profile, o Options) ([]Item, error) {
	if err := CheckTime(o.At); err != nil {
		return nil, err
	}
	if o.Items < 0 || o.Items > maxItems {
		return nil, fmt.Errorf("invalid number of sample items %d; use 0 to %d per entity", o.Items, maxItems)
	}
	o.At = o.At.UTC().Truncate(time.Millisecond)
	s := newSampler(p, o)
	for _, plan := range s.order {
		if err := s.fill(plan); err != nil {
			return nil, fmt.Errorf("sample data of %s: %w", plan.e.Name, err)
		}
	}
	for _, plan := range s.order {
		if err := s.compute(plan); err != nil {
			return nil, fmt.Errorf("sample data of %s: %w", plan.e.Name, err)
		}
	}
	if o.Defects {
		if err := s.addDefects(); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

// A sampler generates the items of one schema.
type sampler struct {
	p     *profiles.Profile
	o     Options
	plans map[*models.Entity]*entityPlan
	order []*entityPlan // referenced entities first
	taken map[string]bool
	out   []Item
}

// A record is an item with the data that other items need to refer to it.
type record struct {
	plan         *entityPlan
	item         models.Item
	extra        map[string]string // placeholders that exist only inside keys
	refs         []*record         // the records that it refers to, directly or indirectly
	start        time.Time
	stateChanges []stateChange // the transitions to its state, oldest first
	path         []string      // its former states, oldest first
}

func (r *record) text(path string) (string, bool) {
	if v, ok := r.item.Text(path); ok {
		return v, true
	}
	v, ok := r.extra[path]
	return v, ok
}

func (r *record) related(plan *entityPlan) *record {
	return models.First(r.refs, func(x *record) bool { return x.plan == plan })
}

// entered returns the time at which the item entered a state. For the first state and "", it is the creation time.
func (r *record) entered(state string) time.Time {
	for _, c := range r.stateChanges {
		if c.to == state {
			return c.at
		}
	}
	return r.start
}

func (s *sampler) fill(plan *entityPlan) error {
	if len(plan.trails) > 0 {
		return s.fillTrail(plan)
	}
	if plan.parent == nil {
		n := plan.count
		if s.o.Items > 0 {
			n = s.o.Items
		}
		for misses := 0; n > 0 && misses < maxMisses; n-- {
			ok, err := s.make(plan, nil)
			if err != nil {
				return err
			}
			if misses++; ok {
				misses = 0
			}
		}
		return nil
	}
	for i, n := range plan.children(s.o.Items) {
		for range n {
			if _, err := s.make(plan, plan.parent.records[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (plan *entityPlan) children(total int) []int {
	n := make([]int, len(plan.parent.records))
	var eligible []int // the parents that can have items
	for i, r := range plan.parent.records {
		if plan.hints.During == "" || slices.Contains(r.path, plan.hints.During) {
			eligible = append(eligible, i)
		}
	}
	if len(eligible) == 0 {
		return n
	}
	total = cmp.Or(total, plan.count*len(eligible))
	if plan.single {
		for _, i := range eligible[:min(total, len(eligible))] {
			n[i] = 1
		}
		return n
	}
	// The counts of parents differ by a factor of up to nine.
	weights, sum := make([]int, len(eligible)), 0
	for i := range weights {
		weights[i] = 1 + plan.rng.IntN(3)*plan.rng.IntN(5)
		sum += weights[i]
	}
	remaining := total
	for i, w := range weights {
		n[eligible[i]] = total * w / sum
		remaining -= n[eligible[i]]
	}
	for range remaining {
		n[eligible[plan.rng.IntN(len(eligible))]]++
	}
	return n
}

// make returns false if every key that it tries is in use.
func (s *sampler) make(plan *entityPlan, parent *record) (bool, error) {
	return s.makeFrom(plan, parent, nil)
}

func (s *sampler) makeFrom(plan *entityPlan, parent *record, known *fixedPart) (bool, error) {
	for attempt := range maxAttempts {
		m := newMaker(s, plan, parent, attempt >= maxAttempts/2)
		m.given = known
		r, err := m.record()
		if err != nil {
			return false, err
		}
		key, ok := plan.e.Table.PrimaryKey(r.item)
		if !ok {
			return false, errors.New("item has no primary key")
		}
		id := keyOf(plan.e.Table, key)
		if s.taken[id] {
			continue
		}
		s.taken[id] = true
		plan.add(r)
		s.out = append(s.out, Item{Entity: plan.e, Table: plan.e.Table, Item: r.item})
		return true, nil
	}
	return false, nil
}

func keyOf(t *models.Table, key models.Item) string {
	return string(key.AppendDynamoDBJSON([]byte(t.Name + " ")))
}

// defaultCount is the number of items of an entity without a count in the schema.
const defaultCount = 10

// An entityPlan describes how to make the items of one entity.
type entityPlan struct {
	e          *models.Entity
	hints      profiles.SampleHints
	rng        *rand.Rand
	count      int
	parent     *entityPlan // items belong to items of this plan
	single     bool        // the parent's item determines the whole primary key
	attrs      []*part
	lifecycle  *models.Lifecycle // the lifecycle that determines which optional attributes are present
	links      []link            // referenced entities, those that refer to others first
	actorRoles [][2]string       // attributes whose values identify users who act on other items, such as admins

	trails    []entrySource          // changes that the entries of a trail record
	reasons   []profiles.Combination // reasons of trail entries, by action
	together  []int                  // shuffled indexes of the value sets that occur together
	usedSets  int                    // number of used indexes
	openItems map[string]int         // number of items in each open state so far

	records []*record
	byRef   map[*record][]*record   // records by the record that they refer to
	byValue map[[2]string][]*record // records by an attribute and its value, filled on demand
}

// newSampler sorts the plans so that an item exists before another one refers to it.
func newSampler(p *profiles.Profile, o Options) *sampler {
	s := &sampler{p: p, o: o, plans: map[*models.Entity]*entityPlan{}, taken: map[string]bool{}}
	for _, e := range p.Entities {
		s.plans[e] = s.plan(e)
	}
	state := map[*entityPlan]int{}
	var visit func(*entityPlan)
	visit = func(plan *entityPlan) {
		if state[plan] != 0 {
			return // already planned, or a cycle: then the order of declaration decides
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

func (s *sampler) plan(e *models.Entity) *entityPlan {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.p.Name + "." + e.Name)) // a hash never fails
	plan := &entityPlan{
		e: e, count: defaultCount, byRef: map[*record][]*record{},
		byValue: map[[2]string][]*record{}, openItems: map[string]int{},
		// Each entity has its own generator, so that a new entity does not change the items of the others.
		rng: rand.New(rand.NewPCG(s.o.Seed, h.Sum64())),
	}
	if len(e.Lifecycles) > 0 {
		plan.lifecycle = e.Lifecycles[0]
	}
	plan.hints = s.p.SampleHintsOf(e)
	if plan.hints.Count > 0 {
		plan.count = plan.hints.Count
	}
	plan.trails = s.entrySources(e)
	plan.reasons = slices.Clone(plan.hints.Together)
	plan.hints.Together = slices.DeleteFunc(plan.hints.Together, func(line profiles.Combination) bool {
		return len(plan.trails) > 0 && len(line.Values[plan.trails[0].entry.Trail.What]) > 0
	})
	for i, line := range plan.hints.Together {
		for range min(line.Times, maxWeightedValues) {
			plan.together = append(plan.together, i)
		}
	}
	plan.attrs = plan.parts(e.Attributes)
	plan.setStateTimes(s.p)
	plan.findTimeRoles()
	return plan
}

func (plan *entityPlan) parts(list []*models.Attribute) []*part {
	parts := make([]*part, 0, len(list))
	for _, a := range list {
		part := &part{Attribute: a, words: words(a.Name), examples: plan.hints.Examples[a.Path], lifecycle: plan.e.Lifecycle(a.Path)}
		part.fillValues(plan.hints.Weights[a.Path], plan.rng)
		if t, ok := plan.e.Keys[a.Path]; ok && !t.Has(a.Path) {
			part.composed = true
		}
		part.inKey = plan.isInPrimaryKey(a.Path)
		part.nested = plan.parts(a.Attributes)
		part.state = plan.stateOf(part)
		parts = append(parts, part)
	}
	return parts
}

func (s *sampler) needs(plan *entityPlan) []*entityPlan {
	var list []*entityPlan
	add := func(name string) {
		if other := s.plans[s.p.Entity(name)]; other != nil && other != plan {
			list = append(list, other)
		}
	}
	for _, source := range plan.trails {
		add(source.subject.Name)
	}
	add(plan.hints.Per)
	add(plan.e.Parent)
	var walk func([]*part)
	walk = func(parts []*part) {
		for _, a := range parts {
			name, _, _ := strings.Cut(a.Refers, ".")
			add(name)
			walk(a.nested)
		}
	}
	walk(plan.attrs)
	return list
}

func (plan *entityPlan) stateOf(a *part) string {
	if plan.lifecycle == nil || a.Path == plan.lifecycle.Attribute || len(a.words) < 2 {
		return ""
	}
	stem := strings.Join(a.words[:len(a.words)-1], "")
	hint := ""
	for _, st := range plan.lifecycle.States {
		name := strings.Join(words(st.Name), "")
		if name == stem {
			return st.Name
		}
		n := 0
		for n < len(name) && n < len(stem) && name[n] == stem[n] {
			n++
		}
		if n >= 5 && n >= min(len(name), len(stem))-2 && hint == "" {
			hint = st.Name
		}
	}
	return hint
}

// A link is an entity that items of a plan refer to. One of its records fills all attributes that refer to it.
type link struct {
	to    *entityPlan
	attrs []*part
}

func (s *sampler) link(plan *entityPlan) {
	if per := s.plans[s.p.Entity(plan.hints.Per)]; per != nil && per != plan && s.isBefore(per, plan) {
		plan.parent = per
	}
	var walk func([]*part, bool)
	walk = func(parts []*part, nested bool) {
		for _, a := range parts {
			name, attr, _ := strings.Cut(a.Refers, ".")
			if to := s.plans[s.p.Entity(name)]; to != nil && to != plan && s.isBefore(to, plan) {
				a.target, a.targetAt = to, attr
				a.preferred = preference(a.words, to.e)
				if a.selectsOwnRecord = nested; nested && a.preferred[0] == "" {
					a.preferred = preference(words(a.Description), to.e)
				}
				if a.preferred[0] != "" && !slices.Contains(to.actorRoles, a.preferred) {
					to.actorRoles = append(to.actorRoles, a.preferred)
				}
			}
			walk(a.nested, true)
		}
	}
	walk(plan.attrs, false)
	for _, e := range slices.Backward(s.order) {
		if l := plan.linkTo(e); len(l.attrs) > 0 {
			plan.links = append(plan.links, l)
		}
	}
	for _, a := range plan.attrs {
		if a.target != nil && !a.hasSeveral() {
			plan.linkCopies(a)
		}
	}
	plan.single = plan.parent != nil && plan.hasKeyFromParent()
}

func (s *sampler) isBefore(a, b *entityPlan) bool {
	return slices.Index(s.order, a) < slices.Index(s.order, b)
}

// linkTo links only one of two attributes with a target: the one with the target's name. The other selects its own.
func (plan *entityPlan) linkTo(to *entityPlan) link {
	first := map[string]*part{}
	for _, a := range plan.attrs {
		if a.target != to || a.hasSeveral() {
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
		if a.selectsOwnRecord = first[a.targetAt] != a; !a.selectsOwnRecord {
			l.attrs = append(l.attrs, a)
		}
	}
	return l
}

func (plan *entityPlan) hasKeyFromParent() bool {
	for _, k := range plan.e.Table.PrimaryKeys() {
		t, ok := plan.e.KeyTemplate(k.Name)
		if !ok {
			continue
		}
		for _, name := range t.Placeholders() {
			a := plan.part(name)
			if a == nil || a.target == nil || a.selectsOwnRecord {
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
	return models.First(plan.attrs, func(a *part) bool { return a.Path == name })
}

// preference interprets adminId as the ID of a user whose role is admin.
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

// linkCopies finds copies of attributes: adminEmail next to adminId.
func (plan *entityPlan) linkCopies(a *part) {
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
