package change

import (
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Operation is what one write of a plan does.
type Operation string

// The operations of a write.
const (
	Update Operation = "Update"
	Put    Operation = "Put"
	Delete Operation = "Delete"
	Check  Operation = "ConditionCheck"
)

// Given is what a user and the console give an action.
type Given struct {
	Inputs map[string]string // by name, as entered
	Actor  string
	Reason string
	// Token is the client request token, a UUID that is new for each change. IDs
	// that the change generates derive from it.
	Token string
	Now   time.Time // UTC
	Live  LiveTables
}

// A Basis is what a plan is made from: what was given, and what was read. The
// same basis gives the same plan.
type Basis struct {
	Given
	Values map[string]accesspatterns.Value // the inputs as read, defaults included
	Items  map[string]models.Item          // by alias of the reading, Subject for the subject; absent when there is none
}

// LiveTables returns a table of the profile with the indexes that the live table
// has: under the names of the profile, with the key attributes and projections of
// the live ones. A nil LiveTables takes every table as declared.
type LiveTables func(*models.Table) *models.Table

func (l LiveTables) table(t *models.Table) *models.Table {
	if l == nil {
		return t
	}
	return l(t)
}

// hasIndex reports whether items of the table carry the keys of an index: the
// live table has it, or the profile requires it.
func (l LiveTables) hasIndex(t *models.Table, x *models.Index) bool {
	return !x.Optional || l.table(t).Index(x.Name) != nil
}

// keyName returns what the live table calls a key attribute of an index.
func (l LiveTables) keyName(t *models.Table, name string) string {
	live := l.table(t)
	for _, x := range t.Indexes {
		lx := live.Index(x.Name)
		switch {
		case lx == nil:
		case x.PartitionKey.Name == name:
			return lx.PartitionKey.Name
		case x.SortKey.Name == name && lx.SortKey.Name != "":
			return lx.SortKey.Name
		}
	}
	return name
}

// Subject is the alias of the item that an action changes.
const Subject = "item"

// A Plan is a change as a value. It is never changed once it is made.
type Plan struct {
	Action *Action
	Basis  *Basis
	// From and To are the states, "" when none changes.
	From, To string
	Writes   []Write  // the subject's first, audit entries last
	Undoes   *Plan    // the plan that this one takes back, nil otherwise
	Notes    []string // what is left alone, and what people have to do themselves
}

// A Write is one write of a plan.
type Write struct {
	Operation Operation
	Table     *models.Table
	Entity    *models.Entity
	Key       models.Item
	Before    models.Item // as it was read; nil: the item must not be there
	After     models.Item // nil: it will not be there
	// Changes are what an update writes, nothing else is sent. For a put they
	// are all attributes of the item, for a delete none.
	Changes   []models.Change
	Condition []accesspatterns.Condition
	Entry     bool // an audit or history entry
}

// A Conflict says why the data does not allow a change. Nothing was written.
type Conflict struct {
	What string
	// Differences are what changed since it was read, when that is the reason.
	Differences []models.Change
}

func (c *Conflict) Error() string { return c.What }
