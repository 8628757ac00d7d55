package compare

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// MaxSample is the most items of a sample of one table, because the keys of a sample are in memory.
	MaxSample = 100_000
	// sliceItems is about how many items each random part of a table has. Small parts are far apart.
	sliceItems = 50
	maxSlices  = 100_000
)

// A Sample counts the item collections of a comparison that read only a part of the tables. Items with the same partition key are
// read together, so collections are what was chosen at random, and not items.
type Sample struct {
	Collections int
	Different   int // those with a difference in the items that were read
}

// Confidence is the probability that the share of all item collections that differ is within Bounds.
const Confidence = 0.95

// Bounds returns the smallest and the largest share of the item collections that may differ.
// Without collections it is 0 to 1: nothing is known.
func (s Sample) Bounds() (low, high float64) { return bounds(s.Different, s.Collections, 1-Confidence) }

// sample compares about f.Sample items of the n-th tables: those of random parts of the left table with what the right one has
// for the same keys, and the other way around.
func (f *finder) sample(ctx context.Context, n int) error {
	seen := map[string]bool{}    // keys that the left part has
	differs := map[string]bool{} // whether an item collection has a difference, by partition key
	partition, whole := f.sides[0].tables[n].PartitionKey.Name, true
	for i := range f.sides {
		all, err := f.draw(ctx, i, n, func(items []models.Item) error {
			for part := range slices.Chunk(items, accesspatterns.MaxBatch) {
				there, err := f.counterparts(ctx, 1-i, n, part)
				if err != nil {
					return err
				}
				for _, it := range part {
					own := f.recordOf(i, n, it)
					if seen[string(own.key)] {
						continue
					}
					seen[string(own.key)] = true
					before := f.sum.different()
					if err := f.pair(ctx, i, n, own, there[string(own.key)]); err != nil {
						return err
					}
					id := string(models.Item{"": it[partition]}.AppendDynamoDBJSON(nil))
					differs[id] = differs[id] || f.sum.different() > before
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		whole = whole && all
	}
	if whole {
		return nil
	}
	if f.sum.Sample == nil {
		f.sum.Sample = &Sample{}
	}
	for _, d := range differs {
		f.sum.Sample.Collections++
		if d {
			f.sum.Sample.Different++
		}
	}
	return nil
}

// pair compares an item of one side with that of the other, nil for none.
func (f *finder) pair(ctx context.Context, i, n int, own record, other *record) error {
	switch {
	case other == nil:
		return f.only([]Kind{OnlyLeft, OnlyRight}[i], i, n, own)
	case i == 0:
		return f.both(ctx, n, own, *other)
	}
	return f.both(ctx, n, *other, own)
}

// draw reads random parts of a table until it has the items of a sample, and reports whether it
// read all of the table. Segments of a scan are hashed parts of the table, so choosing them at
// random chooses item collections at random.
func (f *finder) draw(ctx context.Context, i, n int, each func([]models.Item) error) (all bool, err error) {
	s, t := f.sides[i], f.sides[i].tables[n]
	paced, err := s.w.Reading.Paced(ctx, t)
	if err != nil {
		return false, err
	}
	slicesOf := int64(1)
	e, err := s.w.Reading.Estimate(ctx, t, nil)
	switch {
	case err == nil:
		slicesOf = min(max(e.Items/sliceItems, 1), maxSlices)
	case store.ClassOf(err) != store.AccessDenied:
		return false, err
	}
	rest := f.Sample
	for _, part := range rand.Perm(int(slicesOf)) {
		leg := accesspatterns.SegmentLeg(t, part, int(slicesOf))
		for start := models.Item(nil); ; {
			if rest <= 0 {
				return false, nil
			}
			page, err := paced.Fetch(ctx, leg, start, rest)
			if err != nil {
				return false, err
			}
			rest -= page.Scanned
			items := slices.DeleteFunc(page.Items, func(it models.Item) bool { return !s.compares(t, it) })
			f.count(func(sum *Summary) {
				*[]*int{&sum.Left, &sum.Right}[i] += len(items)
				sum.Capacity[i] += page.Capacity
			})
			if err := each(items); err != nil {
				return false, err
			}
			if start = page.LastKey; start == nil {
				break
			}
		}
	}
	return true, nil
}

// counterparts reads what a side has for the keys of items of the other side.
func (f *finder) counterparts(ctx context.Context, i, n int, items []models.Item) (map[string]*record, error) {
	s, t := f.sides[i], f.sides[i].tables[n]
	paced, err := s.w.Reading.Paced(ctx, t)
	if err != nil {
		return nil, err
	}
	var keys []models.Item
	for _, it := range items {
		key, _ := t.PrimaryKey(it)
		keys = append(keys, key)
	}
	out := map[string]*record{}
	if len(keys) == 0 {
		return out, nil
	}
	page, err := paced.Fetch(ctx, accesspatterns.BatchLeg(t, keys), nil, 0)
	if err != nil {
		return nil, err
	}
	f.count(func(sum *Summary) { sum.Capacity[i] += page.Capacity })
	for _, it := range page.Items {
		r := f.recordOf(i, n, it)
		out[string(r.key)] = &r
	}
	return out, nil
}
