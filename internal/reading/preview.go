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

// CanGlance returns why the pattern is not counted in passing, nil when it is.
// It sends nothing.
func (rd *Reader) CanGlance(p *accesspatterns.Pattern, args map[string]string) error {
	_, err := rd.glanceable(p, args)
	return err
}

func (rd *Reader) glanceable(p *accesspatterns.Pattern, args map[string]string) (*accesspatterns.Request, error) {
	request, err := rd.Bind(p, args)
	switch {
	case err != nil:
		return nil, err
	case request.IsScan():
		return nil, errors.New("it reads a whole table")
	case len(request.Legs) > glanceLegs:
		return nil, fmt.Errorf("it asks %d partitions", len(request.Legs))
	}
	if o := rd.tables.ObstacleTo(p, request.Read); o != nil {
		return nil, errors.New(o.What)
	}
	return request, nil
}

// Glance counts the items of a pattern with one request a partition, each of
// GlanceLimit items and one more at most. A filter may leave fewer of them: then
// there may be more. It refuses what CanGlance refuses.
func (rd *Reader) Glance(ctx context.Context, p *accesspatterns.Pattern, args map[string]string) (Glance, error) {
	request, err := rd.glanceable(p, args)
	if err != nil {
		return Glance{}, err
	}
	r := &Run{rd: rd, request: request, reader: rd.s.Store(), limit: GlanceLimit + 1}
	var cut atomic.Bool
	r.cursor = request.Open(func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		if start != nil {
			cut.Store(true)
			return accesspatterns.Page{}, nil
		}
		if limit == 0 || limit > GlanceLimit+1 {
			limit = GlanceLimit + 1
		}
		return r.fetch(ctx, leg, nil, limit)
	}, nil)
	if err := r.prepare(ctx); err != nil {
		return Glance{}, err
	}
	g := Glance{}
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
