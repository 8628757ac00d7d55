package findings

import (
	"strconv"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// findingsLayout is where things are, frames included.
type findingsLayout struct {
	list, text, links overlay.Rect
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
	case s.w >= present.NarrowBelow:
		left := min(s.w/2, 76) // Most titles fit.
		l.list = overlay.Rect{X: 0, Y: 0, W: left, H: s.h}
		l.text = overlay.Rect{X: left, Y: 0, W: s.w - left, H: max(s.h-touched, 0)}
		l.links = overlay.Rect{X: left, Y: l.text.H, W: s.w - left, H: s.h - l.text.H}
	case s.onLinks:
		l.text = overlay.Rect{X: 0, Y: 0, W: s.w, H: max(s.h-touched, 0)}
		l.links = overlay.Rect{X: 0, Y: l.text.H, W: s.w, H: s.h - l.text.H}
	default:
		l.list = overlay.Rect{X: 0, Y: 0, W: s.w, H: max(s.h*2/5, 6)}
		l.text = overlay.Rect{X: 0, Y: l.list.H, W: s.w, H: max(s.h-l.list.H, 0)}
	}
	s.lay = l
	s.list.SetSize(widget.PanelInner(l.list.W, l.list.H))
	iw, ih := widget.PanelInner(l.text.W, l.text.H)
	s.text.SetSize(iw-1, ih)
	s.touches.SetSize(widget.PanelInner(l.links.W, l.links.H))
}

// View draws the findings, the explanation, and what it touches.
func (s *findingsScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	right := widget.Rows(s.draw.viewText(), s.draw.viewLinks())
	switch {
	case s.lay.list.W == 0:
		return right
	case s.lay.links.W == 0:
		return widget.Rows(s.draw.viewList(), right)
	}
	return widget.Columns(s.draw.viewList(), right)
}

func (dr *findingsDrawing) viewList() string {
	l := dr.s.lay.list
	p := widget.Panel{Title: "Schema issues", Note: strconv.Itoa(dr.s.list.Len()), Focused: !dr.s.onLinks}
	return p.Render(dr.s.env.Styles, dr.s.list.View(), l.W, l.H)
}

func (dr *findingsDrawing) viewText() string {
	l := dr.s.lay.text
	p := widget.Panel{}
	if dr.s.shown != nil {
		p.Title = dr.s.shown.ID
	}
	if !dr.s.text.AtEnd() {
		p.Note = "pgdn more ↓"
	}
	iw, ih := widget.PanelInner(l.W, l.H)
	return p.Render(dr.s.env.Styles, widget.Indent(dr.s.text.View(), iw, ih), l.W, l.H)
}

func (dr *findingsDrawing) viewLinks() string {
	l := dr.s.lay.links
	if l.H <= 0 {
		return ""
	}
	content := dr.s.touches.View()
	if len(dr.s.links) == 0 {
		content = " " + dr.s.env.Styles.Paint(widget.RoleFaint, "it is about the document as a whole")
	}
	return widget.Panel{Title: "Affects", Focused: dr.s.onLinks}.Render(dr.s.env.Styles, content, l.W, l.H)
}
