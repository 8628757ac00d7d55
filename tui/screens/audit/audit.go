// Package audit is the screen that lists sessions: who worked with databases, why, and what was read, changed and revealed.
package audit

import (
	"context"
	"fmt"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/audit"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// auditScreen shows sessions in a list, or the entries of one of them, and below it the details of what is selected.
type auditScreen struct {
	screen.Base
	overlay.Split
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	sources  []audit.Source
	from     int  // index of the source that is shown
	pending  bool // only sessions without a review
	report   audit.Report
	err      error // why sessions are missing
	task     *screen.Task
	progress *atomic.Int64 // entries that were read
	loads    int           // completed reads

	sessions, entries *widget.List
	open              *audit.Session // whose entries are listed, nil while sessions are
	log               []journal.Entry
	logErr            error
	actions           actions
}

var guide = screen.Guide{
	Purpose: "Sessions with their reason and ticket, and what was read, changed, revealed and copied. Values of items are not recorded.",
	First:   "press enter to see the entries of a session, and m to record that you reviewed it.",
	Signs: []screen.Sign{
		{Glyph: "✓", Means: "reviewed, by the user after it"},
		{Glyph: "◉", Means: "personal data was revealed"},
		{Glyph: "✗", Means: "entries were modified or are missing; the details name them"},
	},
}

// New returns the audit screen on the journal of this machine.
func New(env *screen.Env, _ screen.Audit) screen.Screen {
	s := &auditScreen{
		Base: screen.Base{Name: "Audit", Kind: "audit", About: guide}, env: env,
		sources: env.Audit.Sources(), sessions: newList(env, "No session matches"), entries: newList(env, "No entry matches"),
	}
	s.actions.s = s
	s.ctx, s.end = context.WithCancel(env.Context)
	s.Begin(env, []overlay.Entries{s.sessions, s.entries}, func() overlay.Entries { return s.list() }, s.actions.cannotOpen,
		s.actions.openSession)
	return s
}

func newList(env *screen.Env, empty string) *widget.List {
	l := widget.NewList(env.Styles)
	l.SetStill(true)
	l.SetPlaceholder("filter by user, reason, ticket or what was read and changed")
	l.SetEmpty(empty)
	return l
}

// list returns the list in view.
func (s *auditScreen) list() *widget.List {
	if s.open != nil {
		return s.entries
	}
	return s.sessions
}

// Init reads the sessions.
func (s *auditScreen) Init() tea.Cmd { return s.load() }

// Close cancels running reads.
func (s *auditScreen) Close() {
	s.end()
	s.CloseBox()
}

// Cancel closes the dialog, stops the read, leaves the details, clears the filter, or goes back to the sessions.
func (s *auditScreen) Cancel() bool {
	switch {
	case s.Box == nil && s.task.Running():
		s.task.Stop()
	case s.Split.Cancel():
	case s.open != nil:
		s.open, s.log, s.logErr = nil, nil, nil
	default:
		return false
	}
	return true
}

// source returns what the sessions in view are read from, in words.
func (s *auditScreen) source() string {
	if name := s.sources[s.from].Name(); name != "" {
		return models.Printable(name)
	}
	return "journal of this machine"
}

// Status returns what was read and whether it can be trusted.
func (s *auditScreen) Status() string {
	switch {
	case s.task.Running() && s.task.Stopped:
		return "stopping"
	case s.task.Running():
		return fmt.Sprintf("reading the %s: %s · esc stops", s.source(), present.Plural(int(s.progress.Load()), "entry"))
	case s.err != nil:
		return "✗ incomplete: " + models.Printable(s.err.Error())
	case len(s.report.Problems) > 0:
		return "✗ " + present.Plural(len(s.report.Problems), "problem") + ": " + models.Printable(s.report.Problems[0])
	}
	text := fmt.Sprintf("%s · ✓ %s verified", present.Plural(len(s.report.Sessions), "session"), present.Plural(s.report.Entries, "entry"))
	if s.report.Journals > 1 {
		text += " of " + present.Plural(s.report.Journals, "journal")
	}
	return text
}

// SetSize sets the rectangle. The details are below the list.
func (s *auditScreen) SetSize(w, h int) { s.Arrange(w, h, max(h, 0)*2/5, 0) }

// View draws the screen.
func (s *auditScreen) View() string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	st := s.env.Styles
	list := widget.Panel{Title: "Sessions", Note: s.source(), Focused: !s.OnDetails}
	if s.pending {
		list.Title = "Sessions without a review"
	}
	if s.open != nil {
		list.Title = "Entries of " + present.Join(models.Printable(s.open.Person), models.Printable(s.open.Ticket), " · ")
	}
	if !s.task.Running() && (s.err != nil || len(s.report.Problems) > 0) {
		list.Role = widget.RoleBad
	}
	content := s.list().View()
	if s.open == nil && len(s.report.Sessions) == 0 {
		content = s.viewEmpty()
	}
	view := list.Render(st, content, s.Rows.W, s.Rows.H)
	it, _ := s.list().Selected()
	subject := struct {
		id, open string
		loads    int
		role     widget.Role
	}{it.ID, s.openID(), s.loads, list.Role}
	about := widget.Panel{Title: "Details", Focused: s.OnDetails, Role: list.Role}
	return s.DrawBox(st, widget.Rows(view, s.ViewDetails(about, guide, subject, s.detailLines)), s.W, s.H)
}

// openID returns the ID of the session whose entries are listed, "" for none.
func (s *auditScreen) openID() string {
	if s.open == nil {
		return ""
	}
	return s.open.ID
}

// viewEmpty says why there are no sessions.
func (s *auditScreen) viewEmpty() string {
	r := s.Rows.Inner()
	t := &present.Facts{Styles: s.env.Styles, Width: max(r.W-2, 8)}
	t.Blank()
	switch {
	case s.task.Running() || s.loads == 0:
		t.Paragraph(widget.RoleMuted, "Reading the "+s.source()+" …")
	case s.err != nil:
		t.Paragraph(widget.RoleBad, "The sessions cannot be read: "+s.err.Error())
	case s.pending:
		t.Paragraph(widget.RoleText, "No session needs a review. Press t to list all sessions.")
	default:
		t.Paragraph(widget.RoleText, "No sessions. Changes, reveals and refusals are recorded everywhere, reads on production.")
	}
	return widget.Indent(t.String(), r.W, r.H)
}
