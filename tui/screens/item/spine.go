package item

import (
	"github.com/ddbdesk/ddbdesk/models"
)

// spineSteps bounds the search; lifecycles are small, hostile ones need not be.
const spineSteps = 20_000

// spineOf is the longest way without a loop from the first state to a good end, by documented transitions if there is
// one.
func spineOf(l *models.Lifecycle) []string {
	start := ""
	for _, s := range l.States {
		if s.Initial || start == "" {
			start = s.Name
		}
		if s.Initial {
			break
		}
	}
	if start == "" {
		return nil
	}
	for _, kind := range []models.StateKind{models.StateGood, ""} {
		for _, documented := range []bool{true, false} {
			p := spineSearch{l: l, kind: kind, documented: documented, seen: map[string]bool{}}
			p.walk(start, nil)
			if len(p.best) > 1 {
				return p.best
			}
		}
	}
	return []string{start}
}

type spineSearch struct {
	l          *models.Lifecycle
	kind       models.StateKind // of the end, "" for any
	documented bool
	seen       map[string]bool
	best       []string
	steps      int
}

func (p *spineSearch) walk(state string, path []string) {
	p.steps++
	if p.steps > spineSteps || p.seen[state] {
		return
	}
	p.seen[state] = true
	path = append(path, state)
	if s := p.l.State(state); s != nil && (p.kind == "" || s.Kind == p.kind) && len(path) > len(p.best) {
		p.best = append([]string(nil), path...)
	}
	for _, m := range p.l.Moves(state) {
		if m.Documented || !p.documented {
			p.walk(m.To, path)
		}
	}
	p.seen[state] = false
}
