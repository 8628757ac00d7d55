// Package listing builds a screen from the declaration of a list: how to read and show its rows, and their actions. All
// lists share filtering, sorting, marks, tabs, mouse support, details, reading and stopping, refresh, sign-in, copy,
// export and prompts.
//
// A list that reads its rows page by page, such as a queue, works as follows. R is a row with its item; ID is the
// primary key, so that marks and the cursor belong to the item. Load reads Reading.ExtraPages more pages and reports
// each with Reading.Found; Rows.More offers the next page. The constructor makes the columns from the layout of the
// pattern. They mask their cells with the session's masker, and the screen redraws the cells when the masker changes.
// Actions for several rows set All and CanAll. A row that left the queue stays until the cursor leaves it, and the
// screen warns about lost marks. The root calls Committed after changes on every screen.
package listing

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Spec declares a screen that lists rows of type R. Bubble Tea's goroutine calls its functions, except those that
// accept a context. A function may be nil only if its comment allows it.
type Spec[R any] struct {
	Name    string // scope name in the key configuration
	Title   string // title of the screen
	Heading string // heading above the rows; "" uses Title
	Does    string // one sentence on the purpose, for the key documentation
	Noun    string // singular noun for a row: "request"
	Guide   screen.Guide
	Layout  Layout
	// BesideFrom is the minimum width in cells for Beside; 0 means present.NarrowBelow.
	BesideFrom int

	Columns       []Column[R]
	ID            func(r R) string                // returns the ID of a row, which stays the same in later reads
	Label         func(e *screen.Env, r R) string // names a row in questions; nil uses the first column with a title
	Search        func(r R) string                // returns additional text to filter by; may be nil
	Group         func(r R) string                // returns the title above the row's group in the order of Load; may be nil
	Sign          func(r R) string                // returns the sign in front of a row, one cell wide, or ""; may be nil
	Tabs          []Tab[R]                        // at most nine; nil for a single list
	Inner         bool                            // the surrounding screen uses the digits, so only v changes tabs
	Empty         Empty                           // used without tabs
	InitialID     string                          // ID of the row to select first; "" for the first row
	FollowsNewest bool                            // the newest row comes first, and the cursor stays on the newest row

	Missing func(e *screen.Env) *Advice // returns the setup that is missing; nil if the list needs none
	Load    func(ctx context.Context, e *screen.Env, r *Reading[R]) (Rows[R], error)
	Every   time.Duration              // refresh interval while the screen is visible; 0 disables the refresh
	Costly  bool                       // reads again only at the user's request
	Pages   bool                       // Load can read more rows: see Rows.More
	Lookup  func(e *screen.Env) string // title of the reads' journal entry; nil if Load writes the journal

	Facts func(e *screen.Env, r R) []Fact
	// Brief reports whether the cells contain all details. If the grid cuts no cell, the details then appear only while
	// they have the focus. A nil Brief always shows them.
	Brief func(s *Screen[R]) bool
	// Read reads more about the row on which the cursor rests, and returns a function that adds the data to the row;
	// may be nil.
	Read    func(ctx context.Context, e *screen.Env, r R) (func(*R), error)
	Actions []Action[R]
	// Committed handles changed items; may be nil.
	Committed func(s *Screen[R], list []screen.CommittedChange) tea.Cmd
	Export    func(rows []R) []output.Piece // returns the export formats; nil exports the columns as CSV
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

// A Column declares a column of the grid.
type Column[R any] struct {
	widget.Column
	Cell func(e *screen.Env, r R) widget.Cell
	// Heading returns the title for the rows that were read; nil keeps Title.
	Heading func() string
	By      func(a, b R) int // compares two rows; nil compares the cell texts
	Clock   bool             // shows times, so that the frame names their zone
}

// Text returns a column of plain text.
func Text[R any](title string, text func(r R) string) Column[R] {
	return Styled(widget.Column{Title: title}, widget.RoleText, func(_ *screen.Env, r R) string { return text(r) })
}

// Styled returns a text column with a role.
func Styled[R any](c widget.Column, role widget.Role, text func(e *screen.Env, r R) string) Column[R] {
	return Column[R]{Column: c, Cell: func(e *screen.Env, r R) widget.Cell { return widget.Cell{Text: text(e, r), Role: role} }}
}

// Tinted returns a text column that uses the role only in rows for which match returns true.
func Tinted[R any](c widget.Column, role widget.Role, text func(r R) string, match func(r R) bool) Column[R] {
	return Column[R]{Column: c, Cell: func(_ *screen.Env, r R) widget.Cell {
		if match(r) {
			return widget.Cell{Text: text(r), Role: role}
		}
		return widget.Cell{Text: text(r)}
	}}
}

// Sorted returns a copy of the column that sorts with by.
func (c Column[R]) Sorted(by func(a, b R) int) Column[R] {
	c.By = by
	return c
}

// Time returns a column that shows a time in the screens' time zone, with present.At if layout is "".
func Time[R any](title, layout string, at func(r R) time.Time) Column[R] {
	c := Styled(widget.Column{Title: title, Min: len(cmp.Or(layout, "02 Jan 15:04"))}, widget.RoleText, func(e *screen.Env, r R) string {
		if layout == "" {
			return present.At(at(r), e.Now())
		}
		return at(r).In(e.Now().Location()).Format(layout)
	})
	c.Clock = true
	return c.Sorted(func(a, b R) int { return at(a).Compare(at(b)) })
}

// A Tab shows some of the rows.
type Tab[R any] struct {
	Title string
	Has   func(r R) bool
	Empty Empty
	// Ended means that the tab's rows are completed. A screen with an empty first tab does not switch to such a tab.
	Ended bool
}

// Empty returns the reason why there are no rows, and the next step for the user.
type Empty func(e *screen.Env) (text, next string)

// None returns an Empty that does not depend on the session.
func None(text, next string) Empty { return func(*screen.Env) (string, string) { return text, next } }

// An Advice describes the setup that a list needs before it can be read.
type Advice struct {
	Title   string // "No requests table is configured"
	Text    string // the instructions
	Command string // setup command to copy, or ""
}

// A Reading is one read of a list.
type Reading[R any] struct {
	ExtraPages int  // number of times the user asked for more rows
	ByUser     bool // the user requested the read
	// Before contains the rows of the previous list; nil in the first read.
	Before  []R
	partial atomic.Pointer[Rows[R]]
}

// Found shows the rows found so far. The caller must not change the list afterward.
func (r *Reading[R]) Found(rows Rows[R]) { r.partial.Store(&rows) }

// Rows is the result of a read.
type Rows[R any] struct {
	List     []R
	More     bool     // Load can read more rows; only for lists with Pages
	Status   string   // summary for the bottom line; "" shows the row count
	Note     string   // shown above the rows, at the right
	Problems []string // reasons to distrust the rows, or nil
}

// A Fact is a line in the details.
type Fact struct {
	Label, Text string // a text without a label uses the whole width
	Role        widget.Role
	Lines       func(w int) []string // returns styled lines of w cells that replace the text; may be nil
	isHeading   bool                 // the fact is the heading of a section
}

// Blank returns an empty line for the details.
func Blank() Fact { return Fact{Lines: func(int) []string { return []string{""} }} }

// Heading returns the heading of a section in the details.
func Heading(text string) Fact { return Fact{Text: text, Role: widget.RoleMuted, isHeading: true} }

// An Action is an operation on rows. Set exactly one of Run, Open, All and Do. An Action with the same name as a shared
// action replaces it.
type Action[R any] struct {
	Name, Keys, Desc, Long string
	Danger                 bool
	Free                   bool                           // does not need a row
	Detailed               bool                           // needs the data from Spec.Read
	Can                    func(e *screen.Env, r R) error // returns the reason why the action is impossible; may be nil

	Run  func(s *Screen[R], r R) tea.Cmd
	Open func(r R) screen.Target              // returns the screen to open for a row
	All  func(s *Screen[R], rows []R) tea.Cmd // runs on the visible marked rows, or on the selected row
	// CanAll returns the reason why All is impossible; may be nil.
	CanAll func(e *screen.Env, rows []R) error
	// Do writes. Leaving the screen does not interrupt it.
	Do     func(ctx context.Context, e *screen.Env, r R, text string) (ActionResult, error)
	Doing  string // describes a running Do: "rejecting"
	Prompt *Prompt[R]
}

// A Prompt asks the user for text before Do runs.
type Prompt[R any] struct {
	Label    string
	About    func(e *screen.Env, r R) []string // paragraphs
	Hint     string                            // placeholder of the empty field
	Required bool
	Check    func(text string) error
}

// An ActionResult is the result of an action.
type ActionResult struct {
	Message string // message for the user
	Bad     bool
}

// CheckAll combines checks: it returns the first reason why the action is impossible, or nil.
func CheckAll[R any](can ...func(e *screen.Env, r R) error) func(e *screen.Env, r R) error {
	return func(e *screen.Env, r R) error {
		for _, c := range can {
			if err := c(e, r); err != nil {
				return err
			}
		}
		return nil
	}
}

// Require returns a check that fails with the text fallback unless match returns true for the row.
func Require[R any](match func(r R) bool, fallback string) func(e *screen.Env, r R) error {
	return func(_ *screen.Env, r R) error {
		if match(r) {
			return nil
		}
		return errors.New(fallback)
	}
}

// Keys returns the key table of a list.
func Keys[R any](spec *Spec[R]) widget.Actions {
	return (&Screen[R]{spec: spec, rows: &rows[R]{spec: spec}}).makeActions()
}

// Open returns the registration of a screen whose Spec depends on a target. For the key table it also calls declare
// with a nil environment and the zero target.
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
		Open: screen.OpenFunc(func(env *screen.Env, to T) screen.Screen { return New(env, declare(env, to)) }),
	}
}
