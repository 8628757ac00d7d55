package screen

import (
	"errors"
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
	FindingSign = Sign{"⚠", "a request that, as documented, returns wrong results, corrupts data or exposes it; see the issue for the workaround"}
)

// Signs concatenates the lists.
func Signs(lists ...[]Sign) []Sign { return slices.Concat(lists...) }

// A Guide introduces a screen to new users at the top of its help.
type Guide struct {
	Purpose string // one sentence about the purpose of the screen
	First   string // first step
	Signs   []Sign // symbols on the screen
}

// A Sign is a symbol and its meaning.
type Sign struct {
	Glyph, Meaning string
}

// A GuideProvider screen has a guide. For other screens, the help contains only the keys.
type GuideProvider interface {
	Guide() Guide
}

// A Stage describes the user's progress on a screen for the tour. The zero Stage means no progress.
type Stage struct {
	Place      string       // "home", "workbench", "item", "decode" or "journal"; "" for any other screen
	Rows       int          // number of results of Find
	ShowsKeys  bool         // the screen shows the item's keys
	Decoded    bool         // the user has decoded a text
	Choosing   bool         // the screen lists the possible changes of the item
	Planning   bool         // the dialog that plans a change is open
	ShowsPath  bool         // the screen shows the item's lifecycle
	ShowsQueue bool         // the screen lists items that need a decision
	Plan       *change.Plan // plan on the screen, or nil
	Conflict   bool         // a change ended with a conflict
	Changed    bool         // a change was applied
	Undone     bool         // an undo was applied
	Covered    bool         // an overlay is open
}

// Plain reports whether screens describe requests in words, as they do for role support. For other roles, and without
// a connection or environment, they show keys and indexes.
func (e *Env) Plain() bool {
	return e != nil && e.Workspace != nil && e.Session.Plain()
}

// Reason returns the text of an error as the reason why an action is unavailable. For role support, it omits a
// refusal's advice to start with another role or to change the configuration.
func (e *Env) Reason(err error) string {
	if r, ok := errors.AsType[*session.Refusal](err); ok && e.Plain() {
		return r.PlainReason()
	}
	return err.Error()
}

// OperationWord returns a single word for a pattern's operation.
func (e *Env) OperationWord(op accesspatterns.Operation) string {
	if !e.Plain() {
		return string(op)
	}
	return map[accesspatterns.Operation]string{
		accesspatterns.Get: "one", accesspatterns.Query: "list", accesspatterns.Scan: "all",
		accesspatterns.Count: "count", accesspatterns.Write: "edit",
	}[op]
}

// A Command is an entry of the palette.
type Command struct {
	// ID must be the same in every run, so that recent commands rank first. A command with ID "" is not recorded.
	ID      string
	Name    string // name of the action, which matches first; "" if it has none
	Section string // heading while the input is empty; a command without a Section appears only as a match
	Kind    string // "pattern", "screen" or "action", shown before the title
	Title   string
	Note    string // key or operation at the right edge
	Words   string // additional search words
	Why     string // reason why the command is unavailable, or ""
	Spelled bool   // only whole words match, never some of their letters
	Run     func() tea.Cmd
	// Theme is the theme to preview while the cursor is on the command; nil keeps the current one.
	Theme *widget.Theme
}

// A Scope is a screen's key table, with its name in the configuration.
type Scope struct {
	Name  string
	Title string
	Does  string // one sentence about the purpose of the screen
	// Actions contains the screen's own actions. Pieces contains the actions of its lists and grids, which rank after
	// Actions and have fixed keys.
	Actions, Pieces widget.Actions
	// Types means that the screen reads letters as text, so global keys without ctrl or alt have no effect.
	Types bool
}

// MovingKeys returns the keys that move within a list or a text.
func MovingKeys() widget.Actions { return widget.NavigationActions() }

// GridKeys returns the keys of a grid.
func GridKeys() widget.Actions {
	return append(widget.NewGrid(&widget.Styles{}).Actions(), MovingKeys()...)
}

// TabbedKeys returns the keys of a grid that has tabs.
func TabbedKeys() widget.Actions {
	return append(widget.Actions{{
		Name: "choose-tab", Binding: widget.Bind("1-9", "1", "2", "3", "4", "5", "6", "7", "8", "9"), Desc: "tab",
		Long: "go to the tab with this number",
	}}, GridKeys()...)
}

// PaneActions returns actions that focus a screen's panes with the digits, in the order in which tab visits them.
// disabled returns the reason why a pane is unavailable, or "".
func PaneActions(names []string, disabled func(i int) string, focus func(i int)) widget.Actions {
	list := make(widget.Actions, 0, len(names))
	for i, name := range names {
		digit := strconv.Itoa(i + 1)
		list = append(list, widget.NewAction("pane-"+digit, digit, "", "go to the "+name+" pane",
			func() string { return disabled(i) }, func() tea.Cmd { focus(i); return nil }))
	}
	return list
}

// A Registration describes a screen to the console. The console calls Scope to check the key configuration and to write
// docs/keys.md, so Scope must work without a session.
type Registration struct {
	Scope func() Scope
	// Open returns the screen for a target, or nil if another screen handles the target.
	Open func(*Env, Target) Screen
}

// OpenFunc adapts the constructor of a screen to Registration.Open.
func OpenFunc[T Target](open func(*Env, T) Screen) func(*Env, Target) Screen {
	return func(env *Env, to Target) Screen {
		if typed, ok := to.(T); ok {
			return open(env, typed)
		}
		return nil
	}
}
