package screen

import (
	"time"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// UseMsg asks the root to go to a context.
type UseMsg struct{ Name string }

// SessionMsg says that a session was opened: the root puts what Then makes on
// top, the workbench when it is nil.
type SessionMsg struct {
	Workspace *workspace.Workspace
	Then      func(*Env) Target
}

// A WaitingMsg says how many items are in a queue: home remembers it.
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

// SignInMsg says that the person agreed to run the command.
type SignInMsg struct{ Command []string }
