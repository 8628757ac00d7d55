// Package compare compares the databases of two environments: their tables, and the items of one schema in both. It
// never writes.
package compare

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// Options selects the data to compare.
type Options struct {
	Entity    string            // name of the only entity to compare, "" for all entities
	Pattern   string            // ID of the read pattern whose items to compare; "" compares whole tables
	Args      map[string]string // arguments of the pattern
	AllowScan bool              // consent to read whole tables, required only on production
	// Details is the maximum number of differing items to read again, or 0 to read all. Each costs a strongly
	// consistent read on both sides.
	Details  int
	Progress func(Summary) // called after each request; may be nil
}

// A Kind describes how an item differs.
type Kind string

// These are the kinds of differences.
const (
	OnlyLeft  Kind = "only-left"
	OnlyRight Kind = "only-right"
	Differs   Kind = "differs"
)

// A Difference is an item that differs between the databases. Its values are not masked; show it through
// Comparison.Shown.
type Difference struct {
	Kind        Kind
	Table       *models.Table  // table on the side that has the item, on the left side if both have it
	Entity      *models.Entity // nil when unknown
	Key         models.Item
	Left, Right models.Item // set only if the kind is Differs and Find read the item again; without volatile attributes

	leftTable, rightTable *models.Table
}

// A Summary counts the items compared so far.
type Summary struct {
	Left      int        `json:"-"` // number of items read
	Right     int        `json:"-"`
	OnlyLeft  int        `json:"onlyLeft"`
	OnlyRight int        `json:"onlyRight"`
	Differs   int        `json:"different"`
	Equal     int        `json:"equal"`
	Capacity  [2]float64 `json:"-"` // RCU consumed in the left and the right database
}

// Different reports whether any item differs.
func (s Summary) Different() bool { return s.OnlyLeft+s.OnlyRight+s.Differs > 0 }

// A Comparison compares the databases of two sessions of one schema.
type Comparison struct {
	left, right *workspace.Workspace
	limit       int // maximum number of items without an equal item
}

// New returns the comparison of two databases. Both sessions must have the same schema; their environments can differ.
func New(left, right *workspace.Workspace) *Comparison { return &Comparison{left, right, maxUnmatched} }

// Check returns an error in the options, or a refusal if reading a production database lacks consent to the cost. It
// sends only the requests that determine the cost for the refusal.
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
	if c.IgnoresMasked() {
		out[0].masker, out[1].masker = c.maskers()
	}
	if n := len(out[0].tables); n != len(out[1].tables) {
		return out, session.InputErrorf("%s has %d tables in one context and %d in the other; name one entity to compare",
			c.left.Session.Profile().Name, n, len(out[1].tables))
	}
	return out, nil
}

// Find compares the items, calls each for every difference in the order of tables and keys, and returns the counts. It
// stops at the first error of each or of a read. It reads both databases at the same pace, each within its own budget.
// Memory grows with the items of a table that have no equal item so far; beyond a limit, Find refuses to continue. Find
// never calls each concurrently. Unless Details is exhausted, it reads differing items again, so that a busy database
// does not appear different.
func (c *Comparison) Find(ctx context.Context, o Options, each func(Difference) error) (Summary, error) {
	sides, err := c.sides(ctx, o)
	if err != nil {
		return Summary{}, err
	}
	f := &finder{Options: o, sides: sides, each: each, limit: c.limit}
	for i := range sides[0].tables {
		if err := f.table(ctx, i); err != nil {
			return f.summary, err
		}
	}
	return f.summary, nil
}

// A finder is a comparison in progress.
type finder struct {
	Options
	sides    [2]*side
	each     func(Difference) error
	limit    int
	summary  Summary
	detailed int
}

// A batch is one page of a side.
type batch struct {
	keys     []string
	records  []record
	capacity float64
}

func (f *finder) table(ctx context.Context, n int) error {
	unmatchedKeys, err := f.match(ctx, n)
	if err != nil {
		return err
	}
	for _, key := range f.sortedKeys(n, unmatchedKeys) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.addDifferent(ctx, n, key, unmatchedKeys[key]); err != nil {
			return err
		}
	}
	return nil
}

// sortedKeys sorts the displayed keys, because the order of stored keys would reveal the greater of two masked values.
func (f *finder) sortedKeys(n int, open unmatched) []string {
	keys, t, m := slices.Sorted(maps.Keys(open)), f.sides[0].tables[n], f.sides[0].w.Session.RoleMasker()
	if !slices.ContainsFunc(t.PrimaryKeys(), func(k models.Key) bool { some, _ := m.HidesPath(t, []string{k.Name}); return some }) {
		return keys
	}
	shown := make(map[string]string, len(keys))
	for _, key := range keys {
		it, _ := models.ParseItem([]byte(key)) // read wrote the key.
		side := f.sides[open[key].side].w.Session
		if e := open[key].entity; e > 0 {
			it = side.RoleMasker().KeyOf(side.Profile().Entities[e-1], it)
		} else {
			it = m.Item(t, it)
		}
		shown[key] = string(it.AppendDynamoDBJSON(nil))
	}
	slices.SortFunc(keys, func(a, b string) int {
		if c := strings.Compare(shown[a], shown[b]); c != 0 || a == b {
			return c
		}
		x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
		return bytes.Compare(x[:], y[:])
	})
	return keys
}

func (f *finder) match(ctx context.Context, n int) (unmatched, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var batches [2]chan batch
	var errs [2]error
	for i := range batches {
		batches[i] = make(chan batch)
		crash.Go("read one of two databases", func() {
			defer close(batches[i])
			if errs[i] = f.read(ctx, i, n, batches[i]); errs[i] != nil {
				cancel() // the result of the other side is useless
			}
		})
	}
	open := unmatched{}
	var err error
	for i, remainingSides := 0, 2; remainingSides > 0; i = 1 - i { // Taking turns keeps both sides at the same position.
		if batches[i] == nil {
			continue
		}
		b, more := <-batches[i]
		if !more {
			batches[i] = nil
			remainingSides--
		} else if err == nil {
			if err = f.addBatch(open, i, b); err != nil {
				cancel()
			}
		}
	}
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(open, func(_ string, r record) bool { return r.equal })
	return open, cause(errs)
}

// cause prefers the error of the side that failed first, because the other side may only report that it was canceled.
func cause(failed [2]error) error {
	for i, err := range failed {
		if err != nil && (!errors.Is(err, context.Canceled) || failed[1-i] == nil || errors.Is(failed[1-i], context.Canceled)) {
			return err
		}
	}
	return nil
}

func (f *finder) read(ctx context.Context, i, n int, to chan<- batch) error {
	s, t := f.sides[i], f.sides[i].tables[n]
	indexed := s.runs[n].Request().Read.Index != nil
	return s.runs[n].All(ctx, func(page reading.Page) error {
		b := batch{capacity: page.Capacity}
		for _, it := range page.Items {
			if !s.compares(t, it) {
				continue
			}
			key, _ := t.PrimaryKey(it)
			e := s.w.Session.Masker().Entity(t, it)
			b.keys = append(b.keys, string(key.AppendDynamoDBJSON(nil)))
			b.records = append(b.records, record{
				digest: digestOf(e.WithoutVolatile(s.comparedValues(t, it))),
				entity: uint16(slices.Index(s.w.Session.Profile().Entities, e) + 1), side: uint8(i), indexed: indexed,
			})
		}
		select {
		case to <- b:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

func (f *finder) addBatch(open unmatched, i int, b batch) error {
	*[]*int{&f.summary.Left, &f.summary.Right}[i] += len(b.keys)
	f.summary.Capacity[i] += b.capacity
	for k, key := range b.keys {
		equal, err := open.add(key, b.records[k], f.limit)
		if err != nil {
			return err
		}
		if equal {
			f.summary.Equal++
		}
	}
	f.report()
	return nil
}

func (f *finder) report() {
	if f.Progress != nil {
		f.Progress(f.summary)
	}
}

// addDifferent reads items that both sides have again, because a change between the two reads is not a difference.
func (f *finder) addDifferent(ctx context.Context, n int, key string, r record) error {
	s := f.sides[r.side]
	d := Difference{Kind: OnlyLeft, Table: s.tables[n], leftTable: f.sides[0].tables[n], rightTable: f.sides[1].tables[n]}
	if r.entity > 0 {
		d.Entity = s.w.Session.Profile().Entities[r.entity-1]
	}
	var err error
	if d.Key, err = models.ParseItem([]byte(key)); err != nil {
		return err
	}
	switch {
	case r.differs:
		d.Kind = Differs
		if f.Details == 0 || f.detailed < f.Details {
			f.detailed++
			if err := f.addDetails(ctx, n, &d); err != nil {
				return err
			}
		}
	case r.side == 1:
		d.Kind = OnlyRight
	}
	return f.addDifference(d)
}

func (f *finder) addDetails(ctx context.Context, n int, d *Difference) error {
	var items, compared [2]models.Item
	for i, s := range f.sides {
		t := s.tables[n]
		it, err := s.w.Reading.Get(ctx, t, d.Key)
		if err != nil {
			return err
		}
		f.summary.Capacity[i] += readUnits(it)
		e := s.w.Session.Masker().Entity(t, it)
		items[i], compared[i] = e.WithoutVolatile(it), e.WithoutVolatile(s.comparedValues(t, it))
	}
	switch left, right := items[0], items[1]; {
	case models.EqualItems(compared[0], compared[1]):
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

// readUnits is for strongly consistent reads. Source: DynamoDB Developer Guide, "DynamoDB read and write operations".
func readUnits(it models.Item) float64 { return float64(max((it.Size()+4095)/4096, 1)) }

func (f *finder) addDifference(d Difference) error {
	switch d.Kind {
	case OnlyLeft:
		f.summary.OnlyLeft++
	case OnlyRight:
		f.summary.OnlyRight++
	case Differs:
		f.summary.Differs++
	default:
		f.summary.Equal++
	}
	f.report()
	if d.Kind == "" {
		return nil
	}
	return f.each(d)
}
