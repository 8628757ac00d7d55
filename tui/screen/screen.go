// Package screen is the contract between the root of the console and its screens: what a screen is,
// what it works with, what it may ask for, and how it names other screens. It knows no screen, and
// draws nothing.
package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Screen is one place of the console. The root calls SetSize before the
// first View and after every change; View returns exactly that many lines. All methods are
// called by the goroutine of Bubble Tea. What takes time is a command, whose result is a
// message.
type Screen interface {
	// Title is the screen's crumb.
	Title() string
	// Init starts what the screen needs. It must not wait.
	Init() tea.Cmd
	// Update takes every message that the root does not take for itself.
	Update(msg tea.Msg) tea.Cmd
	SetSize(w, h int)
	View() string
	// Actions is the one table behind keys, hints, help and palette.
	Actions() widget.Actions
	// Status is the figures of the bottom line: what just happened.
	Status() string
	// Close cancels what still runs. The screen is not used afterwards.
	Close()
}

// A Typer takes printable keys as text while Typing is true: the root then
// keeps its own single-letter keys to itself.
type Typer interface {
	Typing() bool
}

// A Pointer has a terminal cursor, relative to the screen's top left corner.
type Pointer interface {
	Cursor() *tea.Cursor
}

// A Clicker takes mouse clicks and wheel turns in its own coordinates.
type Clicker interface {
	Click(x, y int) tea.Cmd
	Wheel(x, y int, up bool) tea.Cmd
}

// A Paster takes pasted text although it is not typing. Elsewhere a paste opens
// the decoder.
type Paster interface {
	Pastes() bool
}

// A Canceller can stop what it is doing; ctrl+c and esc try this first.
type Canceller interface {
	// Cancel reports whether there was something to stop.
	Cancel() bool
}

// A Follower goes on with something else after it was cancelled.
type Follower interface {
	// After is what follows; the root asks after each Cancel.
	After() tea.Cmd
}

// A Watcher is told when it goes out of view and comes back: what nobody looks
// at need not be kept up to date.
type Watcher interface {
	Watch(on bool) tea.Cmd
}

// A Remasker is told when it comes back into view: personal data may have been
// revealed or hidden meanwhile.
type Remasker interface {
	Remask() tea.Cmd
}

// A Placed screen is one of a kind: it is not opened over itself.
type Placed interface {
	Place() string
}

// A Committed is an item after a change.
type Committed struct {
	Table *models.Table
	Key   models.Item // the primary key
	Item  models.Item // as the commit read it back, nil if it no longer exists
	Moved models.Item // the same item under its new key, nil if the change did not move it
	// Before is the item before the change, nil if it did not exist. A read that was under
	// way during the change can still return it.
	Before models.Item
	// By is the title of the change if it can be undone; "" of an undo and of the audit entry of a change.
	By string
}

// A Commit is the Answer to a change that was applied. The root tells every Lister first what became of the items.
type Commit struct {
	Answer
	Made []Committed
}

// A Lister shows items. The root tells every open Lister what a change made of items, before
// the screen that made the change hears of it. Reads of these tables that are under way may
// return an older state: the Lister abandons them and reads again.
type Lister interface {
	Committed(list []Committed) tea.Cmd
}

// A Holder may be at something that must not be cut off: a change that was
// sent and has no outcome yet. The screen is not left and the program does not
// end while it holds.
type Holder interface {
	// Holds describes what that is, "" when nothing is.
	Holds() string
	// Wait returns once it has its outcome, at once when nothing is under way. It
	// is called when the program has ended for another reason.
	Wait()
}

// A Restyler takes new styles when the terminal turns out light or dark.
type Restyler interface {
	SetStyles(s *widget.Styles)
}

// An Env is what every screen works with. Screens of one session share it and may keep it. Live
// is set when the tables were described. An edited profile comes with a new Env, so open
// screens keep the version that they began with.
type Env struct {
	Context context.Context // of the program: it ends every request that a screen made
	*workspace.Workspace
	Styles *widget.Styles
	Now    func() time.Time   // the clock of the session, in the time zone of the screens
	Live   *tables.Comparison // how the tables compare with the profile, nil until that is known
	Keys   *widget.Keymap     // the person's own keys; nil for none
	Log    *reading.Log       // the requests of the session that were sent
	// ScanLimit is the read units of a scan that needs no consent, outside of production; 0 for none.
	ScanLimit float64
	// Elsewhere opens the schema of the session in other contexts, nil where there are none.
	Elsewhere Elsewhere
	// Drafts are the profiles that were drafted of tables, nil where none can be.
	Drafts Drafts
}

// Review returns the review of the draft that the session's profile is, nil if it is none.
func (e *Env) Review() *draft.Review {
	if e == nil || e.Drafts == nil {
		return nil
	}
	return e.Drafts.Review(e.Session.Profile().Name)
}

// Drafts keeps the profiles that were drafted of tables until they are saved. Only SaveDraft is
// called outside of the goroutine of Bubble Tea.
type Drafts interface {
	// Review returns the review of a draft, nil if no draft has this profile name.
	Review(profile string) *draft.Review
	// UseDraft makes the profile of a draft that of the console, with the answers so far.
	UseDraft(r *draft.Review) (*profiles.Profile, error)
	// SaveDraft writes a draft to a new file, "" for one in the folder of profiles, and returns its profile. It may block.
	SaveDraft(r *draft.Review, file string) (*profiles.Profile, error)
}

// A ProfileEditor edits the profile of the session. The root takes over what it edited before it opens another screen.
type ProfileEditor interface {
	// Edited returns the edited profile, nil if it is the one of the last call.
	Edited() *profiles.Profile
}

// Elsewhere opens a schema in another context than that of the session.
type Elsewhere interface {
	// Others returns the names of the other contexts.
	Others() []string
	// OpenIn connects and returns the workspace of a schema in a context. It may block.
	OpenIn(ctx context.Context, name string, p *profiles.Profile) (*workspace.Workspace, error)
}

// Logged returns a context whose requests are logged, and their log. The log is safe for
// concurrent use and has no values of items.
func Logged(ctx context.Context, now func() time.Time) (context.Context, *reading.Log) {
	log := &reading.Log{Now: now}
	return log.Watch(ctx), log
}

// The messages below ask the root for something; screens send them as Cmds.

// An Answer is the result of a command that a screen takes where it asked for it: the screen that gets the message calls it.
type Answer func() tea.Cmd

// BackMsg leaves the screen, to the one below it.
type BackMsg struct{}

// QuitMsg ends the program, after a write that is on its way.
type QuitMsg struct{}

// LiveMsg describes how the tables of a session compare with its profile.
type LiveMsg struct {
	Workspace *workspace.Workspace
	Live      *tables.Comparison
}

// EditedMsg reports that the files of profiles changed, and what they are now.
type EditedMsg struct {
	Profiles []*profiles.Profile // those without errors, or their last version without
	Err      error               // about the others
}

// NoticeMsg shows a line for a few seconds.
type NoticeMsg struct {
	Text string
	Bad  bool
}

// CopyMsg puts text on the clipboard; What names it in the notice. The sender
// masks sensitive values before.
type CopyMsg struct{ Text, What string }

// Outside is a program that can have the terminal for a while.
type Outside uint8

// The programs outside.
const (
	Pager  Outside = iota // $PAGER
	Editor                // $VISUAL or $EDITOR
)

// HandOverMsg shows text in another program, in a file that is removed
// afterwards. The sender masks sensitive values before.
type HandOverMsg struct {
	To   Outside
	File string // its name, whose ending tells the program what it is
	Text string
	// Edited makes a message of what the user wrote in the editor; nil discards it.
	Edited func(text string) tea.Msg
}

// Send returns the Cmd that sends msg.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// UseMsg asks the root to go to a context, and there to open a screen of a schema or to search for a text.
type UseMsg struct {
	Name   string
	Schema string            // "" for the one that is open
	Then   func(*Env) Target // on the schema, nil for its workbench
	Find   string            // "" for no search
}

// SessionMsg reports that a session was opened: the root puts what Then makes on
// top, the workbench when it is nil.
type SessionMsg struct {
	Workspace *workspace.Workspace
	Then      func(*Env) Target
}

// A WaitingMsg describes how many items are in a queue: home remembers it.
type WaitingMsg struct {
	Profile, Queue string
	N              int
	More           bool // there may be more
	At             time.Time
}

// An EnterMsg asks the root to open a profile, and a screen of it on top of it:
// the workbench when Then is nil. Home opens it, so all screens above home are closed before.
type EnterMsg struct {
	Profile *profiles.Profile
	Then    func(*Env) Target
	Notice  string // shown on it, "" for none
}

// AnsweredMsg tells the root that the person answered a question.
type AnsweredMsg struct{}

// ExpiredMsg asks the root to offer the command that renews credentials.
type ExpiredMsg struct{ Command []string }

// SignInMsg reports that the person agreed to run the command.
type SignInMsg struct{ Command []string }

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
