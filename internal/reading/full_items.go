package reading

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// parallelReads is the maximum number of concurrent requests for full items of an index.
const parallelReads = 4

// fullItems replaces index rows with full items. Rows without an item stay, and after an error all rows stay.
func (r *Run) fullItems(ctx context.Context, rows []models.Item) ([]models.Item, error) {
	t := r.request.Pattern.Table
	keys := make([]models.Item, 0, len(rows))
	for _, row := range rows {
		key, ok := t.PrimaryKey(row)
		if !ok {
			return rows, nil
		}
		keys = append(keys, key)
	}
	items, err := r.fetchItems(ctx, keys)
	if err != nil {
		return rows, err
	}
	byKey := make(map[string]models.Item, len(items))
	for _, it := range items {
		byKey[t.KeyID(it)] = it
	}
	for i, row := range rows {
		if it, ok := byKey[t.KeyID(row)]; ok {
			rows[i] = it
		}
	}
	return rows, nil
}

// fetchItems reads items with a few concurrent requests, in any order. The first error cancels the others.
func (r *Run) fetchItems(ctx context.Context, keys []models.Item) ([]models.Item, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx = store.WithTrace(ctx, store.Trace{Called: func(c store.Call) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.extra.Requests++
		r.extra.Capacity += c.Capacity
	}})
	chunks := slices.Collect(slices.Chunk(keys, accesspatterns.MaxBatch))
	parts, errs := make([][]models.Item, len(chunks)), make(chan error, len(chunks))
	var next atomic.Int64
	read := func() {
		for i := int(next.Add(1)) - 1; i < len(chunks); i = int(next.Add(1)) - 1 {
			page, err := r.reader.Fetch(ctx, r.request.BatchOf(chunks[i], r.filteredAttributes()...), nil, 0)
			if err != nil {
				errs <- err
				cancel()
				return
			}
			parts[i] = page.Items
		}
	}
	var group sync.WaitGroup
	for range min(len(chunks), parallelReads) - 1 {
		group.Add(1)
		crash.Go("read the items behind an index", func() {
			defer group.Done()
			read()
		})
	}
	read()
	group.Wait()
	if len(errs) > 0 {
		return nil, <-errs
	}
	return slices.Concat(parts...), nil
}
