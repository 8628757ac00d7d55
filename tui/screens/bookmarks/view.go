package bookmarks

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// bookmarksLayout is where things are, frames included.
type bookmarksLayout struct{ list, text overlay.Rect }

// place computes the layout: what a bookmark is stands beside the list, or below
// it on a narrow screen.
func (s *bookmarksScreen) place() bookmarksLayout {
	if s.w >= present.NarrowBelow {
		left := s.w * 3 / 5
		return bookmarksLayout{overlay.Rect{X: 0, Y: 0, W: left, H: s.h}, overlay.Rect{X: left, Y: 0, W: s.w - left, H: s.h}}
	}
	below := min(s.h/2, 11)
	return bookmarksLayout{overlay.Rect{X: 0, Y: 0, W: s.w, H: s.h - below}, overlay.Rect{X: 0, Y: s.h - below, W: s.w, H: below}}
}

// SetSize sets the rectangle.
func (s *bookmarksScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	l := s.place()
	s.list.SetSize(widget.PanelInner(l.list.W, l.list.H))
	s.wide = 0
	s.refresh()
}

// refresh tells about the chosen bookmark.
func (s *bookmarksScreen) refresh() {
	iw, ih := widget.PanelInner(s.place().text.W, s.place().text.H)
	w := max(iw-3, 8)
	it, _ := s.list.Selected()
	if s.wide == w && s.shown == it.ID {
		return
	}
	s.text.ScrollTo(0)
	s.wide, s.shown = w, it.ID
	lines := s.Lines(w)
	if s.err != nil {
		lines = append(lines, "")
		lines = append(lines, s.faultLines(w)...)
	}
	if path := s.env.Bookmarks.Path(); path != "" && len(s.marks) > 0 {
		lines = append(lines, "")
		lines = append(lines, widget.Wrap(s.env.Styles, widget.RoleFaint, "kept in "+path, w)...)
	}
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	s.text.SetSize(max(iw-1, 0), ih)
	s.text.SetLines(lines)
}

// faultLines say what is wrong with the file, and where.
func (s *bookmarksScreen) faultLines(w int) []string {
	st := s.env.Styles
	var faults profiles.Errors
	if !errors.As(s.err, &faults) {
		return widget.Wrap(st, widget.RoleBad, "✗ "+s.err.Error(), w)
	}
	lines := widget.Wrap(
		st, widget.RoleBad,
		"✗ "+present.Plural(len(faults), "fault")+" in the file: nothing is changed from here until they are mended", w,
	)
	for _, f := range faults {
		text := "line " + strconv.Itoa(f.Line) + ": " + f.Message
		if f.Suggestion != "" {
			text += "; " + f.Suggestion
		}
		lines = append(lines, widget.Wrap(st, widget.RoleWarn, text, w)...)
	}
	return lines
}

// View draws the screen.
func (s *bookmarksScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	l := s.place()
	st := s.env.Styles
	list := widget.Panel{Title: "Bookmarks and named queries", Note: strconv.Itoa(len(s.marks)), Focused: true}
	content := s.list.View()
	if s.loaded && len(s.marks) == 0 {
		iw, ih := widget.PanelInner(l.list.W, l.list.H)
		content = widget.Indent(strings.Join(s.emptyLines(max(iw-2, 8)), "\n"), iw, ih)
	}
	text := widget.Panel{Title: "What it is"}
	if s.err != nil {
		text.Role = widget.RoleWarn
	}
	left, right := list.Render(st, content, l.list.W, l.list.H), text.Render(st, s.text.View(), l.text.W, l.text.H)
	view := widget.Columns(left, right)
	if s.w < present.NarrowBelow {
		view = widget.Rows(left, right)
	}
	return s.DrawBox(st, widget.Place(view, s.w, s.h), s.w, s.h)
}

// emptyLines say how bookmarks are made, and where they go.
func (s *bookmarksScreen) emptyLines(w int) []string {
	st := s.env.Styles
	lines := []string{""}
	lines = append(
		lines,
		widget.Wrap(st, widget.RoleText, "b on an item, or on a pattern with its parameters, gives it a name and puts it here.", w)...,
	)
	lines = append(lines, "")
	where := "They are kept until the program ends."
	if path := s.env.Bookmarks.Path(); path != "" {
		where = "They are kept in " + path + ", which can be edited, and shared with the profile."
	}
	lines = append(lines, widget.Wrap(st, widget.RoleMuted, where, w)...)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

// Cursor is where text is typed.
func (s *bookmarksScreen) Cursor() *tea.Cursor {
	if s.Box != nil {
		return s.Box.Cursor()
	}
	return widget.MoveCursor(s.list.Cursor(), 1, 1)
}
