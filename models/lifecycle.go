// This file describes lifecycles: the states of an attribute and the
// transitions between them.

package models

import "slices"

// A StateKind says what a state means to a person.
type StateKind string

// The kinds of a state.
const (
	StateOpen  StateKind = "open"  // somebody still has to do something
	StateGood  StateKind = "good"  // ended as hoped
	StateBad   StateKind = "bad"   // ended, or stuck, as not hoped
	StateFinal StateKind = "final" // ended, neither good nor bad
)

// A Lifecycle is the state machine of one attribute of an entity.
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
	Name        string
	Label       string
	Kind        StateKind
	Initial     bool
	Description string
	Documented  bool
}

// A Transition is a legal move between states.
type Transition struct {
	Name       string
	From       []string
	To         string
	Actor      string
	Documented bool
	Source     string
}

// State returns the state called name, nil when there is none.
func (l *Lifecycle) State(name string) *State {
	for _, s := range l.States {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Moves returns the transitions that leave state from.
func (l *Lifecycle) Moves(from string) []*Transition {
	var moves []*Transition
	for _, t := range l.Transitions {
		if slices.Contains(t.From, from) {
			moves = append(moves, t)
		}
	}
	return moves
}

// Terminal reports whether no transition leaves the state.
func (l *Lifecycle) Terminal(state string) bool { return len(l.Moves(state)) == 0 }
