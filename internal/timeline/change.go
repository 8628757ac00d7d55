package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Change is a record in a table's stream. Before and After are nil if the stream's view type omits them.
type Change struct {
	Table *models.Table
	store.Record
}

// A Kind is the kind of a change.
type Kind string

// These are the kinds of changes.
const (
	Created Kind = "created"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
	Expired Kind = "expired" // deleted by time to live
)

// ChangeKind returns the kind of the change.
func (c *Change) ChangeKind() Kind {
	switch {
	case c.Expired:
		return Expired
	case c.Kind == store.Inserted:
		return Created
	case c.Kind == store.Removed:
		return Deleted
	}
	return Changed
}

// knownImages reports which images are known. Before creation and after deletion, an item is known to be absent.
func (c *Change) knownImages() (before, after bool) {
	return c.Before != nil || c.Kind == store.Inserted, c.After != nil || c.Kind == store.Removed
}

func (c *Change) updatedAt(e *models.Entity) time.Time { return timeAt(e, c.After, e.Updated) }

// A StateChange is a change of an item's state.
type StateChange struct {
	Lifecycle  *models.Lifecycle
	From, To   string             // "" for an item that was created or deleted
	Transition *models.Transition // nil if the lifecycle has no such transition
}

// Name returns the name of the transition, or "".
func (m StateChange) Name() string {
	if m.Transition == nil {
		return ""
	}
	return m.Transition.Name
}

// StateChanges returns the changes of an entity's attributes that have a lifecycle.
func (c *Change) StateChanges(e *models.Entity) []StateChange {
	if before, after := c.knownImages(); e == nil || !before || !after {
		return nil
	}
	var stateChanges []StateChange
	for _, l := range e.Lifecycles {
		from, _ := c.Before.Text(l.Attribute)
		to, _ := c.After.Text(l.Attribute)
		if from == to {
			continue
		}
		transition := models.First(l.Transitions, func(t *models.Transition) bool { return t.To == to && slices.Contains(t.From, from) })
		stateChanges = append(stateChanges, StateChange{Lifecycle: l, From: from, To: to, Transition: transition})
	}
	return stateChanges
}

// Differences returns the masked attributes that differ. It returns none unless the stream contains both images.
func (c *Change) Differences(m *models.Masker) []models.Change {
	if c.Before == nil || c.After == nil {
		return nil
	}
	return m.Diff(c.Table, c.Before, c.After)
}

// Sentence describes a change in a few words: "created", "pending review → approved", "3 attributes changed".
func Sentence(kind Kind, stateChanges []StateChange, changes []models.Change) string {
	var words []string
	for _, m := range stateChanges {
		if m.From != "" && m.To != "" {
			words = append(words, m.Lifecycle.Title(m.From)+" → "+m.Lifecycle.Title(m.To))
		}
	}
	switch {
	case len(words) > 0:
		return strings.Join(words, ", ")
	case kind != Changed:
		return string(kind)
	case len(changes) == 1:
		return changes[0].Path + " changed"
	case len(changes) > 1:
		return fmt.Sprintf("%d attributes changed", len(changes))
	}
	return string(kind)
}
