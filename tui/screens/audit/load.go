package audit

import (
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/audit"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// loadedMsg is what a source says about sessions.
type loadedMsg struct {
	task   *screen.Task
	report audit.Report
	err    error
}

// openedMsg has the entries of a session.
type openedMsg struct {
	of   *audit.Session
	list []journal.Entry
	err  error
}

// reviewedMsg is the result of recording a review.
type reviewedMsg struct {
	of  *audit.Session
	err error
}

// load reads the sessions of the source. A read that runs is given up.
func (s *auditScreen) load() tea.Cmd {
	s.task.End()
	task, ctx, tick := screen.StartTask(s.ctx)
	count := &atomic.Int64{}
	s.task, s.progress = task, count
	from, filter := s.sources[s.from], audit.Filter{Unreviewed: s.pending}
	return tea.Batch(tick, func() tea.Msg {
		r, err := from.Read(ctx, filter, func(n int) { count.Store(int64(n)) })
		return loadedMsg{task, r, err}
	})
}

// show lists the sessions that were read. After the user stopped it, they are those before.
func (s *auditScreen) show(msg loadedMsg) {
	if msg.task != s.task {
		return
	}
	s.task.End()
	s.loads++
	s.report, s.err = msg.report, msg.err
	items := make([]listItem, len(s.report.Sessions))
	for i, of := range s.report.Sessions {
		items[i] = sessionItem(of)
		if s.open != nil && s.open.ID == of.ID {
			s.open = of // It may have been reviewed.
		}
	}
	s.sessions.SetItems(items)
}

// openEntries reads the entries of a session.
func (s *auditScreen) openEntries(of *audit.Session) tea.Cmd {
	ctx, from := s.ctx, s.sources[s.from]
	return func() tea.Msg {
		list, err := from.Entries(ctx, of)
		return openedMsg{of, list, err}
	}
}

// opened lists the entries of a session.
func (s *auditScreen) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		return screen.Send(screen.NoticeMsg{Text: msg.err.Error(), Bad: true})
	}
	s.open, s.log = msg.of, msg.list
	items := make([]listItem, len(s.log))
	for i, e := range s.log {
		items[i] = entryItem(e)
	}
	s.entries.SetFilter("")
	s.entries.SetItems(items)
	if len(items) > 0 {
		s.entries.Select(items[0].ID)
	}
	s.FocusDetails(false)
	return nil
}

// reviewed reports the result of a review and reads the sessions again.
func (s *auditScreen) reviewed(msg reviewedMsg) tea.Cmd {
	if msg.err != nil {
		return screen.Send(screen.NoticeMsg{Text: msg.err.Error(), Bad: true})
	}
	return tea.Batch(s.load(),
		screen.Send(screen.NoticeMsg{Text: "recorded the review of the session of " + models.Printable(msg.of.Person)}))
}

// selected returns the session under the cursor, or the open one; nil for none.
func (s *auditScreen) selected() *audit.Session {
	if s.open != nil {
		return s.open
	}
	it, ok := s.sessions.Selected()
	for _, of := range s.report.Sessions {
		if ok && of.ID == it.ID {
			return of
		}
	}
	return nil
}

// entry returns the entry under the cursor, nil for none.
func (s *auditScreen) entry() *journal.Entry {
	it, ok := s.entries.Selected()
	for i := range s.log {
		if ok && s.open != nil && s.log[i].Hash == it.ID {
			return &s.log[i]
		}
	}
	return nil
}
