// Package journal is the screen that shows what this console did.
package journal

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// journalScreen shows the journal of the session's profile and database: the entries
// in a grid, and below them the details of the selected one.
type journalScreen struct {
	screen.Base
	overlay.Split
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	rows *rows
	grid *widget.Grid

	limit    int    // entries to read at least
	older    bool   // there are entries before those that were read
	loads    int    // numbers the loads and resolutions: details of an older one are outdated
	loaded   bool
	err      error  // why entries are missing
	entries  int    // of all schemas and databases
	verified string // result of the verification
	damaged  bool   // the verification failed

	outcomes resolver
}

var guide = screen.Guide{
	Purpose: "Changes, refusals and reveals of this schema and database on this machine, newest first. ddbdesk detects a modified or " +
		"removed entry.",
	First: "select a change. Press u to undo it with a new change, or enter to open its item. A lists sessions, with what was read.",
	Signs: []screen.Sign{
		{Glyph: "✓", Means: "committed: the change was applied"},
		{Glyph: "?", Means: "unknown outcome; press v to read the items and determine it"},
		{Glyph: "≠", Means: "conflict: the item had changed, nothing was written"},
		{Glyph: "↶", Means: "committed and later undone"},
		{Glyph: "⊘", Means: "refused, with the reason"},
		{Glyph: "◉", Means: "personal data was shown, with the reason"},
		{Glyph: "✗", Means: "failed: nothing was written"},
	},
}

// New returns the journal screen.
func New(env *screen.Env, _ screen.Journal) screen.Screen {
	s := &journalScreen{
		Base:  screen.Base{Name: "Journal", Kind: "journal", About: guide},
		limit: firstEntries, env: env, rows: &rows{env: env}, grid: widget.NewGrid(env.Styles, columns...),
	}
	s.outcomes = resolver{s: s, unclear: map[string]string{}}
	s.ctx, s.end = context.WithCancel(env.Context)
	s.grid.SetSource(s.rows)
	s.Begin(env, []overlay.Entries{s.grid}, func() overlay.Entries { return s.grid }, s.noItem,
		func() tea.Cmd { return s.outcomes.recall(false) })
	return s
}

// Init loads the journal.
func (s *journalScreen) Init() tea.Cmd { return s.load(false) }

// Watch loads the journal again when the screen comes back into view.
func (s *journalScreen) Watch(on bool) tea.Cmd {
	if !on {
		return nil
	}
	return s.load(false)
}

// Close cancels running reads.
func (s *journalScreen) Close() {
	s.end()
	s.CloseBox()
}

// Status returns the number of changes and whether the journal is intact.
func (s *journalScreen) Status() string {
	switch {
	case s.outcomes.resolving:
		return "reading the items of the change"
	case !s.loaded:
		return "reading the journal"
	}
	text := present.Plural(s.rows.changes, "change")
	if s.older {
		text = "newest " + text + "; end reads older ones"
	}
	if s.damaged {
		return "✗ " + s.verified + " · " + text
	}
	if s.rows.open > 0 {
		text = fmt.Sprintf("✗ %d with unknown outcome · %s", s.rows.open, text)
	}
	return text + " · " + s.verified
}

// loadedMsg is the journal as it was read.
type loadedMsg struct {
	load     int
	log      changes.Log
	entries  int
	problems []string
	err      error
}

// firstEntries is how many entries the screen reads when it opens.
const firstEntries = 500

// load reads the end of the journal and verifies its chain: all of it with whole, else what changed since the last time.
func (s *journalScreen) load(whole bool) tea.Cmd {
	s.loads++
	journal, load, limit := s.env.Journal, s.loads, s.limit
	return func() tea.Msg {
		log, err := journal.Log(limit)
		entries, problems, verifyErr := journal.Verify(whole)
		if verifyErr != nil {
			problems = append(problems, "it could not be verified: "+verifyErr.Error())
		}
		return loadedMsg{load, log, entries, problems, err}
	}
}

// loadOlder reads more of the journal once the cursor is at the end of what was read.
func (s *journalScreen) loadOlder() tea.Cmd {
	if !s.older || s.grid.Cursor() < s.rows.Len()-1 {
		return nil
	}
	s.older = false // until the answer
	s.limit *= 4
	return s.load(false)
}

func (s *journalScreen) show(msg loadedMsg) {
	if msg.load != s.loads {
		return
	}
	s.loaded, s.err, s.damaged = true, msg.err, len(msg.problems) > 0
	s.entries = msg.entries
	s.verified = "✓ " + present.Plural(msg.entries, "entry") + " verified"
	if s.damaged {
		s.verified = "the journal was modified or is damaged: " + models.Printable(msg.problems[0])
	}
	s.rows.past, s.rows.remarks, s.older = msg.log.Changes, msg.log.Remarks, msg.log.More
	s.refresh()
}

// refresh lists the rows again. The cursor stays on its entry.
func (s *journalScreen) refresh() {
	id := ""
	if r := s.selected(); r != nil {
		id = r.entry().ID
	}
	s.rows.fill()
	s.grid.SetSource(s.rows)
	for i, r := range s.rows.list {
		if r.entry().ID == id {
			s.grid.SetCursor(i)
		}
	}
}

// selected returns the entry under the cursor, nil if there is none.
func (s *journalScreen) selected() *row {
	i := s.grid.Cursor()
	if i < 0 || i >= s.rows.Len() {
		return nil
	}
	return s.rows.list[i]
}

// resolvedMsg is the outcome of a change that its items show.
type resolvedMsg struct {
	id    string
	state change.State
	err   error
}

// resolve determines an unknown outcome by reading the items of the change.
func (r *resolver) resolve() tea.Cmd {
	c, ctx, journal := *r.s.selected().change, r.s.ctx, r.s.env.Journal
	r.resolving = true
	return func() tea.Msg {
		state, err := journal.Resolve(ctx, c)
		return resolvedMsg{c.Intent.ID, state, err}
	}
}

func (r *resolver) resolved(msg resolvedMsg) tea.Cmd {
	r.resolving = false
	notice := screen.NoticeMsg{Text: cmp.Or(outcomes[msg.state], string(msg.state))}
	delete(r.unclear, msg.id)
	if msg.err != nil {
		r.unclear[msg.id] = msg.err.Error()
		notice = screen.NoticeMsg{Text: "outcome still unknown; see the details", Bad: true}
	}
	return tea.Batch(screen.Send(notice), r.s.load(false))
}

// outcomes describes what the items of a change show.
var outcomes = map[change.State]string{
	change.Written:    "the change was applied: the items are as it wrote them",
	change.Overtaken:  "the change was applied, and the items changed again since",
	change.NotWritten: "nothing was written: the items are as before",
	change.Unclear:    "the outcome cannot be determined: the items changed since",
}

// recalledMsg is what a change wrote, read back from the journal.
type recalledMsg struct {
	change changes.PastChange
	plan   *change.Plan
	err    error
	undo   bool // plan the undo; otherwise open the item
}

// recall reads back what the selected change wrote, to undo it or to open its item.
func (r *resolver) recall(undo bool) tea.Cmd {
	c, journal := *r.s.selected().change, r.s.env.Journal
	return func() tea.Msg {
		read := journal.PlanOf
		if undo {
			read = journal.Undoable
		}
		p, err := read(c)
		return recalledMsg{c, p, err, undo}
	}
}

func (r *resolver) recalled(msg recalledMsg) tea.Cmd {
	if msg.err != nil {
		return screen.Send(screen.NoticeMsg{Text: msg.err.Error(), Bad: true})
	}
	if msg.undo {
		r.s.Undo(msg.change, msg.plan)
		return nil
	}
	w := msg.plan.Writes[0]
	item := w.After
	if item == nil { // The change deleted the item.
		item = w.Before
	}
	if item == nil {
		item = w.Key
	}
	return screen.Open(screen.Item{Table: w.Table, Item: item})
}

// Undo opens the dialog that undoes a change.
func (s *journalScreen) Undo(past changes.PastChange, p *change.Plan) {
	request := planner.UndoRequest(s.env, past, p)
	request.Done = func(*changes.Commitment) tea.Cmd { return s.load(false) }
	s.Box = planner.NewChange(s.env, request)
}

// action returns the action that made a change, nil if the profile no longer has it.
func (s *journalScreen) action(r *row) *change.Action {
	return s.env.Session.Profile().Action(strings.TrimSpace(r.change.Intent.Subject))
}

// Stage tells the tour what was done on this screen.
func (s *journalScreen) Stage() screen.Stage {
	return screen.Stage{Place: "journal", Covered: s.Box != nil}
}

// SetSize sets the rectangle. The details are hidden on a low screen.
func (s *journalScreen) SetSize(w, h int) {
	below := 0
	switch {
	case h >= 30:
		below = 16
	case h >= 16:
		below = h * 2 / 5
	}
	s.Arrange(w, h, below, 0)
}

// View draws the screen.
func (s *journalScreen) View() string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	st := s.env.Styles
	switch {
	case !s.loaded:
		s.grid.SetEmpty("Reading the journal …", "")
	case s.err != nil:
		s.grid.SetEmpty("The journal cannot be read", s.err.Error())
	case len(s.rows.remarks) > 0:
		s.grid.SetEmpty("No changes yet", "Press t to list "+present.Plural(len(s.rows.remarks), "entry")+" about refusals and reveals.")
	case s.entries > 0:
		s.grid.SetEmpty("No changes of "+models.Printable(s.env.Session.Profile().Name)+" here yet", "The journal has "+
			present.Plural(s.entries, "entry")+" of other schemas or databases, and of requests. Press A to see them.")
	default:
		s.grid.SetEmpty("No changes yet", "Changes are recorded in "+s.env.Session.JournalPath())
	}
	list := widget.Panel{Title: "Changes", Note: s.grid.Position(), Focused: !s.OnDetails}
	if s.rows.all {
		list.Title = "All entries"
	}
	if s.loaded && !s.damaged {
		list.Note = present.Join(s.verified, list.Note, " · ")
	}
	view := list.Render(st, s.grid.View(), s.Rows.W, s.Rows.H)
	if s.Text.H > 0 {
		view = widget.Rows(view, s.viewDetails())
	}
	return s.DrawBox(st, view, s.W, s.H)
}

// viewDetails draws all that the journal contains about the selected entry.
func (s *journalScreen) viewDetails() string {
	p := widget.Panel{Title: "Details", Focused: s.OnDetails}
	r := s.selected()
	id := ""
	if r != nil {
		p.Title, id = r.what(), r.entry().ID
	}
	if s.damaged || s.err != nil {
		p.Note = "✗ the journal cannot be trusted"
	}
	subject := struct {
		id   string
		load int
	}{id, s.loads}
	return s.ViewDetails(p, guide, subject, func(w int) []string {
		if r == nil {
			return nil
		}
		facts := &present.Facts{Styles: s.env.Styles, Label: 12, Width: w}
		for i, f := range r.facts(s.env.Now()) {
			facts.Text(f.label, f.role, strings.TrimSpace(f.text))
			if i == 0 {
				facts.Text("unresolved", widget.RoleBad, s.outcomes.unclear[id])
			}
		}
		return facts.Lines
	})
}

// A resolver determines the outcome of open changes by reading their items.
type resolver struct {
	s *journalScreen

	resolving bool              // the items of a change are being read
	unclear   map[string]string // why an outcome could not be determined, by entry ID
}
