package widget

import tea "charm.land/bubbletea/v2"

// A Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Has reports whether a cell is inside the rectangle.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Inner returns the content of a Panel that is drawn in the rectangle.
func (r Rect) Inner() Rect {
	w, h := PanelInner(r.W, r.H)
	return Rect{r.X + 1, r.Y + 1, w, h}
}

// Centered returns a rectangle of bw by bh cells in the middle of w by h cells, for a
// box over a screen. A box that is wider than w begins left of 0 and is cut by Overlay.
func Centered(w, h, bw, bh int) Rect { return Rect{(w - bw) / 2, max((h-bh)/2, 0), bw, bh} }

// A Clickable takes the mouse in its own coordinates. Lists, fields, grids and scrolling
// texts are clickable.
type Clickable interface {
	// Click moves the cursor to the entry at x, y; ok reports whether there is one,
	// again whether the cursor already was on it.
	Click(x, y int) (again, ok bool)
	// Wheel scrolls by one notch of the mouse wheel.
	Wheel(up bool)
}

// A Pane is a rectangle of a screen and what takes the mouse there.
type Pane struct {
	Rect              // on the screen, with the frame
	Framed  bool      // Content is inside of a Panel: one cell smaller on each side
	Content Clickable // nil if Other takes all clicks and the wheel does nothing

	// Focus, when not nil, gives the keyboard to the pane before a click is handled.
	Focus func()
	// Unfocused says that the pane did not have the keyboard before the click: the
	// click then chooses an entry and never opens it.
	Unfocused bool
	// Moved, when not nil, updates what depends on the cursor of Content after a click
	// or a turn of the wheel.
	Moved func() tea.Cmd
	// Open, when not nil, is the second click on an entry.
	Open func() tea.Cmd
	// Other, when not nil, takes the clicks that hit no entry, relative to Content.
	Other func(x, y int) tea.Cmd
	// Scroll, when not nil, takes the wheel instead of Content.
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
	again, ok := false, false
	if p.Content != nil {
		again, ok = p.Content.Click(x, y)
	}
	switch {
	case again && !p.Unfocused && p.Open != nil:
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

// Panes sends the mouse to the parts of a screen. A screen returns its panes in one
// method, from the rectangles of its layout, and has no other code for the mouse:
//
//	func (s *journalScreen) panes() widget.Panes {
//		return widget.Panes{
//			{Rect: s.lay.entries, Framed: true, Content: s.grid, Focus: s.focusGrid, Open: s.open},
//			{Rect: s.lay.frame, Framed: true, Content: s.details, Focus: s.focusText},
//		}
//	}
//
// A screen that embeds overlay.Host sets Host.Panes to that method and thereby has
// Click, Wheel and Cursor, also for the box that is open over it. Any other screen calls
// the methods of the same names here. Of panes that overlap, the first one counts;
// hidden panes are left out.
type Panes []Pane

// Click gives a click to the pane at x, y. A click beside all panes does nothing and returns
// nil.
func (ps Panes) Click(x, y int) tea.Cmd {
	for _, p := range ps {
		if p.Has(x, y) {
			return p.click(x, y)
		}
	}
	return nil
}

// Wheel gives a turn of the wheel to the pane at x, y. The keyboard stays where it is.
func (ps Panes) Wheel(x, y int, up bool) tea.Cmd {
	for _, p := range ps {
		if p.Has(x, y) {
			return p.wheel(up)
		}
	}
	return nil
}

// Cursor returns the terminal's cursor of the first pane in which text is typed, nil
// for none.
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
