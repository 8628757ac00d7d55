// Package sample invents items for every entity of a profile: complete items
// that their entity recognizes, with index keys that agree with the attributes
// and references to items that exist. The same options make the same items,
// byte for byte. It reads what the profile declares and never a table.
package sample

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxAttempts is how often an item is made again when its key is in use. After
// half of them the values are invented instead of taken from the profile.
const maxAttempts = 24

// maxMisses is how many consecutive items without a free key end an entity.
const maxMisses = 10

// maxItems protects the memory against a mistyped number.
const maxItems = 10_000_000

// Options set the amount of sample data and its time.
type Options struct {
	// Items is the number of items per entity; 0 uses the counts of the
	// profile. An entity with fewer possible keys has fewer items. An audit trail
	// has an entry for each transition of its items, however many there are.
	Items int
	// Seed selects the random values.
	Seed uint64
	// Defects plants a few known defects, of which drift detection finds each. Without it there are none.
	Defects bool
	// At is the required present time of the data. Times are spread over the
	// 30 days before it; those who act on other items, such as admins, are a little older.
	At time.Time
}

// An Item is a complete item of an entity with correct keys.
type Item struct {
	Entity *models.Entity
	Table  *models.Table
	Item   models.Item
}

// Items returns items of every entity. Entities that others refer to come first,
// so a referenced item precedes the reference. Primary keys are unique.
func Items(p *profiles.Profile, o Options) ([]Item, error) {
	switch {
	case o.At.IsZero():
		return nil, errors.New("sample data needs a time; set Options.At")
	case o.At.Year() < 1971 || o.At.Year() > 9000:
		return nil, fmt.Errorf("invalid time for sample data: year %d is not between 1971 and 9000", o.At.Year())
	case o.Items < 0 || o.Items > maxItems:
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
		if err := s.plant(); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

// A sampler makes the items of one profile.
type sampler struct {
	p     *profiles.Profile
	o     Options
	plans map[*models.Entity]*entityPlan
	order []*entityPlan // entities that others refer to first
	taken map[string]bool
	out   []Item

	recorded map[*models.Transition]bool // transitions with an entry in a trail
}

// A record is an item with the data that others need to refer to it.
type record struct {
	plan  *entityPlan
	item  models.Item
	extra map[string]string // placeholders that exist only inside keys
	refs  []*record         // what it refers to, and what that refers to
	start time.Time
	last  time.Time // the last change
	moves []move    // the transitions that led to its state, oldest first
	path  []string  // the states that it was in, oldest first
}

func (r *record) text(path string) (string, bool) {
	if v, ok := r.item.Text(path); ok {
		return v, true
	}
	v, ok := r.extra[path]
	return v, ok
}

func (r *record) of(plan *entityPlan) *record {
	if i := slices.IndexFunc(r.refs, func(x *record) bool { return x.plan == plan }); i >= 0 {
		return r.refs[i]
	}
	return nil
}

func (r *record) entered(state string, present time.Time) (from, to time.Time, ok bool) {
	i := slices.Index(r.path, state)
	if i < 0 {
		return from, to, false
	}
	from, to = r.start, present
	for _, mv := range r.moves {
		switch {
		case mv.to == state && mv.from != state:
			from = mv.at
		case mv.from == state && mv.to != state:
			to = mv.at
		}
	}
	return from, to, true
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
	var with []int // the parents that can have items
	for i, r := range plan.parent.records {
		if plan.hints.During == "" || slices.Contains(r.path, plan.hints.During) {
			with = append(with, i)
		}
	}
	if len(with) == 0 {
		return n
	}
	total = cmp.Or(total, plan.count*len(with))
	if plan.single {
		for _, i := range with[:min(total, len(with))] {
			n[i] = 1
		}
		return n
	}
	// The counts of parents differ by a factor of up to nine.
	weights, sum := make([]int, len(with)), 0
	for i := range weights {
		weights[i] = 1 + plan.rng.IntN(3)*plan.rng.IntN(5)
		sum += weights[i]
	}
	left := total
	for i, w := range weights {
		n[with[i]] = total * w / sum
		left -= n[with[i]]
	}
	for range left {
		n[with[plan.rng.IntN(len(with))]]++
	}
	return n
}

// make returns false when every tried key is in use.
func (s *sampler) make(plan *entityPlan, parent *record) (bool, error) {
	return s.makeFrom(plan, parent, nil)
}

func (s *sampler) makeFrom(plan *entityPlan, parent *record, known *given) (bool, error) {
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
