package lint

import (
	"iter"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A keyShape is the shape of a key. Equal shapes have the same pointer, so that two of them are compared only once.
type keyShape struct {
	shape
	prefix string // literal text with which every key starts
}

// intern returns the only keyShape with the forms of s.
func (l *linter) intern(s shape) *keyShape {
	var id []byte
	for _, form := range s {
		for _, t := range form {
			kind := byte('l')
			if t.isNumber {
				kind = 'n'
			} else if t.wild {
				kind = 'w'
			}
			id = append(id, kind, t.lit, t.ends)
		}
		id = append(id, '|')
	}
	return once(l.distinct, string(id), func() *keyShape { return &keyShape{s, s.literalPrefix()} })
}

// once returns the value for a key of a cache, which it computes only once.
func once[K comparable, V any](cache map[K]V, key K, compute func() V) V {
	v, known := cache[key]
	if !known {
		v = compute()
		cache[key] = v
	}
	return v
}

func (a shape) literalPrefix() string {
	var prefix []byte
	for n, form := range a {
		i := 0
		for i < len(form) && !form[i].wild && (n == 0 || i < len(prefix) && prefix[i] == form[i].lit) {
			if n == 0 {
				prefix = append(prefix, form[i].lit)
			}
			i++
		}
		prefix = prefix[:i]
	}
	return string(prefix)
}

// A shapePair is two compared shapes.
type shapePair struct {
	a, b   *keyShape
	prefix bool
}

// shapesOverlap returns a.overlaps(b, prefix), which it computes once.
func (l *linter) shapesOverlap(a, b *keyShape, prefix bool) bool {
	if !haveCommonStart(a.prefix, b.prefix) {
		return false
	}
	return once(l.overlapOf, shapePair{a, b, prefix}, func() bool { return a.overlaps(b.shape, prefix) })
}

func haveCommonStart(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// A byPrefix groups values by the literal prefix of a key, so that a key is compared only with keys that it can equal.
type byPrefix[T any] struct {
	prefixes []string // sorted
	groups   map[string]T
}

func (x *byPrefix[T]) group(prefix string, empty func() T) T {
	g, known := x.groups[prefix]
	if !known {
		if x.groups == nil {
			x.groups = map[string]T{}
		}
		g = empty()
		x.groups[prefix] = g
		i, _ := slices.BinarySearch(x.prefixes, prefix)
		x.prefixes = slices.Insert(x.prefixes, i, prefix)
	}
	return g
}

// withCommonStart returns the groups whose prefix starts with the given prefix or is the start of it.
func (x *byPrefix[T]) withCommonStart(prefix string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range prefix {
			if g, ok := x.groups[prefix[:i]]; ok && !yield(g) {
				return
			}
		}
		i, _ := slices.BinarySearch(x.prefixes, prefix)
		for ; i < len(x.prefixes) && strings.HasPrefix(x.prefixes[i], prefix); i++ {
			if !yield(x.groups[x.prefixes[i]]) {
				return
			}
		}
	}
}

// A group contains the numbers of entities in ascending order.
type group struct{ entities []int }

func newGroup() *group { return &group{} }

// An Overlap is a pair of entities of one table that can have the same primary key. Only its attributes can identify an
// item with such a key.
type Overlap struct {
	A, B *models.Entity
}

// Overlaps returns the pairs of entities whose primary keys overlap. Each pair is listed once: A precedes B in the
// schema. Pairs are in the order of B, then of A.
func Overlaps(p *profiles.Profile) []Overlap { return slices.Collect(newLinter(p).overlaps()) }

// overlaps groups the entities of a table by the prefix of the partition key, then by that of the sort key.
func (l *linter) overlaps() iter.Seq[Overlap] {
	return func(yield func(Overlap) bool) {
		type bySort = byPrefix[*group]
		tables := map[*models.Table]*byPrefix[*bySort]{}
		var earlier []int
		for n, b := range l.Entities {
			partition, sort := l.primaryOf(b).prefixes()
			keys := tables[b.Table]
			if keys == nil {
				keys = &byPrefix[*bySort]{}
				tables[b.Table] = keys
			}
			earlier = earlier[:0]
			for sorts := range keys.withCommonStart(partition) {
				for g := range sorts.withCommonStart(sort) {
					earlier = append(earlier, g.entities...)
				}
			}
			slices.Sort(earlier)
			for _, i := range earlier {
				if a := l.Entities[i]; l.entitiesOverlap(a, b) && !yield(Overlap{a, b}) {
					return
				}
			}
			if l.stopped() {
				return
			}
			g := keys.group(partition, func() *bySort { return &bySort{} }).group(sort, newGroup)
			g.entities = append(g.entities, n)
		}
	}
}

// readableEntities returns entities that a request may read, in the schema's order, including all that it reads.
func (l *linter) readableEntities(r request) []*models.Entity {
	smallest, least := []*group(nil), -1
	for _, k := range slices.Concat(r.keys()) {
		c, ok := r.condition(k.Name)
		if !ok {
			continue
		}
		q := l.requestedShape(r, c, true)
		if !q.ok || q.keys.prefix == "" {
			continue
		}
		var groups []*group
		size := 0
		for g := range l.withKey(r.pattern.Table, k.Name).withCommonStart(q.keys.prefix) {
			groups = append(groups, g)
			size += len(g.entities)
		}
		if least < 0 || size < least {
			smallest, least = groups, size
		}
	}
	if least < 0 {
		return l.EntitiesOf(r.pattern.Table)
	}
	var numbers []int
	for _, g := range smallest {
		numbers = append(numbers, g.entities...)
	}
	slices.Sort(numbers)
	return models.MapSlice(numbers, func(n int) *models.Entity { return l.Entities[n] })
}

// A tableKey is a key attribute of a table.
type tableKey struct {
	table *models.Table
	name  string
}

// withKey groups the entities of a table that have a key by the prefix of that key.
func (l *linter) withKey(t *models.Table, name string) *byPrefix[*group] {
	return once(l.byKey, tableKey{t, name}, func() *byPrefix[*group] {
		x := &byPrefix[*group]{}
		for n, e := range l.Entities {
			if template, ok := e.KeyTemplate(name); ok && e.Table == t {
				g := x.group(l.keyOf(e, name, template, true).prefix, newGroup)
				g.entities = append(g.entities, n)
			}
		}
		return x
	})
}

// An entityKey identifies a key of an entity; see mayWrite for separated.
type entityKey struct {
	entity    *models.Entity
	name      string
	separated bool
}

func (l *linter) keyOf(e *models.Entity, name string, t models.Template, separated bool) *keyShape {
	return once(l.shapes, entityKey{e, name, separated}, func() *keyShape {
		s := l.entityShape(e, t)
		if separated {
			s = s.separated()
		}
		return l.intern(s)
	})
}

// A condition identifies a key condition or a filter of a request.
type condition struct {
	path, attribute string
	compare         accesspatterns.Operator
	template        string
	separated       bool
}

// A requestedResult is a cached result of requestedKeys.
type requestedResult struct {
	keys       *keyShape
	prefix, ok bool
}

func (l *linter) requestedShape(r request, c accesspatterns.KeyCondition, separated bool) requestedResult {
	id := condition{r.path, c.Attribute.Name, c.Compare, c.Template.String(), separated}
	return once(l.requestedShapes, id, func() requestedResult {
		s, prefix, ok := l.requestedKeys(r, c)
		if separated {
			s = s.separated()
		}
		return requestedResult{l.intern(s), prefix, ok}
	})
}

// A primaryKey contains the templates of an entity's primary key, which each rule compares with all others.
type primaryKey struct {
	shapes []*keyShape
	form   string // the templates without the names of their placeholders
}

func (k *primaryKey) prefixes() (partition, sort string) {
	if len(k.shapes) > 0 {
		partition = k.shapes[0].prefix
	}
	if len(k.shapes) > 1 {
		sort = k.shapes[1].prefix
	}
	return partition, sort
}

func (l *linter) primaryOf(e *models.Entity) *primaryKey {
	return once(l.primaries, e, func() *primaryKey {
		k := &primaryKey{}
		for _, attribute := range e.Table.PrimaryKeys() {
			if t, ok := e.KeyTemplate(attribute.Name); ok {
				k.shapes = append(k.shapes, l.keyOf(e, attribute.Name, t, false))
				k.form += form(t) + "\n"
			}
		}
		return k
	})
}

func (l *linter) haveSameForm(a, b *models.Entity) bool {
	return l.primaryOf(a).form == l.primaryOf(b).form
}

func (l *linter) entitiesOverlap(a, b *models.Entity) bool {
	return slices.EqualFunc(l.primaryOf(a).shapes, l.primaryOf(b).shapes, func(s, t *keyShape) bool { return l.shapesOverlap(s, t, false) })
}

func (l *linter) sharesKeys(e *models.Entity, others []*models.Entity) bool {
	return slices.ContainsFunc(others, func(o *models.Entity) bool {
		return o.Table == e.Table && l.haveSameForm(e, o) && l.entitiesOverlap(e, o)
	})
}
