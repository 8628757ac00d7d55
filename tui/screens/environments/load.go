package environments

import (
	"context"
	"errors"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// comparedMsg is the end of a comparison.
type comparedMsg struct {
	task   *screen.Task
	result result
}

// besideMsg has an item of both databases.
type besideMsg struct {
	comparison *compare.Comparison
	id         string
	list       []compare.Attribute
	err        error
}

// compare connects the other context and compares tables and items.
func (s *environmentsScreen) compare(name string, consent bool) tea.Cmd {
	s.task.End()
	task, ctx, tick := screen.StartTask(s.ctx)
	progress := &atomic.Pointer[compare.Summary]{}
	s.chosen, s.consent, s.task, s.progress, s.result, s.beside = name, consent, task, progress, result{}, nil
	s.makeRows()
	env, o := s.env, compare.Options{AllowScan: consent, Progress: func(sum compare.Summary) { progress.Store(&sum) }}
	return tea.Batch(tick, func() tea.Msg { return comparedMsg{task, run(ctx, env, name, o)} })
}

// run compares the database of a session with that of a context.
func run(ctx context.Context, env *screen.Env, name string, o compare.Options) (r result) {
	other, err := env.Elsewhere.OpenIn(ctx, name, env.Session.Profile())
	if err != nil {
		return result{err: err}
	}
	r.comparison = compare.New(env.Workspace, other)
	if r.tables, r.err = r.comparison.Tables(ctx); r.err != nil {
		return r
	}
	if err := r.comparison.Check(ctx, o); errors.As(err, &r.refusal) {
		return r
	}
	o.Details = maxListed
	r.sum, r.err = r.comparison.Find(ctx, o, func(d compare.Difference) error {
		if len(r.found) < maxListed {
			r.found = append(r.found, d)
		}
		return nil
	})
	return r
}

// compared shows a comparison. What was found before it was stopped stays.
func (s *environmentsScreen) compared(msg comparedMsg) {
	if msg.task != s.task {
		return
	}
	s.task.End()
	s.loads++
	s.result = msg.result
	s.makeRows()
}

// readBoth reads an item of the list in both databases.
func (s *environmentsScreen) readBoth(id string, d compare.Difference) tea.Cmd {
	ctx, c := s.ctx, s.result.comparison
	return func() tea.Msg {
		list, err := c.Beside(ctx, d)
		return besideMsg{c, id, list, err}
	}
}

// read shows an item side by side.
func (s *environmentsScreen) read(msg besideMsg) tea.Cmd {
	if msg.comparison != s.result.comparison {
		return nil
	}
	if msg.err != nil {
		return screen.Send(screen.NoticeMsg{Text: msg.err.Error(), Bad: true})
	}
	if s.beside == nil {
		s.beside = map[string][]compare.Attribute{}
	}
	s.beside[msg.id] = msg.list
	s.loads++
	return nil
}
