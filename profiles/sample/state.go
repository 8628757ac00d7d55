package sample

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// states selects a state for every lifecycle of the entity.
func (m *maker) states() {
	for _, a := range m.plan.attrs {
		if a.life == nil || len(a.life.States) == 0 {
			continue
		}
		state := a.life.States[m.rng.IntN(len(a.life.States))].Name
		if len(a.deck) > 0 {
			state = a.draw(m.rng)
		}
		m.chosen[a] = state
		if a.life == m.plan.life {
			m.state, m.path = state, statePath(a.life, state)
		}
	}
}

// statePath returns the shortest path from an initial state to state, both
// included.
func statePath(l *models.Lifecycle, state string) []string {
	cameFrom := map[string]string{}
	var queue []string
	for _, s := range l.States {
		if s.Initial {
			cameFrom[s.Name] = ""
			queue = append(queue, s.Name)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, t := range l.Moves(at) {
			if _, seen := cameFrom[t.To]; !seen {
				cameFrom[t.To] = at
				queue = append(queue, t.To)
			}
		}
	}
	if _, reached := cameFrom[state]; !reached {
		return []string{state}
	}
	var path []string
	for at := state; at != ""; at = cameFrom[at] {
		path = append([]string{at}, path...)
	}
	return path
}

// kind returns the kind of the item's state, or open without a state.
func (m *maker) kind() models.StateKind {
	if m.plan.life != nil {
		if s := m.plan.life.State(m.state); s != nil {
			return s.Kind
		}
	}
	return models.StateOpen
}

// stateHasWord reports whether the name of the item's state contains one of the words.
func (m *maker) stateHasWord(list ...string) bool {
	return slices.ContainsFunc(words(m.state), func(w string) bool { return slices.Contains(list, w) })
}

// failed reports whether the item's state is a failure.
func (m *maker) failed() bool {
	return m.kind() == models.StateBad && m.stateHasWord("failed", "fail", "failure", "error", "dead", "failing")
}

// needed reports whether the item has the attribute. An optional attribute named
// after a state exists only if the item reached it, such as cancelledAt.
func (m *maker) needed(a *part) bool {
	if a.Required || a.KeyOnly || a.inKey || a.life != nil {
		return true
	}
	if m.plan.life != nil {
		kind := m.kind()
		ended := kind != models.StateOpen
		switch {
		case a.hasWord("error", "failure", "retry"):
			return m.failed()
		case a.state != "":
			return slices.Contains(m.path, a.state)
		case a.hasWord("completed", "finished", "closed", "decided", "decision", "resolved", "ended"):
			return ended
		case a.hasWord("response", "responding", "resulting", "result"):
			return kind == models.StateGood || kind == models.StateBad && !a.hasWord("resulting", "result")
		case a.Name == m.plan.e.Table.TTL && a.Equals == "":
			return ended
		case a.last() == "reason":
			return len(m.path) > 1
		}
	}
	return m.rng.Float64() < 0.75
}
