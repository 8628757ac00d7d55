// Package compare finds out how the databases of two environments differ: their tables, and the items of one schema in both.
// It reads only.
package compare

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// Options select what is compared.
type Options struct {
	Entity    string            // name of the only entity to compare, "" for all
	Pattern   string            // ID of a read pattern whose items are compared, "" for whole tables
	Args      map[string]string // of the pattern
	AllowScan bool              // consent to read whole tables, needed on production only
	Sample    int               // about how many items of each table are compared on each side; 0 for all
	// Details is how many differing items are read again, 0 for all. Each costs a strongly
	// consistent read on both sides.
	Details  int
	Progress func(Summary) // called after each request; may be nil
}

// A Kind says how an item differs.
type Kind string

// The kinds of differences.
const (
	OnlyLeft  Kind = "only-left"
	OnlyRight Kind = "only-right"
	Differs   Kind = "differs"
)

// A Difference is an item that is not the same in both databases, as stored; show it through
// Comparison.Shown. Its values are not masked.
type Difference struct {
	Kind        Kind
	Table       *models.Table  // of the side that has the item, of the left one if both have it
	Entity      *models.Entity // nil when unknown
	Key         models.Item
	Left, Right models.Item // without volatile attributes; nil unless the kind is Differs and the item was read again

	leftTable, rightTable *models.Table
}

// A Summary counts what was compared so far.
type Summary struct {
	Left, Right         int // items read
	Equal               int
	OnlyLeft, OnlyRight int
	Differs             int
	Capacity            [2]float64 // read units consumed, of the left and the right database
	Sample              *Sample    // nil if all items were compared
}

// Different reports whether any item differs.
func (s Summary) Different() bool { return s.different() > 0 }

func (s Summary) different() int { return s.OnlyLeft + s.OnlyRight + s.Differs }

// A Comparison compares the databases of two sessions of one schema.
type Comparison struct {
	left, right *workspace.Workspace
}

// New returns the comparison of two databases. The sessions are of the same schema, whose environments can differ.
func New(left, right *workspace.Workspace) *Comparison { return &Comparison{left, right} }

// Check returns what is wrong with the options, and the refusal of a production database
// without consent to the cost. It sends nothing but what a refusal needs to name the cost.
func (c *Comparison) Check(ctx context.Context, o Options) error {
	_, err := c.sides(ctx, o)
	return err
}

func (c *Comparison) sides(ctx context.Context, o Options) (out [2]*side, err error) {
	for i, w := range []*workspace.Workspace{c.left, c.right} {
		if out[i], err = sideOf(ctx, w, o); err != nil {
			return out, err
		}
	}
	if n := len(out[0].tables); n != len(out[1].tables) {
		return out, session.InputErrorf("%s has %d tables in one context and %d in the other; name one entity to compare",
			c.left.Session.Profile().Name, n, len(out[1].tables))
	}
	return out, nil
}

// Find compares the items, calls each for every difference in the order of tables and keys, those of a sample in the order in
// which they are read, and returns the counts. It stops at the first error of each or of a
// read. Both databases are read in parallel, each within its own budget. Whole tables need
// memory for 8 MB of keys and digests on each side, and are sorted in encrypted temporary files
// beyond that. each is called by one goroutine at a time. An item that changed between the two
// reads is read again, unless Details is exhausted, so a busy database does not look different.
func (c *Comparison) Find(ctx context.Context, o Options, each func(Difference) error) (Summary, error) {
	sides, err := c.sides(ctx, o)
	if err != nil {
		return Summary{}, err
	}
	f := &finder{Options: o, sides: sides, each: each}
	compare := f.table
	if o.Sample > 0 {
		compare = f.sample
	}
	for i := range sides[0].tables {
		if err := compare(ctx, i); err != nil {
			return f.sum, err
		}
	}
	return f.sum, nil
}

// A finder is a comparison in progress.
type finder struct {
	Options
	sides [2]*side
	each  func(Difference) error

	mu       sync.Mutex // guards sum while both sides are read
	sum      Summary
	detailed int
}

// table compares the n-th tables of both sides.
func (f *finder) table(ctx context.Context, n int) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var sorters [2]*sorter
	var failed [2]error
	var readers sync.WaitGroup
	for i := range sorters {
		sorters[i] = newSorter()
		readers.Add(1)
		crash.Go("read one of two databases", func() {
			defer readers.Done()
			if failed[i] = f.read(ctx, i, n, sorters[i]); failed[i] != nil {
				cancel() // the other side is of no use
			}
		})
	}
	readers.Wait()
	defer func() { err = errors.Join(err, sorters[0].close(), sorters[1].close()) }()
	if err := f.cause(failed); err != nil {
		return err
	}
	return f.join(ctx, n, sorters[0].sorted(), sorters[1].sorted())
}

// cause returns the error that ended the reading: that of the other side may only say that it was canceled.
func (f *finder) cause(failed [2]error) error {
	for i, err := range failed {
		if err != nil && (!errors.Is(err, context.Canceled) || failed[1-i] == nil || errors.Is(failed[1-i], context.Canceled)) {
			return err
		}
	}
	return nil
}

// read reads one side of a table into a sorter.
func (f *finder) read(ctx context.Context, i, n int, to *sorter) error {
	s := f.sides[i]
	return s.runs[n].All(ctx, func(page reading.Page) error {
		kept := 0
		for _, it := range page.Items {
			if !s.compares(s.tables[n], it) {
				continue
			}
			kept++
			if err := to.add(f.recordOf(i, n, it)); err != nil {
				return err
			}
		}
		f.count(func(sum *Summary) {
			*[]*int{&sum.Left, &sum.Right}[i] += kept
			sum.Capacity[i] += page.Capacity
		})
		return nil
	})
}

// recordOf returns what stands for an item of one side.
func (f *finder) recordOf(i, n int, it models.Item) record {
	s := f.sides[i]
	e := s.w.Session.Masker().Entity(s.tables[n], it)
	key, _ := s.tables[n].PrimaryKey(it)
	return record{key.AppendDynamoDBJSON(nil), uint16(slices.Index(s.w.Session.Profile().Entities, e) + 1), digestOf(lasting(e, it))}
}

// count changes the summary and reports it.
func (f *finder) count(change func(*Summary)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.sum)
	if f.Progress != nil {
		f.Progress(f.sum)
	}
}

// join compares the sorted records of both sides.
func (f *finder) join(ctx context.Context, n int, left, right iter.Seq2[record, error]) error {
	nextLeft, stopLeft := iter.Pull2(left)
	defer stopLeft()
	nextRight, stopRight := iter.Pull2(right)
	defer stopRight()
	l, lerr, lok := nextLeft()
	r, rerr, rok := nextRight()
	for lok || rok {
		if err := errors.Join(lerr, rerr, ctx.Err()); err != nil {
			return err
		}
		order := bytes.Compare(l.key, r.key)
		switch {
		case !rok || lok && order < 0:
			if err := f.only(OnlyLeft, 0, n, l); err != nil {
				return err
			}
			l, lerr, lok = nextLeft()
		case !lok || order > 0:
			if err := f.only(OnlyRight, 1, n, r); err != nil {
				return err
			}
			r, rerr, rok = nextRight()
		default:
			if err := f.both(ctx, n, l, r); err != nil {
				return err
			}
			l, lerr, lok = nextLeft()
			r, rerr, rok = nextRight()
		}
	}
	return nil
}

// only reports an item that the other side lacks.
func (f *finder) only(kind Kind, i, n int, r record) error {
	d, err := f.difference(kind, i, n, r)
	if err != nil {
		return err
	}
	return f.found(d)
}

// both compares an item that both sides have.
func (f *finder) both(ctx context.Context, n int, l, r record) error {
	d, err := f.difference(Differs, 0, n, l)
	if l.digest == r.digest {
		d.Kind = ""
	} else if err == nil && (f.Details == 0 || f.detailed < f.Details) {
		f.detailed++
		err = f.detail(ctx, n, &d)
	}
	if err != nil {
		return err
	}
	return f.found(d)
}

// detail reads an item again in both databases, because what changed between the two scans is no difference.
func (f *finder) detail(ctx context.Context, n int, d *Difference) error {
	var items [2]models.Item
	for i, s := range f.sides {
		t := s.tables[n]
		it, err := s.w.Reading.Get(ctx, t, d.Key)
		if err != nil {
			return err
		}
		f.count(func(sum *Summary) { sum.Capacity[i] += units(it) })
		items[i] = lasting(s.w.Session.Masker().Entity(t, it), it)
	}
	switch left, right := items[0], items[1]; {
	case models.EqualItems(left, right):
		d.Kind = ""
	case right == nil:
		d.Kind = OnlyLeft
	case left == nil:
		d.Kind, d.Table = OnlyRight, d.rightTable
	default:
		d.Left, d.Right = left, right
	}
	return nil
}

// units returns the read units of a consistent read of an item. Source: Amazon DynamoDB Developer Guide, "DynamoDB read and
// write operations".
func units(it models.Item) float64 { return float64(max((it.Size()+4095)/4096, 1)) }

// difference describes the item of a record of one side.
func (f *finder) difference(kind Kind, i, n int, r record) (Difference, error) {
	s := f.sides[i]
	d := Difference{Kind: kind, Table: s.tables[n], leftTable: f.sides[0].tables[n], rightTable: f.sides[1].tables[n]}
	if r.entity > 0 {
		d.Entity = s.w.Session.Profile().Entities[r.entity-1]
	}
	var err error
	d.Key, err = models.ParseItem(r.key)
	return d, err
}

// found counts an item, and passes it on if it differs.
func (f *finder) found(d Difference) error {
	f.count(func(sum *Summary) {
		switch d.Kind {
		case OnlyLeft:
			sum.OnlyLeft++
		case OnlyRight:
			sum.OnlyRight++
		case Differs:
			sum.Differs++
		default:
			sum.Equal++
		}
	})
	if d.Kind == "" {
		return nil
	}
	return f.each(d)
}
