// Package screen defines the contract between the console's root and its screens: the methods of a screen, its
// environment, its requests to the root, and the targets that identify screens. It does not depend on any screen and
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

// A Screen is one place in the console. The root calls SetSize before the first View and after every size change; View
// returns exactly that many lines. Bubble Tea's goroutine calls all methods, so slow work belongs in a command, whose
// result is a message.
type Screen interface {
	// Title returns the screen's name in the breadcrumbs.
	Title() string
	// Init returns the command that starts the screen. It must not block.
	Init() tea.Cmd
	// Update handles every message that the root passes on.
	Update(msg tea.Msg) tea.Cmd
	SetSize(w, h int)
	View() string
	// Actions returns the one table that defines the keys, hints, help and palette entries.
	Actions() widget.Actions
	// Status returns the counts and times of the last operation for the bottom line.
	Status() string
	// Close cancels running work. The root does not use the screen afterward.
	Close()
}

// A Typer reads printable keys as text while Typing returns true. The root then disables its own single-letter keys.
type Typer interface {
	Typing() bool
}

// A CursorProvider has a terminal cursor, whose position is relative to the screen's top left corner.
type CursorProvider interface {
	Cursor() *tea.Cursor
}

// A Clicker handles mouse clicks and wheel turns. Coordinates are relative to the screen.
type Clicker interface {
	Click(x, y int) tea.Cmd
	Wheel(x, y int, up bool) tea.Cmd
}

// A Paster accepts pasted text even while the user is not typing. On other screens a paste opens the decoder.
type Paster interface {
	Pastes() bool
}

// A Canceler can stop its current work. The root calls Cancel first for ctrl+c and esc.
type Canceler interface {
	// Cancel reports whether it stopped anything.
	Cancel() bool
}

// A Follower continues with other work after Cancel.
type Follower interface {
	// After returns the next command; the root calls it after each Cancel.
	After() tea.Cmd
}

// A Watcher is notified when it becomes hidden or visible, so that it can pause updates.
type Watcher interface {
	Watch(on bool) tea.Cmd
}

// A Remasker is notified when it becomes visible again, because the user may have revealed or masked personal data in
// the meantime.
type Remasker interface {
	Remask() tea.Cmd
}

// A Placer does not open on top of a screen with the same Place.
type Placer interface {
	Place() string
}

// A CommittedChange describes an item after a change.
type CommittedChange struct {
	Table *models.Table
	Key   models.Item // primary key
	Item  models.Item // item as the commit read it back, or nil if it no longer exists
	Moved models.Item // item under its new key, or nil if the change did not move it
	// Before is the item before the change, or nil if it did not exist. A read during the change may still return this
	// state.
	Before models.Item
	// UndoTitle is the title of the change if the user can undo it. It is "" for an undo and for the audit entry of a
	// change.
	UndoTitle string
	IsUndo    bool // the change undid an earlier change of the item
}

// A Commit is an Answer that reports applied changes. The root first passes the changes to every CommitObserver.
type Commit struct {
	Answer
	Changes []CommittedChange
}

// A CommitObserver shows items. The root notifies every open CommitObserver of a change before the screen that made it.
// Running reads of the tables may return an older state, so the observer must cancel and restart them.
type CommitObserver interface {
	Committed(list []CommittedChange) tea.Cmd
}

// A Holder may be waiting for the outcome of a write that must not be interrupted. In that state, the user cannot leave
// the screen and the program does not end.
type Holder interface {
	// Holds describes the pending write, or returns "" if there is none.
	Holds() string
	// Wait blocks until the pending write has an outcome. The root calls it when the program ends for another reason.
	Wait()
}

// A Restyler receives new styles when the theme changes, for example to match the terminal's background.
type Restyler interface {
	SetStyles(s *widget.Styles)
}

// An Env is the environment of every screen. The screens of a session share it and may keep it. Live is set once the
// tables have been described. An edited schema comes with a new Env, so open screens keep the old version.
type Env struct {
	Context context.Context // context of the program, which ends every request of a screen
	*workspace.Workspace
	Styles *widget.Styles
	Now    func() time.Time   // clock of the session, in the screens' time zone
	Live   *tables.Comparison // comparison of the tables with the schema; nil while unknown
	Keys   *widget.Keymap     // user's configured keys, or nil
	Global widget.Actions     // global actions
	Log    *reading.Log       // requests that the session sent
	// ScanLimit is the number of RCU that a scan outside of production may cost without consent; 0 always asks.
	ScanLimit float64
	// OtherContexts opens the session's schema in other contexts; nil if there are no other contexts.
	OtherContexts ContextOpener
	// Drafts keeps the schemas drafted from tables; nil if drafting is unavailable.
	Drafts Drafts
	// Summary returns the summary of a list's item for a ticket. text reads the item's last events.
	Summary func(env *Env, to Item) (text func() (string, error), masked func() bool)
	Editor  func() string // returns the name of the user's editor, or ""; may be nil
}

// Review returns the draft review of the session's schema, or nil if the schema is not a draft.
func (e *Env) Review() *draft.Review {
	if e == nil || e.Drafts == nil {
		return nil
	}
	return e.Drafts.Review(e.Session.Profile().Name)
}

// Drafts keeps the schemas drafted from tables until the user saves them. All methods except SaveDraft run on Bubble
// Tea's goroutine.
type Drafts interface {
	// Review returns the review of a draft, or nil if no draft has this schema name.
	Review(profile string) *draft.Review
	// UseDraft makes the draft's schema, with the answers so far, available in the console.
	UseDraft(r *draft.Review) (*profiles.Profile, error)
	// SaveDraft writes a draft to a new file and returns its schema. An empty file name selects a file in the schema
	// folder. SaveDraft may block.
	SaveDraft(r *draft.Review, file string) (*profiles.Profile, error)
}

// A ProfileEditor edits the session's schema. The root adopts the edited schema before it opens another screen.
type ProfileEditor interface {
	// Edited returns the edited schema, or nil if it has not changed since the last call.
	Edited() *profiles.Profile
}

// ContextOpener opens a schema in a context other than the session's.
type ContextOpener interface {
	// Others returns the names of the other contexts.
	Others() []string
	// OpenIn connects to a context and returns a schema's workspace there. It may block.
	OpenIn(ctx context.Context, name string, p *profiles.Profile) (*workspace.Workspace, error)
}

// Logged returns a context that logs requests, and the log, which contains no item values and is safe for concurrent
// use.
func Logged(ctx context.Context, now func() time.Time) (context.Context, *reading.Log) {
	log := &reading.Log{Now: now}
	return log.Watch(ctx), log
}

// Screens send the messages below as commands to the root.

// An Answer is the result of a screen's command. The screen that receives the message calls it.
type Answer func() tea.Cmd

// BackMsg closes the screen and shows the screen below it.
type BackMsg struct{}

// QuitMsg ends the program after a pending write has completed.
type QuitMsg struct{}

// GlobalMsg runs a global action outside of the screen that sends it.
type GlobalMsg struct{ Run func() tea.Cmd }

// ComparisonMsg contains the comparison of a session's tables with its schema.
type ComparisonMsg struct {
	Workspace *workspace.Workspace
	Live      *tables.Comparison
}

// EditedMsg reports that schema files changed, and contains the current schemas.
type EditedMsg struct {
	Profiles []*profiles.Profile // valid schemas, and the last valid versions of the others
	Err      error               // errors in the others
}

// NoticeMsg shows a notice for a few seconds.
type NoticeMsg struct {
	Text string
	Bad  bool
}

// CopyMsg copies Text to the clipboard; What names it in the notice. The sender must mask sensitive values first.
type CopyMsg struct{ Text, What string }

// An ExternalProgram is a program that can use the terminal temporarily.
type ExternalProgram uint8

// These programs can use the terminal.
const (
	Pager  ExternalProgram = iota // $PAGER
	Editor                        // $VISUAL or $EDITOR
)

// RunExternalMsg opens text in another program, from a file that the root deletes afterward. The sender must mask
// sensitive values first.
type RunExternalMsg struct {
	To   ExternalProgram
	File string // file name, whose extension determines the format for the program
	Text string
	// Edited returns the message for the text that the user saved in the editor; nil discards the text.
	Edited func(text string) tea.Msg
}

// Send returns the command that sends msg.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// SwitchContextMsg asks the root to switch to a context and open a screen of a schema, or search for a text there.
type SwitchContextMsg struct {
	Name   string
	Schema string            // "" for the open schema
	Then   func(*Env) Target // returns the screen to open; nil for the workbench
	Find   string            // text to search for; "" for no search
}

// SessionMsg reports a new session. The root opens the target that Then returns, or the workbench if Then is nil.
type SessionMsg struct {
	Workspace *workspace.Workspace
	Then      func(*Env) Target
	Keys      []tea.KeyPressMsg // keys pressed while the session opened, for the new screen
}

// A QueueCountMsg reports the number of items in a queue to the home screen.
type QueueCountMsg struct {
	Profile, Queue string
	N              int
	More           bool // the queue may contain more items
	At             time.Time
}

// An EnterMsg asks the root to open a screen of a schema, or the workbench if Then is nil. The root first closes all
// screens above home, because home opens the schema.
type EnterMsg struct {
	Profile *profiles.Profile
	Then    func(*Env) Target
	Notice  string // notice on the new screen, or ""
}

// An AnsweredMsg reports to the root that the user answered a question.
type AnsweredMsg struct{}

// An ExpiredMsg asks the root to offer the command that renews the credentials.
type ExpiredMsg struct{ Command []string }

// A SignInMsg reports that the user agreed to run the command.
type SignInMsg struct{ Command []string }

// A Base implements the content-independent parts of a Screen. An embedding screen has a title, a place and a guide.
// Its Init and Close do nothing unless it overrides them.
type Base struct {
	Name  string // title in the breadcrumbs
	Kind  string // a screen does not open over another one of the same kind
	About Guide  // introduction in the screen's help
}

// Title returns the screen's name in the breadcrumbs.
func (b Base) Title() string { return b.Name }

// Place returns the screen's kind.
func (b Base) Place() string { return b.Kind }

// Guide returns the screen's introduction.
func (b Base) Guide() Guide { return b.About }

// Init starts nothing.
func (Base) Init() tea.Cmd { return nil }

// Close cancels nothing.
func (Base) Close() {}

// Press runs the action bound to a key, or shows the reason why it is unavailable. used is false if the key does not
// belong to any action.
func Press(actions widget.Actions, key tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	cmd, reason, used := actions.Handle(key)
	if reason != "" {
		return Send(NoticeMsg{Text: reason}), used
	}
	return cmd, used
}
