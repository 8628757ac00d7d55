package models

import "slices"

// A StateKind defines what a state means for the people who handle the item.
type StateKind string

// The kinds of a state.
const (
	StateOpen  StateKind = "open"  // work remains
	StateGood  StateKind = "good"  // ended well
	StateBad   StateKind = "bad"   // ended badly, or is stuck
	StateFinal StateKind = "final" // ended, neither good nor bad
)

// A Lifecycle describes the states of one attribute of an entity and the
// transitions between them.
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
	// Entered is the attribute that holds when the item entered the state, "" for none.
	Entered string
}

// A Transition is an allowed move between states.
type Transition struct {
	Name       string
	From       []string
	To         string
	Actor      string
	Documented bool
	Source     string
}

// State returns the state called name, or nil.
func (l *Lifecycle) State(name string) *State {
	if i := slices.IndexFunc(l.States, func(s *State) bool { return s.Name == name }); i >= 0 {
		return l.States[i]
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

// Terminal reports whether the state is final: no transition leaves it.
func (l *Lifecycle) Terminal(state string) bool { return len(l.Moves(state)) == 0 }
