package home

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// fieldHeight is the height of the search field with its frame.
const fieldHeight = 3

// SetSize sets the size of the screen in cells.
func (h *Home) SetSize(w, height int) {
	h.w, h.h = w, height
	left, right := h.layout()
	h.list.SetSize(widget.PanelInner(left.W, left.H))
	inner := right.Inner()
	h.about.details.SetSize(inner.W-1, inner.H-1)
	found := h.below().Inner()
	h.find.draw.lines.SetSize(found.W, max(found.H-detailLines, 0))
	h.about.refresh()
}

// detailLines is the height of the description of a hit with the rule above it.
const detailLines = 4

// below returns the rectangle below the search field.
func (h *Home) below() widget.Rect {
	top := min(fieldHeight, h.h)
	return widget.Rect{Y: top, W: h.w, H: h.h - top}
}

// layout returns the rectangles of the parts, with their frames:
//
//	╭ search field ─────────────────────────────────────────╮
//	╭ left ────────╮╭ right ────────────────────────────────╮
//	│ the profiles ││ progress of a connection              │
//	│              ││ description of the selected profile   │
//	╰──────────────╯╰───────────────────────────────────────╯
func (h *Home) layout() (left, right widget.Rect) {
	all := h.below()
	left = widget.Rect{Y: all.Y, W: min(max(h.w*30/100, 26), 40, h.w), H: all.H}
	return left, widget.Rect{X: left.W, Y: all.Y, W: h.w - left.W, H: all.H}
}

// View draws the search field, and below it the results, or the list and the description.
func (h *Home) View() string {
	if h.w <= 0 || h.h <= 0 {
		return ""
	}
	field := h.find.fieldView()
	if h.find.shows() {
		return widget.Place(widget.Rows(field, h.find.resultsView()), h.w, h.h)
	}
	return widget.Place(widget.Rows(field, h.profilesView()), h.w, h.h)
}

// fieldView draws the search field.
func (f *searcher) fieldView() string {
	h := f.h
	w, _ := widget.PanelInner(h.w, fieldHeight)
	text, _ := f.field.Shown(max(w-2, 0))
	role := widget.RoleText
	if text == "" {
		role, text = widget.RoleFaint, "paste an ID, key, email, domain or JSON"
	}
	line := " " + h.styles.PaintCell(role, widget.SurfacePlain, text, max(w-1, 0), widget.AlignLeft)
	return widget.Panel{Title: "Find", Note: f.status(), Focused: h.has == paneField}.Render(h.styles, line, h.w, min(fieldHeight, h.h))
}

// resultsView draws the hits, and what the one under the cursor is.
func (f *searcher) resultsView() string {
	h := f.h
	r := h.below()
	if r.H < fieldHeight {
		return ""
	}
	in := r.Inner()
	content := f.draw.lines.View()
	if len(f.draw.rows) == 0 {
		text := "Press enter to search."
		if f.search != nil || f.text != "" {
			text = "Searching " + present.Plural(len(h.profiles), "schema") + "…"
		}
		content = " " + h.styles.Paint(widget.RoleMuted, text)
	}
	if in.H > detailLines {
		content = widget.Rows(widget.Place(content, in.W, in.H-detailLines), widget.Rule(h.styles, "", "", in.W),
			widget.Indent(strings.Join(f.draw.details(in.W-1), "\n"), in.W, detailLines-1))
	}
	return widget.Panel{Title: "Results", Focused: false}.Render(h.styles, content, r.W, r.H)
}

// profilesView draws the list and the description.
func (h *Home) profilesView() string {
	left, right := h.layout()
	list := widget.Panel{Title: "Profiles", Note: "patterns", Focused: h.has == paneList}.Render(h.styles, h.list.View(), left.W, left.H)
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
	about := widget.Panel{Title: title, Note: note, Focused: h.has == paneAbout}.Render(h.styles, content, right.W, right.H)
	return widget.Columns(list, about)
}

// panes returns the parts of the screen that take the mouse.
func (h *Home) panes() widget.Panes {
	field := widget.Pane{Rect: widget.Rect{W: h.w, H: min(fieldHeight, h.h)}, Other: func(int, int) tea.Cmd {
		h.focus(paneField)
		return nil
	}}
	if h.find.shows() {
		return widget.Panes{field, {Rect: h.below(), Framed: true, Content: h.find.draw.lines, Open: h.find.enter, Moved: func() tea.Cmd {
			h.find.draw.choose()
			return nil
		}}}
	}
	left, right := h.layout()
	open := func() tea.Cmd {
		h.about.refresh()
		if h.connect.opening != nil {
			return nil
		}
		return h.shelf.open()
	}
	return widget.Panes{
		field,
		{
			Rect: left, Framed: true, Content: h.list, Focus: func() { h.focus(paneList) }, Unfocused: h.has == paneField, Open: open,
			Moved: func() tea.Cmd { h.about.refresh(); return nil },
		},
		{Rect: right, Focus: func() { h.focus(paneAbout) }, Scroll: h.about.details.Wheel},
	}
}

// Cursor returns the cursor in the search field.
func (h *Home) Cursor() *tea.Cursor {
	w, _ := widget.PanelInner(h.w, fieldHeight)
	if h.has != paneField || h.h < fieldHeight || w <= 2 {
		return nil
	}
	_, at := h.find.field.Shown(w - 2)
	return widget.Caret(2+at, 1)
}

// Click selects a profile; a second click opens it.
func (h *Home) Click(x, y int) tea.Cmd { return h.panes().Click(x, y) }

// Wheel scrolls the list or the description.
func (h *Home) Wheel(x, y int, up bool) tea.Cmd { return h.panes().Wheel(x, y, up) }
