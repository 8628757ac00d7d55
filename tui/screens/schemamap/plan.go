package schemamap

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// keyPart is what an attribute is for a way of asking.
type keyPart uint8

const (
	partPartition keyPart = iota
	partSort
	partExpiry // the TTL attribute of the table; nobody asks by it
)

// word names the part for people.
func (p keyPart) word() string {
	return [...]string{"partition key", "sort key", "time to live"}[p]
}

// mapColumn is one key attribute of the table or of one of its indexes. An
// attribute that several of them share has a column in each.
type mapColumn struct {
	index *models.Index // nil: the table itself
	key   models.Key
	part  keyPart
	first bool // of its index
}

// mapBlock is one table.
type mapBlock struct {
	table    *models.Table
	columns  []mapColumn
	entities []*models.Entity
	widths   []int // of the columns, in cells
}

// mapPlan is the whole map. It is computed once: a profile does not change.
type mapPlan struct {
	profile *profiles.Profile
	blocks  []*mapBlock
	overlap map[*models.Entity][]*models.Entity // whose primary keys can be the same
	name    int                                 // width of the widest entity's name
	colours map[string]int                      // of the placeholders
}

// The widths that a column may have. What does not fit is cut; the details have
// it in full.
const (
	mapColumnMin = 8
	mapColumnMax = 32
	mapNameMax   = 22
)

func newMapPlan(p *profiles.Profile) *mapPlan {
	m := &mapPlan{profile: p, overlap: map[*models.Entity][]*models.Entity{}, colours: map[string]int{}}
	for _, o := range lint.Overlaps(p) {
		m.overlap[o.A] = append(m.overlap[o.A], o.B)
		m.overlap[o.B] = append(m.overlap[o.B], o.A)
	}
	for _, t := range p.Tables {
		b := &mapBlock{table: t, entities: p.EntitiesOf(t)}
		b.Add(nil, t.PartitionKey, t.SortKey)
		for _, x := range t.Indexes {
			b.Add(x, x.PartitionKey, x.SortKey)
		}
		if t.TTL != "" {
			b.columns = append(b.columns, mapColumn{key: models.Key{Name: t.TTL, Type: models.TypeN}, part: partExpiry, first: true})
		}
		b.measure()
		m.makeRoom(b)
		for _, e := range b.entities {
			m.name = max(m.name, min(len(e.Name), mapNameMax))
			m.colour(e)
		}
		m.blocks = append(m.blocks, b)
	}
	return m
}

// colour gives the placeholders of an entity that have none yet a colour of
// their own, as far as there are enough.
func (m *mapPlan) colour(e *models.Entity) {
	var used [pieceRoles]int
	var fresh []string
	for _, k := range e.KeyNames() {
		t, _ := e.KeyTemplate(k)
		for _, name := range t.Placeholders() {
			if c, known := m.colours[name]; known {
				used[c]++
			} else if !slices.Contains(fresh, name) {
				fresh = append(fresh, name)
			}
		}
	}
	for _, name := range fresh {
		least := 0
		for c := range used {
			if used[c] < used[least] {
				least = c
			}
		}
		m.colours[name] = least
		used[least]++
	}
}

// pieceRoles is how many colours pieceRole has.
const pieceRoles = 4

// role is the colour of a placeholder, the same in every cell.
func (m *mapPlan) Role(name string) widget.Role { return present.PieceRole(m.colours[name]) }

func (b *mapBlock) Add(x *models.Index, partition, sort models.Key) {
	b.columns = append(b.columns, mapColumn{index: x, key: partition, part: partPartition, first: true})
	if sort.Name != "" {
		b.columns = append(b.columns, mapColumn{index: x, key: sort, part: partSort})
	}
}

// measure makes the columns as wide as what they hold.
func (b *mapBlock) measure() {
	b.widths = make([]int, len(b.columns))
	for i, c := range b.columns {
		w := max(mapColumnMin, len([]rune(c.key.Name)))
		if c.first && (i+1 == len(b.columns) || b.columns[i+1].first) {
			w = max(w, len([]rune(c.way())))
		}
		for _, e := range b.entities {
			w = max(w, len([]rune(columnText(e, c)))+2) // What a pattern asks begins with a sign.
		}
		b.widths[i] = min(w, mapColumnMax)
	}
}

// unreadNote marks an index that no pattern asks.
const unreadNote = "⚠ no pattern"

// makeRoom widens the indexes that have something to be said of.
func (m *mapPlan) makeRoom(b *mapBlock) {
	for i := 0; i < len(b.columns); {
		end := i + 1
		for end < len(b.columns) && !b.columns[end].first {
			end++
		}
		c := b.columns[i]
		need := len([]rune(c.way())) + 2 + len([]rune(unreadNote))
		if have := b.reach(i) - b.reach(end) - b.gap(i); m.unread(b, c.index) && have < need {
			b.widths[end-1] += need - have
		}
		i = end
	}
}

// way names what is asked: the table, or an index.
func (c mapColumn) way() string {
	switch {
	case c.part == partExpiry:
		return "expiry"
	case c.index == nil:
		return "table"
	}
	return "⌕ " + c.index.Name
}

// columnText is what an entity has in a column, "" when it is not in that index.
func columnText(e *models.Entity, c mapColumn) string {
	if c.part == partExpiry {
		a := e.Attribute(c.key.Name)
		switch {
		case a == nil:
			return ""
		case a.Equals != "":
			return "= " + a.Equals
		case !a.Required:
			return "optional"
		}
		return "always"
	}
	t, _ := e.KeyTemplate(c.key.Name)
	return t.String()
}

// readsOf lists the requests that a pattern can make.
func readsOf(p *accesspatterns.Pattern) []accesspatterns.Read {
	list := []accesspatterns.Read{p.Read}
	for _, v := range p.Variants {
		list = append(list, v.Read)
	}
	return list
}

// condition returns what a request compares a column with.
func (c mapColumn) condition(r accesspatterns.Read) (accesspatterns.KeyCondition, bool) {
	i := slices.IndexFunc(r.Key, func(k accesspatterns.KeyCondition) bool { return k.Attribute.Name == c.key.Name })
	if i < 0 || c.part == partExpiry {
		return accesspatterns.KeyCondition{}, false
	}
	return r.Key[i], true
}

// asked reports whether a request goes this way: by the table or the index of
// the column.
func (c mapColumn) asked(r accesspatterns.Read) bool {
	return r.Operation != accesspatterns.Write && c.part != partExpiry && r.Index == c.index
}

// reads reports whether a pattern reads what an entity has in a column: it goes
// that way and returns the entity, nil for any.
func (b *mapBlock) reads(p *accesspatterns.Pattern, e *models.Entity, c mapColumn) bool {
	if p.Table != b.table || e != nil && !slices.Contains(p.Returns, e) {
		return false
	}
	return slices.ContainsFunc(readsOf(p), c.asked)
}

// rewrites reports whether a write changes what an entity has in a column: its
// key is made from an attribute that the write sets. An index key that is
// forgotten then is how items get lost.
func (b *mapBlock) rewrites(p *accesspatterns.Pattern, e *models.Entity, c mapColumn) bool {
	if p.IsRead() || p.Writing == nil || p.Table != b.table || !slices.Contains(p.Returns, e) {
		return false
	}
	if c.part == partExpiry {
		return slices.Contains(p.Writing.Sets, c.key.Name)
	}
	t, ok := e.KeyTemplate(c.key.Name)
	return ok && slices.ContainsFunc(p.Writing.Sets, func(a string) bool { return a == c.key.Name || t.Has(a) })
}

// readersOf lists the patterns that read a cell; with a nil entity those that go
// this way at all, with a nil column those that return or write the entity.
func (m *mapPlan) readersOf(b *mapBlock, e *models.Entity, c *mapColumn) []*accesspatterns.Pattern {
	var list []*accesspatterns.Pattern
	for _, p := range m.profile.Patterns {
		var yes bool
		switch {
		case c == nil && e == nil:
			yes = p.Table == b.table
		case c == nil:
			yes = slices.Contains(p.Returns, e)
		default:
			yes = b.reads(p, e, *c) || e != nil && b.rewrites(p, e, *c)
		}
		if yes {
			list = append(list, p)
		}
	}
	return list
}

// unread reports an index that no pattern asks.
func (m *mapPlan) unread(b *mapBlock, x *models.Index) bool {
	return x != nil && len(m.readersOf(b, nil, &mapColumn{index: x})) == 0
}

// unreadIndexes counts the indexes that no pattern asks.
func (m *mapPlan) unreadIndexes() (unread, all int) {
	for _, b := range m.blocks {
		for _, x := range b.table.Indexes {
			all++
			if m.unread(b, x) {
				unread++
			}
		}
	}
	return unread, all
}

// carriers lists the entities of a table that an index can hold: those that
// have its partition key.
func (b *mapBlock) carriers(x *models.Index) []*models.Entity {
	partition, _ := b.table.KeysOf(x)
	return slices.DeleteFunc(slices.Clone(b.entities), func(e *models.Entity) bool {
		_, ok := e.KeyTemplate(partition.Name)
		return !ok
	})
}

// blockOf returns the place of a table among the blocks.
func (m *mapPlan) blockOf(t *models.Table) int {
	return max(slices.IndexFunc(m.blocks, func(b *mapBlock) bool { return b.table == t }), 0)
}
