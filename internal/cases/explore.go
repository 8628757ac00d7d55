package cases

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Collector collects cases from the database of a session. It is safe for concurrent use.
type Collector struct {
	s          *session.Viewer
	rd         *reading.Reader
	pseudonyms func(prefixes []string) *pseudonymizer // returns the pseudonymizer of a new case
}

// New returns the collector of a session. It sends no request.
func New(s *session.Viewer, rd *reading.Reader) *Collector {
	return &Collector{s, rd, newPseudonymizer}
}

// Limits restrict the reads of Explore. A limit of 0 items, bytes or units ends Explore before the first read, so start
// with DefaultLimits.
type Limits struct {
	// Depth is the number of steps from the start; 0 collects only the start.
	Depth int
	Rows  int // maximum number of rows for one read
	Items int // maximum in total
	// Bytes limits the size of all items as DynamoDB counts it; the file is larger, because it is JSON.
	Bytes   int
	Units   float64  // RCU; the last read may exceed them
	Without []string // IDs of patterns that Explore does not follow
}

// DefaultLimits returns limits that a user can change.
func DefaultLimits() Limits {
	return Limits{Depth: 1, Rows: 50, Items: 1000, Bytes: 4 << 20, Units: 1000}
}

// Explore reads the items at the start and then, step by step, the items that the item screen lists as related, if an
// ID selects them. It does not follow lists by state or day, because they do not belong to the case. Reaching a limit
// is not an error: Tree.ReachedLimit names the limit.
func (c *Collector) Explore(ctx context.Context, start link.Place, l Limits) (*Tree, error) {
	x := &explorer{
		Collector: c, limits: l, tree: &Tree{Start: start, plain: c.s.Plain()}, found: map[string]*Record{}, queried: map[string]bool{},
	}
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	level := []*Branch{x.tree.Root}
	for range l.Depth {
		var next []*Branch
		for _, b := range level {
			if err := x.follow(ctx, b); err != nil {
				return nil, err
			}
			next = append(next, b.Branches...)
		}
		level = next
	}
	return x.tree, nil
}

// An explorer builds one tree.
type explorer struct {
	*Collector
	limits  Limits
	tree    *Tree
	found   map[string]*Record // found records by ID
	bytes   int                // total size of the found items
	queried map[string]bool    // fingerprints of requests
}

func (x *explorer) begin(ctx context.Context) error {
	s := x.tree.Start
	if s.Pattern != nil {
		x.tree.Root = &Branch{Name: s.Pattern.ID}
		return x.read(ctx, x.tree.Root, accesspatterns.Related{Pattern: s.Pattern, Args: s.Args})
	}
	x.tree.Root = &Branch{Name: s.Entity.Name}
	it, err := x.rd.Get(ctx, s.Entity.Table, s.Key)
	if err != nil {
		return err
	}
	if it != nil {
		x.add(x.tree.Root, s.Entity.Table, []models.Item{it})
	}
	x.tree.Units++
	return nil
}

func (x *explorer) follow(ctx context.Context, b *Branch) error {
	for _, f := range b.first {
		for _, r := range x.rd.Related(f.Table, f.Item) {
			if !isFollowed(r) || slices.Contains(x.limits.Without, r.Pattern.ID) {
				continue
			}
			request, err := x.rd.Bind(r.Pattern, r.Args)
			if err != nil {
				continue // Values that cannot be in a key have no related items.
			}
			id := string(request.Fingerprint())
			if x.queried[id] {
				continue
			}
			x.queried[id] = true
			if x.isFull() {
				x.tree.Unread++
				continue
			}
			if err := x.read(ctx, b.child(r.Pattern), r); err != nil {
				return err
			}
		}
	}
	return nil
}

func isFollowed(r accesspatterns.Related) bool {
	read := r.Pattern.Read
	if read.Operation == accesspatterns.Get {
		return true
	}
	if read.Operation != accesspatterns.Query || len(read.Key) == 0 {
		return false
	}
	partition, _ := r.Pattern.Table.KeysOf(read.Index)
	for _, c := range read.Key {
		if !slices.Contains(partition, c.Attribute) {
			continue
		}
		for _, name := range c.Template.Placeholders() {
			q := r.Pattern.Param(name)
			if _, isSet := r.Args[name]; !isSet || q == nil || len(q.Enum) > 0 {
				continue
			}
			if q.Type == accesspatterns.String && (q.Attribute == nil || !q.Attribute.Format.IsTime() && len(q.Attribute.Enum) == 0) {
				return true
			}
		}
	}
	return false
}

func (x *explorer) isFull() bool {
	t, l := x.tree, x.limits
	switch {
	case len(x.found) >= l.Items:
		t.ReachedLimit = humanize.Comma(int64(l.Items)) + " items"
	case x.bytes >= l.Bytes:
		t.ReachedLimit = reading.ByteSize(int64(l.Bytes))
	case t.Units >= l.Units:
		t.ReachedLimit = "the limit of reads"
		if !t.plain {
			t.ReachedLimit = humanize.Ftoa(l.Units) + " RCU"
		}
	default:
		return false
	}
	return true
}

func (x *explorer) read(ctx context.Context, b *Branch, r accesspatterns.Related) error {
	run, err := x.rd.Start(r.Pattern, r.Args, reading.RunOptions{Limit: x.limits.Rows, Stored: true})
	if err != nil {
		return err
	}
	page, err := run.Next(ctx)
	switch store.ClassOf(err) {
	case store.TableMissing, store.IndexMissing, store.AccessDenied:
		if b == x.tree.Root {
			return err
		}
		b.Problem = err.Error()
	default:
		if err != nil {
			return fmt.Errorf("%s: %w", r.Pattern.ID, err)
		}
	}
	b.More = b.More || page.More
	x.tree.Units += page.Capacity
	x.add(b, r.Pattern.Table, page.Items)
	return nil
}

func (x *explorer) add(b *Branch, table *models.Table, items []models.Item) {
	for _, it := range items {
		if _, ok := table.PrimaryKey(it); !ok {
			continue
		}
		r := &Record{Table: table, Item: it}
		if known := x.found[r.id()]; known != nil {
			r = known
		} else {
			if len(x.found) >= x.limits.Items || x.bytes+it.Size() > x.limits.Bytes {
				b.More = true
				x.isFull()
				continue
			}
			if known, ok := x.s.Recognize(table, it); ok {
				r.Entity = known.Entity
			}
			x.found[r.id()] = r
			x.bytes += it.Size()
			b.first = append(b.first, r)
		}
		b.all = models.AppendOnce(b.all, r)
	}
}

// A Tree contains the items of a future case, grouped by their relation to its start. It is not safe for concurrent
// use. The caller may set the Pruned field of its branches before Collect.
type Tree struct {
	Start        link.Place
	Root         *Branch
	Units        float64 // RCU consumed
	ReachedLimit string  // the limit that ended the search, or ""
	Unread       int     // reads that Explore did not send because of the limit

	plain bool // texts are for role support
}

// A Branch contains the rows of one pattern, run for each item of the parent branch.
type Branch struct {
	Name     string // ID of the pattern, or the entity at the start
	More     bool   // the pattern has more rows than a limit allows
	Problem  string // why rows are missing, or ""
	Pruned   bool   // the user excluded the branch and its descendants
	Branches []*Branch

	all   []*Record
	first []*Record // items that no earlier branch found
}

// TreeOf returns the tree of a case for a plain list of items, or nil if no item has an entity. The case starts at the
// first item that has an entity.
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

func (b *Branch) child(p *accesspatterns.Pattern) *Branch {
	i := slices.IndexFunc(b.Branches, func(c *Branch) bool { return c.Name == p.ID })
	if i < 0 {
		b.Branches, i = append(b.Branches, &Branch{Name: p.ID}), len(b.Branches)
	}
	return b.Branches[i]
}

func (b *Branch) isWorthShowing() bool {
	return len(b.first) > 0 || b.Problem != "" || b.More || slices.ContainsFunc(b.Branches, (*Branch).isWorthShowing)
}

// A Row is a branch with its position in the tree.
type Row struct {
	*Branch
	Depth    int
	Indent   string // tree lines before the name
	Excluded bool   // the user pruned the branch or one of its ancestors
}

// Rows returns the branches, beginning at the root. An item belongs to the branch that found it first. Rows omits
// branches without new items, rows or problems to show. The rows refer to branches of the tree and are valid until the
// tree changes.
func (t *Tree) Rows() []Row {
	var rows []Row
	var walk func(r Row, below string)
	walk = func(r Row, below string) {
		rows = append(rows, r)
		list := slices.DeleteFunc(slices.Clone(r.Branches), func(c *Branch) bool { return !c.isWorthShowing() })
		for i, c := range list {
			branch, next := "├─ ", "│  "
			if i == len(list)-1 {
				branch, next = "└─ ", "   "
			}
			walk(Row{Branch: c, Depth: r.Depth + 1, Indent: below + branch, Excluded: r.Excluded || c.Pruned}, below+next)
		}
	}
	walk(Row{Branch: t.Root, Excluded: t.Root.Pruned}, "")
	return rows
}

// Items returns the items that are not pruned, in the order of the branches.
func (t *Tree) Items() []*Record {
	var list []*Record
	for _, r := range t.Rows() {
		if !r.Excluded {
			list = append(list, r.first...)
		}
	}
	return list
}

// Entities counts the items of the row for each entity, with the key "" for items without an entity.
func (r Row) Entities() map[string]int { return Entities(r.all) }

// New returns the number of items that no earlier branch found.
func (r Row) New() int { return len(r.first) }

// Counts describes the number of items in the row, for example "3 Document, 1 Client".
func (r Row) Counts() string {
	var parts []string
	counts := r.Entities()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
		if name == "" {
			name = english.PluralWord(n, "item", "") + " without an entity"
		}
		parts = append(parts, humanize.Comma(int64(n))+" "+name)
	}
	if len(parts) == 0 {
		return "no items"
	}
	return strings.Join(parts, ", ")
}

// Note returns further information about the row, or "".
func (r Row) Note() string {
	var parts []string
	if r.Problem != "" {
		parts = append(parts, r.Problem)
	}
	if r.Excluded {
		parts = append(parts, "omitted")
	}
	if n := r.New(); n < len(r.all) {
		parts = append(parts, humanize.Comma(int64(n))+" new")
	}
	if r.More {
		parts = append(parts, "more exist")
	}
	return strings.Join(parts, ", ")
}

// Summary returns the totals of the items that are not pruned, on one line. Saving reads these items with strong
// consistency, which costs 1 RCU for each 4 KB.
func (t *Tree) Summary() string {
	bytes, units := 0, 0
	list := t.Items()
	for _, r := range list {
		size := r.Item.Size()
		bytes, units = bytes+size, units+(size+4095)/4096
	}
	text := english.Plural(len(list), "item", "") + ", " + reading.ByteSize(int64(bytes))
	if !t.plain {
		text += fmt.Sprintf(" (search %s RCU, save %d RCU)", humanize.Ftoa(t.Units), units)
	}
	if t.Unread > 0 {
		text += fmt.Sprintf("; stopped at %s, %s not sent", t.ReachedLimit, english.Plural(t.Unread, "read", ""))
	}
	return text
}
