package screens

import (
	"strconv"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// findingsLayout is where things are, frames included.
type findingsLayout struct {
	list, text, links rect
}

// SetSize sets the rectangle.
func (s *findingsScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.place()
	s.refresh()
}

// place computes the layout. On a narrow screen the list stands over the
// explanation, and makes room for it when it does not have the keys.
func (s *findingsScreen) place() {
	var l findingsLayout
	touched := min(max(len(s.links)+6, 5), max(s.h*2/5, 6))
	switch {
	case s.w >= narrowBelow:
		left := min(s.w/2, 76) // Most titles fit.
		l.list = rect{0, 0, left, s.h}
		l.text = rect{left, 0, s.w - left, max(s.h-touched, 0)}
		l.links = rect{left, l.text.h, s.w - left, s.h - l.text.h}
	case s.onLinks:
		l.text = rect{0, 0, s.w, max(s.h-touched, 0)}
		l.links = rect{0, l.text.h, s.w, s.h - l.text.h}
	default:
		l.list = rect{0, 0, s.w, max(s.h*2/5, 6)}
		l.text = rect{0, l.list.h, s.w, max(s.h-l.list.h, 0)}
	}
	s.lay = l
	s.list.SetSize(widget.PanelInner(l.list.w, l.list.h))
	iw, ih := widget.PanelInner(l.text.w, l.text.h)
	s.text.SetSize(iw-1, ih)
	s.touches.SetSize(widget.PanelInner(l.links.w, l.links.h))
}

// View draws the findings, the explanation, and what it touches.
func (s *findingsScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	right := widget.Rows(s.viewText(), s.viewLinks())
	switch {
	case s.lay.list.w == 0:
		return right
	case s.lay.links.w == 0:
		return widget.Rows(s.viewList(), right)
	}
	return widget.Columns(s.viewList(), right)
}

func (s *findingsScreen) viewList() string {
	l := s.lay.list
	p := widget.Panel{Title: "What the document gets wrong", Note: strconv.Itoa(s.list.Len()), Focused: !s.onLinks}
	return p.Render(s.env.Styles, s.list.View(), l.w, l.h)
}

func (s *findingsScreen) viewText() string {
	l := s.lay.text
	p := widget.Panel{}
	if s.shown != nil {
		p.Title = s.shown.ID
	}
	if !s.text.AtEnd() {
		p.Note = "pgdn more ↓"
	}
	iw, ih := widget.PanelInner(l.w, l.h)
	return p.Render(s.env.Styles, widget.Indent(s.text.View(), iw, ih), l.w, l.h)
}

func (s *findingsScreen) viewLinks() string {
	l := s.lay.links
	if l.h <= 0 {
		return ""
	}
	content := s.touches.View()
	if len(s.links) == 0 {
		content = " " + s.env.Styles.Paint(widget.RoleFaint, "it is about the document as a whole")
	}
	return widget.Panel{Title: "What it touches", Focused: s.onLinks}.Render(s.env.Styles, content, l.w, l.h)
}
