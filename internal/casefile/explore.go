package casefile

import (
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Collector collects cases from the database of a session. It is safe for concurrent use.
type Collector struct {
	s  *session.Viewer
	rd *reading.Reader
}

// New returns the collector of a session. It sends nothing.
func New(s *session.Viewer, rd *reading.Reader) *Collector { return &Collector{s, rd} }

// Limits bound what is read to find the items of a case. A limit of 0 items, bytes or units is
// reached before the first read, so begin with DefaultLimits.
type Limits struct {
	// Depth is the number of steps from the start; 0 collects the start alone.
	Depth int
	Rows  int // of one read
	Items int // in all
	// Bytes bounds the size of all items as DynamoDB counts it; the file is larger, because it
	// is JSON.
	Bytes   int
	Units   float64  // read units; the last read may exceed them
	Without []string // IDs of patterns that are not followed
}

// DefaultLimits are the limits that a user changes.
func DefaultLimits() Limits {
	return Limits{Depth: 1, Rows: 50, Items: 1000, Bytes: 4 << 20, Units: 1000}
}

// Explore reads the items at the start, and step by step those that are related to them: what the item screen lists as
// related, as far as an ID selects it. A list by state or by day is not followed, because it is not about the case. A limit that is
// reached is no error: Tree.Reached names it.
func (c *Collector) Explore(ctx context.Context, start link.Place, l Limits) (*Tree, error) {
	x := &explorer{Collector: c, limits: l, tree: &Tree{Start: start}, found: map[string]*Record{}, asked: map[string]bool{}}
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

// An explorer is a tree that is being read.
type explorer struct {
	*Collector
	limits Limits
	tree   *Tree
	found  map[string]*Record // by ID
	bytes  int                // of them
	asked  map[string]bool    // fingerprints of requests
}

// begin reads the items at the start.
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

// follow reads what is related to the items that the branch found first.
func (x *explorer) follow(ctx context.Context, b *Branch) error {
	for _, f := range b.first {
		for _, r := range x.rd.Related(f.Table, f.Item) {
			if !followed(r) || slices.Contains(x.limits.Without, r.Pattern.ID) {
				continue
			}
			request, err := x.rd.Bind(r.Pattern, r.Args)
			if err != nil {
				continue // A value that no key can have has no related items.
			}
			id := string(request.Fingerprint())
			if x.asked[id] {
				continue
			}
			x.asked[id] = true
			if x.full() {
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

// followed reports whether what the pattern returns is about the item: it gets one by its key, or an ID is a part of the
// partition key.
func followed(r accesspatterns.Related) bool {
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
			if _, given := r.Args[name]; !given || q == nil || len(q.Enum) > 0 {
				continue
			}
			if q.Type == accesspatterns.String && (q.Attribute == nil || !q.Attribute.Format.IsTime() && len(q.Attribute.Enum) == 0) {
				return true
			}
		}
	}
	return false
}

// full reports whether a limit is reached, and notes which.
func (x *explorer) full() bool {
	t, l := x.tree, x.limits
	switch {
	case len(x.found) >= l.Items:
		t.Reached = humanize.Comma(int64(l.Items)) + " items"
	case x.bytes >= l.Bytes:
		t.Reached = reading.ByteSize(int64(l.Bytes))
	case t.Units >= l.Units:
		t.Reached = humanize.Ftoa(l.Units) + " RCU"
	default:
		return false
	}
	return true
}

// read runs a pattern and adds its rows to a branch. What the database lacks or denies is a problem of the branch.
func (x *explorer) read(ctx context.Context, b *Branch, r accesspatterns.Related) error {
	run, err := x.rd.Start(r.Pattern, r.Args, reading.RunOptions{Limit: x.limits.Rows})
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

// add adds items to a branch, up to the limits.
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
				x.full()
				continue
			}
			if known, ok := x.s.Recognize(table, it); ok {
				r.Entity = known.Entity
			}
			x.found[r.id()] = r
			x.bytes += it.Size()
			b.first = append(b.first, r)
		}
		if !slices.Contains(b.all, r) {
			b.all = append(b.all, r)
		}
	}
}
