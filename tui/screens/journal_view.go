package screens

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// journalLayout is where things are, without their frames.
type journalLayout struct {
	entries, frame rect // with their frames
	grid, details  rect
}

// SetSize sets the rectangle.
func (s *journalScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.arrange()
}

func (s *journalScreen) arrange() {
	var l journalLayout
	below := 0
	switch {
	case s.h >= 30:
		below = 16
	case s.h >= 16:
		below = s.h * 2 / 5
	}
	l.entries = rect{0, 0, s.w, s.h - below}
	l.frame = rect{0, s.h - below, s.w, below}
	gw, gh := widget.PanelInner(l.entries.w, l.entries.h)
	l.grid = rect{1, 1, gw, gh}
	dw, dh := widget.PanelInner(l.frame.w, l.frame.h)
	l.details = rect{1, l.frame.y + 1, dw, dh}
	s.grid.SetSize(l.grid.w, l.grid.h)
	s.details.SetSize(max(l.details.w-1, 0), l.details.h)
	s.lay = l
}

// View draws the entries, the details, and the box over them.
func (s *journalScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st, l := s.env.Styles, s.lay
	switch {
	case !s.loaded:
		s.grid.SetEmpty("reading the journal …", "")
	case s.err != nil:
		s.grid.SetEmpty("nothing of the journal could be read", s.err.Error())
	default:
		s.grid.SetEmpty("this console changed nothing here yet", "changes go to "+s.env.Session.JournalPath())
	}
	title := "Changes"
	if s.rows.all {
		title = "All entries"
	}
	note := s.grid.Position()
	if s.loaded && !s.damaged {
		note = s.verified + " · " + note
	}
	screen := widget.Panel{Title: title, Note: note, Focused: !s.onText}.Render(st, s.grid.View(), l.entries.w, l.entries.h)
	if l.frame.h > 0 {
		screen = widget.Rows(screen, s.viewDetails())
	}
	return s.drawBox(st, screen, s.w, s.h)
}

// viewDetails tells everything that the journal holds about the entry.
func (s *journalScreen) viewDetails() string {
	st, l := s.env.Styles, s.lay
	r := s.selected()
	title, note := "Details", ""
	if r != nil {
		title = r.what()
	}
	if s.damaged || s.err != nil {
		note = "✗ the journal cannot be trusted"
	}
	if r != s.shown || s.wide != l.details.w {
		s.shown, s.wide = r, l.details.w
		s.details.ScrollTo(0)
		s.details.SetLines(s.factLines(r, max(l.details.w-2, 1)))
	}
	return widget.Panel{Title: title, Note: note, Focused: s.onText}.Render(st, widget.Indent(s.details.View(), l.details.w, l.details.h), l.frame.w, l.frame.h)
}

func (s *journalScreen) factLines(r *journalRow, w int) []string {
	if r == nil {
		return nil
	}
	const label = 12
	st := s.env.Styles
	var lines []string
	facts := r.facts(s.env.Now())
	if r.change != nil && s.unclear[r.change.Intent.ID] != "" {
		facts = slices.Insert(facts, 1, journalFact{"not yet", s.unclear[r.change.Intent.ID], widget.RoleBad})
	}
	for _, f := range facts {
		for i, line := range widget.Wrap(st, f.role, strings.TrimSpace(f.text), max(w-label, 1)) {
			name := f.label
			if i > 0 {
				name = ""
			}
			lines = append(lines, st.PaintCell(widget.RoleMuted, widget.SurfacePlain, name, label, widget.AlignLeft)+line)
		}
	}
	return lines
}
