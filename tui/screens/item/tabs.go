package item

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The places of the tabs, in the order of link.Sections.
const (
	tabOverview = iota
	tabHistory
	tabRelated
	tabKeys
	tabRaw
)

// A tab is one view of the item. The screen draws its title and its frame, and sends
// keys and the mouse to the tab in view. A type that embeds base has the methods that it
// does not need.
type tab interface {
	// title is the name in the row of tabs, with figures, "" for a tab that has nothing to show; note stands at the right of
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
	// opened starts what the tab reads when it comes into view, asked if somebody went there.
	opened(asked bool) tea.Cmd
	// update takes the messages that are no key of the screen; used is false for those
	// that the tab does not know either.
	update(msg tea.Msg) (cmd tea.Cmd, used bool)
	// typing reports whether letters are text; stopTyping ends that and keeps the text.
	typing() bool
	stopTyping()
	// cancel stops what the tab does, and reports whether there was anything to stop.
	cancel() bool
	// enter, search and more are what these keys do at the cursor.
	enter() command
	search() command
	more() command
}

// A command is what a key does on a tab: a word for the bottom line, and why it is not
// possible, "" if it is.
type command struct {
	word, why string
	run       func() tea.Cmd
}

// base is a tab that does nothing.
type base struct{ s *subject }

func (base) opened(bool) tea.Cmd { return nil }
func (base) typing() bool        { return false }
func (base) stopTyping()         {}
func (base) cancel() bool        { return false }
func (base) enter() command      { return command{word: "open", why: "nothing to open on this tab"} }
func (base) search() command     { return command{why: "this tab has no filter"} }
func (base) more() command       { return command{why: "nothing more to read"} }

func counted(title string, n int) string {
	if n == 0 {
		return title
	}
	return title + " " + strconv.Itoa(n)
}
