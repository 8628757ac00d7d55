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
)

// A Tree has the items that a case would have, by how they are related to its start. It is not
// safe for concurrent use. A user may set Pruned of its branches before Collect.
type Tree struct {
	Start   link.Place
	Root    *Branch
	Units   float64 // read units consumed
	Reached string  // the limit that ended the search, "" for none
	Unread  int     // reads that were not sent because of it
}

// A Branch has the rows of one pattern, run from each item of the branch above.
type Branch struct {
	Name     string // ID of the pattern, or the entity at the start
	More     bool   // there are more rows, beyond a limit
	Problem  string // why rows are missing, "" if none are
	Pruned   bool   // the branch and those below it are left out
	Branches []*Branch

	all   []*Record
	first []*Record // those that no branch found earlier
}

// TreeOf returns the tree of a case of items that no relation leads to, nil if none of them has an entity. The case begins at the
// first one that has.
func TreeOf(name string, list []*Record) *Tree {
	first := slices.IndexFunc(list, func(r *Record) bool { return r.Entity != nil })
	if first < 0 {
		return nil
	}
	start := list[first]
	key, _ := start.Table.PrimaryKey(start.Item)
	list = slices.Concat(list[first:first+1], list[:first], list[first+1:])
	return &Tree{Start: link.Place{Entity: start.Entity, Key: key}, Root: &Branch{Name: name, all: list, first: list}}
}

// child returns the branch of a pattern, which it adds if it is new.
func (b *Branch) child(p *accesspatterns.Pattern) *Branch {
	i := slices.IndexFunc(b.Branches, func(c *Branch) bool { return c.Name == p.ID })
	if i < 0 {
		b.Branches, i = append(b.Branches, &Branch{Name: p.ID}), len(b.Branches)
	}
	return b.Branches[i]
}

// says reports whether the branch, or one below it, found items or could not.
func (b *Branch) says() bool {
	return len(b.first) > 0 || b.Problem != "" || b.More || slices.ContainsFunc(b.Branches, (*Branch).says)
}

// A Row is a branch with its place in the tree.
type Row struct {
	*Branch
	Depth  int
	Indent string // lines of the tree before its name
	Left   bool   // the branch, or one above it, is pruned
}

// Rows returns the branches from the root on. An item belongs to the branch that found it first; branches that found none
// and have nothing else to say are omitted. The rows refer to the branches of the tree and are
// valid until it changes.
func (t *Tree) Rows() []Row {
	var rows []Row
	var walk func(r Row, below string)
	walk = func(r Row, below string) {
		rows = append(rows, r)
		list := slices.DeleteFunc(slices.Clone(r.Branches), func(c *Branch) bool { return !c.says() })
		for i, c := range list {
			branch, next := "├─ ", "│  "
			if i == len(list)-1 {
				branch, next = "└─ ", "   "
			}
			walk(Row{Branch: c, Depth: r.Depth + 1, Indent: below + branch, Left: r.Left || c.Pruned}, below+next)
		}
	}
	walk(Row{Branch: t.Root, Left: t.Root.Pruned}, "")
	return rows
}

// Items returns the items that are not pruned, branch by branch.
func (t *Tree) Items() []*Record {
	var list []*Record
	for _, r := range t.Rows() {
		if !r.Left {
			list = append(list, r.first...)
		}
	}
	return list
}

// Entities counts the items of the row for each entity, "" for items of none.
func (r Row) Entities() map[string]int { return Entities(r.all) }

// New returns the number of items that no branch before the row found.
func (r Row) New() int { return len(r.first) }

// Counts returns what the row has, such as "3 Document, 1 Client".
func (r Row) Counts() string {
	var parts []string
	counts := r.Entities()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
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

// Summary returns the totals of the items that are not pruned on one line. Saving reads them with strong consistency: 1 RCU
// for each 4 KB.
func (t *Tree) Summary() string {
	bytes, units := 0, 0
	list := t.Items()
	for _, r := range list {
		size := r.Item.Size()
		bytes, units = bytes+size, units+(size+4095)/4096
	}
	text := fmt.Sprintf("%s, %s; found with %s RCU; saving reads %d RCU", english.Plural(len(list), "item", ""),
		reading.ByteSize(int64(bytes)), humanize.Ftoa(t.Units), units)
	if t.Unread > 0 {
		text += fmt.Sprintf("; stopped at %s; %s not sent", t.Reached, english.Plural(t.Unread, "read", ""))
	}
	return text
}
