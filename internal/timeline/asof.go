package timeline

import (
	"context"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/asof"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Past is how an item was at a time, and how it is now, as stored.
type Past struct {
	asof.State
	Table *models.Table
	Key   models.Item
	At    time.Time
	Now   models.Item // nil if there is none; of a partial state, what the state has too
	// Note says what was read of the stream, or why it was not.
	Note string
}

// A Historian tells how items were.
type Historian struct {
	Viewer  *session.Viewer
	Reading *reading.Reader
	Journal *changes.Journal
}

// mostWrites is how many changes of the journal are read for one item.
const mostWrites = 5000

// AsOf tells how an item was at a time. It reads the item, its stream within the limits, and the journal of this machine. The
// error is an *asof.Unknown, with the key, the time and the note of the result, if nothing proves how the item was.
func (h Historian) AsOf(ctx context.Context, t *models.Table, key models.Item, at time.Time, l Limits) (Past, error) {
	p := Past{Table: t, Key: key, At: at}
	now := h.Viewer.Now()
	if at.After(now) {
		return p, session.InputErrorf("%s is in the future", at.UTC().Format(time.RFC3339))
	}
	current, err := h.Reading.Get(ctx, t, key)
	if err != nil {
		return p, err
	}
	recent := NewStream(h.Viewer, t, key).Read(ctx, l)
	if ctx.Err() != nil {
		return p, recent.Err
	}
	p.Now, p.Note = current, recent.Note(h.Viewer.Now())
	evidence := asof.Evidence{Now: current, Read: now, Complete: recent.Complete, Writes: h.writes(t, key, at)}
	known := current
	for i := range recent.Changes {
		c := &recent.Changes[i]
		r := asof.Record{At: c.At, Before: c.Before, After: c.After}
		r.HasBefore, r.HasAfter = c.knows()
		evidence.Records = append(evidence.Records, r)
		if known == nil {
			known = c.Item()
		}
	}
	if known == nil {
		known = key
	}
	if r, ok := h.Viewer.Recognize(t, known); ok {
		evidence.Entity = r.Entity
	}
	if p.State, err = evidence.At(at); err == nil && p.Partial {
		p.Now = shared(p.Item, current)
	}
	return p, err
}

func shared(with, it models.Item) models.Item {
	out := models.Item{}
	for name := range with {
		if v, ok := it[name]; ok {
			out[name] = v
		}
	}
	return out
}

// writes omits those that another machine recorded, that were erased, or whose record omits secrets: they are no
// evidence.
func (h Historian) writes(t *models.Table, key models.Item, at time.Time) []asof.Write {
	var list []asof.Write
	read := 0
	for c, err := range h.Journal.Past() {
		if read++; read > mostWrites {
			break
		}
		if err != nil || !c.Committed() {
			continue
		}
		plan, err := h.Journal.PlanOf(c)
		if err != nil || plan.Partial {
			continue
		}
		for _, w := range plan.All() {
			if w.Table != t || w.Operation == change.Check || !models.EqualItems(w.Key, key) {
				continue
			}
			out := asof.Write{
				Begun: plan.Basis.Now, Ended: c.Outcome.Time, Key: key, Created: w.Operation == change.Put, Changes: w.Changes,
			}
			if w.Operation == change.Delete {
				out.Deleted, out.Changes = w.Before, nil
			}
			list = append(list, out)
			if out.Ended.Before(at) {
				return list
			}
		}
	}
	return list
}

// Differences returns what differs from then to now, masked.
func (p *Past) Differences(m *models.Masker) []models.Change { return m.Diff(p.Table, p.Item, p.Now) }
