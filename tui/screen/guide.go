package screen

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// Signs that several screens share.
var (
	StateSigns = []Sign{
		{"◐", "a state in which something still has to happen"},
		{"✓", "a state that ended well, or something that is in order"},
		{"✗", "a state that ended badly, or something that failed"},
		{"■", "a state that ended, neither well nor badly"},
	}
	MaskSigns = []Sign{
		{"•••", "personal data, hidden; an item shows it to those who may see it and give a reason"},
		{"[secret]", "a secret: shown to nobody, copied and exported by nobody"},
	}
	GridSigns = []Sign{
		{"↑ ↓", "the column that the rows are sorted by, upwards or downwards"},
		{"‹ ›", "columns that do not fit: h and l, or the arrows, scroll sideways"},
		{"●", "a row that is marked"},
		{"…", "text that does not fit"},
	}
	FindingSign = Sign{"⚠", "not run as the document has it; the finding says why, and what runs instead"}
)

func Signs(lists ...[]Sign) []Sign { return slices.Concat(lists...) }

// A Guide introduces a screen to somebody who sees it for the first time.
type Guide struct {
	Purpose string // what the screen is for, in a sentence
	First   string // what to do first
	Signs   []Sign // the signs that are used on it
}

// A Sign is a glyph and what it means.
type Sign struct {
	Glyph, Means string
}

// A Guided screen introduces itself at the top of its help.
type Guided interface {
	Guide() Guide
}

// A Stage is what somebody has done on a screen, as far as the tour asks for it.
type Stage struct {
	Place    string // "home", "workbench", "item", "decode", "journal"; "" for another
	Rows     int    // that a pattern found
	Keys     bool   // the keys of the item are in view
	Decoded  bool   // something was decoded
	Choosing bool   // the changes of the item are listed
	Planning bool   // a change is being planned: its dialog is open
	Covered  bool   // something lies over the screen
}

// Plainly reports whether requests are told in words: to support. Developers
// and admins see keys and indexes, and so does who is not connected yet.
func (e *Env) Plainly() bool { return e.Session != nil && e.Session.Role() == session.Support }

// OperationWord names what a pattern does in one short word.
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
	// ID is stable between runs: the order of what is found follows what was
	// chosen lately. "" is not remembered.
	ID      string
	Section string // heading while nothing is typed; "" shows it only when it is found
	Kind    string // "pattern", "screen", "action": what it is, before its title
	Title   string
	Note    string // at the right edge: a key, an operation
	Words   string // further words that find it
	Why     string // why it cannot be done now, "" when it can
	Run     func() tea.Cmd
}
