// Package journal is the screen that shows what this console did.
package journal

import (
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

// journalScreen shows the journal of the session's profile and target.
type journalScreen struct {
	screen.Base
	overlay.Host
	env *screen.Env
	ctx context.Context // ends with the screen
	end context.CancelFunc

	rows *journalRows
	grid *widget.Grid

	onText bool // the details have the keys

	loads    int // numbers the readings
	loaded   bool
	err      error // lines that could not be read
	verified string
	damaged  bool

	w, h   int
	lay    journalLayout
	lookup journalLookup
	draw   journalDrawing
}

// New returns the journal screen.
func New(env *screen.Env, _ screen.Journal) screen.Screen {
	s := &journalScreen{Base: screen.Base{Name: "Journal", Kind: "journal", About: guide}, env: env, rows: &journalRows{env: env}}
	s.lookup = journalLookup{s: s, unclear: map[string]string{}}
	s.draw = journalDrawing{s: s, details: widget.NewPager(env.Styles)}
	s.ctx, s.end = context.WithCancel(env.Context)
	s.grid = widget.NewGrid(env.Styles, journalColumns()...)
	s.grid.SetSource(s.rows)
	return s
}

// Init reads the journal.
func (s *journalScreen) Init() tea.Cmd { return s.load() }

// Watch reads the journal again when the screen comes back into view.
func (s *journalScreen) Watch(on bool) tea.Cmd {
	if !on {
		return nil
	}
	return s.load()
}

// Close cancels what still runs.
func (s *journalScreen) Close() {
	s.end()
	s.CloseBox()
}

// Typing reports whether a box takes the keys.
func (s *journalScreen) Typing() bool { return s.Box != nil }

// Cancel closes the box, or leaves the details.
func (s *journalScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.onText:
		s.focusText(false)
	default:
		return false
	}
	return true
}

// SetStyles changes the theme.
func (s *journalScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.grid.SetStyles(st)
	s.draw.details.SetStyles(st)
	s.draw.shown = nil
	s.StyleBox(st)
}

// Status is how many changes there are, and whether the journal is sound.
func (s *journalScreen) Status() string {
	switch {
	case s.lookup.asking != "":
		return s.lookup.asking
	case !s.loaded:
		return "reading the journal"
	}
	text := present.Plural(s.rows.changes, "change")
	if s.damaged {
		return "✗ " + s.verified + " · " + text
	}
	if s.rows.open > 0 {
		text = fmt.Sprintf("✗ %d with unknown outcome · %s", s.rows.open, text)
	}
	return text + " · " + s.verified
}

// journalLoadedMsg is the journal as it was read.
type journalLoadedMsg struct {
	req      int
	changes  []changes.PastChange
	remarks  []changes.JournalEntry
	entries  int
	problems []string
	err      error
}

// load reads the journal and checks its chain.
func (s *journalScreen) load() tea.Cmd {
	s.loads++
	se, req := s.env.Workspace, s.loads
	return func() tea.Msg {
		msg := journalLoadedMsg{req: req}
		msg.changes, msg.err = se.Journal.Changes()
		if remarks, err := se.Journal.Remarks(); err == nil || msg.err != nil {
			msg.remarks = remarks
		} else {
			msg.remarks, msg.err = remarks, err
		}
		entries, problems, err := se.Journal.Verify()
		msg.entries, msg.problems = entries, problems
		if err != nil {
			msg.problems = append(msg.problems, "it could not be verified: "+err.Error())
		}
		return msg
	}
}

func (s *journalScreen) arrived(msg journalLoadedMsg) {
	if msg.req != s.loads {
		return
	}
	s.err = msg.err
	s.damaged = len(msg.problems) > 0
	s.verified = "✓ " + present.Plural(msg.entries, "entry") + " verified"
	if s.damaged {
		s.verified = "the journal was tampered with or damaged: " + models.Printable(msg.problems[0])
	}
	s.rows.changesOf, s.rows.remarks = msg.changes, msg.remarks
	s.relist()
	s.loaded = true
}

// relist makes the rows anew; the cursor stays on its entry.
func (s *journalScreen) relist() {
	id := ""
	if r := s.selected(); r != nil {
		id = r.id()
	}
	s.rows.fill()
	s.grid.SetSource(s.rows)
	for i, r := range s.rows.list {
		if r.id() == id {
			s.grid.SetCursor(i)
		}
	}
	s.draw.shown = nil
}

// selected is the entry under the cursor, nil for none.
func (s *journalScreen) selected() *journalRow {
	i := s.grid.Cursor()
	if i < 0 || i >= s.rows.Len() {
		return nil
	}
	return s.rows.list[i]
}

func (s *journalScreen) focusText(on bool) {
	s.onText = on
	s.grid.SetFocused(!on)
}

// journalResolvedMsg says what the items of a change showed.
type journalResolvedMsg struct {
	id    string
	state change.State
	err   error
}

// resolve reads the items of an open change.
func (lk *journalLookup) resolve() tea.Cmd {
	c := *lk.s.selected().change
	ctx, se := lk.s.ctx, lk.s.env.Workspace
	lk.asking = "reading the items of the change"
	return func() tea.Msg {
		state, err := se.Journal.Resolve(ctx, c)
		return journalResolvedMsg{c.Intent.ID, state, err}
	}
}

func (lk *journalLookup) resolved(msg journalResolvedMsg) tea.Cmd {
	lk.asking = ""
	if msg.err != nil {
		lk.unclear[msg.id], lk.s.draw.shown = msg.err.Error(), nil
		return tea.Batch(screen.Send(screen.NoticeMsg{Text: "not found out: the details say why", Bad: true}), lk.s.load())
	}
	delete(lk.unclear, msg.id)
	return tea.Batch(screen.Send(screen.NoticeMsg{Text: stateWords(msg.state)}), lk.s.load())
}

// stateWords says what the items of a change showed.
func stateWords(state change.State) string {
	switch state {
	case change.Written:
		return "the change was made: the items are as it wrote them"
	case change.Overtaken:
		return "the change was made, and the items were changed again since"
	case change.NotWritten:
		return "nothing was written: the items are as before"
	case change.Unclear:
		return "the items do not tell any more: they were changed since"
	}
	return string(state)
}

// journalPlanMsg is what a change wrote.
type journalPlanMsg struct {
	change changes.PastChange
	plan   *change.Plan
	err    error
	undo   bool // else its item is opened
}

// recall reads back what the change wrote, to undo it or to open its item.
func (lk *journalLookup) recall(undo bool) tea.Cmd {
	c, se := *lk.s.selected().change, lk.s.env.Workspace
	return func() tea.Msg {
		if undo {
			p, err := se.Journal.Undoable(c)
			return journalPlanMsg{c, p, err, undo}
		}
		p, err := se.Journal.PlanOf(c)
		return journalPlanMsg{c, p, err, undo}
	}
}

func (lk *journalLookup) recalled(msg journalPlanMsg) tea.Cmd {
	if msg.err != nil {
		return screen.Send(screen.NoticeMsg{Text: msg.err.Error(), Bad: true})
	}
	if !msg.undo {
		w := msg.plan.Writes[0]
		item := w.After
		for _, it := range []models.Item{w.Before, w.Key} {
			if item == nil {
				item = it
			}
		}
		return screen.Open(screen.Item{Table: w.Table, Item: item})
	}
	r := planner.UndoRequest(lk.s.env, msg.change, msg.plan, msg.change.Intent.Detail.Key)
	r.Done = func(*changes.Commitment) tea.Cmd { return lk.s.load() }
	lk.s.Box = planner.NewChange(lk.s.env, r)
	return nil
}

// cannotResolve says why there is nothing to find out.
func (lk *journalLookup) cannotResolve() string {
	r := lk.s.selected()
	switch {
	case r == nil:
		return "there is no change yet"
	case r.change == nil:
		return "this is no change"
	case !r.change.Open():
		return "its outcome is known"
	case lk.asking != "":
		return "it is being found out"
	}
	return ""
}

// cannotUndo says why the change cannot be taken back.
func (lk *journalLookup) cannotUndo() string {
	r := lk.s.selected()
	switch {
	case r == nil:
		return "there is no change yet"
	case r.change == nil:
		return "this is no change"
	case r.change.Open():
		return "its outcome is unknown: v finds it out first"
	case !r.change.Committed():
		return "nothing was written, so there is nothing to take back"
	case r.change.Undone:
		return "it was taken back already"
	case r.change.IsUndo():
		return "it took a change back: make that change again instead"
	}
	if a := lk.s.action(r); a != nil {
		if a.NoUndo != "" {
			return "it cannot be undone: " + a.NoUndo
		}
		if err := lk.s.env.Session.CanChange(a); err != nil {
			return err.Error()
		}
	}
	return ""
}

// action is the one that made the change, nil when the profile has it no more
// or made it up.
func (s *journalScreen) action(r *journalRow) *change.Action {
	return s.env.Session.Profile().Action(strings.TrimSpace(r.change.Intent.Subject))
}

// Stage is how far the tour has come here.
func (s *journalScreen) Stage() screen.Stage {
	return screen.Stage{Place: "journal", Covered: s.Box != nil}
}

// journalLookup finds out what became of a change, and recalls an entry's item.
type journalLookup struct {
	s *journalScreen

	asking string // what is being found out, "" for nothing
	// unclear says of changes, by the id of their entry, why they could not be
	// found out: a notice is too short for it.
	unclear map[string]string
}

// journalDrawing draws the parts of the screen.
type journalDrawing struct {
	s *journalScreen

	details *widget.Pager
	shown   *journalRow // whose details are in the pager
	wide    int         // width that they were made for
}
