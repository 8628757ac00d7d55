package casefile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Tree has the items that a case would have, by how they are related to its start. It is not
// safe for concurrent use. A user may set Pruned of its branches before Take.
type Tree struct {
	Start   link.Place
	Root    *Branch
	Units   float64 // read units consumed
	Reached string  // the limit that ended the search, "" for none
	Unread  int     // reads that were not sent because of it

	found map[string]*found
	order []string // keys of found, as they were found
	bytes int
}

// A found is an item of a tree.
type found struct {
	table  *models.Table
	entity *models.Entity // nil for none
	key    models.Item
	item   models.Item
}

// A Key names an item of a database.
type Key struct {
	Table  *models.Table
	Entity *models.Entity // of the item, nil for none
	Key    models.Item
}

// TreeOf returns the tree of a case of items that no relation leads to, nil if none of them has an entity. The case begins at the
// first one that has.
func TreeOf(name string, keys []Key) *Tree {
	first := slices.IndexFunc(keys, func(k Key) bool { return k.Entity != nil })
	if first < 0 {
		return nil
	}
	t := &Tree{
		Start: link.Place{Entity: keys[first].Entity, Key: keys[first].Key},
		Root:  &Branch{Name: name, Runs: 1}, found: map[string]*found{},
	}
	for _, k := range slices.Concat(keys[first:first+1], keys[:first], keys[first+1:]) {
		f := &found{table: k.Table, entity: k.Entity, key: k.Key, item: k.Key}
		t.found[f.id()] = f
		t.order = append(t.order, f.id())
	}
	t.Root.all, t.Root.first = t.order, t.order
	return t
}

// id identifies the item in a tree.
func (f *found) id() string { return idOf(f.table, f.key) }

func idOf(t *models.Table, key models.Item) string {
	return t.ID + " " + string(key.AppendDynamoDBJSON(nil))
}

// name returns the name of the item's entity, "" for none.
func (f *found) name() string {
	if f.entity == nil {
		return ""
	}
	return f.entity.Name
}

// A Branch has the rows of one pattern, run from each item of the branch above.
type Branch struct {
	Name     string // ID of the pattern, or the entity at the start
	Runs     int
	More     bool   // there are more rows, beyond a limit
	Problem  string // why rows are missing, "" if none are
	Pruned   bool   // the branch and those below it are left out
	Branches []*Branch

	all   []string // items
	first []string // those that no branch before it has
}

// child returns the branch of a pattern, which it adds if it is new.
func (b *Branch) child(p *accesspatterns.Pattern) *Branch {
	i := slices.IndexFunc(b.Branches, func(c *Branch) bool { return c.Name == p.ID })
	if i < 0 {
		b.Branches, i = append(b.Branches, &Branch{Name: p.ID}), len(b.Branches)
	}
	return b.Branches[i]
}

// A Row is a branch with its place in the tree.
type Row struct {
	*Branch
	Depth    int
	Indent   string         // lines of the tree before its name
	Entities map[string]int // items of the branch, "" for items of no entity
	Left     bool           // the branch, or one above it, is pruned
}

// New returns the number of items that no branch before the row found.
func (r Row) New() int { return len(r.first) }

// Rows returns the branches from the root on. An item belongs to the branch that found it first; branches that found none
// and have nothing else to say are omitted. The rows refer to the branches of the tree and are
// valid until it changes.
func (t *Tree) Rows() []Row {
	var rows []Row
	var walk func(b *Branch, depth int, indent, below string, left bool)
	walk = func(b *Branch, depth int, indent, below string, left bool) {
		r := Row{Branch: b, Depth: depth, Indent: indent, Entities: map[string]int{}, Left: left || b.Pruned}
		for _, id := range b.all {
			r.Entities[t.found[id].name()]++
		}
		rows = append(rows, r)
		list := slices.DeleteFunc(slices.Clone(b.Branches), func(c *Branch) bool { return !c.says() })
		for i, c := range list {
			branch, next := "├─ ", "│  "
			if i == len(list)-1 {
				branch, next = "└─ ", "   "
			}
			walk(c, depth+1, below+branch, below+next, r.Left)
		}
	}
	walk(t.Root, 0, "", "", false)
	return rows
}

// says reports whether the branch, or one below it, found items or could not.
func (b *Branch) says() bool {
	return len(b.first) > 0 || b.Problem != "" || b.More || slices.ContainsFunc(b.Branches, (*Branch).says)
}

// taken returns the items that are not pruned, as they were found.
func (t *Tree) taken() []*found {
	in := map[string]bool{}
	for _, r := range t.Rows() {
		for _, id := range r.first {
			in[id] = !r.Left
		}
	}
	var list []*found
	for _, id := range t.order {
		if in[id] {
			list = append(list, t.found[id])
		}
	}
	return list
}

// Entities counts the items of each entity that are not pruned, "" for items of none.
func (t *Tree) Entities() map[string]int {
	counts := map[string]int{}
	for _, f := range t.taken() {
		counts[f.name()]++
	}
	return counts
}

// Total returns the number of items that are not pruned, their bytes, and the read units that
// taking them costs. The units are those of strongly consistent reads, 1 RCU for each 4 KB.
func (t *Tree) Total() (items, bytes int, units float64) {
	for _, f := range t.taken() {
		size := f.item.Size()
		items, bytes, units = items+1, bytes+size, units+float64((size+4095)/4096)
	}
	return items, bytes, units
}

// Counts returns what the row has, such as "3 Document, 1 Client".
func (r Row) Counts() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Entities)) {
		n := r.Entities[name]
		if name == "" {
			name = english.PluralWord(n, "item", "") + " of no entity"
		}
		parts = append(parts, humanize.Comma(int64(n))+" "+name)
	}
	if len(parts) == 0 {
		return "no items"
	}
	return strings.Join(parts, ", ")
}

// Note returns what else is to be known about the row, "" for nothing.
func (r Row) Note() string {
	var parts []string
	if r.Problem != "" {
		parts = append(parts, r.Problem)
	}
	if r.Left {
		parts = append(parts, "left out")
	}
	if n := r.New(); n < len(r.all) {
		parts = append(parts, humanize.Comma(int64(n))+" new")
	}
	if r.More {
		parts = append(parts, "more exist")
	}
	return strings.Join(parts, ", ")
}

// Summary returns the totals on one line.
func (t *Tree) Summary() string {
	items, bytes, units := t.Total()
	text := fmt.Sprintf("%s, %s; found with %s RCU; saving reads %s RCU", english.Plural(items, "item", ""),
		reading.ByteSize(int64(bytes)), humanize.Ftoa(t.Units), humanize.Ftoa(units))
	if t.Unread > 0 {
		text += fmt.Sprintf("; stopped at %s; %s not sent", t.Reached, english.Plural(t.Unread, "read", ""))
	}
	return text
}
