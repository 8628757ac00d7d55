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
	// GlanceLimit is how far a glance counts.
	GlanceLimit = 50
	// glanceLegs is how many partitions a glance asks at most.
	glanceLegs = 4
)

// A Glance is how many items a pattern shows, as far as one look tells.
type Glance struct {
	Count    int     // GlanceLimit at most
	More     bool    // there are, or may be, more than Count
	Capacity float64 // read units consumed
}

// CanGlance returns why the request is not counted in passing, nil when it is.
// It sends nothing.
func (rd *Reader) CanGlance(r *accesspatterns.Request) error {
	switch {
	case r.IsScan():
		return errors.New("it scans a whole table")
	case len(r.Legs) > glanceLegs:
		return fmt.Errorf("it queries %d partitions", len(r.Legs))
	}
	if o := rd.tables.ObstacleTo(r.Pattern, r.Read); o != nil {
		return errors.New(o.What)
	}
	return nil
}

// Glance counts the items of a request with one request a partition, each of
// GlanceLimit items and one more at most. A filter may leave fewer of them: then
// there may be more. It refuses what CanGlance refuses.
func (rd *Reader) Glance(ctx context.Context, request *accesspatterns.Request) (Glance, error) {
	if err := rd.CanGlance(request); err != nil {
		return Glance{}, err
	}
	r := &Run{rd: rd, request: request, reader: rd.s.Store(), limit: GlanceLimit + 1}
	if err := r.prepare(ctx); err != nil {
		return Glance{}, err
	}
	var cut atomic.Bool
	r.cursor = r.request.Open(func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		if start != nil {
			cut.Store(true)
			return accesspatterns.Page{}, nil
		}
		if limit == 0 || limit > GlanceLimit+1 {
			limit = GlanceLimit + 1
		}
		return r.fetch(ctx, leg, nil, limit)
	}, nil)
	var g Glance
	var err error
	if request.IsCount() {
		g.Count, err = r.cursor.Count(ctx)
	} else {
		var rows []models.Item
		rows, err = r.cursor.Next(ctx, r.limit)
		g.Count = len(rows)
	}
	g.More = cut.Load() || g.Count > GlanceLimit
	g.Count = min(g.Count, GlanceLimit)
	g.Capacity = r.cursor.Stats().Capacity
	return g, err
}
