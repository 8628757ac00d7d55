package widget

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// navigation holds the keys that every scrolling widget shares.
type navigation struct {
	up, down, pageUp, pageDown, halfUp, halfDown, home, end key.Binding
}

func newNavigation() navigation {
	return navigation{
		up:       key.NewBinding(key.WithKeys("up", "k"), key.WithHelp("↑/k", "up")),
		down:     key.NewBinding(key.WithKeys("down", "j"), key.WithHelp("↓/j", "down")),
		pageUp:   key.NewBinding(key.WithKeys("pgup", "ctrl+b"), key.WithHelp("pgup", "page up")),
		pageDown: key.NewBinding(key.WithKeys("pgdown", "ctrl+f"), key.WithHelp("pgdn", "page down")),
		halfUp:   key.NewBinding(key.WithKeys("ctrl+u"), key.WithHelp("ctrl+u", "half a page up")),
		halfDown: key.NewBinding(key.WithKeys("ctrl+d"), key.WithHelp("ctrl+d", "half a page down")),
		home:     key.NewBinding(key.WithKeys("home", "g"), key.WithHelp("g", "first")),
		end:      key.NewBinding(key.WithKeys("end", "G"), key.WithHelp("G", "last")),
	}
}

// NavigationActions lists the keys that move in every list, grid and tree, for the
// help screen.
func NavigationActions() []Action {
	n := newNavigation()
	return []Action{
		{Name: "up", Binding: n.up, Desc: "up"},
		{Name: "down", Binding: n.down, Desc: "down"},
		{Name: "page-up", Binding: n.pageUp, Desc: "page up"},
		{Name: "page-down", Binding: n.pageDown, Desc: "page down"},
		{Name: "half-up", Binding: n.halfUp, Desc: "half a page up"},
		{Name: "half-down", Binding: n.halfDown, Desc: "half a page down"},
		{Name: "first", Binding: n.home, Desc: "first"},
		{Name: "last", Binding: n.end, Desc: "last"},
	}
}

// wheelLines is the number of lines that one notch of the wheel scrolls.
const wheelLines = 3

func wheelMsg(up bool) tea.MouseWheelMsg {
	if up {
		return tea.MouseWheelMsg{Button: tea.MouseWheelUp}
	}
	return tea.MouseWheelMsg{Button: tea.MouseWheelDown}
}

// window is a cursor over n rows, of which height are visible, starting at top.
type window struct {
	nav         navigation
	top, cursor int
	n, height   int
	free        bool // no cursor: only top moves, as in a pager
	still       bool // the wheel leaves the cursor where it is, also out of view
	away        bool // the wheel scrolled: the cursor need not be in view
}

func newWindow() window { return window{nav: newNavigation()} }

func (w *window) resize(n, height int) {
	w.n, w.height = max(n, 0), max(height, 0)
	w.cursor = min(max(w.cursor, 0), max(w.n-1, 0))
	if !w.free && !w.away {
		w.reveal()
	}
	w.top = min(max(w.top, 0), max(w.n-w.height, 0))
}

func (w *window) reveal() {
	if w.cursor < w.top {
		w.top = w.cursor
	}
	if w.height > 0 && w.cursor >= w.top+w.height {
		w.top = w.cursor - w.height + 1
	}
}

func (w *window) move(by int) {
	w.away = false
	if w.free {
		w.top += by
	} else {
		w.cursor += by
	}
	w.resize(w.n, w.height)
}

func (w *window) to(row int) {
	w.away = false
	if w.free {
		w.top = row
	} else {
		w.cursor = row
	}
	w.resize(w.n, w.height)
}

func (w *window) wheel(lines int) {
	w.top = min(max(w.top+lines, 0), max(w.n-w.height, 0))
	switch {
	case w.still:
		w.away = true
	case !w.free:
		w.cursor = min(max(w.cursor, w.top), max(w.top+w.height-1, w.top))
	}
	w.resize(w.n, w.height)
}

func (w *window) update(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			w.wheel(-wheelLines)
		case tea.MouseWheelDown:
			w.wheel(wheelLines)
		default:
			return false
		}
		return true
	case tea.KeyPressMsg:
		return w.key(msg)
	}
	return false
}

func (w *window) key(msg tea.KeyPressMsg) bool {
	page := max(w.height-1, 1)
	half := max(w.height/2, 1)
	switch {
	case key.Matches(msg, w.nav.up):
		w.move(-1)
	case key.Matches(msg, w.nav.down):
		w.move(1)
	case key.Matches(msg, w.nav.pageUp):
		w.move(-page)
	case key.Matches(msg, w.nav.pageDown):
		w.move(page)
	case key.Matches(msg, w.nav.halfUp):
		w.move(-half)
	case key.Matches(msg, w.nav.halfDown):
		w.move(half)
	case key.Matches(msg, w.nav.home):
		w.to(0)
	case key.Matches(msg, w.nav.end):
		w.to(w.n)
	default:
		return false
	}
	return true
}

func (w *window) thumb() (from, to int) {
	if w.height <= 0 || w.n <= w.height {
		return 0, 0
	}
	size := max(w.height*w.height/w.n, 1)
	room := w.height - size
	from = (w.top*room + (w.n-w.height)/2) / (w.n - w.height)
	return from, from + size
}
