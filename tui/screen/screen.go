// Package screen is the contract between the root of the console and its screens: the methods of a screen, its
// environment, its requests to the root, and the targets that name other screens. It does not depend on any screen, and
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

// A Screen is one place in the console. The root calls SetSize before the first View and after every change; View
// returns exactly that many lines. The goroutine of Bubble Tea calls all methods. Slow work is a command whose result
// is a message.
type Screen interface {
	// Title returns the screen's crumb.
	Title() string
	// Init returns the command that starts the screen. It must not block.
	Init() tea.Cmd
	// Update handles every message that the root does not handle.
	Update(msg tea.Msg) tea.Cmd
	SetSize(w, h int)
	View() string
	// Actions returns the single table behind keys, hints, help and palette.
	Actions() widget.Actions
	// Status returns the counts and times in the bottom line for the last operation.
	Status() string
	// Close cancels running work. The screen is not used afterwards.
	Close()
}

// A Typer reads printable keys as text while Typing is true: the root then disables its own single-letter keys.
type Typer interface {
	Typing() bool
}

// A Pointer has a terminal cursor, relative to the screen's top left corner.
type Pointer interface {
	Cursor() *tea.Cursor
}

// A Clicker handles mouse clicks and wheel turns in its own coordinates.
type Clicker interface {
	Click(x, y int) tea.Cmd
	Wheel(x, y int, up bool) tea.Cmd
}

// A Paster accepts pasted text even while it is not typing. On other screens a paste opens the decoder.
type Paster interface {
	Pastes() bool
}

// A Canceller can stop its current work; ctrl+c and esc call Cancel first.
type Canceller interface {
	// Cancel reports whether it stopped anything.
	Cancel() bool
}

// A Follower continues with other work after it was cancelled.
type Follower interface {
	// After returns the next command; the root calls it after each Cancel.
	After() tea.Cmd
}

// A Watcher is notified when it becomes hidden or visible, so that it can pause updates while it is hidden.
type Watcher interface {
	Watch(on bool) tea.Cmd
}

// A Remasker is notified when it becomes visible again, because personal data may have been revealed or hidden in the
// meantime.
type Remasker interface {
	Remask() tea.Cmd
}

// A Placer is a screen that is not opened on top of a screen with the same Place.
type Placer interface {
	Place() string
}

// A CommittedChange is an item after a change.
type CommittedChange struct {
	Table *models.Table
	Key   models.Item // the primary key
	Item  models.Item // the item as read back by the commit, or nil if it no longer exists
	Moved models.Item // the item under its new key, or nil if the change did not move it
	// Before is the item before the change, or nil if it did not exist. A read that overlaps the change may still
	// return it.
	Before models.Item
	// By is the title of the change if the user can undo it; "" for an undo and for the audit entry of a change.
	By string
}

// A Commit is the Answer for an applied change. The root first notifies every Lister of the new items.
type Commit struct {
	Answer
	Made []CommittedChange
}

// A Lister shows items. The root notifies every open Lister of a change before the screen that made the change. Reads
// of these tables that are still running may return an older state: the Lister abandons them and reads again.
type Lister interface {
	Committed(list []CommittedChange) tea.Cmd
}

// A Holder may be waiting for the outcome of a write that must not be interrupted. While it holds, the user cannot
// leave the screen and the program does not end.
type Holder interface {
	// Holds describes the pending write, or returns "".
	Holds() string
	// Wait returns when the pending write has an outcome, immediately if there is none. The root calls it when the
	// program ends for another reason.
	Wait()
}

// A Restyler receives new styles when the terminal reports a light or dark background.
type Restyler interface {
	SetStyles(s *widget.Styles)
}

// An Env is the environment of every screen. Screens of one session share it and may keep it. Live is set when the
// tables have been described. An edited profile comes with a new Env, so open screens keep their version.
type Env struct {
	Context context.Context // context of the program: it ends every request of a screen
	*workspace.Workspace
	Styles *widget.Styles
	Now    func() time.Time   // the clock of the session, in the time zone of the screens
	Live   *tables.Comparison // comparison of the tables with the profile; nil while unknown
	Keys   *widget.Keymap     // the user's own keys, or nil
	Log    *reading.Log       // the requests that the session sent
	// ScanLimit is the number of read units that a scan may cost without consent, outside of production; 0 always asks.
	ScanLimit float64
	// Elsewhere opens the session's schema in other contexts; nil if there are none.
	Elsewhere ContextOpener
	// Drafts keeps the profiles drafted from tables; nil if drafts are unavailable.
	Drafts Drafts
}

// Review returns the draft review of the session's profile, or nil if the profile is not a draft.
func (e *Env) Review() *draft.Review {
	if e == nil || e.Drafts == nil {
		return nil
	}
	return e.Drafts.Review(e.Session.Profile().Name)
}

// Drafts keeps the profiles drafted from tables until they are saved. Only SaveDraft is called outside of the goroutine
// of Bubble Tea.
type Drafts interface {
	// Review returns the review of a draft, or nil if no draft has this profile name.
	Review(profile string) *draft.Review
	// UseDraft makes the draft's profile, with the answers so far, the profile of the console.
	UseDraft(r *draft.Review) (*profiles.Profile, error)
	// SaveDraft writes a draft to a new file and returns its profile; file "" selects a file in the profile folder. It
	// may block.
	SaveDraft(r *draft.Review, file string) (*profiles.Profile, error)
}

// A ProfileEditor edits the session's profile. The root adopts the edited profile before it opens another screen.
type ProfileEditor interface {
	// Edited returns the edited profile, or nil if it has not changed since the last call.
	Edited() *profiles.Profile
}

// ContextOpener opens a schema in a context other than the session's.
type ContextOpener interface {
	// Others returns the names of the other contexts.
	Others() []string
	// OpenIn connects and returns the workspace of a schema in a context. It may block.
	OpenIn(ctx context.Context, name string, p *profiles.Profile) (*workspace.Workspace, error)
}

// Logged returns a context whose requests are logged, and their log. The log is safe for concurrent use and contains no
// item values.
func Logged(ctx context.Context, now func() time.Time) (context.Context, *reading.Log) {
	log := &reading.Log{Now: now}
	return log.Watch(ctx), log
}

// Screens send the messages below as commands to the root.

// An Answer is the result of a screen's command: the screen that receives the message calls it.
type Answer func() tea.Cmd

// BackMsg closes the screen and shows the screen below it.
type BackMsg struct{}

// QuitMsg ends the program after a pending write has completed.
type QuitMsg struct{}

// LiveMsg contains the comparison of a session's tables with its profile.
type LiveMsg struct {
	Workspace *workspace.Workspace
	Live      *tables.Comparison
}

// EditedMsg reports that profile files changed, with the current profiles.
type EditedMsg struct {
	Profiles []*profiles.Profile // valid profiles, and the last valid version of the others
	Err      error               // errors in the others
}

// NoticeMsg shows a notice for a few seconds.
type NoticeMsg struct {
	Text string
	Bad  bool
}

// CopyMsg copies Text to the clipboard; What names it in the notice. The sender masks sensitive values first.
type CopyMsg struct{ Text, What string }

// ExternalProgram is a program that can use the terminal temporarily.
type ExternalProgram uint8

// These programs can use the terminal.
const (
	Pager  ExternalProgram = iota // $PAGER
	Editor                        // $VISUAL or $EDITOR
)

// HandOverMsg shows text in another program, in a file that is removed afterwards. The sender masks sensitive values
// first.
type HandOverMsg struct {
	To   ExternalProgram
	File string // the file name, whose extension tells the program the format
	Text string
	// Edited returns a message for the text that the user saved in the editor; nil discards the text.
	Edited func(text string) tea.Msg
}

// Send returns the command that sends msg.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// UseMsg asks the root to switch to a context, and to open a screen of a schema or search for a text there.
type UseMsg struct {
	Name   string
	Schema string            // "" for the open schema
	Then   func(*Env) Target // returns the screen to open; nil for the workbench
	Find   string            // the text to find; "" for no search
}

// SessionMsg reports that a session was opened: the root opens the target that Then returns, or the workbench if Then
// is nil.
type SessionMsg struct {
	Workspace *workspace.Workspace
	Then      func(*Env) Target
}

// A WaitingMsg reports the number of items in a queue to the home screen.
type WaitingMsg struct {
	Profile, Queue string
	N              int
	More           bool // the queue may contain more items
	At             time.Time
}

// An EnterMsg asks the root to open a profile and one of its screens, the workbench if Then is nil. Home opens it, so
// the root first closes all screens above home.
type EnterMsg struct {
	Profile *profiles.Profile
	Then    func(*Env) Target
	Notice  string // notice on the new screen, or ""
}

// AnsweredMsg reports to the root that the user answered a question.
type AnsweredMsg struct{}

// ExpiredMsg asks the root to offer the command that renews credentials.
type ExpiredMsg struct{ Command []string }

// SignInMsg reports that the user agreed to run the command.
type SignInMsg struct{ Command []string }

// A Base implements the parts of a Screen that do not depend on its content. A screen that embeds a Base has a title, a
// place and a guide; it starts nothing and cancels nothing unless it defines Init and Close itself.
type Base struct {
	Name  string // the title, the screen's crumb
	Kind  string // a screen is not opened over another one of its kind
	About Guide  // introduces the screen in its help
}

// Title returns the screen's crumb.
func (b Base) Title() string { return b.Name }

// Place returns the screen's kind.
func (b Base) Place() string { return b.Kind }

// Guide returns the screen's introduction.
func (b Base) Guide() Guide { return b.About }

// Init starts nothing.
func (Base) Init() tea.Cmd { return nil }

// Close cancels nothing.
func (Base) Close() {}

// Press runs the action that is bound to a key, or shows the reason why it is unavailable. used is false if the key
// does not belong to any action.
func Press(actions widget.Actions, key tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	cmd, reason, used := actions.Handle(key)
	if reason != "" {
		return Send(NoticeMsg{Text: reason}), used
	}
	return cmd, used
}
