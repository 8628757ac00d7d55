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

// These signs appear on several screens.
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

// Signs concatenates lists of signs.
func Signs(lists ...[]Sign) []Sign { return slices.Concat(lists...) }

// A Guide introduces a screen to a new user, at the top of its help.
type Guide struct {
	Purpose string // purpose of the screen, one sentence
	First   string // the first step
	Signs   []Sign // the symbols on the screen
}

// A Sign is a symbol and its meaning.
type Sign struct {
	Glyph, Means string
}

// A Guided screen has a guide. The help of other screens contains only the keys.
type Guided interface {
	Guide() Guide
}

// A Stage describes the user's progress on a screen, as far as the tour needs it. The zero Stage means no progress.
type Stage struct {
	Place    string       // "home", "workbench", "item", "decode" or "journal"; "" for any other screen
	Rows     int          // number of results of Find
	Keys     bool         // the item's keys are visible
	Decoded  bool         // the user has decoded a text
	Choosing bool         // the item's possible changes are listed
	Planning bool         // the dialog that plans a change is open
	Path     bool         // the item's lifecycle is visible
	Queue    bool         // items that need a decision are listed
	Plan     *change.Plan // the plan on the screen, or nil
	Conflict bool         // a change ended with a conflict
	Changed  bool         // a change was applied
	Undone   bool         // an undo was applied
	Covered  bool         // an overlay is open
}

// Plainly reports whether screens describe requests in words, as they do for role support. Other roles, and screens
// without a connection or environment, show keys and indexes.
func (e *Env) Plainly() bool {
	return e != nil && e.Workspace != nil && e.Session.Role() == session.Support
}

// OperationWord returns one short word for a pattern's operation.
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
	// ID is stable between runs; recently used commands rank first. A command with ID "" is not recorded as used.
	ID      string
	Name    string // name of the action, which matches first; "" if there is none
	Section string // heading while the input is empty; "" shows the command only as a match
	Kind    string // "pattern", "screen" or "action", shown before the title
	Title   string
	Note    string // a key or an operation, shown at the right edge
	Words   string // additional search words
	Why     string // why the command is unavailable, or ""
	Spelled bool   // a search matches its whole words, never only some of their letters
	Run     func() tea.Cmd
	// Theme is shown while the cursor is on the command; nil keeps the current theme.
	Theme *widget.Theme
}

// A Scope is a screen's table of keys, with its name in the configuration.
type Scope struct {
	Name  string
	Title string
	Does  string // purpose of the screen, one sentence
	// Actions are the screen's own actions. Pieces are the actions of its lists and grids: they rank after Actions, and
	// their keys cannot be configured.
	Actions, Pieces widget.Actions
	// Types reports that this screen reads letters as text: global keys without ctrl or alt have no effect.
	Types bool
}

// MovingKeys returns the keys that move in a list or a text.
func MovingKeys() widget.Actions { return widget.NavigationActions() }

// GridKeys returns the keys of a grid.
func GridKeys() widget.Actions {
	return append(widget.NewGrid(&widget.Styles{}).Actions(), MovingKeys()...)
}

// TabbedKeys returns the keys of a grid with tabs.
func TabbedKeys() widget.Actions {
	return append(widget.Actions{{
		Name: "choose-tab", Binding: widget.Bind("1-9", "1", "2", "3", "4", "5", "6", "7", "8", "9"), Desc: "tab",
		Long: "go to the tab of this number",
	}}, GridKeys()...)
}

// PaneActions returns actions that focus a screen's panes with the digits, in the order in which tab visits them.
// cannot returns the reason why a pane is unavailable, "" if it is available.
func PaneActions(names []string, cannot func(i int) string, focus func(i int)) widget.Actions {
	list := make(widget.Actions, 0, len(names))
	for i, name := range names {
		digit := strconv.Itoa(i + 1)
		list = append(list, widget.NewAction("pane-"+digit, digit, "", "go to the "+name+" pane",
			func() string { return cannot(i) }, func() tea.Cmd { focus(i); return nil }))
	}
	return list
}

// A Registration describes a screen to the console. Scope is called without a session, to check the key configuration
// and to write docs/keys.md, so it must not need a session.
type Registration struct {
	Scope func() Scope
	// Open returns the screen for a target, or nil if the target belongs to another screen.
	Open func(*Env, Target) Screen
}

// Opens adapts a screen's constructor for Registration.Open.
func Opens[T Target](open func(*Env, T) Screen) func(*Env, Target) Screen {
	return func(env *Env, to Target) Screen {
		if own, ok := to.(T); ok {
			return open(env, own)
		}
		return nil
	}
}
