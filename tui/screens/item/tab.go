package item

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A tab is one view of the item. The screen draws its title and its frame, and sends
// keys and the mouse to the tab in view. A type that embeds base has the methods that it
// does not need.
type tab interface {
	// title is the name in the row of tabs, with figures; note stands at the right of
	// the frame.
	title() string
	note() string
	// remake follows a change of the item, or of what may be shown of it.
	remake()
	setStyles(st *widget.Styles)
	// setSize sets the size inside the frame. Only tabs in view are sized.
	setSize(w, h int)
	// view draws the tab in exactly that size.
	view() string
	// mouse is what takes clicks and the wheel, nil for nothing.
	mouse() widget.Clickable
	// beside is the tab that is drawn at the right where there is room, nil for none.
	beside() tab
	// opened starts what the tab reads when it comes into view.
	opened() tea.Cmd
	// update takes the messages that are no key of the screen; used is false for those
	// that the tab does not know either.
	update(msg tea.Msg) (cmd tea.Cmd, used bool)
	// typing reports whether letters are text; stopTyping ends that and keeps the text.
	typing() bool
	stopTyping()
	// cancel stops what the tab does, and reports whether there was anything to stop.
	cancel() bool
	// actions are keys that work only while the tab is in view.
	actions() widget.Actions
	// enter, search, next and previous are what these keys do at the cursor.
	enter() command
	search() command
	next() command
	previous() command
}

// A command is what a key does on a tab: a word for the bottom line, and why it is not
// possible, "" if it is.
type command struct {
	word, why string
	run       func() tea.Cmd
}

// base is a tab that does nothing.
type base struct{ s *itemScreen }

func (base) note() string            { return "" }
func (base) beside() tab             { return nil }
func (base) opened() tea.Cmd         { return nil }
func (base) typing() bool            { return false }
func (base) stopTyping()             {}
func (base) cancel() bool            { return false }
func (base) actions() widget.Actions { return nil }
func (base) enter() command          { return command{word: "open", why: "nothing to open on this tab"} }

func (base) search() command {
	return command{why: "search works on Overview (1), Related (5) and Raw (7)"}
}
func (b base) next() command     { return b.s.search.step(1) }
func (b base) previous() command { return b.s.search.step(-1) }

func counted(title string, n int) string {
	if n == 0 {
		return title
	}
	return title + " " + strconv.Itoa(n)
}

// textTab is a tab of lines that are made for a width when they are seen.
type textTab struct {
	base
	pager *widget.Pager
	lines func(w int) []string
	w, h  int
	made  int // width that the lines were made for, 0: none
}

func newTextTab(s *itemScreen, lines func(w int) []string) textTab {
	return textTab{base: base{s}, pager: widget.NewPager(s.env.Styles), lines: lines}
}

func (t *textTab) remake() { t.made = 0 }

func (t *textTab) setStyles(st *widget.Styles) {
	t.made = 0
	t.pager.SetStyles(st)
}

// textMargin is how many columns of a text tab are blank: one at each side.
const textMargin = 2

func (t *textTab) setSize(w, h int) {
	t.w, t.h = w, h
	w -= textMargin
	t.pager.SetSize(w, h)
	if t.made != w && w > 1 {
		t.made = w
		t.pager.SetLines(t.lines(w - 1)) // The last column is the scroll bar.
	}
}

func (t *textTab) view() string { return widget.Indent(t.pager.View(), t.w, t.h) }

func (t *textTab) mouse() widget.Clickable { return t.pager }

func (t *textTab) update(msg tea.Msg) (tea.Cmd, bool) { return nil, t.pager.Update(msg) }
