// Package tail follows the changes of a schema's tables through their streams, and says what each one means: which entity,
// which move of its lifecycle, who made it, and what differs. It reads only. What is shown of an event is masked by Shown.
package tail

import (
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Change is a record of the stream of a table. Before and After are nil as far as the view
// type of the stream leaves them out.
type Change struct {
	Table *models.Table
	store.Record
}

// A Kind says what happened to an item.
type Kind string

// The kinds of events.
const (
	Created Kind = "created"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
	Expired Kind = "expired" // deleted by time to live
)

// An Event is one change of an item, as stored; show it through Shown.
type Event struct {
	Change
	Event  Kind
	Entity *models.Entity // nil for an item of no entity
	// Moves are the changes of the attributes that have a lifecycle. Without an image of the
	// item before, it is not known whether the state changed, and there are none.
	Moves []Move
	// Entry is the audit entry that was written with the change, nil if there is none.
	Entry *timeline.Entry
	// EntryOf is the event whose audit entry this item is, nil for none. A reader that shows
	// the other event can leave this one out.
	EntryOf *Event
}

// A Move is a change of the state of an item.
type Move struct {
	Lifecycle  *models.Lifecycle
	From, To   string             // "" for an item that was created or deleted
	Transition *models.Transition // nil if the lifecycle has no such transition
}

// Name is the name of the transition, "" if it has none.
func (m Move) Name() string {
	if m.Transition == nil {
		return ""
	}
	return m.Transition.Name
}

// apart is how far the times of a change and its audit entry can differ: the stream has whole seconds, and the time of an
// entry is taken before it is written.
const apart = 5 * time.Second

// near is how many records away from a change its audit entry can be: a transaction has at most 100 writes.
const near = 100

// Events interprets records, in their order. A change and its audit entry are recognized as
// such if both are among them. An event and its entry may be in different tables, whose streams
// are read one after the other, so both can be in different lists; then neither has the other.
func Events(p *profiles.Profile, list []Change) []*Event {
	events := make([]*Event, len(list))
	for i, c := range list {
		events[i] = eventOf(p, c)
	}
	joinEntries(p, events)
	return events
}

// eventOf interprets a record alone.
func eventOf(p *profiles.Profile, c Change) *Event {
	e := &Event{Change: c, Event: Changed}
	switch {
	case c.Expired:
		e.Event = Expired
	case c.Kind == store.Inserted:
		e.Event = Created
	case c.Kind == store.Removed:
		e.Event = Deleted
	}
	if r, ok := models.Recognize(p.EntitiesOf(c.Table), c.Table, e.Item()); ok {
		e.Entity = r.Entity
	}
	if e.Entity == nil {
		return e
	}
	for _, l := range e.Entity.Lifecycles {
		from, _ := c.Before.Text(l.Attribute)
		to, _ := c.After.Text(l.Attribute)
		known := (c.Before != nil || e.Event == Created) && (c.After != nil || e.Event == Deleted || e.Event == Expired)
		if from == to || !known {
			continue
		}
		m := Move{Lifecycle: l, From: from, To: to}
		if i := slices.IndexFunc(l.Transitions, func(t *models.Transition) bool { return t.To == to && slices.Contains(t.From, from) }); i >= 0 {
			m.Transition = l.Transitions[i]
		}
		e.Moves = append(e.Moves, m)
	}
	return e
}

// joinEntries finds the audit entries of changes: those that name the item and were added at the same time. Neighbors are
// joined first, because an item can change more than once in a second.
func joinEntries(p *profiles.Profile, events []*Event) {
	for distance := 1; distance <= min(near, len(events)-1); distance++ {
		for i, e := range events {
			for _, other := range []int{i + distance, i - distance} {
				if e.Entity != nil && e.Entry == nil && other >= 0 && other < len(events) {
					e.join(p, events[other])
				}
			}
		}
	}
}

// join makes another event the audit entry of this one if it is.
func (e *Event) join(p *profiles.Profile, other *Event) {
	if other.Event != Created || other.EntryOf != nil || other.After == nil || other.At.Sub(e.At).Abs() > apart {
		return
	}
	for _, trail := range p.TrailsOf(e.Entity) {
		if trail.Entity != other.Entity || trail.Entity == e.Entity {
			continue
		}
		if entry, ok := timeline.EntryAbout(trail, e.Entity, e.Item(), other.After); ok && fits(entry, e) {
			e.Entry, other.EntryOf = &entry, e
			return
		}
	}
}

// fits reports whether an entry, as far as it tells, is about this move.
func fits(entry timeline.Entry, e *Event) bool {
	return entry.When.IsZero() || entry.When.Sub(e.At).Abs() <= apart
}

// Shown returns the item's key, and what differs, masked. The event that is the audit entry of another one shows no more than
// an item does. Without images of the item before and after, there are no changes, which does
// not mean that nothing differs.
func (e *Event) Shown(m *models.Masker) (key models.Item, changes []models.Change) {
	shown := func(it models.Item) models.Item {
		if it == nil {
			return nil
		}
		return m.Item(e.Table, it)
	}
	whole := shown(e.Item())
	key, ok := e.Table.PrimaryKey(whole)
	if !ok {
		key = shown(e.Keys)
	}
	if e.Before == nil || e.After == nil {
		return key, nil
	}
	return key, models.Diff(shown(e.Before), shown(e.After))
}

// ShownEntry returns the masked audit entry of the change, false if there is none.
func (e *Event) ShownEntry(m *models.Masker) (timeline.Entry, bool) {
	if e.Entry == nil {
		return timeline.Entry{}, false
	}
	return e.Entry.Shown(m), true
}
