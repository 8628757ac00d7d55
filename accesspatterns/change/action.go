// Package change plans changes of items: actions and their formulas, plans, undo, and the drift that a repair corrects.
//
// A change is planned as a value before ddbdesk builds a request. Action.Gather checks the inputs and reads the items
// that the action needs into a Basis. Action.Plan is a pure function of the basis, and Plan.Batch compiles the request.
// This package sends no requests, and the session decides whether a user may make a change. Patterns and their requests
// belong to package accesspatterns.
package change

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Action is a documented change of an item, its subject: the attributes to set, the other writes in the same
// transaction, and the conditions. The schema loader creates it and checks every name in its formulas. After that, it
// does not change, so several goroutines may plan with it at once.
type Action struct {
	ID          string   // without the schema's name
	Aliases     []string // former IDs, which are still accepted
	Profile     string   // the name of the schema
	Title       string
	Description string
	Documented  bool     // whether the schema document describes it
	Source      []string // the places in the document
	Findings    []*accesspatterns.Finding

	Kind    ActionKind
	Replace bool           // a put replaces an item with the same key
	Entity  *models.Entity // entity of the subject
	// Lifecycle and Transitions define the transitions that the action makes. They are nil if it does not change a
	// state. If there are several transitions, the input named by the constant Target selects the new state.
	Lifecycle   *models.Lifecycle
	Transitions []*models.Transition
	Target      string

	// Inputs contains the placeholders of the subject's primary key, followed by the other inputs. Defaults contains
	// the formulas of computed defaults by input; these inputs are not required.
	Inputs   []*accesspatterns.Param
	Defaults map[string]Formula

	// OnEnter contains, by state, the values to set in addition to Set when the subject enters the state.
	OnEnter map[string][]Setting

	Let   []Setting // names for values that several formulas use, in order
	Reads []Reading // other items to read before planning
	// ReadsFirst is set if part of a new item's key comes from one of Reads.
	ReadsFirst bool
	Set        []Setting // values of the subject, by attribute path
	Remove     []string  // attribute paths to remove from the subject
	Require    []Requirement
	Companions []Companion
	Audits     []Entry

	Reason   ReasonRule
	Disabled string // reason that the action is disabled, or ""
	FourEyes bool   // the user who planned the change cannot apply it
	NoUndo   string // why it cannot be undone, "" if it can
	// Exclusive lists patterns that must find no item except the subject, which fills their parameters. ddbdesk reads
	// them when it plans the action, because DynamoDB cannot express them as a condition.
	Exclusive []*accesspatterns.Pattern
	UndoEntry []Setting // attributes that differ in the audit entry of an undo
	Manual    []string  // steps that users must do themselves

	raw       *Source        // schema of an undeclared action; nil for others
	unmatched *models.Entity // entity of items that match no entity, for an undeclared action
}

// An ActionKind is the kind of change that an action makes to its subject.
type ActionKind string

// These are the kinds of actions.
const (
	KindUpdate ActionKind = "update" // updates an item
	KindPut    ActionKind = "put"    // creates an item
	KindDelete ActionKind = "delete" // deletes an item
	KindMove   ActionKind = "move"   // puts an item under another primary key and deletes the old one
	// KindRepair updates only attributes derived from others: index keys, and times that equal another time.
	KindRepair ActionKind = "repair"
	// KindReplace gives an item the values of another item. Profiles cannot declare such an action; see ReplaceAction.
	KindReplace ActionKind = "replace"
)

func (k ActionKind) operation() Operation {
	switch k {
	case KindPut, KindMove:
		return Put
	case KindDelete:
		return Delete
	case KindUpdate, KindRepair, KindReplace:
	}
	return Update
}

// A ReasonRule determines whether an action needs a reason. ddbdesk calls session.ReasonFor to check it when it plans a
// change and again when it applies it.
type ReasonRule string

// These are the reason rules.
const (
	ReasonOptional ReasonRule = "optional"
	ReasonRequired ReasonRule = "required"
)

// A Setting is a formula and the name of its value: an attribute path, or a name that other formulas use. If the
// formula has no value, the attribute does not change.
type Setting struct {
	Name    string
	Formula Formula
}

// A Reading is another item to read before ddbdesk plans an action. Key sets the placeholders of the entity's primary
// key, or the parameters of the pattern.
type Reading struct {
	Alias    string // the name of the item in formulas
	Entity   *models.Entity
	Pattern  *accesspatterns.Pattern // query that finds the item; nil to read by key
	Key      []Setting
	Optional bool // the item need not exist
}

// A Companion is a write in the same transaction as the subject's. The planner omits it if its condition does not hold,
// if an optional item does not exist, or if it neither changes nor requires anything.
type Companion struct {
	Operation Operation
	Entity    *models.Entity
	Alias     string // the item of the reading with this alias; "" for a put
	// Lifecycle and Transition define the transition of an update, or are nil.
	Lifecycle  *models.Lifecycle
	Transition *models.Transition
	Set        []Setting
	Remove     []string
	Require    []Requirement
	If, Unless string // names of values: write only if the first is set and the second is not
}

// alwaysChanges reports whether the companion always changes something: it makes a transition or adds to a number.
func (c Companion) alwaysChanges() bool {
	return c.Transition != nil || slices.ContainsFunc(c.Set,
		func(s Setting) bool { return s.Formula.isIncrementOf(c.Alias + "." + s.Name) })
}

// An Entry is an audit or history item that an action writes.
type Entry struct {
	Trail *Trail
	Set   []Setting // all attributes: of the trail, the subject and the action
}

// A Requirement is a condition on an item. ddbdesk checks it when it plans the action, and DynamoDB checks it again
// when ddbdesk applies the plan.
type Requirement struct {
	Attribute string
	Compare   accesspatterns.Operator
	Value     Formula
	OrMissing bool   // an item without the attribute also meets it
	Message   string // message if it does not hold; "" generates one
	// Any contains alternatives, at least one of which must hold. If it is set, the only other field in use is Message.
	Any []Requirement
}

func (r Requirement) values() []Formula {
	list := []Formula{r.Value}
	for _, o := range r.Any {
		list = append(list, o.values()...)
	}
	return list
}

// A Trail stores the history of items: an audit log or a history. The fields name the attributes of an entry, or are
// "". ddbdesk writes no entries to a trail without Set.
type Trail struct {
	Entity     *models.Entity
	Title      string
	Documented bool // whether the schema document describes the entries

	Who, What, When, Before, After, Reason string

	// About contains, for each entity with entries, the attributes that identify an item in an entry, as formulas on
	// that item.
	About []TrailSubject
	// Read is the pattern that reads the entries of one item. About fills its parameters, and the item fills the
	// others.
	Read *accesspatterns.Pattern

	Set   []Setting // attributes of every entry that ddbdesk writes
	Let   []Setting
	Reads []Reading
}

// A TrailSubject describes how trail entries identify the items of an entity.
type TrailSubject struct {
	Entity *models.Entity
	Names  []Setting
}

// SubjectOf returns the entity that an entry is about, with its names: the first one whose constants the entry contains,
// such as a target type.
func (t *Trail) SubjectOf(entry models.Item) TrailSubject {
	values := t.Entity.Values(entry)
	noValue := func(string) (string, bool) { return "", false }
	for _, s := range t.About {
		if !slices.ContainsFunc(s.Names, func(n Setting) bool {
			constant, isConstant := n.Formula.Text(noValue)
			text, _ := values(n.Name)
			return isConstant && constant != text
		}) {
			return s
		}
	}
	return t.About[0]
}

// Subject describes how entries of the trail identify items of the entity. It returns false if the trail has no entries
// for them.
func (t *Trail) Subject(e *models.Entity) (TrailSubject, bool) {
	return models.Find(t.About, func(s TrailSubject) bool { return s.Entity == e })
}

// Input returns the input with this name, or nil. The caller must not change the result, which the action shares.
func (a *Action) Input(name string) *accesspatterns.Param {
	return models.First(a.Inputs, func(p *accesspatterns.Param) bool { return p.Name == name })
}

// From lists the states that the action can start from. It returns nil if the action does not change a state.
func (a *Action) From() []string {
	var from []string
	for _, t := range a.Transitions {
		for _, s := range t.From {
			from = models.AppendOnce(from, s)
		}
	}
	return from
}

// To returns the state that the action leads to. It returns "" if an input selects the state or the action does not
// change a state.
func (a *Action) To() string {
	if len(a.Transitions) == 1 && a.Target == "" {
		return a.Transitions[0].To
	}
	return ""
}

// Tables lists the distinct tables of the items that the action changes, subject's table first. It omits the tables of
// audit entries.
func (a *Action) Tables() []*models.Table {
	list := []*models.Table{a.Entity.Table}
	for _, c := range a.Companions {
		list = models.AppendOnce(list, c.Entity.Table)
	}
	return list
}

// WrittenEntities lists the entities of the items that the action writes, with its audit entries.
func (a *Action) WrittenEntities() []*models.Entity {
	list := []*models.Entity{a.Entity}
	for _, c := range a.Companions {
		list = append(list, c.Entity)
	}
	for _, e := range a.Audits {
		list = append(list, e.Trail.Entity)
	}
	return list
}

// CanSweep reports whether the action applies to existing items, so that a user can apply it to many of them. It does
// not check a particular item; see Obstacle.
func (a *Action) CanSweep() bool { return a.Kind != KindPut }

// FullID returns the ID with the schema's name, as in authbridge.approve.
func (a *Action) FullID() string { return a.Profile + "." + a.ID }

// Term names the action in a text, by its full ID or its title.
func (a *Action) Term() models.Term { return models.Term{ID: a.FullID(), Title: a.Title} }

// Short names the action in a text about its schema, by its ID or its title.
func (a *Action) Short() models.Term { return models.Term{ID: a.ID, Title: a.Title} }

// PlanPermissions lists the permissions for planning the action: reading its subject and the other items.
func (a *Action) PlanPermissions() []accesspatterns.Permission {
	list := []accesspatterns.Permission{accesspatterns.PermissionFor("GetItem", a.Entity.Table, nil)}
	reads := slices.Clone(a.Reads)
	for _, e := range a.Audits {
		reads = append(reads, e.Trail.Reads...)
	}
	for _, r := range reads {
		if r.Pattern != nil {
			list = append(list, accesspatterns.PermissionFor("Query", r.Pattern.Table, r.Pattern.Read.Index))
			continue
		}
		list = append(list, accesspatterns.PermissionFor("GetItem", r.Entity.Table, nil))
	}
	for _, p := range a.Exclusive {
		list = append(list, accesspatterns.PermissionFor("Query", p.Table, p.Read.Index))
	}
	return accesspatterns.UniquePermissions(list)
}

// CommitPermissions lists the further permissions that applying the plan requires. IAM has no permission for a whole
// transaction, so each write needs its own. Source: Amazon DynamoDB Developer Guide, "Using IAM with DynamoDB
// transactions".
func (a *Action) CommitPermissions() []accesspatterns.Permission {
	return a.writePermissions(func(o Operation) Operation { return o })
}

// UndoPermissions lists the permissions that applying the undo requires. It returns nil if the action cannot be undone.
func (a *Action) UndoPermissions() []accesspatterns.Permission {
	if a.NoUndo != "" {
		return nil
	}
	undo := map[Operation]Operation{Put: Delete, Delete: Put, Check: Check, Update: Update}
	return a.writePermissions(func(o Operation) Operation { return undo[o] })
}

func (a *Action) writePermissions(convert func(Operation) Operation) []accesspatterns.Permission {
	permission := func(o Operation, t *models.Table) accesspatterns.Permission {
		return accesspatterns.PermissionFor(string(o)+"Item", t, nil)
	}
	list := []accesspatterns.Permission{permission(convert(a.Kind.operation()), a.Entity.Table)}
	switch {
	case a.Replace:
		list = append(list, permission(Update, a.Entity.Table))
	case a.Kind == KindMove:
		list = append(list, permission(convert(Delete), a.Entity.Table))
	}
	for _, c := range a.Companions {
		list = append(list, permission(convert(c.Operation), c.Entity.Table))
		if c.Operation == Update && len(c.Require) > 0 && !c.alwaysChanges() { // A write that would change nothing becomes a check.
			list = append(list, permission(Check, c.Entity.Table))
		}
	}
	for _, e := range a.Audits {
		list = append(list, permission(Put, e.Trail.Entity.Table))
	}
	return accesspatterns.UniquePermissions(list)
}
