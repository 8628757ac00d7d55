// Package asof tells how an item was at a time, from what is left of its changes: the records of a stream, the writes that
// the journal of this machine has, and what the item itself says of its last change. It never guesses: a time for which
// they do not prove the item is not known. It does no I/O.
package asof

import (
	"fmt"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Source is what proves a state of an item.
type Source string

// The sources.
const (
	FromStream  Source = "stream"  // an image of a record, or that the stream has no change since
	FromJournal Source = "journal" // a write of this machine, undone
	FromItem    Source = "item"    // the item says that its last change was earlier
)

// A Record is a change of the item that its stream has. The time has whole seconds. An image that the stream does not have is
// not the same as no item, so HasBefore and HasAfter tell which images are known.
type Record struct {
	At                  time.Time
	Before, After       models.Item
	HasBefore, HasAfter bool
}

// A Write is a change of the item that was applied from this machine, at some time from Begun to Ended. All that it changed
// must be known.
type Write struct {
	Begun, Ended time.Time
	Key          models.Item
	Deleted      models.Item     // the item that it deleted, nil for other writes
	Created      bool            // there was no item before
	Changes      []models.Change // by path; none of a write that deleted
}

// Evidence is all that is known of an item.
type Evidence struct {
	Entity *models.Entity // names the attributes that every change advances; nil if it is not known
	Now    models.Item    // as it was read, nil if there is none
	Read   time.Time
	// Complete is the time from which Records has every change. It is after Read if there is no such time.
	Complete time.Time
	Records  []Record // the oldest first
	Writes   []Write  // the newest first
}

// A State is an item as it was known to be from a time on, and before another one.
type State struct {
	Item        models.Item // nil if there was none
	Partial     bool        // Item has its key and the attributes that are known; the others are not known
	From, Until time.Time
	Source      Source
}

// Unknown is the error for a time at which the item is not known.
type Unknown struct {
	At     time.Time
	Before time.Time // the next time at which it is known, zero if there is none
	After  time.Time // the last earlier time until which it is known, zero if there is none
}

func (u *Unknown) Error() string {
	const layout = "2006-01-02 15:04:05 UTC"
	text := "the state of the item is unknown at " + u.At.UTC().Format(layout)
	switch {
	case u.Before.IsZero():
		return text
	case u.After.IsZero():
		return fmt.Sprintf("%s; it is unknown before %s", text, u.Before.UTC().Format(layout))
	}
	return fmt.Sprintf("%s; it is unknown from %s to %s", text, u.After.UTC().Format(layout), u.Before.UTC().Format(layout))
}

// At returns the item at a time, with the changes of that second that a stream has. The error is an *Unknown.
func (e *Evidence) At(at time.Time) (State, error) {
	unknown := &Unknown{At: at}
	for _, s := range e.States() { // the newest first
		switch {
		case at.Before(s.From):
			unknown.Before = s.From
		case at.Before(s.Until):
			return s, nil
		default:
			unknown.After = s.Until
		}
		if !unknown.After.IsZero() {
			break
		}
	}
	if s, ok := e.overwritten(at); ok {
		return s, nil
	}
	return State{}, unknown
}

// overwritten returns what the next write of this machine overwrote. The write was made on the condition that the item had
// these values, and the time among them says since when.
func (e *Evidence) overwritten(at time.Time) (State, bool) {
	for _, c := range slices.Backward(e.Writes) {
		if !c.Begun.After(at) || c.Deleted != nil || c.Created {
			continue
		}
		known := c.Key.Clone()
		for _, ch := range c.Changes {
			if ch.Before != nil {
				known.With(ch.Path, ch.Before)
			}
		}
		since, ok := e.lastChange(known)
		return State{known, true, since, c.Begun, FromJournal}, ok && !at.Before(since)
	}
	return State{}, false
}

// delay is how long after the time that an item says a change can be written: programs take the time before they write.
const delay = 5 * time.Second

// States returns the states that are known, the newest first. Between two of them the item is not known, or it changed.
func (e *Evidence) States() []State {
	w := &walk{e: e, item: e.Now, known: true, end: e.Read.Add(time.Second), source: FromItem}
	w.since(e.Read.Truncate(time.Second)) // a look at the second of the reading shows what was read
	w.records()
	w.older()
	return w.states
}

// A walk goes back in time. Before end, the item was as it is in the walk, if that is known.
type walk struct {
	e      *Evidence
	end    time.Time
	item   models.Item
	known  bool
	source Source
	used   int // writes that are not before end
	states []State
}

// since adds the state from a time to the end, and goes back to that time.
func (w *walk) since(from time.Time) {
	if w.known && from.Before(w.end) {
		w.states = append(w.states, State{w.item, false, from, w.end, w.source})
	}
	if from.Before(w.end) {
		w.end = from
	}
}

// records goes back to the time from which the records have every change. Two images of the same time must be equal: if they
// are not, a change between them is missing, and the item is not known there.
func (w *walk) records() {
	if !w.e.Complete.Before(w.end) {
		return
	}
	w.source = FromStream
	for _, r := range slices.Backward(w.e.Records) {
		if r.At.Before(w.e.Complete) {
			break
		}
		if r.HasAfter {
			agree := !w.known || models.EqualItems(w.item, r.After) && (w.item == nil) == (r.After == nil)
			w.item, w.known, w.source = r.After, agree, FromStream
		}
		w.since(r.At)
		if r.HasBefore {
			w.item, w.known, w.source = r.Before, true, FromStream
		} else {
			w.undoAt(r.At)
		}
	}
	w.since(w.e.Complete)
}

// undoAt undoes the write of this machine that is the record of a second.
func (w *walk) undoAt(second time.Time) {
	was := w.known
	w.known = false
	for i := w.used; i < len(w.e.Writes); i++ {
		c := w.e.Writes[i]
		if c.Begun.Before(second.Add(time.Second)) && !c.Ended.Before(second) && w.undo(c, was) {
			w.used = i + 1
			return
		}
	}
}

// undo makes the item as it was before a write, if the item is as the write left it.
func (w *walk) undo(c Write, known bool) bool {
	switch {
	case c.Deleted != nil:
		if known && w.item != nil {
			return false
		}
		w.item = c.Deleted
	case !known || w.item == nil || !left(w.item, c):
		return false
	case c.Created:
		w.item = nil
	default:
		w.item = w.item.Clone()
		for _, ch := range c.Changes {
			if ch.Before == nil {
				w.item.Without(ch.Path)
			} else {
				w.item.With(ch.Path, ch.Before)
			}
		}
	}
	w.known, w.source = true, FromJournal
	return true
}

// left reports whether the item has what a write wrote.
func left(it models.Item, c Write) bool {
	return !slices.ContainsFunc(c.Changes, func(ch models.Change) bool {
		v, _ := it.At(ch.Path)
		return !models.EqualValues(v, ch.After)
	})
}

// older goes back before the time from which every change is known. There the item itself is evidence, because every change
// of its entity advances a time or a counter: it was the same since the time that it has, and since the write of this machine
// that set them. A write that deleted an item is evidence of the item.
func (w *walk) older() {
	for {
		if w.known && w.item != nil {
			if w.source == FromStream {
				w.source = FromItem
			}
			if t, ok := w.e.lastChange(w.item); ok {
				w.since(t)
			}
			if c, ok := w.setBy(); ok {
				w.since(c.Ended)
				w.back(c)
				if w.undo(c, true) && w.item != nil {
					continue
				}
			}
		}
		i := slices.IndexFunc(w.e.Writes, func(c Write) bool { return c.Deleted != nil && !c.Ended.After(w.end) })
		if i < 0 {
			return
		}
		c := w.e.Writes[i]
		w.item, w.known, w.source = c.Deleted, true, FromJournal
		w.back(c)
	}
}

// back goes back to the time before a write.
func (w *walk) back(c Write) {
	if c.Begun.Before(w.end) {
		w.end = c.Begun
	}
}

// lastChange returns a time after the last change that an item tells, false if it tells none.
func (e *Evidence) lastChange(it models.Item) (time.Time, bool) {
	t, ok := e.updated(it)
	return t.Add(delay), ok
}

// updated returns the time of the last change that an item has.
func (e *Evidence) updated(it models.Item) (time.Time, bool) {
	if e.Entity == nil || e.Entity.Updated == "" {
		return time.Time{}, false
	}
	a := e.Entity.Attribute(e.Entity.Updated)
	text, ok := it.Text(e.Entity.Updated)
	if a == nil || !ok || !a.Format.IsTime() || a.Format.IsDay() || a.Format.IsPeriod() {
		return time.Time{}, false
	}
	return a.Format.ReadTime(text)
}

// setBy returns the write that made the item what it is: it set the counter that the item has, or its time. A time in whole
// seconds proves nothing, because another program that reacts to the write changes the item in the same second.
func (w *walk) setBy() (Write, bool) {
	e := w.e.Entity
	if e == nil {
		return Write{}, false
	}
	t, _ := w.e.updated(w.item)
	sets := func(c Write) bool {
		return slices.ContainsFunc(c.Changes, func(ch models.Change) bool {
			return ch.After != nil && (ch.Path == e.Version || ch.Path == e.Updated && t.Nanosecond() > 0)
		})
	}
	for _, c := range w.e.Writes {
		if c.Begun.Before(w.end) && sets(c) && left(w.item, c) {
			return c, true
		}
	}
	return Write{}, false
}
