// Package listing makes a screen of a declared list: what its rows are, how they are read, what a row shows and what can be
// done with it. Filter, sort, marks, tabs, mouse, details, reading and stopping, refresh, signing in, copying, exporting and
// asking are the same on every list, and so are the texts about them.
//
// A list whose rows are read page by page, such as a queue, fits as follows. R is a row with its item; ID is the primary key,
// so that marks and the cursor belong to the item. Load reads Reading.Times further pages and reports each with
// Reading.Found; Rows.More offers to read on. Columns are made by the constructor from the layout of the pattern, and mask
// their cells with the masker of the session: the frame makes them again when it changes. Actions of many rows have All and
// CanAll. A row that left the queue stays until the cursor leaves it, and lost marks are asked about. Committed is told of
// changes from every screen.
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

// A Spec declares a screen that lists rows of type R. Functions are called by the goroutine of Bubble Tea unless they take a
// context. Those without a comment that says otherwise must not be nil.
type Spec[R any] struct {
	Name    string // in the configuration of keys
	Title   string // of the screen
	Heading string // above the rows, Title when empty
	Does    string // for the documentation of keys, a sentence
	Noun    string // for a row: "request"
	Guide   screen.Guide
	Layout  Layout

	Columns []Column[R]
	ID      func(r R) string                // identifies a row when the list is read again
	Label   func(e *screen.Env, r R) string // names a row in questions; nil takes the ID
	Search  func(r R) string                // words that the filter matches besides the cells; nil for none
	Tabs    []Tab[R]                        // at most nine; none for one list
	Inner   bool                            // the digits are those of other screens: only v goes to the tabs
	Empty   Empty                           // without tabs
	At      string                          // ID of the row to begin with, "" for the first
	Follows bool                            // the newest row is first: a cursor on it stays on the newest

	Missing func(e *screen.Env) *Advice // why the list cannot be read at all; nil for never
	Load    func(ctx context.Context, e *screen.Env, r *Reading[R]) (Rows[R], error)
	Every   time.Duration              // reads the list again while it is in view; 0 never does
	Costly  bool                       // it is read again only when the user asks
	Pages   bool                       // Load can read more: see Rows.More
	Lookup  func(e *screen.Env) string // names in the journal what is read while the screen is in view; nil if Load does so itself

	Facts func(e *screen.Env, r R) []Fact
	// Read reads more about the row on which the cursor stays, and returns what adds it to the row; nil for nothing.
	Read    func(ctx context.Context, e *screen.Env, r R) (func(*R), error)
	Actions []Action[R]
	// Committed is told what changes made of items; nil for nothing.
	Committed func(s *Screen[R], list []screen.Committed) tea.Cmd
	Export    func(rows []R) []output.Piece // the formats of an export; nil for the columns as CSV
}

// A Layout specifies where the details of the selected row are.
type Layout uint8

const (
	// Below puts the details below the rows.
	Below Layout = iota
	// Tall puts them below the rows and gives them more room than the rows.
	Tall
	// Beside puts them beside the rows if the screen is wide.
	Beside
)

// A Column is a column of the grid.
type Column[R any] struct {
	widget.Column
	Cell func(e *screen.Env, r R) widget.Cell
	By   func(a, b R) int // the order of the column; nil sorts by the text of the cells
}

// Text is a column of plain text.
func Text[R any](title string, text func(r R) string) Column[R] {
	return Styled(widget.Column{Title: title}, widget.RoleText, func(_ *screen.Env, r R) string { return text(r) })
}

// Styled is a column of text in a role.
func Styled[R any](c widget.Column, role widget.Role, text func(e *screen.Env, r R) string) Column[R] {
	return Column[R]{Column: c, Cell: func(e *screen.Env, r R) widget.Cell { return widget.Cell{Text: text(e, r), Role: role} }}
}

// Tinted is a column of text that has a role in some rows.
func Tinted[R any](c widget.Column, role widget.Role, text func(r R) string, in func(r R) bool) Column[R] {
	return Column[R]{Column: c, Cell: func(_ *screen.Env, r R) widget.Cell {
		if in(r) {
			return widget.Cell{Text: text(r), Role: role}
		}
		return widget.Cell{Text: text(r)}
	}}
}

// Sorted returns the column with an order.
func (c Column[R]) Sorted(by func(a, b R) int) Column[R] {
	c.By = by
	return c
}

// Time returns a column with a time in the zone of the screens.
func Time[R any](title, layout string, at func(r R) time.Time) Column[R] {
	c := Styled(widget.Column{Title: title, Min: len(layout)}, widget.RoleText, func(e *screen.Env, r R) string {
		return at(r).In(e.Now().Location()).Format(layout)
	})
	return c.Sorted(func(a, b R) int { return at(a).Compare(at(b)) })
}

// A Tab is a part of the rows.
type Tab[R any] struct {
	Title string
	Has   func(r R) bool
	Empty Empty
	// Ended reports that its rows are over: an empty tab at the beginning does not give way to it.
	Ended bool
}

// Empty explains why there are no rows, and what to do.
type Empty func(e *screen.Env) (text, next string)

// None is an Empty that does not depend on the session.
func None(text, next string) Empty { return func(*screen.Env) (string, string) { return text, next } }

// An Advice describes what has to be set up before a list can be read.
type Advice struct {
	Title   string // "No requests table is configured"
	Text    string // what to do
	Command string // that does it, which can be copied; "" for none
}

// A Reading is one reading of a list.
type Reading[R any] struct {
	Times int  // how often more was asked for
	Asked bool // by the user, not by the clock
	// Before are the rows of the list that arrived before, nil for the first one.
	Before []R
	so     atomic.Pointer[Rows[R]]
}

// Found reports what was found so far. The list of the rows must not be changed afterwards.
func (r *Reading[R]) Found(rows Rows[R]) { r.so.Store(&rows) }

// Rows are what was read.
type Rows[R any] struct {
	List     []R
	More     bool     // there are more; Load of a list with Pages reads them
	Status   string   // what was read, for the bottom line; "" counts the rows
	Note     string   // above the rows, at the right
	Problems []string // why they cannot be trusted, nil for nothing
}

// A Fact is a line of the details.
type Fact struct {
	Label, Text string // without a label the text takes the whole width
	Role        widget.Role
	Lines       func(w int) []string // styled lines of w cells in the place of the text; nil for none
	heads       bool                 // it begins a part of the details
}

// Blank returns an empty line of the details.
func Blank() Fact { return Fact{Lines: func(int) []string { return []string{""} }} }

// Heading begins a part of the details.
func Heading(text string) Fact { return Fact{Text: text, Role: widget.RoleMuted, heads: true} }

// An Action is what can be done with rows. It has one of Run, Open, All and Do. One with the name of an action that all lists have
// replaces that.
type Action[R any] struct {
	Name, Keys, Desc, Long string
	Danger                 bool
	Free                   bool                           // it needs no row
	Detailed               bool                           // it needs what Spec.Read adds
	Can                    func(e *screen.Env, r R) error // why not; nil for always

	Run  func(s *Screen[R], r R) tea.Cmd
	Open func(r R) screen.Target              // the screen of the row
	All  func(s *Screen[R], rows []R) tea.Cmd // the marked rows that the filter does not hide, or the selected one
	// CanAll explains why All is impossible; nil for always.
	CanAll func(e *screen.Env, rows []R) error
	// Do writes something. It is not cut off when the screen is left.
	Do    func(ctx context.Context, e *screen.Env, r R, text string) (Done, error)
	Doing string // what Do does: "rejecting"
	Ask   *Ask[R]
}

// An Ask asks for a text before Do.
type Ask[R any] struct {
	Label    string
	About    func(e *screen.Env, r R) []string // paragraphs
	Hint     string                            // in the empty field
	Required bool
	Check    func(text string) error
}

// Done is what became of an action.
type Done struct {
	Said string // for the user
	Bad  bool
}

// All composes reasons why an action is impossible: the first one counts.
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

// Needs is a reason why an action is impossible: what is said unless something holds for the row.
func Needs[R any](is func(r R) bool, otherwise string) func(e *screen.Env, r R) error {
	return func(_ *screen.Env, r R) error {
		if is(r) {
			return nil
		}
		return errors.New(otherwise)
	}
}

// Keys returns the table of keys of a list.
func Keys[R any](spec *Spec[R]) widget.Actions {
	return (&Screen[R]{spec: spec, rows: &rows[R]{spec: spec}}).makeActions()
}

// Open returns the registration of the screen that declare declares for a target. It is also called without an environment
// and for the zero target, for the table of keys.
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
