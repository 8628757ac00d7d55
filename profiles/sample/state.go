package sample

import (
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

func (m *maker) states() {
	for _, a := range m.plan.attrs {
		if a.life == nil || len(a.life.States) == 0 {
			continue
		}
		state := m.drawState(a)
		m.chosen[a] = state
		if a.life == m.plan.life {
			m.state = state
			m.r.moves = m.repeats(a.life, movesTo(a.life, state), state)
			m.r.path = pathOf(m.r.moves, state)
		}
	}
}

func (m *maker) drawState(a *part) string {
	draw := func() string {
		if values := m.line[a.Path]; len(values) > 0 {
			return m.invents.one(values)
		}
		if len(a.deck) > 0 {
			return a.draw(m.rng)
		}
		return a.life.States[m.rng.IntN(len(a.life.States))].Name
	}
	first := draw()
	if m.parent == nil || a.life != m.plan.life {
		return first
	}
	for range maxDraws {
		if suits(a.life, first, m.parent) {
			return first
		}
		first = draw()
	}
	for _, s := range a.life.States {
		if suits(a.life, s.Name, m.parent) {
			return s.Name
		}
	}
	return first
}

func (m *maker) kind() models.StateKind {
	if m.plan.life != nil {
		if s := m.plan.life.State(m.state); s != nil {
			return s.Kind
		}
	}
	return models.StateOpen
}

func (m *maker) stateHasWord(list ...string) bool {
	return slices.ContainsFunc(words(m.state), func(w string) bool { return slices.Contains(list, w) })
}

func (m *maker) failed() bool {
	return m.kind() == models.StateBad && m.stateHasWord("failed", "fail", "failure", "error", "dead", "failing")
}

func (m *maker) was(states ...string) bool {
	return slices.ContainsFunc(states, func(s string) bool { return slices.Contains(m.r.path, s) })
}

func (m *maker) wasSet(a *part) bool { return m.was(slices.Collect(maps.Keys(a.sets))...) }

func (m *maker) needed(a *part) bool {
	switch {
	case a.Required || a.KeyOnly || a.inKey || a.life != nil:
		return true
	case m.given != nil && m.given.absent[a.Name]:
		return false
	case m.plan.inLines(a.Path):
		return len(m.line[a.Path]) > 0
	}
	if m.plan.life != nil {
		kind := m.kind()
		ended := kind != models.StateOpen
		switch {
		case a.hasWord("error", "failure", "retry"):
			return m.failed()
		case len(a.sets) > 0:
			return m.wasSet(a)
		case a.state != "":
			return m.was(a.state)
		case a.hasWord("completed", "finished", "closed", "decided", "decision", "resolved", "ended"):
			return ended
		case a.hasWord("response", "responding", "resulting", "result"):
			return kind == models.StateGood || kind == models.StateBad && !a.hasWord("resulting", "result")
		case a.Name == m.plan.e.Table.TTL && a.Equals == "":
			return ended
		case a.last() == "reason":
			return len(m.r.path) > 1
		}
	}
	return m.rng.Float64() < 0.75
}
