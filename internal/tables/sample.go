package tables

import (
	"context"
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// sampleSegments is the number of places in a table that a sample reads. The items of one partition are adjacent,
	// so a single place would contain one kind of item.
	sampleSegments = 32
	// indexSamples is the number of items to read from each index, because sparse indexes contain rare items.
	indexSamples = 64
)

// Sample reads about limit items of a table: some from each of many segments, and some through each index, for which it
// then reads the full items. It returns the items in an order that depends only on the table, and the consumed read
// units. Use it only to infer a schema, because it guarantees neither order nor completeness. limit does not limit the
// cost, because an item may have 400 KB. The error is nil for an empty table.
func Sample(ctx context.Context, r store.Reader, t *models.Table, limit int) (items []models.Item, capacity float64, err error) {
	s := &sampler{reader: r, table: t, seen: map[string]bool{}}
	type place struct {
		next models.Item
		done bool
	}
	places := make([]place, min(sampleSegments, max(limit, 1)))
	for remaining := true; remaining && len(s.items) < limit; {
		remaining = false
		for i := range places {
			if places[i].done || len(s.items) >= limit {
				continue
			}
			n := max(limit/len(places), 1)
			leg := accesspatterns.SegmentLeg(t, i, len(places))
			page, err := s.scan(ctx, leg, places[i].next, min(n, limit-len(s.items)))
			if err != nil {
				return nil, s.capacity, err
			}
			s.add(page.Items)
			places[i] = place{next: page.LastKey, done: page.LastKey == nil}
			remaining = remaining || page.LastKey != nil
		}
	}
	for _, x := range t.Indexes {
		if err := s.sampleIndex(ctx, x, min(indexSamples, limit)); err != nil {
			return nil, s.capacity, err
		}
	}
	return s.items, s.capacity, nil
}

// A sampler collects the items of a sample.
type sampler struct {
	reader   store.Reader
	table    *models.Table
	items    []models.Item
	seen     map[string]bool // by primary key
	capacity float64
}

func (s *sampler) scan(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	page, err := s.reader.Fetch(ctx, leg, start, limit)
	s.capacity += page.Capacity
	return page, err
}

func (s *sampler) key(it models.Item) (models.Item, string) {
	key, _ := s.table.PrimaryKey(it)
	return key, string(key.AppendDynamoDBJSON(nil))
}

func (s *sampler) add(list []models.Item) {
	for _, it := range list {
		if _, id := s.key(it); !s.seen[id] {
			s.seen[id] = true
			s.items = append(s.items, it)
		}
	}
}

func (s *sampler) sampleIndex(ctx context.Context, x *models.Index, limit int) error {
	page, err := s.scan(ctx, accesspatterns.IndexScanLeg(s.table, x), nil, limit)
	if err != nil {
		return err
	}
	missing := map[string]models.Item{}
	for _, it := range page.Items {
		if key, id := s.key(it); !s.seen[id] {
			missing[id] = key
		}
	}
	keys := models.MapSlice(slices.Sorted(maps.Keys(missing)), func(id string) models.Item { return missing[id] })
	for part := range slices.Chunk(keys, accesspatterns.MaxBatch) {
		page, err := s.reader.Fetch(ctx, accesspatterns.BatchLeg(s.table, part), nil, 0)
		if err != nil {
			return err
		}
		s.add(page.Items)
	}
	return nil
}
