package listing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// These are the minimum heights of the stacked panes on a small screen, including their frames.
const minRows, minDetails = 15, 5

// emptyRows is the minimum height of an empty list, or of one with an error, including the frame and the titles.
const emptyRows = 8

// SetSize sets the size.
func (s *Screen[R]) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.arrange()
}

// arrange divides the screen. Rows that were read take only the lines that they need, and the details get the rest.
func (s *Screen[R]) arrange() {
	top := min(len(s.spec.Tabs), 1)
	if s.Around != nil {
		top = len(s.Around.Top(s.w))
	}
	top = min(top, s.h)
	h := s.h - top
	// On a small screen the rows have priority, because the details can scroll.
	detailHeight, detailWidth := min(h*2/5, max(h-minRows, minDetails)), 0
	switch {
	case s.spec.Layout == Tall:
		detailHeight = h - max(h/3, min(8, h/2))
	case s.spec.Layout == Beside && s.w >= cmp.Or(s.spec.BesideFrom, present.NarrowBelow):
		detailHeight, detailWidth = 0, s.w*2/5 // Titles need more room than wrapped text.
	case s.spec.Layout == Beside:
		detailHeight = h / 2
	}
	if needed := max(len(s.rows.all), s.rows.Len()) + 3 + s.filterRows() + s.rows.grid.Titles(); detailWidth == 0 && s.load.loads > 0 {
		if s.rows.Len() == 0 || s.load.err != nil {
			needed = max(needed, emptyRows)
		}
		detailHeight = max(detailHeight, h-needed)
	}
	if s.isBrief() {
		detailHeight, detailWidth = 0, 0
	}
	s.topAt = widget.Rect{W: s.w, H: top}
	s.rowsAt, s.detailsAt = widget.Rect{Y: top, W: s.w, H: h - detailHeight},
		widget.Rect{Y: top + h - detailHeight, W: s.w, H: detailHeight}
	if detailWidth > 0 {
		s.rowsAt, s.detailsAt = widget.Rect{Y: top, W: s.w - detailWidth, H: h},
			widget.Rect{X: s.w - detailWidth, Y: top, W: detailWidth, H: h}
	}
	s.rows.grid.SetSize(widget.PanelInner(s.rowsAt.W, s.rowsAt.H))
}

func (s *Screen[R]) isBrief() bool {
	return s.spec.Brief != nil && !s.onDetails && s.rows.Len() > 0 && len(s.load.last.Problems) == 0 &&
		s.spec.Brief(s) && !s.rows.grid.Cuts()
}

func (s *Screen[R]) filterRows() int {
	if s.filterInput.Typing() || s.filterInput.Text() != "" {
		return 1
	}
	return 0
}

// filterCells is the number of cells reserved beside the filter text.
const filterCells = 36

// View draws the screen.
func (s *Screen[R]) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	s.arrange()
	st, l, inner := s.Env.Styles, s.rows, s.rowsAt.Inner()
	room := max(inner.H-s.filterRows(), 0)
	l.grid.SetEmpty(s.empty())
	l.grid.SetSize(inner.W, results.RowsHeight(room, l.Len(), s.load.err))
	content := results.ViewGrid(st, l.grid, inner.W, room, l.Len(), s.load.err, s.key("reload")+" retry")
	if s.filterRows() > 0 {
		content = widget.Rows(s.viewFilter(inner.W), content)
	}
	frame := widget.Panel{Title: cmp.Or(s.spec.Heading, s.spec.Title), Note: s.note(), Focused: !s.onDetails}
	if s.load.err != nil || len(s.load.last.Problems) > 0 {
		frame.Role = widget.RoleBad
	}
	view := frame.Render(st, content, s.rowsAt.W, s.rowsAt.H)
	switch {
	case s.detailsAt.X > 0:
		view = widget.Columns(view, s.viewDetails())
	case s.detailsAt.H > 0:
		view = widget.Rows(view, s.viewDetails())
	}
	switch {
	case s.topAt.H == 0:
	case s.Around != nil:
		view = widget.Rows(widget.Place(strings.Join(s.Around.Top(s.w), "\n"), s.w, s.topAt.H), view)
	default:
		view = widget.Rows(l.tabs.Render(st, s.w), view)
	}
	return s.DrawBox(st, widget.Place(view, s.w, s.h), s.w, s.h)
}

func (s *Screen[R]) viewFilter(w int) string {
	st := s.Env.Styles
	role := widget.RoleMuted
	if s.filterInput.Typing() {
		role = widget.RoleAccent
	}
	text, _ := s.filterInput.Shown(w - filterCells)
	count := fmt.Sprintf("%d of %d ", s.rows.Len(), s.rows.tabCount)
	if n := s.rows.MarkCount() - len(s.rows.marked()); n > 0 {
		count = fmt.Sprintf("%d marked hidden · %s", n, count)
	}
	return present.Spread(st.Paint(role, " / ")+st.Paint(widget.RoleText, text), st.Paint(widget.RoleMuted, count), w)
}

func (s *Screen[R]) note() string {
	l := &s.load
	if l.task.Running() && l.task.Elapsed >= widget.BusyAfter {
		if retry := l.task.Progress.Retrying(); retry != "" {
			return retry
		}
	}
	note := models.Printable(l.last.Note)
	if l.paused {
		note = "paused · " + s.key("pause") + " continue"
	}
	if s.rows.Len() > 0 && slices.ContainsFunc(s.spec.Columns, func(c Column[R]) bool { return c.Clock }) {
		note = present.Join(note, present.Zone(s.Env.Now()), " · ")
	}
	return present.Join(note, s.rows.grid.Position(), " · ")
}

func (s *Screen[R]) empty() (text, next string) {
	a := s.advice()
	switch {
	case a != nil:
		return a.Title, "" // The details show the fix.
	case s.load.stopped:
		return "Stopped before the " + s.nouns() + " were read", s.key("reload") + " reload"
	case s.load.loads == 0 && s.load.partial == nil:
		return "Reading the " + s.nouns() + " …", "esc stop"
	case s.rows.filter != "":
		return "No " + s.spec.Noun + " matches", "esc list all"
	case len(s.spec.Tabs) > 0:
		return s.spec.Tabs[s.rows.tabs.Active].Empty(s.Env)
	}
	return s.spec.Empty(s.Env)
}

// Status summarizes the last read.
func (s *Screen[R]) Status() string {
	l, a := &s.load, s.advice()
	switch {
	case s.writes.writing != nil:
		return s.writes.activity
	case a != nil:
		return a.Title
	case l.task.Running() && l.task.Stopped:
		return "stopping"
	case l.isStoppable():
		text := "reading the " + s.nouns()
		if l.partial != nil {
			text = present.Join(text, l.partial.Status, " · ")
		}
		return present.Join(text, l.task.Progress.Retrying(), " · ") + " · esc stop"
	case l.loads == 0 && l.err != nil && len(s.rows.all) == 0:
		return "✗ no " + s.nouns() + " read"
	case l.stopped:
		return "stopped: there may be more · " + present.Plural(len(s.rows.all), s.spec.Noun)
	case l.loads == 0 && l.err != nil:
		return "✗ incomplete · " + present.Plural(len(s.rows.all), s.spec.Noun)
	}
	text := cmp.Or(l.last.Status, present.Plural(len(s.rows.all), s.spec.Noun))
	if l.err != nil {
		text = "✗ not refreshed · " + text
	}
	if n := len(l.last.Problems); n > 0 {
		text = "✗ " + present.Plural(n, "problem") + ": " + l.last.Problems[0] + " · " + text
	}
	return models.Printable(text + " · as of " + present.Clock(l.at, s.Env.Now()))
}

// drawnDetails identifies the state for which the details were drawn.
type drawnDetails struct {
	version int // increases when the rows' data or messages change
	key     any
}

func (s *Screen[R]) viewDetails() string {
	id := s.rows.selectedID()
	key := [...]any{id, s.load.loads, s.drawn.version, s.Env.Now().Unix() / 60, s.Env.Session.Masker()}
	if s.drawn.key != key {
		s.drawn.key = key
		s.details.Invalidate()
	}
	panel := widget.Panel{Title: "Details", Focused: s.onDetails}
	return s.details.Panel(panel, s.detailsAt.W, s.detailsAt.H, id, func(w int) []string {
		if list := s.detailLines(w); len(list) > 0 {
			return list
		}
		return widget.Wrap(s.Env.Styles, widget.RoleMuted, s.spec.Guide.Purpose, w)
	})
}

func (s *Screen[R]) detailLines(w int) []string {
	if a := s.advice(); a != nil {
		t := &present.Facts{Styles: s.Env.Styles, Width: w}
		t.Paragraph(widget.RoleText, a.Text)
		if a.Command != "" {
			t.Blank()
			t.Paragraph(widget.RoleStrong, a.Command)
			t.Blank()
			t.Paragraph(widget.RoleKey, "y copy the command")
		}
		return t.Lines
	}
	t := &present.Facts{Styles: s.Env.Styles, Label: labelCells, Width: w}
	for _, p := range s.load.last.Problems {
		t.Text("✗ problem", widget.RoleBad, p)
	}
	if x := s.rows.selected(); x != nil {
		t.Lines = append(t.Lines, s.rowLines(x, w)...)
	}
	return t.Lines
}

// labelCells is the minimum label width of facts in cells.
const labelCells = 12

func (s *Screen[R]) rowLines(x *row[R], w int) []string {
	t := &present.Facts{Styles: s.Env.Styles, Label: labelCells, Width: w}
	if x == s.rows.removedRow {
		t.Paragraph(widget.RoleMuted, "No longer in the list.")
	}
	if x.result.Message != "" {
		t.Paragraph(map[bool]widget.Role{false: widget.RoleGood, true: widget.RoleBad}[x.result.Bad], x.result.Message)
	}
	facts := s.spec.Facts(s.Env, x.value)
	for _, f := range facts {
		t.Label = min(max(t.Label, models.Width(f.Label)+2), max(w/2, labelCells))
	}
	for _, f := range facts {
		switch {
		case f.Lines != nil:
			t.Lines = append(t.Lines, f.Lines(w)...)
		case f.Label == "" && f.Text != "":
			if f.isHeading {
				t.Blank()
			}
			t.Paragraph(f.Role, f.Text)
		default:
			t.Text(f.Label, f.Role, f.Text)
		}
	}
	switch {
	case s.spec.Read == nil:
	case x.extra == nil:
		t.Blank()
		t.Paragraph(widget.RoleMuted, "Reading …")
	case x.extra.err != nil:
		t.Blank()
		t.Paragraph(widget.RoleBad, "✗ The "+s.spec.Noun+" was not read: "+x.extra.err.Error())
		t.Paragraph(widget.RoleMuted, s.key("reload")+" retry")
	}
	return t.Lines
}
