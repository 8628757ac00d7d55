package explore

import (
	"context"
	"errors"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type tailInput struct {
	schema   string
	entities []string
	where    string
	since    time.Duration
	count    int
	once     bool
}

// tailInterval is the time between two reads of a stream that has no new records.
const tailInterval = time.Second

var followChanges = op.New(op.Op{
	Path: "tail", Title: "Print item changes as they happen",
	Help: "Follows the streams of the schema's tables, and prints a line for each change: the entity and its key, the state\n" +
		"change, the user according to the audit trail, and the attributes that differ. ddbdesk masks personal data. tail runs\n" +
		"until ctrl+c, --count or --once ends it. Reading a stream consumes no RCU of the table.",
	Needs: op.Reads, Formats: []string{items.Text.Name, items.JSONL.Name},
}, func(in *tailInput) []*op.Param {
	entity := op.Arg(&in.entities, "entity", "the entities to follow").Optional()
	entity.Complete = InSchema(&in.schema, func(p *profiles.Profile, _ string) []string {
		if len(in.entities) > 0 {
			return nil
		}
		return CompleteEntities(p)
	})
	return []*op.Param{
		op.SchemaArg(&in.schema), entity,
		op.Flag(&in.where, "where", "print only changes of items that match `FILTER`, such as status:in_review"),
		op.Flag(&in.since, "since", "start `TIME` ago, such as 30m, at most 24h (default: now)").
			WithCheck(func() error {
				if in.since < 0 || in.since > store.StreamRetention {
					return errors.New("streams keep changes for 24 hours; use up to 24h")
				}
				return nil
			}),
		op.Flag(&in.count, "count", "exit after `N` changes").Within(0, -1),
		op.Flag(&in.once, "once", "exit after printing the changes available now"),
	}
}, func(ctx context.Context, c *op.Call, in *tailInput) (op.Result, error) {
	w, err := c.OpenSchema(ctx, in.schema)
	if err != nil {
		return nil, err
	}
	choice := timeline.TailOptions{Where: in.where}
	if in.since > 0 {
		choice.Since = w.Session.Now().Add(-in.since)
	}
	for _, name := range in.entities {
		e, err := w.Reading.Entity(name)
		if err != nil {
			return nil, err
		}
		choice.Entities = append(choice.Entities, e)
	}
	ctx, end := w.Session.BeginLookup(ctx, &session.Lookup{Subject: "tail " + in.schema, Arguments: append(in.entities, in.where)})
	t, err := timeline.NewTail(ctx, w.Session.Viewer, choice)
	if err != nil {
		return nil, end(err)
	}
	for _, table := range t.WithoutStream {
		c.Notef("table %s has no stream; its changes are not shown", table.Name)
	}
	masker := w.Session.Masker()
	return op.Stream{
		Rows: op.Pushed(func(add func(row any) error) error {
			return end(streamEvents(ctx, c, t, in, func(e *timeline.Event) bool {
				return add(newEvent(e, masker, c.Plain())) == nil
			}))
		}),
		Line: func(_ op.Output, row any) string { return row.(Event).line },
	}, nil
})

func streamEvents(ctx context.Context, c *op.Call, t *timeline.Tail, in *tailInput, show func(*timeline.Event) bool) error {
	shown := 0
	for {
		b, err := t.Next(ctx)
		if err != nil {
			return err
		}
		for _, table := range b.Trimmed {
			c.Notef("table %s: some changes are missing here, because its stream keeps changes for only 24 hours", table.Name)
		}
		for _, e := range b.Events {
			if shown++; !show(e) || shown == in.count {
				return nil
			}
		}
		switch {
		case b.More:
			continue
		case in.once:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(tailInterval):
		}
	}
}

// An Event is a change of an item, from the stream of its table. It always has all fields. Time uses RFC 3339 in UTC
// with whole seconds, because stream records have no fractions.
type Event struct {
	Time   string        `json:"time"`
	Event  timeline.Kind `json:"event"`
	Table  string        `json:"table"`  // name in the schema
	Entity *string       `json:"entity"` // null if no entity matches
	// Key is masked, as are the values of Changes, Who, What and Reason.
	Key     models.Item        `json:"key"`
	Moves   []EventStateChange `json:"moves"`
	Who     *string            `json:"who"` // from the audit entry that was written with the change, null without one
	What    *string            `json:"what"`
	Reason  *string            `json:"reason"`
	Changes []models.Change    `json:"changes"` // empty for an item that was created or deleted

	line string // text of the row
}

// An EventStateChange is a change of an item's state. Transition is null if the lifecycle has none for it, or an
// unnamed one.
type EventStateChange struct {
	Attribute  string  `json:"attribute"`
	From       *string `json:"from"` // null for an item that was created
	To         *string `json:"to"`   // null for a deleted item
	Transition *string `json:"transition"`
}

func newEvent(e *timeline.Event, m *models.Masker, plain bool) Event {
	key, changes := e.Shown(m)
	d := Event{
		Time: e.At.UTC().Format(time.RFC3339), Event: e.EventKind, Table: e.Table.ID, Key: key, line: e.Line(m, plain),
		Moves: []EventStateChange{}, Changes: append([]models.Change{}, changes...),
	}
	if e.Entity != nil {
		d.Entity = &e.Entity.Name
	}
	for _, move := range e.StateChanges {
		d.Moves = append(d.Moves, EventStateChange{
			move.Lifecycle.Attribute, op.OrNull(move.From), op.OrNull(move.To), op.OrNull(move.Name()),
		})
	}
	if entry, ok := e.ShownEntry(m); ok {
		d.Who, d.What, d.Reason = op.OrNull(entry.Who), op.OrNull(entry.What), op.OrNull(entry.Reason)
	}
	return d
}
