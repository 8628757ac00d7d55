package timeline

import (
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An Event is one change of an item, as stored; show it through Shown.
type Event struct {
	Change
	Event  Kind
	Entity *models.Entity // nil for an item of no entity
	// Moves are the changes of lifecycle attributes. Without an image of the item before, it is unknown whether the
	// state changed, and there are none.
	Moves []Move
	// Entry is the audit entry that was written with the change, nil if there is none.
	Entry *Entry
	// EntryOf is the event whose audit entry this item is, nil for none. A reader that shows the other event can omit
	// this one.
	EntryOf *Event
}

// maxRecordsApart limits the records between a change and its audit entry: a transaction has at most 100 writes.
const maxRecordsApart = 100

// Events interprets records in their order. It joins a change and its audit entry if both are in the list. They may be
// in different tables, whose streams are read one after the other, and therefore in different lists; then they are not
// joined.
func Events(p *profiles.Profile, list []Change) []*Event {
	events := make([]*Event, len(list))
	for i, c := range list {
		events[i] = eventOf(p, c)
	}
	joinEntries(p, events)
	return events
}

func eventOf(p *profiles.Profile, c Change) *Event {
	e := &Event{Change: c, Event: c.What()}
	if r, ok := models.Recognize(p.EntitiesOf(c.Table), c.Table, e.Item()); ok {
		e.Entity = r.Entity
	}
	e.Moves = c.Moves(e.Entity)
	return e
}

// joinEntries joins neighbors first, because an item can change more than once in a second.
func joinEntries(p *profiles.Profile, events []*Event) {
	for distance := 1; distance <= min(maxRecordsApart, len(events)-1); distance++ {
		for i, e := range events {
			for _, other := range []int{i + distance, i - distance} {
				if e.Entity != nil && e.Entry == nil && other >= 0 && other < len(events) {
					e.join(p, events[other])
				}
			}
		}
	}
}

func (e *Event) join(p *profiles.Profile, other *Event) {
	if other.Event != Created || other.EntryOf != nil || other.After == nil || !(&Entry{When: other.At}).Near(e.At) {
		return
	}
	for _, trail := range p.TrailsOf(e.Entity) {
		if trail.Entity != other.Entity || trail.Entity == e.Entity {
			continue
		}
		if entry, ok := EntryAbout(trail, e.Entity, e.Item(), other.After); ok && entry.Near(e.At) {
			e.Entry, other.EntryOf = &entry, e
			return
		}
	}
}

// Shown returns the item's key and its differences, masked. The event of an audit entry shows no more than an item
// does. Without images of the item before and after, changes is empty, which does not mean that nothing differs.
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
	return key, e.Differences(m)
}

// ShownEntry returns the masked audit entry of the change, false if there is none.
func (e *Event) ShownEntry(m *models.Masker) (Entry, bool) {
	if e.Entry == nil {
		return Entry{}, false
	}
	return e.Entry.Shown(m), true
}
