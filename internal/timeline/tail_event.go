package timeline

import (
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An Event is one change of an item. It is unmasked; Shown masks it.
type Event struct {
	Change
	EventKind Kind
	Entity    *models.Entity // nil if no entity matches
	// StateChanges contains the changes of lifecycle attributes. Without an image of the item before the change, the
	// state change is unknown, and StateChanges is empty.
	StateChanges []StateChange
	// Entry is the audit entry of the change, or nil.
	Entry *Entry
	// EntryOf is the event whose audit entry this item is, or nil. A caller that shows the other event can omit this
	// one.
	EntryOf *Event
}

// maxRecordsApart is the maximum distance in records between a change and its audit entry. A transaction has at most
// 100 writes.
const maxRecordsApart = 100

// Events interprets records in order. It joins a change with its audit entry if both are in the list. In different
// tables, they come from different streams, and may therefore be in different lists.
func Events(p *profiles.Profile, list []Change) []*Event {
	events := models.MapSlice(list, func(c Change) *Event { return eventOf(p, c) })
	joinEntries(p, events)
	return events
}

func eventOf(p *profiles.Profile, c Change) *Event {
	e := &Event{Change: c, EventKind: c.ChangeKind()}
	if r, ok := models.Recognize(p.EntitiesOf(c.Table), c.Table, e.Item()); ok {
		e.Entity = r.Entity
	}
	e.StateChanges = c.StateChanges(e.Entity)
	return e
}

// joinEntries joins entries with the item's update time first, and then neighbors, because an item can change more than
// once in a second.
func joinEntries(p *profiles.Profile, events []*Event) {
	for _, sameTime := range []bool{true, false} {
		for distance := 1; distance <= min(maxRecordsApart, len(events)-1); distance++ {
			for i, e := range events {
				for _, other := range []int{i + distance, i - distance} {
					if e.Entity != nil && e.Entry == nil && other >= 0 && other < len(events) {
						e.join(p, events[other], sameTime)
					}
				}
			}
		}
	}
}

func (e *Event) join(p *profiles.Profile, other *Event, sameTime bool) {
	if other.EventKind != Created || other.EntryOf != nil || other.After == nil || !(&Entry{When: other.At}).IsNear(e.At) {
		return
	}
	updated := e.updatedAt(e.Entity)
	if sameTime && updated.IsZero() {
		return
	}
	for _, trail := range p.TrailsOf(e.Entity) {
		if trail.Entity != other.Entity || trail.Entity == e.Entity {
			continue
		}
		entry, ok := EntryAbout(trail, e.Entity, e.Item(), other.After)
		if ok && entry.IsNear(e.At) && describesChange(e.Entity, entry, &e.Change) && (!sameTime || entry.When.Equal(updated)) {
			e.Entry, other.EntryOf = &entry, e
			return
		}
	}
}

// Shown returns the item's masked key and differences. The event of an audit entry shows no more than an item does.
// Without images of the item before and after, changes is empty, which does not mean that nothing differs.
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

// ShownEntry returns the masked audit entry of the change, or false if there is none.
func (e *Event) ShownEntry(m *models.Masker) (Entry, bool) {
	if e.Entry == nil {
		return Entry{}, false
	}
	return e.Entry.Shown(m), true
}
