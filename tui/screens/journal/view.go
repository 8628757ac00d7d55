package journal

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// journalLayout is where things are, without their frames.
type journalLayout struct {
	entries, frame overlay.Rect // with their frames
	grid, details  overlay.Rect
}

// SetSize sets the rectangle.
func (s *journalScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.Arrange()
}

func (s *journalScreen) Arrange() {
	var l journalLayout
	below := 0
	switch {
	case s.h >= 30:
		below = 16
	case s.h >= 16:
		below = s.h * 2 / 5
	}
	l.entries = overlay.Rect{X: 0, Y: 0, W: s.w, H: s.h - below}
	l.frame = overlay.Rect{X: 0, Y: s.h - below, W: s.w, H: below}
	gw, gh := widget.PanelInner(l.entries.W, l.entries.H)
	l.grid = overlay.Rect{X: 1, Y: 1, W: gw, H: gh}
	dw, dh := widget.PanelInner(l.frame.W, l.frame.H)
	l.details = overlay.Rect{X: 1, Y: l.frame.Y + 1, W: dw, H: dh}
	s.grid.SetSize(l.grid.W, l.grid.H)
	s.draw.details.SetSize(max(l.details.W-1, 0), l.details.H)
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
	screen := widget.Panel{Title: title, Note: note, Focused: !s.onText}.Render(st, s.grid.View(), l.entries.W, l.entries.H)
	if l.frame.H > 0 {
		screen = widget.Rows(screen, s.draw.viewDetails())
	}
	return s.DrawBox(st, screen, s.w, s.h)
}

// viewDetails tells everything that the journal holds about the entry.
func (dr *journalDrawing) viewDetails() string {
	st, l := dr.s.env.Styles, dr.s.lay
	r := dr.s.selected()
	title, note := "Details", ""
	if r != nil {
		title = r.what()
	}
	if dr.s.damaged || dr.s.err != nil {
		note = "✗ the journal cannot be trusted"
	}
	if r != dr.shown || dr.wide != l.details.W {
		dr.shown, dr.wide = r, l.details.W
		dr.details.ScrollTo(0)
		dr.details.SetLines(dr.factLines(r, max(l.details.W-2, 1)))
	}
	return widget.Panel{Title: title, Note: note, Focused: dr.s.onText}.Render(
		st, widget.Indent(dr.details.View(), l.details.W, l.details.H), l.frame.W, l.frame.H,
	)
}

func (dr *journalDrawing) factLines(r *journalRow, w int) []string {
	if r == nil {
		return nil
	}
	const label = 12
	st := dr.s.env.Styles
	var lines []string
	facts := r.facts(dr.s.env.Now())
	if r.change != nil && dr.s.lookup.unclear[r.change.Intent.ID] != "" {
		facts = slices.Insert(facts, 1, journalFact{"not yet", dr.s.lookup.unclear[r.change.Intent.ID], widget.RoleBad})
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
