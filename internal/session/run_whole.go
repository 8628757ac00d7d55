// This file reads the items behind the rows of an index that holds only part of
// them.

package session

import (
	"context"
	"slices"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// wholeKeys is how many items one request reads, as many as DynamoDB allows.
	wholeKeys = 100
	// wholeTogether is how many of these requests are under way at once.
	wholeTogether = 4
)

// whole returns the rows with the items behind them in their place. A row whose
// item is gone stays as the index has it. After an error the rows are as they
// were.
func (r *Run) whole(ctx context.Context, rows []models.Item) ([]models.Item, error) {
	t := r.request.Pattern.Table
	keys := make([]models.Item, 0, len(rows))
	for _, row := range rows {
		key, ok := t.PrimaryKey(row)
		if !ok {
			return rows, nil
		}
		keys = append(keys, key)
	}
	items, err := r.items(ctx, t.Name, keys)
	if err != nil {
		return rows, err
	}
	byKey := make(map[string]models.Item, len(items))
	for _, it := range items {
		byKey[t.KeyText(it)] = it
	}
	for i, row := range rows {
		if it, ok := byKey[t.KeyText(row)]; ok {
			rows[i] = it
		}
	}
	return rows, nil
}

// items reads the items of the keys, a few requests at a time. The first error
// calls off the others.
func (r *Run) items(ctx context.Context, table string, keys []models.Item) ([]models.Item, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx = store.WithTrace(ctx, store.Trace{Called: func(c store.Call) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.extra.Requests++
		r.extra.Capacity += c.Capacity
	}})
	var (
		all   sync.WaitGroup
		free  = make(chan struct{}, wholeTogether)
		parts = make([][]models.Item, (len(keys)+wholeKeys-1)/wholeKeys)
		errs  = make(chan error, len(parts))
		n     int
	)
	for part := range slices.Chunk(keys, wholeKeys) {
		free <- struct{}{}
		if len(errs) > 0 {
			break
		}
		read := func(n int) {
			defer func() { <-free }()
			var err error
			if parts[n], err = r.reader.BatchGet(ctx, table, part); err != nil {
				errs <- err
				cancel(err)
			}
		}
		if len(parts) == 1 {
			read(0)
			break
		}
		i := n
		n++
		all.Go(func() { read(i) })
	}
	all.Wait()
	if len(errs) > 0 {
		return nil, <-errs
	}
	return slices.Concat(parts...), nil
}
