package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/audit"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// actions are what the user can do with sessions.
type actions struct{ s *auditScreen }

func (a *actions) table() widget.Actions {
	return append(widget.Actions{
		widget.NewAction("enter", "enter", "entries", "list the entries of the session", a.cannotOpen, a.openSession),
		widget.NewAction("review", "m", "mark reviewed", "record that you reviewed the session, with a note",
			a.cannotReview, a.askReview),
		widget.NewAction("unreviewed", "t", "unreviewed", "list only sessions without a review, or all",
			a.inEntries, a.toggleReviewed),
		widget.NewAction("source", "s", "sink",
			"read the sessions of all machines from the sink, or those of this machine from its journal",
			a.noSink, a.toggleSource),
		widget.NewAction("export", "E", "export", "write the sessions to a file, as JSON or CSV", a.noSessions, a.export),
		widget.NewAction("copy", "y", "copy", "copy the details", a.noSession, a.copy),
		widget.NewAction("reload", "r ctrl+r f5", "reload", "read and verify the sessions again",
			a.inEntries, func() tea.Cmd { return a.s.load() }),
		widget.NewAction("filter", "/", "filter", "filter the list", nil, func() tea.Cmd { return a.s.Filter() }),
		widget.NewAction("pane", "tab shift+tab", "", "switch between the list and the details",
			nil, func() tea.Cmd { return a.s.SwitchPane() }),
	}, overlay.PaneKeys("list", nil, func(on bool) { a.s.FocusDetails(on) })...)
}

// Actions returns the keys of the screen, the most important first.
func (s *auditScreen) Actions() widget.Actions {
	as := s.env.Keys.Rebind("audit", s.actions.table())
	for i := range as {
		switch {
		case as[i].Name == "unreviewed" && s.pending:
			as[i].Desc = "all sessions"
		case as[i].Name == "source" && s.from > 0:
			as[i].Desc = "this machine"
		}
	}
	return as
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "audit", Title: "Audit", Does: "Sessions of this machine, or of all machines from the sink of the journal.",
		Actions: (&actions{}).table(), Pieces: screen.MovingKeys(),
	}
}

func (a *actions) noSession() string {
	if a.s.selected() == nil {
		return "no session is selected"
	}
	return ""
}

func (a *actions) noSessions() string {
	if len(a.s.report.Sessions) == 0 {
		return "there are no sessions"
	}
	return ""
}

func (a *actions) inEntries() string {
	if a.s.open != nil {
		return "esc goes back to the sessions first"
	}
	return ""
}

func (a *actions) noSink() string {
	if len(a.s.sources) < 2 {
		return "the configuration has no journal.sink; see docs/sessions.md"
	}
	return a.inEntries()
}

func (a *actions) cannotOpen() string {
	if a.s.open != nil {
		return "these are the entries of the session"
	}
	return a.noSession()
}

func (a *actions) cannotReview() string {
	if why := a.noSession(); why != "" {
		return why
	}
	if err := a.s.env.Audit.CanReview(a.s.selected()); err != nil {
		return err.Error()
	}
	return ""
}

func (a *actions) openSession() tea.Cmd { return a.s.openEntries(a.s.selected()) }

func (a *actions) toggleReviewed() tea.Cmd {
	a.s.pending = !a.s.pending
	return a.s.load()
}

func (a *actions) toggleSource() tea.Cmd {
	s := a.s
	s.from = (s.from + 1) % len(s.sources)
	s.report, s.err = audit.Report{}, nil
	s.sessions.SetItems(nil)
	return s.load()
}

// askReview asks for the note of a review.
func (a *actions) askReview() tea.Cmd {
	s, of := a.s, a.s.selected()
	q := overlay.NewCalmQuestion("Record a review?", s.env.Session.Actor(), "Record", nil,
		"The journal records that you reviewed the session of "+models.Printable(of.Person)+
			", with your note. The session itself does not change.")
	q.Ask(s.env.Styles, widget.FormField{
		Name: "note", Label: "Note", Required: true, Placeholder: "the result of the review", Width: 44,
	}, func(note string) string {
		if note == "" {
			return "a review needs a note"
		}
		if err := session.CheckReason(note); err != nil {
			return err.Error()
		}
		return ""
	})
	q.Yes = func() tea.Cmd { return review(s.ctx, s.env.Audit, of, q.Value()) }
	s.Box = q
	return nil
}

// review records a review. It is not cut off when the screen is left.
func review(ctx context.Context, by *audit.Auditor, of *audit.Session, note string) tea.Cmd {
	return func() tea.Msg { return reviewedMsg{of, by.Review(context.WithoutCancel(ctx), of, note)} }
}

// export opens the dialog that writes the sessions that were read.
func (a *actions) export() tea.Cmd {
	list := a.s.report.Sessions
	what := present.Plural(len(list), "session")
	text := func(write func(*bytes.Buffer) error) func() (string, error) {
		return func() (string, error) {
			var b bytes.Buffer
			err := write(&b)
			return b.String(), err
		}
	}
	a.s.Box = output.NewExport(a.s.env, output.Exporting{Title: "Export sessions", Name: "sessions", Texts: []output.Piece{
		{Label: "JSON", Note: "as ddbdesk audit -o json", What: what, File: "sessions.json", Text: text(func(b *bytes.Buffer) error {
			text, err := json.MarshalIndent(list, "", "  ")
			b.Write(models.PrintableJSON(text))
			return err
		})},
		{Label: "CSV", Note: "a line for each session", What: what, File: "sessions.csv", Text: text(func(b *bytes.Buffer) error {
			return audit.WriteCSV(b, list)
		})},
	}})
	return nil
}

// copy copies the details as they are shown.
func (a *actions) copy() tea.Cmd {
	what := "the session"
	if a.s.entry() != nil {
		what = "the entry"
	}
	var b strings.Builder
	for _, f := range a.s.facts() {
		b.WriteString(f.label + ": " + f.text + "\n")
	}
	return screen.Send(screen.CopyMsg{Text: b.String(), What: what})
}

// Update handles the messages that the root does not handle.
func (s *auditScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loadedMsg:
		s.show(msg)
		return nil
	case openedMsg:
		return s.opened(msg)
	case reviewedMsg:
		return s.reviewed(msg)
	case screen.TickMsg:
		return msg.Task.Ticked()
	}
	return s.Feed(msg, s.Actions)
}
