package reading

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// QuickCountLimit is the highest count that a quick count returns.
	QuickCountLimit = 50
	// quickCountLegs is the maximum number of partitions to query for a quick count.
	quickCountLegs = 4
)

// A QuickCount is the count that the console shows beside a pattern related to an item. A quick count sends one request
// per partition and never scans.
type QuickCount struct {
	Count    int     // at most QuickCountLimit
	More     bool    // there may be more items than Count
	Capacity float64 // RCU consumed
}

// CanQuickCount returns the reason why the request cannot be counted quickly, or nil. It sends no requests.
func (rd *Reader) CanQuickCount(r *accesspatterns.Request) error {
	switch {
	case r.IsScan():
		return errors.New("it scans a whole table")
	case len(r.Legs) > quickCountLegs:
		return fmt.Errorf("it queries %d partitions", len(r.Legs))
	}
	if o := rd.tables.ObstacleTo(r.Pattern, r.Read); o != nil {
		return errors.New(o.Problem)
	}
	return nil
}

// QuickCount counts the items of a pattern with one request per partition, each for at most QuickCountLimit+1 items. If
// a filter drops some of them, there may be more. QuickCount rejects the requests that CanQuickCount rejects. Capacity
// is valid even with an error.
func (rd *Reader) QuickCount(ctx context.Context, request *accesspatterns.Request) (QuickCount, error) {
	if err := rd.CanQuickCount(request); err != nil {
		return QuickCount{}, err
	}
	ctx, end := rd.beginLookup(ctx, request)
	g, err := rd.quickCount(ctx, request)
	return g, end(err)
}

func (rd *Reader) quickCount(ctx context.Context, request *accesspatterns.Request) (QuickCount, error) {
	r := &Run{rd: rd, request: request, reader: rd.s.Store(), limit: QuickCountLimit + 1}
	if err := r.prepare(ctx); err != nil {
		return QuickCount{}, err
	}
	var cut atomic.Bool
	r.cursor = r.request.Open(func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		if start != nil {
			cut.Store(true)
			return accesspatterns.Page{}, nil
		}
		if limit == 0 || limit > QuickCountLimit+1 {
			limit = QuickCountLimit + 1
		}
		return r.fetch(ctx, leg, nil, limit)
	}, nil)
	var g QuickCount
	var err error
	if request.IsCount() {
		g.Count, err = r.cursor.Count(ctx)
	} else {
		var rows []models.Item
		rows, err = r.cursor.Next(ctx, r.limit)
		g.Count = len(rows)
	}
	g.More = cut.Load() || g.Count > QuickCountLimit
	g.Count = min(g.Count, QuickCountLimit)
	g.Capacity = r.cursor.Stats().Capacity
	return g, err
}
