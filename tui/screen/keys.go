package screen

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Scope is a screen's table of keys, under the name that a configuration uses.
type Scope struct {
	Name  string
	Title string
	Does  string // what the screen is for, a sentence
	// Actions are the screen's own; Pieces those of the lists and grids on it,
	// which come after them and cannot be given other keys.
	Actions, Pieces widget.Actions
	// Types says that letters are text here: keys everywhere without ctrl or alt
	// do not count.
	Types bool
}

// MovingKeys are the keys that move in a list or a text.
func MovingKeys() widget.Actions { return widget.NavigationActions() }

// GridKeys are the keys of a grid.
func GridKeys() widget.Actions {
	return append(widget.NewGrid(&widget.Styles{}).Actions(), MovingKeys()...)
}

// ListKeys are the keys of a list with a filter.
func ListKeys() widget.Actions {
	return append(widget.Actions{widget.NewAction("find", "/", "filter", "filter the list", nil, nil)}, MovingKeys()...)
}

// TabbedKeys are the keys of a grid under tabs.
func TabbedKeys() widget.Actions {
	return append(widget.Actions{{
		Name: "choose-tab", Binding: widget.Bind("1-9", "1", "2", "3", "4", "5", "6", "7", "8", "9"), Desc: "tab",
		Long: "go to the tab of this number",
	}}, GridKeys()...)
}

// PaneActions are the digits that go to the panes of a screen, in the order in which tab visits them. cannot says why one
// is not there, "" if it is.
func PaneActions(names []string, cannot func(i int) string, focus func(i int)) widget.Actions {
	list := make(widget.Actions, 0, len(names))
	for i, name := range names {
		digit := strconv.Itoa(i + 1)
		list = append(list, widget.NewAction("pane-"+digit, digit, "", "go to the "+name+" pane",
			func() string { return cannot(i) }, func() tea.Cmd { focus(i); return nil }))
	}
	return list
}

// A Registration is what the console knows of a screen. Scope is called without a session, to
// check the configuration of keys and to write docs/keys.md, so it must not need one.
type Registration struct {
	Scope func() Scope
	// Open returns the screen on a target, nil when the target is not its own.
	Open func(*Env, Target) Screen
}

// Opens adapts the constructor of a screen to a Registration.
func Opens[T Target](open func(*Env, T) Screen) func(*Env, Target) Screen {
	return func(env *Env, to Target) Screen {
		if own, ok := to.(T); ok {
			return open(env, own)
		}
		return nil
	}
}
