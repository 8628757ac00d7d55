package documents

import (
	"time"

	"github.com/ddbdesk/ddbdesk/internal/tail"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
)

// Event is one change of an item, from the stream of its table. It always has all its fields.
// Time is in RFC 3339 with whole seconds, UTC, because a stream has no fractions.
type Event struct {
	Time   string        `json:"time"`
	Event  timeline.Kind `json:"event"`
	Table  string        `json:"table"`  // as the schema names it
	Entity *string       `json:"entity"` // null if no entity matches
	// Key is masked, as are the values of Changes, who, what and reason.
	Key     models.Item  `json:"key"`
	Moves   []EventMove  `json:"moves"`
	Who     *string      `json:"who"` // of the audit entry that was written with the change, null without one
	What    *string      `json:"what"`
	Reason  *string      `json:"reason"`
	Changes []Difference `json:"changes"` // none for an item that was created or deleted
}

// EventMove is a change of the state of an item. Transition is null if the lifecycle has no such transition or it has no name.
type EventMove struct {
	Attribute  string  `json:"attribute"`
	From       *string `json:"from"` // null for an item that was created
	To         *string `json:"to"`   // null for an item that was deleted
	Transition *string `json:"transition"`
}

// OfEvent describes an event, masked.
func OfEvent(e *tail.Event, m *models.Masker) Event {
	key, changes := e.Shown(m)
	d := Event{
		Time: e.At.UTC().Format(time.RFC3339), Event: e.Event, Table: e.Table.ID, Key: key,
		Moves: []EventMove{}, Changes: each(changes, OfDifference),
	}
	if e.Entity != nil {
		d.Entity = &e.Entity.Name
	}
	for _, move := range e.Moves {
		d.Moves = append(d.Moves, EventMove{move.Lifecycle.Attribute, OrNull(move.From), OrNull(move.To), OrNull(move.Name())})
	}
	if entry, ok := e.ShownEntry(m); ok {
		d.Who, d.What, d.Reason = OrNull(entry.Who), OrNull(entry.What), OrNull(entry.Reason)
	}
	return d
}
