package widget

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A Panel is a frame with a title on the left and a note on the right of its top edge. The zero Panel is a frame
// without a title.
type Panel struct {
	Title   string
	Note    string // counts or an operation
	Role    Role   // role of the frame; with RoleText, the focus determines the color
	Focused bool   // the content has the keyboard focus
}

// PanelInner returns the content size of a panel of w by h cells.
func PanelInner(w, h int) (int, int) { return max(w-2, 0), max(h-2, 0) }

// Render draws the panel in exactly w by h cells around styled content, which it cuts or pads.
func (p Panel) Render(s *Styles, content string, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	if w < 2 || h < 2 {
		return strings.Join(fitBlock(content, w, h), "\n")
	}
	frame, title := p.roles()
	edge := s.Paint(frame, "│")
	lines := make([]string, 0, h)
	lines = append(lines, titledRule(s, "╭", "╮", p.Title, p.Note, frame, title, w))
	for _, line := range fitBlock(content, w-2, h-2) {
		lines = append(lines, edge+line+edge)
	}
	for len(lines) < h-1 { // A panel of two cells has no room for content.
		lines = append(lines, edge+edge)
	}
	lines = append(lines, s.Paint(frame, "╰"+strings.Repeat("─", w-2)+"╯"))
	return strings.Join(lines, "\n")
}

func (p Panel) roles() (frame, title Role) {
	switch {
	case p.Role != RoleText:
		return p.Role, p.Role
	case p.Focused:
		return RoleAccent, RoleTitle
	}
	return RoleBorder, RoleMuted
}

func titledRule(s *Styles, left, right, title, note string, frame, titleRole Role, w int) string {
	room := w - 2
	title, titleWidth := cellText(title, max(room-2, 0))
	noteWidth := 0
	if note != "" {
		note, noteWidth = cellText(note, max(room-2, 0))
		if need := titleWidth + noteWidth + 5; need > room {
			note, noteWidth = "", 0
		}
	}
	var b strings.Builder
	b.WriteString(s.openSequence(frame, SurfacePlain) + left)
	if titleWidth > 0 {
		b.WriteString(closeSequence(s, frame) + " " + s.Paint(titleRole, title) + " " + s.openSequence(frame, SurfacePlain))
		room -= titleWidth + 2
	}
	if noteWidth > 0 {
		room -= noteWidth + 3
	}
	b.WriteString(strings.Repeat("─", max(room, 0)))
	if noteWidth > 0 {
		b.WriteString(closeSequence(s, frame) + " " + s.Paint(RoleMuted, note) + " " + s.openSequence(frame, SurfacePlain) + "─")
	}
	b.WriteString(right + closeSequence(s, frame))
	return b.String()
}

func closeSequence(s *Styles, r Role) string {
	if s.openSequence(r, SurfacePlain) == "" {
		return ""
	}
	return resetStyle
}

// Rule draws a horizontal line of w cells with a title, to divide a panel.
func Rule(s *Styles, title, note string, w int) string {
	if w < 2 {
		return strings.Repeat("─", max(w, 0))
	}
	return titledRule(s, "─", "─", title, note, RoleBorder, RoleMuted, w)
}

// Columns joins styled blocks of equal height side by side. All lines of a block must have the same width, like the
// views of widgets. A block with fewer lines than the first one leaves a gap, so pad blocks with Place first.
func Columns(blocks ...string) string {
	var parts [][]string
	for _, block := range blocks {
		if block != "" {
			parts = append(parts, strings.Split(block, "\n"))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	lines := make([]string, len(parts[0]))
	for i := range lines {
		for _, part := range parts {
			if i < len(part) {
				lines[i] += part[i]
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Rows stacks styled blocks and omits empty ones.
func Rows(blocks ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(blocks), func(block string) bool { return block == "" }), "\n")
}

// Place cuts or pads a styled block to exactly w by h cells.
func Place(block string, w, h int) string { return strings.Join(fitBlock(block, w, h), "\n") }

// A Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Has reports whether a cell is inside the rectangle.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Inner returns the content rectangle of a Panel that fills this rectangle.
func (r Rect) Inner() Rect {
	w, h := PanelInner(r.W, r.H)
	return Rect{r.X + 1, r.Y + 1, w, h}
}

// Centered returns a rectangle of bw by bh cells in the middle of w by h cells, for a box over a screen. A box wider
// than w starts left of 0, and Overlay cuts it.
func Centered(w, h, bw, bh int) Rect { return Rect{(w - bw) / 2, max((h-bh)/2, 0), bw, bh} }

// A Clickable handles the mouse in its own coordinates. Lists, fields, grids and scrolling texts are Clickable.
type Clickable interface {
	// Click moves the cursor to the entry at x, y. ok reports whether there is one, and second whether the cursor was
	// already on it.
	Click(x, y int) (second, ok bool)
	// Wheel scrolls by one notch of the mouse wheel.
	Wheel(up bool)
}

// A Pane is a rectangle of a screen, with its mouse handlers.
type Pane struct {
	Rect              // on the screen, including the frame
	Framed  bool      // a Panel surrounds Content, which is one cell smaller on each side
	Content Clickable // nil if Other handles all clicks and the wheel does nothing

	// Focus moves the keyboard focus to the pane before the click; may be nil.
	Focus func()
	// Unfocused means that the pane did not have the keyboard focus before the click. The click then selects an entry
	// but never opens it.
	Unfocused bool
	// Moved updates data that depends on the cursor of Content, after a click or a wheel turn; may be nil.
	Moved func() tea.Cmd
	// Open handles the second click on an entry; may be nil.
	Open func() tea.Cmd
	// Other handles clicks outside of entries, relative to Content; may be nil.
	Other func(x, y int) tea.Cmd
	// Scroll handles the wheel instead of Content; may be nil.
	Scroll func(up bool)
}

func (p Pane) inner() Rect {
	if p.Framed {
		return p.Inner()
	}
	return p.Rect
}

func (p Pane) click(x, y int) tea.Cmd {
	if p.Focus != nil {
		p.Focus()
	}
	at := p.inner()
	x, y = x-at.X, y-at.Y
	second, ok := false, false
	if p.Content != nil {
		second, ok = p.Content.Click(x, y)
	}
	switch {
	case second && !p.Unfocused && p.Open != nil:
		return p.Open()
	case ok:
		return p.moved()
	case p.Other != nil:
		return p.Other(x, y)
	}
	return nil
}

func (p Pane) wheel(up bool) tea.Cmd {
	switch {
	case p.Scroll != nil:
		p.Scroll(up)
	case p.Content != nil:
		p.Content.Wheel(up)
	}
	return p.moved()
}

func (p Pane) moved() tea.Cmd {
	if p.Moved == nil {
		return nil
	}
	return p.Moved()
}

// Panes passes mouse events to the parts of a screen. A screen returns its panes in one method, from the rectangles of
// its layout, and needs no other code for the mouse:
//
//	func (s *journalScreen) panes() widget.Panes {
//		return widget.Panes{
//			{Rect: s.lay.entries, Framed: true, Content: s.grid, Focus: s.focusGrid, Open: s.open},
//			{Rect: s.lay.frame, Framed: true, Content: s.details, Focus: s.focusText},
//		}
//	}
//
// A screen that embeds overlay.Host sets Host.Panes to that method and gets Click, Wheel and Cursor from the Host,
// which also work for an open box. Any other screen calls the methods with the same names here. If panes overlap, the
// first one receives the event; omit hidden panes.
type Panes []Pane

// Click passes a click to the pane at x, y. It ignores a click outside of all panes and returns nil.
func (ps Panes) Click(x, y int) tea.Cmd {
	for _, p := range ps {
		if p.Has(x, y) {
			return p.click(x, y)
		}
	}
	return nil
}

// Wheel passes a wheel turn to the pane at x, y. It does not move the keyboard focus.
func (ps Panes) Wheel(x, y int, up bool) tea.Cmd {
	for _, p := range ps {
		if p.Has(x, y) {
			return p.wheel(up)
		}
	}
	return nil
}

// Cursor returns the terminal cursor of the first pane with text input, or nil.
func (ps Panes) Cursor() *tea.Cursor {
	for _, p := range ps {
		typed, ok := p.Content.(interface{ Cursor() *tea.Cursor })
		if !ok {
			continue
		}
		at := p.inner()
		if c := MoveCursor(typed.Cursor(), at.X, at.Y); c != nil {
			return c
		}
	}
	return nil
}
