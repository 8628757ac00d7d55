package models

import "slices"

// A StateKind classifies a state for the people who handle its items.
type StateKind string

// These are the kinds of states.
const (
	StateOpen  StateKind = "open"  // work remains
	StateGood  StateKind = "good"  // ended well
	StateBad   StateKind = "bad"   // ended badly, or is stuck
	StateFinal StateKind = "final" // ended, neither good nor bad
)

// A Lifecycle describes the states of one attribute of an entity and the transitions between them. A boolean attribute
// has the states "true" and "false". Items may contain other values, because DynamoDB does not enforce a lifecycle.
type Lifecycle struct {
	Name        string
	Entity      *Entity
	Attribute   string
	Documented  bool
	States      []*State
	Transitions []*Transition
}

// A State is one value of a lifecycle's attribute.
type State struct {
	Name string `json:"name"`
	// Label is the display text. If it is "", ddbdesk shows the name.
	Label string    `json:"label"`
	Kind  StateKind `json:"kind"`
	// Initial marks a state that new items can have. More than one may be marked.
	Initial     bool   `json:"initial,omitempty"`
	Description string `json:"-"`
	Documented  bool   `json:"-"`
	// Entered names the attribute with the time at which the item entered the state, or is "".
	Entered string `json:"-"`
}

// A Transition is an allowed move between states. An action applies it, on condition that the item is still in one of
// the From states.
type Transition struct {
	// Name is "" if no action refers to the transition by name.
	Name string
	From []string
	To   string
	// Actor is the role, service or person that makes the move, according to the schema. ddbdesk shows it but does not
	// derive permissions from it.
	Actor      string
	Documented bool
	Source     string
}

// State returns the state with this name, or nil.
func (l *Lifecycle) State(name string) *State {
	return First(l.States, func(s *State) bool { return s.Name == name })
}

// Term returns the state for use in a text, even if the lifecycle does not describe it.
func (l *Lifecycle) Term(name string) Term {
	t := Term{ID: Printable(name)}
	if s := l.State(name); s != nil {
		t.Title = s.Label
	}
	return t
}

// A StateAttribute names a lifecycle's attribute in a text. Role support reads "the state".
type StateAttribute string

// Plain returns the words for role support.
func (StateAttribute) Plain() string { return "the state" }

// Title returns the label of a state, or its name.
func (l *Lifecycle) Title(name string) string {
	if s := l.State(name); s != nil && s.Label != "" {
		return s.Label
	}
	return name
}

// Terms returns the states for use in a text, as alternatives.
func (l *Lifecycle) Terms(names []string) Terms { return MapSlice(names, l.Term) }

// TransitionsFrom returns the transitions that leave state from, in the schema's order. It returns nil for an
// undocumented state.
func (l *Lifecycle) TransitionsFrom(from string) []*Transition {
	return Filter(l.Transitions, func(t *Transition) bool { return slices.Contains(t.From, from) })
}

// Terminal reports whether no transition leaves the state.
func (l *Lifecycle) Terminal(state string) bool { return len(l.TransitionsFrom(state)) == 0 }
