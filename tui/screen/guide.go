package screen

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Signs that several screens use.
var (
	StateSigns = []Sign{
		{"◐", "an open state"},
		{"✓", "a successful final state, or a check that passed"},
		{"✗", "an unsuccessful final state, or a check that failed"},
		{"■", "a neutral final state"},
	}
	MaskSigns = []Sign{
		{models.MaskedText, "masked personal data; on an item, a role with the permission can reveal it with a reason"},
		{models.SecretText, "a secret: never shown, copied or exported"},
	}
	GridSigns = []Sign{
		{"↑ ↓", "the column that the rows are sorted by, ascending or descending"},
		{"‹ ›", "hidden columns: h and l, or the arrow keys, scroll sideways"},
		{"●", "a marked row"},
		{"…", "text that does not fit"},
	}
	FindingSign = Sign{"⚠", "as documented, it returns wrong results, corrupts data or exposes it; see the issue for the workaround"}
)

// Signs joins lists of signs.
func Signs(lists ...[]Sign) []Sign { return slices.Concat(lists...) }

// A Guide introduces a screen to a new user, at the top of its help.
type Guide struct {
	Purpose string // what the screen is for, in a sentence
	First   string // the first step
	Signs   []Sign // the symbols on the screen
}

// A Sign is a symbol and its meaning.
type Sign struct {
	Glyph, Means string
}

// A Guided screen has a guide. A screen without one has the keys alone in its help.
type Guided interface {
	Guide() Guide
}

// A Stage is what the user has done on a screen, as far as the tour needs it. The zero Stage
// says that nothing of this has happened.
type Stage struct {
	Place    string       // "home", "workbench", "item", "decode", "journal"; "" for another
	Rows     int          // number of results of Find
	Keys     bool         // the keys of the item are visible
	Decoded  bool         // something was decoded
	Choosing bool         // the changes of the item are listed
	Planning bool         // a change is being planned: its dialog is open
	Path     bool         // the lifecycle of the item is visible
	Queue    bool         // items that need a decision are listed
	Plan     *change.Plan // that is shown, nil for none
	Conflict bool         // a change ended with a conflict
	Changed  bool         // a change was applied
	Undone   bool         // an undo was applied
	Covered  bool         // an overlay is open
}

// Plainly reports whether requests are described in words, for role support.
// Other roles, and screens without a connection or environment, show keys and indexes.
func (e *Env) Plainly() bool {
	return e != nil && e.Workspace != nil && e.Session.Role() == session.Support
}

// OperationWord returns one short word for the operation of a pattern.
func (e *Env) OperationWord(op accesspatterns.Operation) string {
	if !e.Plainly() {
		return string(op)
	}
	switch op {
	case accesspatterns.Get:
		return "one"
	case accesspatterns.Query:
		return "list"
	case accesspatterns.Scan:
		return "all"
	case accesspatterns.Count:
		return "count"
	default:
		return "edit"
	}
}

// A Command is an entry of the palette.
type Command struct {
	// ID is stable between runs; recently used commands rank first. "" is not
	// remembered.
	ID      string
	Name    string // of the action, which matches first; "" for none
	Section string // heading while nothing is typed; "" shows the command only as a match
	Kind    string // "pattern", "screen", "action": what it is, before its title
	Title   string
	Note    string // at the right edge: a key, an operation
	Words   string // additional words that match
	Why     string // why it is unavailable, "" if it is available
	Spelled bool   // found by its words, never by some of their letters
	Run     func() tea.Cmd
	// Theme is shown while the command is under the cursor; nil leaves the present one.
	Theme *widget.Theme
}

// A Scope is a screen's table of keys, under the name that a configuration uses.
type Scope struct {
	Name  string
	Title string
	Does  string // what the screen is for, a sentence
	// Actions are the screen's own; Pieces those of the lists and grids on it,
	// which come after them and cannot be given other keys.
	Actions, Pieces widget.Actions
	// Types reports that letters are text here: keys everywhere without ctrl or alt
	// do not count.
	Types bool
}

// MovingKeys are the keys that move in a list or a text.
func MovingKeys() widget.Actions { return widget.NavigationActions() }

// GridKeys are the keys of a grid.
func GridKeys() widget.Actions {
	return append(widget.NewGrid(&widget.Styles{}).Actions(), MovingKeys()...)
}

// TabbedKeys are the keys of a grid under tabs.
func TabbedKeys() widget.Actions {
	return append(widget.Actions{{
		Name: "choose-tab", Binding: widget.Bind("1-9", "1", "2", "3", "4", "5", "6", "7", "8", "9"), Desc: "tab",
		Long: "go to the tab of this number",
	}}, GridKeys()...)
}

// PaneActions are the digits that go to the panes of a screen, in the order in which tab visits them. cannot explains why one
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
