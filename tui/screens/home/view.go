package home

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// SetSize sets the size of the screen in cells.
func (h *Home) SetSize(w, height int) {
	h.w, h.h = w, height
	left, right := h.layout()
	h.list.SetSize(widget.PanelInner(left.W, left.H))
	inner := right.Inner()
	h.about.details.SetSize(inner.W-1, inner.H-1)
	h.about.refresh()
}

// layout returns the rectangles of the parts, with their frames:
//
//	╭ left ────────╮╭ right ──────────────────────────────╮
//	│ the profiles ││ progress of a connection            │
//	│              ││ description of the selected profile │
//	╰──────────────╯╰─────────────────────────────────────╯
func (h *Home) layout() (left, right widget.Rect) {
	left = widget.Rect{W: min(max(h.w*30/100, 26), 40, h.w), H: h.h}
	return left, widget.Rect{X: left.W, W: h.w - left.W, H: h.h}
}

// View draws the list and the description.
func (h *Home) View() string {
	if h.w <= 0 || h.h <= 0 {
		return ""
	}
	left, right := h.layout()
	list := widget.Panel{Title: "Profiles", Note: "patterns", Focused: !h.right}.Render(h.styles, h.list.View(), left.W, left.H)
	inner := right.Inner()
	title, note := "", ""
	if h.about.shown != nil {
		title, note = h.about.shown.Name, h.about.shown.File
	}
	top := widget.BlankLine(inner.W)
	if o := h.connect.opening; o != nil {
		top = " " + widget.Busy{
			What: "opening " + o.profile.Name, Detail: "getting credentials and the caller identity", Cancel: "esc cancels",
			Elapsed: o.Elapsed, Fraction: -1,
		}.Render(h.styles, inner.W-1)
	}
	content := widget.Rows(top, widget.Indent(h.about.details.View(), inner.W, inner.H-1))
	if !h.loaded {
		content = widget.Rows(top, " "+h.styles.Paint(widget.RoleFaint, "loading the profiles…"))
	}
	return widget.Columns(list, widget.Panel{Title: title, Note: note, Focused: h.right}.Render(h.styles, content, right.W, right.H))
}

// panes returns the parts of the screen that take the mouse.
func (h *Home) panes() widget.Panes {
	left, right := h.layout()
	open := func() tea.Cmd {
		h.about.refresh()
		if h.connect.opening != nil {
			return nil
		}
		return h.connect.open()
	}
	return widget.Panes{
		{
			Rect: left, Framed: true, Content: h.list, Focus: func() { h.focus(false) }, Open: open,
			Moved: func() tea.Cmd { h.about.refresh(); return nil },
		},
		{Rect: right, Focus: func() { h.focus(true) }, Scroll: h.about.details.Wheel},
	}
}

// Cursor returns the cursor in the filter.
func (h *Home) Cursor() *tea.Cursor { return h.panes().Cursor() }

// Click selects a profile; a second click opens it.
func (h *Home) Click(x, y int) tea.Cmd { return h.panes().Click(x, y) }

// Wheel scrolls the list or the description.
func (h *Home) Wheel(x, y int, up bool) tea.Cmd { return h.panes().Wheel(x, y, up) }
