package listing

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Screen is a screen declared by a Spec.
type Screen[R any] struct {
	screen.Base
	overlay.Host
	Env    *screen.Env
	Around ListHost // surrounding screen, or nil
	spec   *Spec[R]
	ctx    context.Context // ends when the screen closes
	end    context.CancelFunc

	rows                     *rows[R]
	filterInput              *widget.SearchInput
	details                  *widget.Pager
	onDetails                bool // the details have the keyboard focus, not the rows
	w, h                     int
	topAt, rowsAt, detailsAt widget.Rect // positions of the tabs or the lines of Around, and of the framed panes
	load                     load[R]
	detailReader             detailReader
	writes                   writes
	drawn                    drawnDetails
}

// A ListHost is a screen that shows one of several lists.
type ListHost interface {
	// Top returns the lines above the rows. It must always return the same number of lines.
	Top(w int) []string
	Actions() widget.Actions
}

// New returns the screen for a Spec.
func New[R any](env *screen.Env, spec *Spec[R]) *Screen[R] {
	s := &Screen[R]{
		Base: screen.Base{Name: spec.Title, Kind: spec.Name, About: spec.Guide}, Env: env, spec: spec,
		rows: newRows(env, spec), filterInput: widget.NewSearchInput(),
	}
	s.ctx, s.end = context.WithCancel(reading.WithPurpose(env.Context, spec.Title))
	s.details = widget.NewPager(env.Styles)
	if spec.Layout == Beside {
		s.details.SetMore("pgdn more ↓")
	}
	s.Panes, s.Closed, s.load.targetID = s.panes, s.refresh, spec.InitialID
	return s
}

// Init starts the first read.
func (s *Screen[R]) Init() tea.Cmd { return s.Reload() }

// Watch pauses reads while the screen is hidden, and reads the list again when the screen becomes visible.
func (s *Screen[R]) Watch(on bool) tea.Cmd {
	s.load.hidden, s.load.unfocused = !on, s.load.unfocused && !on // Opening the screen implies the keyboard focus.
	switch {
	case s.load.hidden && !s.load.task.Running():
		return s.completeRecord()
	case s.load.loads > 0 && s.isPaused():
		return nil
	}
	return s.refresh()
}

// Retry reads the list again after the user signed in.
func (s *Screen[R]) Retry() tea.Cmd { return s.Reload() }

// Remask redraws the rows after the user revealed or masked personal data.
func (s *Screen[R]) Remask() tea.Cmd {
	s.rows.clearCells()
	s.rows.fill(s.rows.removedRow != nil)
	s.rows.measure()
	return nil
}

// Close stops the reads. A pending write continues.
func (s *Screen[R]) Close() {
	s.end()
	s.load.task.End()
	s.completeRecord() // If the journal cannot be written, the session's next change reports it.
	s.CloseBox()
}

// SetStyles sets the theme.
func (s *Screen[R]) SetStyles(st *widget.Styles) {
	s.Env.Styles = st
	s.rows.grid.SetStyles(st)
	s.details.SetStyles(st)
	s.StyleBox(st)
}

// FocusDetails moves the keyboard focus to the details if on is true, otherwise to the rows.
func (s *Screen[R]) FocusDetails(on bool) {
	s.onDetails = on
	s.rows.grid.SetFocused(!on)
}

// Typing reports whether printable keys are text.
func (s *Screen[R]) Typing() bool { return s.Box != nil || s.filterInput.Typing() }

// Cancel does the first of these that applies: close the dialog, stop reading, leave the details, clear the filter.
func (s *Screen[R]) Cancel() bool {
	switch {
	case s.Box == nil && s.load.isStoppable():
		s.load.task.Stop()
	case s.Box != nil:
		s.CancelBox()
	case s.onDetails:
		s.FocusDetails(false)
	case s.filterInput.Typing() || s.filterInput.Text() != "":
		s.filterInput.Clear()
		s.rows.setFilter("")
	default:
		return false
	}
	return true
}

// Undo opens the dialog that undoes a change.
func (s *Screen[R]) Undo(l changes.Latest) (cmd tea.Cmd) {
	s.Box, cmd = planner.NewUndo(s.Env, l, func(*changes.Commitment) tea.Cmd { return s.Reload() })
	return cmd
}

// Stage describes the list for the tour.
func (s *Screen[R]) Stage() screen.Stage {
	return screen.Stage{Place: s.spec.Name, Covered: s.Box != nil}
}

// Update handles the messages that the root passes on.
func (s *Screen[R]) Update(msg tea.Msg) tea.Cmd { return tea.Batch(s.handle(msg), s.handleMove()) }

// Click handles a click at x, y in the dialog or a pane.
func (s *Screen[R]) Click(x, y int) tea.Cmd {
	return tea.Batch(s.Host.Click(x, y), s.readMoreAtEnd(), s.handleMove())
}

// Wheel scrolls the dialog or the pane at x, y.
func (s *Screen[R]) Wheel(x, y int, up bool) tea.Cmd {
	return tea.Batch(s.Host.Wheel(x, y, up), s.readMoreAtEnd(), s.handleMove())
}

func (s *Screen[R]) handleMove() tea.Cmd {
	if l := s.rows; l.removedRow != nil && l.selected() != l.removedRow {
		l.fill(false)
	}
	return s.scheduleDetails()
}

func (s *Screen[R]) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Answer:
		return msg()
	case screen.TickMsg:
		if msg.Task == s.load.task {
			s.showProgress()
		}
		return msg.Task.Ticked()
	case tea.FocusMsg:
		return s.setFocused(true)
	case tea.BlurMsg:
		return s.setFocused(false)
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	if s.filterInput.Typing() {
		return s.updateFilter(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if s.load.openFirst = s.load.loads == 0 && s.load.task.Running() && s.rows.Len() == 0 && press.String() == "enter"; s.load.openFirst {
		return nil
	}
	if cmd, used := screen.Press(s.keys(), press); used {
		return cmd
	}
	switch {
	case len(s.spec.Tabs) > 1 && s.rows.tabs.Update(msg):
		s.showTab(s.rows.tabs.Active)
	case s.onDetails, s.spec.Layout == Beside && s.scrollsDetails(press.String()):
		s.details.Update(msg)
	default:
		s.rows.grid.Update(msg)
		return s.readMoreAtEnd()
	}
	return nil
}

func (s *Screen[R]) scrollsDetails(key string) bool {
	return key == "pgdown" && !s.details.AtEnd() || key == "pgup" && s.details.Top() > 0
}

func (s *Screen[R]) updateFilter(msg tea.Msg) tea.Cmd {
	press, _ := msg.(tea.KeyPressMsg)
	switch press.String() {
	case "enter":
		s.stopFilter()
		return s.open()
	case "tab", "shift+tab":
		s.stopFilter()
		return nil
	case "esc":
		s.filterInput.Clear()
		s.rows.setFilter("")
		return nil
	case "up", "down", "pgup", "pgdown":
		s.rows.grid.Update(msg)
		s.rows.origin = ""
		return nil
	}
	cmd, changed := s.filterInput.Update(msg)
	if changed {
		s.rows.setFilter(s.filterInput.Text())
	}
	return cmd
}

// stopFilter ends typing. The cursor is then on a row that the user chose.
func (s *Screen[R]) stopFilter() {
	s.filterInput.Stop()
	s.rows.origin = ""
}

func (s *Screen[R]) showTab(tab int) {
	l := s.rows
	l.tabs.Active, l.list, l.removedRow = tab, nil, nil // The cursor position belongs to the other tab.
	l.fill(false)
	l.grid.SetCursor(0)
	s.FocusDetails(false)
}

// Chosen returns the visible marked rows, or the row under the cursor if no visible row is marked.
func (s *Screen[R]) Chosen() []R { return rowValues(s.rows.chosen()) }

// Selected returns the row under the cursor. removed reports whether the row no longer belongs to the list.
func (s *Screen[R]) Selected() (r R, removed, ok bool) {
	if x := s.rows.selected(); x != nil {
		return x.value, x == s.rows.removedRow, true
	}
	return r, false, false
}

// Filtered returns the rows that match the filter, in display order.
func (s *Screen[R]) Filtered() []R { return rowValues(s.rows.list) }

// Change replaces each row with the result of change and drops the rows for which keep is false. The next read undoes
// it.
func (s *Screen[R]) Change(change func(r R) (now R, keep bool)) {
	s.drawn.version++
	s.rows.update(change)
}

// Show replaces the rows until the next read.
func (s *Screen[R]) Show(list []R) {
	s.drawn.version++
	s.rows.set(list, false, false)
}

// Marked reports whether any marked rows match the filter.
func (s *Screen[R]) Marked() bool { return len(s.rows.marked()) > 0 }

// On names the target of actions: the marked rows, or the selected row.
func (s *Screen[R]) On() string {
	switch list := s.rows.marked(); len(list) {
	case 0:
	case 1:
		return s.rows.name(list[0])
	default:
		return present.Plural(len(list), "marked "+s.spec.Noun)
	}
	if x := s.rows.selected(); x != nil && x != s.rows.removedRow {
		return s.rows.name(x)
	}
	return ""
}

// Unmark unmarks all rows except those that the filter hides.
func (s *Screen[R]) Unmark() { s.UnmarkIf(func(R) bool { return true }) }

// UnmarkIf unmarks the rows for which match returns true, except those that the filter hides.
func (s *Screen[R]) UnmarkIf(match func(R) bool) {
	for _, x := range s.rows.marked() {
		x.marked = !match(x.value)
	}
}

// MarkAll marks the visible rows that match selects. If any row is marked, MarkAll removes all marks instead.
func (s *Screen[R]) MarkAll(match func(r R) bool) {
	if s.Marked() {
		s.Unmark()
		return
	}
	for i, x := range s.rows.list {
		s.rows.SetMarked(i, match(x.value))
	}
}

// All returns every row read so far.
func (s *Screen[R]) All() []R { return rowValues(s.rows.all) }

// Redraw redraws the rows and the details after their data changed.
func (s *Screen[R]) Redraw() {
	s.rows.clearCells()
	s.drawn.version++
}

// Committed updates the list after a change of items.
func (s *Screen[R]) Committed(list []screen.CommittedChange) tea.Cmd {
	if s.spec.Committed == nil {
		return nil
	}
	return s.spec.Committed(s, list)
}

// ReloadAt reads the list again and selects the row with an ID; "" keeps the selected row.
func (s *Screen[R]) ReloadAt(id string) tea.Cmd {
	s.load.targetID = id
	return s.Reload()
}

// Tab returns the title of a list in the tab of another screen, with its number of rows, or of those in its own first
// tab. It returns "" for other lists and before the first read.
func (s *Screen[R]) Tab() string {
	switch {
	case !s.spec.Inner || s.load.loads == 0:
		return ""
	case len(s.spec.Tabs) > 0:
		return s.spec.Title + strings.TrimPrefix(s.rows.tabs.Titles[0], s.spec.Tabs[0].Title) + " " + strings.ToLower(s.spec.Tabs[0].Title)
	}
	return s.spec.Title + " " + present.Thousands(len(s.rows.all)) + map[bool]string{true: "+"}[s.load.last.More]
}

func (s *Screen[R]) nouns() string { return strings.TrimPrefix(present.Plural(0, s.spec.Noun), "0 ") }
