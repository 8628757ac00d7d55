package item

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// These are the indexes of the tabs, in the order of link.Sections.
const (
	tabOverview = iota
	tabHistory
	tabRelated
	tabKeys
	tabRaw
)

// A tab is one view of the item. The screen draws its title and frame, and passes keys and the mouse to the visible
// tab. A tab that embeds base only needs to implement the methods that it uses.
type tab interface {
	// title returns the title with counts, or "" for an empty tab. note returns the text at the right of the frame.
	title() string
	note() string
	// remake updates the tab after the item or the masking changed.
	remake()
	setStyles(st *widget.Styles)
	// setSize sets the size inside the frame. The screen calls it only for visible tabs.
	setSize(w, h int)
	// view draws the tab in exactly the size that setSize set.
	view() string
	// mouse returns the widget that handles clicks and the wheel, or nil.
	mouse() widget.Clickable
	// opened starts the tab's reads when the tab becomes visible. byUser means that the user opened it.
	opened(byUser bool) tea.Cmd
	// update handles messages other than the screen's keys. used is false if the tab does not handle the message.
	update(msg tea.Msg) (cmd tea.Cmd, used bool)
	// isTyping reports whether letters are text. stopTyping ends the input and keeps the text.
	isTyping() bool
	stopTyping()
	// cancel stops the tab's work. It returns false if there was none.
	cancel() bool
	// enter, search and loadMore return the commands that these keys run at the cursor.
	enter() command
	search() command
	loadMore() command
}

// A command is the effect of a key on a tab, with a word for the bottom line, and the reason why it is unavailable, or
// "".
type command struct {
	word, reason string
	run          func() tea.Cmd
}

// base implements tab with methods that do nothing.
type base struct{ s *itemData }

func (base) opened(bool) tea.Cmd { return nil }
func (base) isTyping() bool      { return false }
func (base) stopTyping()         {}
func (base) cancel() bool        { return false }
func (base) enter() command      { return command{word: "open", reason: "nothing to open on this tab"} }
func (base) search() command     { return command{reason: "this tab has no filter"} }
func (base) loadMore() command   { return command{reason: "nothing more to read"} }

func titleWithCount(title string, n int) string {
	if n == 0 {
		return title
	}
	return title + " " + strconv.Itoa(n)
}
