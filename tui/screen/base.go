package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Base is what the root needs to know of a screen that does not depend on its
// content. A screen that embeds one has a title, a place and a guide; it starts
// nothing and has nothing to cancel unless it defines Init and Close itself.
type Base struct {
	Name  string // the title, the screen's crumb
	Kind  string // a screen is not opened over another one of its kind
	About Guide  // introduces the screen in its help
}

// Title returns the screen's crumb.
func (b Base) Title() string { return b.Name }

// Place returns the kind of the screen.
func (b Base) Place() string { return b.Kind }

// Guide returns the introduction of the screen.
func (b Base) Guide() Guide { return b.About }

// Init starts nothing.
func (Base) Init() tea.Cmd { return nil }

// Close has nothing to cancel.
func (Base) Close() {}

// Press runs the action that is bound to a key, or shows the reason why it is
// unavailable. used is false if the key belongs to no action of the table.
func Press(actions widget.Actions, key tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	cmd, why, used := actions.Handle(key)
	if why != "" {
		return Send(NoticeMsg{Text: why}), used
	}
	return cmd, used
}
