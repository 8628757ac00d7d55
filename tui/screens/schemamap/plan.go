package schemamap

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// keyPart is the role of an attribute in the key of a table or an index.
type keyPart uint8

const (
	partPartition keyPart = iota
	partSort
	partExpiry // the TTL attribute of the table, which no request uses
)

func (p keyPart) word() string {
	return [...]string{"partition key", "sort key", "time to live"}[p]
}

// mapColumn is a key attribute of the table or of one of its indexes. An attribute that
// several of them share has a column in each.
type mapColumn struct {
	index *models.Index // nil: the table itself
	key   models.Key
	part  keyPart
	first bool // the first column of its table or index
}

// mapBlock is one table.
type mapBlock struct {
	table    *models.Table
	columns  []mapColumn
	entities []*models.Entity
	widths   []int // of the columns, in cells
}

// mapPlan is the content of the map. It is computed once, because a profile does not
// change.
type mapPlan struct {
	profile *profiles.Profile
	blocks  []*mapBlock
	overlap map[*models.Entity][]*models.Entity // entities that can have the same primary key
	name    int                                 // width of the names of the entities
	colors  map[string]int                      // color of each placeholder, below present.PieceRoles
}

// The widths of columns in cells. Longer texts are cut; the details show them whole.
const (
	mapColumnMin = 8
	mapColumnMax = 32
	mapNameMax   = 22
)

func newMapPlan(p *profiles.Profile) *mapPlan {
	m := &mapPlan{profile: p, overlap: map[*models.Entity][]*models.Entity{}, colors: map[string]int{}}
	for _, o := range lint.Overlaps(p) {
		m.overlap[o.A] = append(m.overlap[o.A], o.B)
		m.overlap[o.B] = append(m.overlap[o.B], o.A)
	}
	for _, t := range p.Tables {
		b := &mapBlock{table: t, entities: p.EntitiesOf(t)}
		b.add(nil)
		for _, x := range t.Indexes {
			b.add(x)
		}
		if t.TTL != "" {
			b.columns = append(b.columns, mapColumn{key: models.Key{Name: t.TTL, Type: models.TypeN}, part: partExpiry, first: true})
		}
		b.measure()
		m.makeRoom(b)
		for _, e := range b.entities {
			m.name = max(m.name, min(len(e.Name), mapNameMax))
			m.assignColors(e)
		}
		m.blocks = append(m.blocks, b)
	}
	return m
}

func (m *mapPlan) assignColors(e *models.Entity) {
	var used [present.PieceRoles]int
	var fresh []string
	for _, k := range e.KeyNames() {
		t, _ := e.KeyTemplate(k)
		for _, name := range t.Placeholders() {
			if c, known := m.colors[name]; known {
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
		m.colors[name] = least
		used[least]++
	}
}

func (m *mapPlan) role(name string) widget.Role { return present.PieceRole(m.colors[name]) }

func (b *mapBlock) add(x *models.Index) {
	partition, sort := b.table.KeysOf(x)
	for i, k := range partition {
		b.columns = append(b.columns, mapColumn{index: x, key: k, part: partPartition, first: i == 0})
	}
	for _, k := range sort {
		b.columns = append(b.columns, mapColumn{index: x, key: k, part: partSort})
	}
}

func (b *mapBlock) measure() {
	b.widths = make([]int, len(b.columns))
	for i, c := range b.columns {
		w := max(mapColumnMin, len([]rune(c.key.Name)))
		if c.first && (i+1 == len(b.columns) || b.columns[i+1].first) {
			w = max(w, len([]rune(c.source())))
		}
		for _, e := range b.entities {
			w = max(w, len([]rune(columnText(e, c)))+2) // A condition begins with a sign.
		}
		b.widths[i] = min(w, mapColumnMax)
	}
}

// unusedNote marks an index that no pattern uses.
const unusedNote = "⚠ no pattern"

func (m *mapPlan) makeRoom(b *mapBlock) {
	for i := 0; i < len(b.columns); {
		end := i + 1
		for end < len(b.columns) && !b.columns[end].first {
			end++
		}
		c := b.columns[i]
		need := len([]rune(c.source())) + 2 + len([]rune(unusedNote))
		if have := b.reach(i) - b.reach(end) - b.gap(i); m.unused(b, c.index) && have < need {
			b.widths[end-1] += need - have
		}
		i = end
	}
}

func (c mapColumn) source() string {
	switch {
	case c.part == partExpiry:
		return "expiry"
	case c.index == nil:
		return "table"
	}
	return "⌕ " + c.index.Name
}

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

func readsOf(p *accesspatterns.Pattern) []accesspatterns.Read {
	list := []accesspatterns.Read{p.Read}
	for _, v := range p.Variants {
		list = append(list, v.Read)
	}
	return list
}

func (c mapColumn) condition(r accesspatterns.Read) (accesspatterns.KeyCondition, bool) {
	i := slices.IndexFunc(r.Key, func(k accesspatterns.KeyCondition) bool { return k.Attribute.Name == c.key.Name })
	if i < 0 || c.part == partExpiry {
		return accesspatterns.KeyCondition{}, false
	}
	return r.Key[i], true
}

func (c mapColumn) read(r accesspatterns.Read) bool {
	return r.Operation != accesspatterns.Write && c.part != partExpiry && r.Index == c.index
}

func (b *mapBlock) reads(p *accesspatterns.Pattern, e *models.Entity, c mapColumn) bool {
	if p.Table != b.table || e != nil && !slices.Contains(p.Returns, e) {
		return false
	}
	return slices.ContainsFunc(readsOf(p), c.read)
}

// rewrites reports whether a key is made from an attribute that the write sets: without an update of the key, the
// item is not found by its new value.
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

// readersOf takes a nil entity or column for any.
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

func (m *mapPlan) unused(b *mapBlock, x *models.Index) bool {
	return x != nil && len(m.readersOf(b, nil, &mapColumn{index: x})) == 0
}

func (m *mapPlan) countIndexes() (unused, all int) {
	for _, b := range m.blocks {
		for _, x := range b.table.Indexes {
			all++
			if m.unused(b, x) {
				unused++
			}
		}
	}
	return unused, all
}

func (b *mapBlock) carriers(x *models.Index) []*models.Entity {
	partition, _ := b.table.KeysOf(x)
	return slices.DeleteFunc(slices.Clone(b.entities), func(e *models.Entity) bool {
		return slices.ContainsFunc(partition, func(k models.Key) bool {
			_, ok := e.KeyTemplate(k.Name)
			return !ok
		})
	})
}

func (m *mapPlan) blockOf(t *models.Table) int {
	return max(slices.IndexFunc(m.blocks, func(b *mapBlock) bool { return b.table == t }), 0)
}

func (m *mapPlan) markdown() string {
	var out strings.Builder
	for i, b := range m.blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString("### " + models.Printable(b.table.Name) + "\n\n| entity |")
		rule := "| --- |"
		for _, c := range b.columns {
			name := c.key.Name
			switch {
			case c.part == partExpiry:
				name += " (TTL)"
			case c.index != nil:
				name = c.index.Name + " " + name
			}
			out.WriteString(" " + markdownCell(name, false) + " |")
			rule += " --- |"
		}
		out.WriteString("\n" + rule + "\n")
		for _, e := range b.entities {
			out.WriteString("| " + markdownCell(e.Name, false) + " |")
			for _, c := range b.columns {
				out.WriteString(" " + markdownCell(columnText(e, c), c.part != partExpiry) + " |")
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

// markdownCell writes code, where # and _ have no meaning.
func markdownCell(text string, code bool) string {
	text = strings.ReplaceAll(models.Printable(text), "|", `\|`)
	if text == "" || !code {
		return text
	}
	return "`" + text + "`"
}

func (m *mapPlan) moveRows(at mapSpot, by int) mapSpot {
	for ; by < 0; by++ {
		switch {
		case at.row > 0:
			at.row--
		case at.block > 0:
			at.block--
			at.row = len(m.blocks[at.block].entities)
		}
	}
	for ; by > 0; by-- {
		switch {
		case at.row < len(m.blocks[at.block].entities):
			at.row++
		case at.block+1 < len(m.blocks):
			at.block++
			at.row = 0
		}
	}
	return at
}
