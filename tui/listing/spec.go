// Package listing builds a screen from the declaration of a list: its rows, how to read and show them, and their
// actions. All lists share the code and the texts for the filter, sorting, marks, tabs, mouse, details, reading and
// stopping, refresh, sign-in, copy, export and questions.
//
// A list that reads its rows page by page, such as a queue, works as follows. R is a row with its item; ID is the
// primary key, so that marks and the cursor belong to the item. Load reads Reading.Times further pages and reports each
// with Reading.Found; Rows.More offers to read on. The constructor makes the columns from the layout of the pattern;
// they mask their cells with the session's masker, and the screen draws the cells again when it changes. Actions for
// several rows have All and CanAll. A row that left the queue stays until the cursor leaves it, and the screen asks
// about lost marks. The root calls Committed after changes on every screen.
package listing

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Spec declares a screen that lists rows of type R. The goroutine of Bubble Tea calls its functions, except those
// that accept a context. A function must not be nil unless its comment defines nil.
type Spec[R any] struct {
	Name    string // name in the key configuration
	Title   string // title of the screen
	Heading string // heading above the rows; "" for Title
	Does    string // purpose, one sentence for the key documentation
	Noun    string // singular noun for a row: "request"
	Guide   screen.Guide
	Layout  Layout

	Columns []Column[R]
	ID      func(r R) string                // identifies a row when the list is read again
	Label   func(e *screen.Env, r R) string // names a row in questions; nil uses the ID
	Search  func(r R) string                // additional words that the filter matches; nil if there are none
	Tabs    []Tab[R]                        // at most nine; none for a single list
	Inner   bool                            // the digits belong to the surrounding screen: only v changes tabs
	Empty   Empty                           // used if there are no tabs
	At      string                          // ID of the row to select first; "" for the first row
	Follows bool                            // the newest row is first: a cursor on it stays on the newest row

	Missing func(e *screen.Env) *Advice // why the list cannot be read at all; nil if it always can
	Load    func(ctx context.Context, e *screen.Env, r *Reading[R]) (Rows[R], error)
	Every   time.Duration              // refresh interval while the screen is visible; 0 disables the refresh
	Costly  bool                       // read again only at the user's request
	Pages   bool                       // Load can read more rows: see Rows.More
	Lookup  func(e *screen.Env) string // title of the reads' journal entry; nil if Load writes the journal

	Facts func(e *screen.Env, r R) []Fact
	// Read reads more about the row on which the cursor rests, and returns a function that adds it to the row; may be
	// nil.
	Read    func(ctx context.Context, e *screen.Env, r R) (func(*R), error)
	Actions []Action[R]
	// Committed is notified of changed items; may be nil.
	Committed func(s *Screen[R], list []screen.CommittedChange) tea.Cmd
	Export    func(rows []R) []output.Piece // the export formats; nil exports the columns as CSV
}

// A Layout specifies the position of the selected row's details.
type Layout uint8

const (
	// Below shows the details below the rows.
	Below Layout = iota
	// Tall shows the details below the rows, larger than the rows.
	Tall
	// Beside shows the details beside the rows if the screen is wide.
	Beside
)

// A Column is a column of the grid.
type Column[R any] struct {
	widget.Column
	Cell func(e *screen.Env, r R) widget.Cell
	By   func(a, b R) int // the sort order; nil sorts by the cell text
}

// Text returns a column of plain text.
func Text[R any](title string, text func(r R) string) Column[R] {
	return Styled(widget.Column{Title: title}, widget.RoleText, func(_ *screen.Env, r R) string { return text(r) })
}

// Styled returns a column of text with a role.
func Styled[R any](c widget.Column, role widget.Role, text func(e *screen.Env, r R) string) Column[R] {
	return Column[R]{Column: c, Cell: func(e *screen.Env, r R) widget.Cell { return widget.Cell{Text: text(e, r), Role: role} }}
}

// Tinted returns a column of text that has the role only in rows for which in returns true.
func Tinted[R any](c widget.Column, role widget.Role, text func(r R) string, in func(r R) bool) Column[R] {
	return Column[R]{Column: c, Cell: func(_ *screen.Env, r R) widget.Cell {
		if in(r) {
			return widget.Cell{Text: text(r), Role: role}
		}
		return widget.Cell{Text: text(r)}
	}}
}

// Sorted returns a copy of the column with a sort order.
func (c Column[R]) Sorted(by func(a, b R) int) Column[R] {
	c.By = by
	return c
}

// Time returns a column with a time in the screens' time zone.
func Time[R any](title, layout string, at func(r R) time.Time) Column[R] {
	c := Styled(widget.Column{Title: title, Min: len(layout)}, widget.RoleText, func(e *screen.Env, r R) string {
		return at(r).In(e.Now().Location()).Format(layout)
	})
	return c.Sorted(func(a, b R) int { return at(a).Compare(at(b)) })
}

// A Tab selects some of the rows.
type Tab[R any] struct {
	Title string
	Has   func(r R) bool
	Empty Empty
	// Ended reports that its rows are completed: a screen with an empty first tab does not open this tab instead.
	Ended bool
}

// Empty returns the reason why there are no rows, and the next step.
type Empty func(e *screen.Env) (text, next string)

// None returns an Empty that does not depend on the session.
func None(text, next string) Empty { return func(*screen.Env) (string, string) { return text, next } }

// An Advice describes the setup that a list needs before it can be read.
type Advice struct {
	Title   string // "No requests table is configured"
	Text    string // the instructions
	Command string // a command for the setup, which the user can copy; or ""
}

// A Reading is one read of a list.
type Reading[R any] struct {
	Times int  // number of requests for more rows
	Asked bool // requested by the user, not by the automatic refresh
	// Before contains the rows of the previous list, nil on the first read.
	Before []R
	so     atomic.Pointer[Rows[R]]
}

// Found reports the rows found so far. The caller must not change the list afterwards.
func (r *Reading[R]) Found(rows Rows[R]) { r.so.Store(&rows) }

// Rows is the result of a read.
type Rows[R any] struct {
	List     []R
	More     bool     // there are more rows, which Load reads if the list has Pages
	Status   string   // summary for the bottom line; "" shows the number of rows
	Note     string   // shown above the rows, at the right
	Problems []string // reasons not to trust the rows, or nil
}

// A Fact is a line in the details.
type Fact struct {
	Label, Text string // without a label the text uses the whole width
	Role        widget.Role
	Lines       func(w int) []string // styled lines of w cells instead of the text, or nil
	heads       bool                 // the fact is the heading of a section
}

// Blank returns an empty line for the details.
func Blank() Fact { return Fact{Lines: func(int) []string { return []string{""} }} }

// Heading returns the heading of a section in the details.
func Heading(text string) Fact { return Fact{Text: text, Role: widget.RoleMuted, heads: true} }

// An Action is an operation on rows. It has exactly one of Run, Open, All and Do. An Action with the name of an action
// that all lists share replaces that action.
type Action[R any] struct {
	Name, Keys, Desc, Long string
	Danger                 bool
	Free                   bool                           // needs no row
	Detailed               bool                           // needs the data that Spec.Read adds
	Can                    func(e *screen.Env, r R) error // returns the reason why it is impossible; may be nil

	Run  func(s *Screen[R], r R) tea.Cmd
	Open func(r R) screen.Target              // returns the screen for the row
	All  func(s *Screen[R], rows []R) tea.Cmd // receives the visible marked rows, or the selected row
	// CanAll returns the reason why All is impossible; may be nil.
	CanAll func(e *screen.Env, rows []R) error
	// Do writes. Leaving the screen does not interrupt it.
	Do    func(ctx context.Context, e *screen.Env, r R, text string) (Done, error)
	Doing string // describes Do in progress: "rejecting"
	Ask   *Ask[R]
}

// An Ask asks for a text before Do runs.
type Ask[R any] struct {
	Label    string
	About    func(e *screen.Env, r R) []string // paragraphs
	Hint     string                            // placeholder in the empty field
	Required bool
	Check    func(text string) error
}

// Done is the result of an action.
type Done struct {
	Message string // message for the user
	Bad     bool
}

// All combines reasons why an action is impossible: it returns the first one.
func All[R any](can ...func(e *screen.Env, r R) error) func(e *screen.Env, r R) error {
	return func(e *screen.Env, r R) error {
		for _, c := range can {
			if err := c(e, r); err != nil {
				return err
			}
		}
		return nil
	}
}

// Needs returns a check that reports otherwise unless is returns true for the row.
func Needs[R any](is func(r R) bool, fallback string) func(e *screen.Env, r R) error {
	return func(_ *screen.Env, r R) error {
		if is(r) {
			return nil
		}
		return errors.New(fallback)
	}
}

// Keys returns a list's table of keys.
func Keys[R any](spec *Spec[R]) widget.Actions {
	return (&Screen[R]{spec: spec, rows: &rows[R]{spec: spec}}).makeActions()
}

// Open returns the registration of the screen that declare declares for a target. It also calls declare without an
// environment and with the zero target, for the key table.
func Open[T screen.Target, R any](declare func(env *screen.Env, to T) *Spec[R]) screen.Registration {
	return screen.Registration{
		Scope: func() screen.Scope {
			var none T
			spec := declare(nil, none)
			pieces := screen.GridKeys()
			if len(spec.Tabs) > 1 {
				pieces = screen.TabbedKeys()
			}
			return screen.Scope{Name: spec.Name, Title: spec.Title, Does: spec.Does, Actions: Keys(spec), Pieces: pieces}
		},
		Open: screen.Opens(func(env *screen.Env, to T) screen.Screen { return New(env, declare(env, to)) }),
	}
}
