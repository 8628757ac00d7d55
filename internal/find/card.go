package find

import (
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
)

// A State is the state of an item in one of its lifecycles.
type State struct {
	Lifecycle *models.Lifecycle
	Name      string
}

// A Card is the masked summary of a hit in a list.
type Card struct {
	Entity  string // title of the entity
	Title   string // ID of the item, or its key if it has no ID
	States  []State
	Expired time.Time // expiry time, zero if not expired; DynamoDB deletes the item within days
	Changed time.Time // latest time in the item that is not in the future, zero if none
	Last    *timeline.Entry
	Entry   *timeline.Entry // what the item records, if it is an audit entry
	Subject string          // ID of the item that the audit entry is about, or ""
}

// Card describes the hit and masks personal data as its session does. It sends no requests and is fast enough to call
// for each frame.
func (h Hit) Card() Card {
	s := h.Workspace.Session
	masker := s.Masker()
	masked := masker.Item(h.Table, h.Item)
	c := Card{Entity: "Unknown item", Title: h.Table.KeyText(masked)}
	if at, ok := h.Table.Expires(h.Item); ok && !at.After(s.Now()) {
		c.Expired = at
	}
	e := h.Entity
	if e == nil {
		return c
	}
	if c.Entity = e.Title; e.Title == "" {
		c.Entity = e.Name
	}
	if name := e.IDName(); name != "" && e.ByName == nil { // an undocumented key is its own title
		if value, ok := e.Values(h.Item)(name); ok {
			c.Title = value
			if a := e.Attribute(name); a != nil {
				c.Title = masker.MaskText(a.Format.ReadableText(value), a.Sensitive, a.Format)
			}
		}
	}
	for _, l := range e.Lifecycles {
		state, ok := masked.Text(l.Attribute)
		if !ok {
			continue
		}
		c.States = append(c.States, State{l, state})
	}
	c.Changed = h.changed
	for _, t := range s.Profile().Trails {
		if t.Entity == e {
			entry := timeline.EntryOf(t, h.Item).Shown(masker)
			c.Entry = &entry
			subject := t.SubjectOf(h.Item)
			isID := func(n change.Setting) bool { return n.Formula.String() == "{"+subject.Entity.IDName()+"}" }
			id, _ := models.Find(subject.Names, isID)
			c.Subject, _ = masked.Text(id.Name)
		}
	}
	if h.Last != nil {
		last := h.Last.Shown(masker)
		c.Last = &last
	}
	return c
}
