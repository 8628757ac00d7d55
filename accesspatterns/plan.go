// This file declares plans: changes as values, made from what was read and
// given, that can be looked at, printed, kept in a file and committed.

package accesspatterns

import (
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// A WriteOperation is what one write of a plan does.
type WriteOperation string

// The operations of a write.
const (
	Update WriteOperation = "Update"
	Put    WriteOperation = "Put"
	Delete WriteOperation = "Delete"
	Check  WriteOperation = "ConditionCheck"
)

// A Basis is what a plan is made from: what was given, and what was read. The
// same basis gives the same plan.
type Basis struct {
	Inputs map[string]string      // as given, by name
	Values map[string]Value       // as read from what was given, defaults included
	Items  map[string]models.Item // by alias of the reading, Subject for the subject; absent when there is none
	Now    time.Time
	Actor  string
	Reason string
	// Token is the client request token, a UUID. Ids that the change makes up
	// derive from it.
	Token string
	// HasIndex reports whether a live table has an optional index; nil is yes.
	HasIndex func(*models.Table, *models.Index) bool
	// KeyName returns what a live table calls a key attribute of an index, where
	// the document leaves the name open; nil is as declared.
	KeyName func(t *models.Table, name string) string
}

// hasIndex reports whether the live table has an index of the profile.
func (b *Basis) hasIndex(t *models.Table, x *models.Index) bool {
	return !x.Optional || b.HasIndex == nil || b.HasIndex(t, x)
}

// keyName returns what the live table calls a key attribute.
func (b *Basis) keyName(t *models.Table, name string) string {
	if b.KeyName == nil {
		return name
	}
	return b.KeyName(t, name)
}

// Subject is the alias of the item that an action changes.
const Subject = "item"

// A Plan is a change as a value. It is never changed once it is made.
type Plan struct {
	Action *Action
	Basis  *Basis
	// From and To are the states, "" when none changes.
	From, To string
	Writes   []PlannedWrite // the subject's first, audit entries last
	Undoes   *Plan          // the plan that this one takes back, nil otherwise
	Notes    []string       // what is left alone, and what people have to do themselves
}

// A PlannedWrite is one write of a plan.
type PlannedWrite struct {
	Operation WriteOperation
	Table     *models.Table
	Entity    *models.Entity
	Key       models.Item
	Before    models.Item // as it was read; nil: the item must not be there
	After     models.Item // nil: it will not be there
	// Changes are what an update writes, nothing else is sent. For a put they
	// are all attributes of the item, for a delete none.
	Changes   []models.Change
	Condition []Condition
	Entry     bool // an audit or history entry
}

// A Conflict says why the data does not allow a change. Nothing was written.
type Conflict struct {
	What string
	// Differences are what changed since it was read, when that is the reason.
	Differences []models.Change
}

func (c *Conflict) Error() string { return c.What }
