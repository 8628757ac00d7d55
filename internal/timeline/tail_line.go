package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// Line describes the event on one masked line: time, entity, key, change, user, and differing attributes. The line has
// no newline and no maximum width. Times are in UTC. The sentence contains the state changes, so the attributes omit
// them. If plain is set, the line uses the wording for role support.
func (e *Event) Line(m *models.Masker, plain bool) string {
	key, changes := e.Shown(m)
	if plain {
		changes = models.PlainChanges(e.Entity, changes)
	}
	entity := "–"
	if e.Entity != nil {
		entity = e.Entity.Name
		if plain && e.Entity.Title != "" {
			entity = e.Entity.Title
		}
	}
	parts := []string{e.At.UTC().Format("2006-01-02 15:04:05"), entity, e.Table.KeyText(key), e.Sentence(changes)}
	if entry, ok := e.ShownEntry(m); ok {
		if entry.Who != "" {
			parts = append(parts, "by "+entry.Who)
		}
		if entry.Reason != "" {
			parts = append(parts, "reason: "+entry.Reason)
		}
	}
	for _, c := range changes {
		if !e.hasStateChange(c.Path) {
			name := c.Path
			if plain {
				name, _ = e.Entity.PlainName(name)
			}
			parts = append(parts, fmt.Sprintf("%s %s → %s", name, valueText(c, false), valueText(c, true)))
		}
	}
	return strings.Join(parts, "  ")
}

func (e *Event) hasStateChange(path string) bool {
	return slices.ContainsFunc(e.StateChanges, func(m StateChange) bool { return m.Lifecycle.Attribute == path })
}

func valueText(c models.Change, after bool) string {
	v := c.Before
	if after {
		v = c.After
	}
	if v == nil {
		return "–"
	}
	return change.ValueWords(v)
}

// Sentence describes the event in a few words: "created", "pending review → approved", "3 attributes changed". It
// contains attribute names and state labels, but no other values.
func (e *Event) Sentence(changes []models.Change) string {
	return Sentence(e.EventKind, e.StateChanges, changes)
}
