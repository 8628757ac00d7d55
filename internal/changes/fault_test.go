package changes_test

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A cuttableConnection forwards requests to the store. With cutAfter, it loses the response to the next write, and then
// every request.
type cuttableConnection struct {
	next          *embedded.Store
	cutAfter, cut bool
	writes        int // writes that arrived
}

func isWrite(r *http.Request) bool {
	switch _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); op {
	case "UpdateItem", "PutItem", "DeleteItem", "TransactWriteItems":
		return true
	default:
		return false
	}
}

var (
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	errBroken  = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
)

// Do implements store.Doer.
func (c *cuttableConnection) Do(r *http.Request) (*http.Response, error) {
	if c.cut {
		return nil, errRefused
	}
	answer, err := c.next.Do(r)
	if !isWrite(r) {
		return answer, err
	}
	c.writes++
	if c.cut = c.cutAfter; c.cut && err == nil {
		_ = answer.Body.Close()
		return nil, errBroken
	}
	return answer, err
}

// cuttableFixture returns a fixture without items whose requests pass a cuttableConnection.
func cuttableFixture(t *testing.T) (*fixture.Fixture, *cuttableConnection) {
	t.Helper()
	c := &cuttableConnection{next: fixture.Database(t)}
	return fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, c)), c
}

// fixtureAs returns a fixture with empty tables and this actor.
func fixtureAs(t *testing.T, actor string, p *profiles.Profile, conn *store.Connection) *fixture.Fixture {
	t.Helper()
	f := fixture.NewOn(t, p, conn)
	f.Create(t)
	f.Workspace = f.As(actor)
	return f
}

// If the journal is not writable, ddbdesk refuses a change before it sends a request.
func TestChangesNeedWritableJournal(t *testing.T) {
	w, c := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": "ver_1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	c.writes = 0
	s := workspace.NewWriting(session.Options{
		Profile: w.Profile, Store: w.Conn.Reader(), Target: w.Conn.Describe(), Role: session.Admin,
		Actor:    "kagiso",
		StateDir: w.Dir, JournalPath: w.Dir, Clock: func() time.Time { return fixture.Now }, // a folder cannot be opened as a journal
	}, w.Conn.Writer())
	if _, err := s.Committer.Commit(t.Context(), p); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "journal") {
		t.Errorf("got %v, want a refusal about the journal", err)
	}
	if c.writes != 0 {
		t.Errorf("got %d writes, want none", c.writes)
	}
}

// ddbdesk refuses changes if any part of the journal was modified.
func TestChangesNeedIntactJournal(t *testing.T) {
	w, c := cuttableFixture(t)
	for _, id := range []string{"ver_1", "ver_2", "ver_3"} {
		w.PutCase(t, id)
	}
	decide := func(s *workspace.Workspace, id string) error {
		p, err := s.Planner.Plan(t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": id}, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Committer.Commit(t.Context(), p)
		return err
	}
	before := w.As("ana")
	if err := decide(before, "ver_1"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(before.Session.JournalPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(before.Session.JournalPath(), bytes.Replace(text, []byte(`"ana"`), []byte(`"eve"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	c.writes = 0
	err = decide(w.As("ana"), "ver_2")
	if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "line 1: entry 1 was changed") || c.writes != 0 {
		t.Errorf("got %d writes, %v, want a refusal about line 1", c.writes, err)
	}
	if err := decide(before, "ver_3"); err != nil { // its end is intact, and the session verified it once
		t.Error(err)
	}
}
