// Package change holds what changes items: actions, the formulas that compute
// their values, plans, undo, and the drift that repairs correct.
//
// A change is a value long before it is a request. Action.Gather checks the
// inputs and reads the items that the action needs into a Basis; Action.Plan is a
// pure function of it; Plan.Batch compiles what is sent. Nothing is sent from
// here, and whether a user may make a change is decided elsewhere. Reading, that
// is patterns and requests, belongs to package accesspatterns.
package change

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Action is a named change of an item, its subject: what is set, what else
// is written in the same transaction, and under which conditions. Planning one
// (see Gather and Plan) gives a value; nothing is sent from here.
type Action struct {
	ID          string // without the profile's name
	Profile     string
	Title       string
	Description string
	Documented  bool
	Source      []string
	Findings    []*accesspatterns.Finding

	Kind   ActionKind
	Entity *models.Entity // of the subject
	// Lifecycle and Transitions are the moves that the action makes, none when
	// it changes no state. With several, the input Target names the state to go
	// to; otherwise the one transition does.
	Lifecycle   *models.Lifecycle
	Transitions []*models.Transition
	Target      string

	// Inputs are the placeholders of the subject's primary key first, then what
	// else a person gives. Defaults has the formulas of inputs whose default is
	// computed; those inputs are not required.
	Inputs   []*accesspatterns.Param
	Defaults map[string]Formula

	// OnEnter has what is set when the subject enters a state, besides Set.
	OnEnter map[string][]Setting

	Let     []Setting // names for values that several formulas need, in order
	Reads   []Reading // other items that are read first
	Set     []Setting // of the subject, by attribute path
	Remove  []string
	Require []Requirement
	Also    []Companion
	Audits  []Entry

	Reason   ReasonRule
	Off      string // why it is switched off, "" when it is on
	FourEyes bool   // who plans it may not apply it
	NoUndo   string // why it cannot be undone, "" when it can
	// UndoEntry has what the audit entry of an undo says instead, by attribute.
	UndoEntry []Setting
	Manual    []string // what nobody does: work that is left for people
}

// An ActionKind says what an action does to its subject.
type ActionKind string

// The kinds of an action.
const (
	Changes ActionKind = "update" // of an item that is there
	Creates ActionKind = "put"    // of an item that is not
	Deletes ActionKind = "delete"
	// Repairs sets nothing but what derives from the other attributes: index
	// keys, and times that repeat another.
	Repairs ActionKind = "repair"
)

// A ReasonRule says whether an action needs a reason.
type ReasonRule string

// The rules.
const (
	ReasonOptional ReasonRule = "optional"
	ReasonRequired ReasonRule = "required"
)

// A Setting is a formula and what it is the value of: an attribute, by path,
// or a name.
type Setting struct {
	Name    string
	Formula Formula
}

// A Reading is another item that an action reads before it is planned. Key has
// the placeholders of the entity's primary key.
type Reading struct {
	Alias    string
	Entity   *models.Entity
	Key      []Setting
	Optional bool // the action goes on without it
}

// A Companion is a write that happens together with that of the subject.
type Companion struct {
	Operation Operation
	Entity    *models.Entity
	Alias     string // the item of that reading; "" for a put
	// Lifecycle and Transition are the move of an update, nil when it makes none.
	Lifecycle  *models.Lifecycle
	Transition *models.Transition
	Set        []Setting
	Remove     []string
	Require    []Requirement
	If, Unless string // a name: the write happens when it has a value, or has none
}

// An Entry is an audit or history item that an action puts.
type Entry struct {
	Trail *Trail
	Set   []Setting // all of it: what the trail sets, what names the subject, and the action's own
}

// A Requirement is a condition on the item as it was read. It is checked when
// the plan is made, and again by DynamoDB when it is committed.
type Requirement struct {
	Attribute string
	Compare   accesspatterns.Operator
	Value     Formula
	OrMissing bool   // an absent attribute is fine as well
	Because   string // what to tell a person when it does not hold
}

// A Trail is a place where the schema keeps what happened to its items: an
// audit log, a history. The fields name the entry's attributes, "" where it has
// none.
type Trail struct {
	Entity     *models.Entity
	Title      string
	Documented bool // whether the document describes the entry's shape

	Who, What, When, Before, After, Reason string

	// About says, by entity, which attributes name the item that an entry is
	// about, as formulas on that item.
	About []TrailSubject
	// Read finds the entries of one item; its parameters are filled from About
	// first, and from the item.
	Read *accesspatterns.Pattern

	Set   []Setting // what every entry that this console puts holds
	Let   []Setting
	Reads []Reading
}

// A TrailSubject is an entity whose items a trail is about.
type TrailSubject struct {
	Entity *models.Entity
	Names  []Setting
}

// Subject returns how entries of the trail name items of the entity; false
// when the trail is not about such items.
func (t *Trail) Subject(e *models.Entity) (TrailSubject, bool) {
	i := slices.IndexFunc(t.About, func(s TrailSubject) bool { return s.Entity == e })
	if i < 0 {
		return TrailSubject{}, false
	}
	return t.About[i], true
}

// A Queue is a pattern whose rows wait for somebody, and what can be done with
// them.
type Queue struct {
	ID, Title, Description string
	Documented             bool
	Pattern                *accesspatterns.Pattern
	Args                   map[string]string // of the pattern; relative times are taken at each refresh
	Actions                []*Action         // in the order in which they are offered
}

// Input returns the input called name, nil when there is none.
func (a *Action) Input(name string) *accesspatterns.Param {
	for _, p := range a.Inputs {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// From lists the states that the action starts in, none when it changes no
// state.
func (a *Action) From() []string {
	var from []string
	for _, t := range a.Transitions {
		for _, s := range t.From {
			if !slices.Contains(from, s) {
				from = append(from, s)
			}
		}
	}
	return from
}

// To returns the state that the action ends in, "" when an input says or when
// it changes no state.
func (a *Action) To() string {
	if len(a.Transitions) == 1 && a.Target == "" {
		return a.Transitions[0].To
	}
	return ""
}

// FullID returns the id with the profile's name: authbridge.approve.
func (a *Action) FullID() string { return a.Profile + "." + a.ID }
