package changes_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A cable is the way to the store, which can be cut: before a write arrives,
// after it arrived, or for good.
type cable struct {
	next *embedded.Store

	refuse      int  // so many next writes are refused before they arrive
	swallow     int  // the answers of so many next writes are lost
	refuseAfter bool // writes are refused after the first that arrives
	cutAfter    bool // nothing gets through after the next write
	cut         bool
	writes      int // that arrived
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
func (c *cable) Do(r *http.Request) (*http.Response, error) {
	if c.cut {
		return nil, errRefused
	}
	if !isWrite(r) {
		return c.next.Do(r)
	}
	if c.refuse > 0 {
		c.refuse--
		return nil, errRefused
	}
	if c.refuseAfter && c.writes > 0 {
		return nil, errRefused
	}
	c.writes++
	answer, err := c.next.Do(r)
	if c.cutAfter {
		c.cut = true
	}
	if c.swallow > 0 || c.cut {
		c.swallow--
		if err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		return nil, errBroken
	}
	return answer, err
}

// behind is a fixture without items behind a cable.
func behind(t *testing.T) (*fixture.Fixture, *cable) {
	t.Helper()
	c := &cable{next: fixture.Database(t)}
	return actingAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, c)), c
}

// actingAs is a fixture with empty tables and this actor.
func actingAs(t *testing.T, actor string, p *profiles.Profile, conn *store.Connection) *fixture.Fixture {
	t.Helper()
	f := fixture.Of(t, p, conn)
	f.Create(t)
	f.Workspace = f.As(actor)
	return f
}

// The connection is lost before, during and after the commit. The outcome is known, or can be resolved later.
func TestLostConnectionNeverWritesTwice(t *testing.T) {
	const all = 1 << 20
	tests := map[string]struct {
		cable  cable
		status string // of the case afterwards
		fails  bool
		open   bool // the outcome is unknown
	}{
		"refused once":                        {cable{refuse: 1}, "approved", false, false},
		"refused for good":                    {cable{refuse: all}, "in_review", true, false},
		"an answer is lost":                   {cable{swallow: 1}, "approved", false, false},
		"every answer is lost":                {cable{swallow: all}, "approved", false, false},
		"the line is dead after it arrived":   {cable{cutAfter: true}, "approved", true, true},
		"an answer is lost, then all refused": {cable{swallow: 1, refuseAfter: true}, "approved", false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, c := behind(t)
				it := w.PutCase(t, "ver_1")
				p, err := w.Workspace.Planner.Plan(
					t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": "ver_1"}, "",
				)
				if err != nil {
					t.Fatal(err)
				}
				c.writes, c.refuse, c.swallow, c.refuseAfter, c.cutAfter = 0, test.cable.refuse, test.cable.swallow, test.cable.refuseAfter, test.cable.cutAfter
				_, err = w.Workspace.Committer.Commit(t.Context(), p)
				if (err != nil) != test.fails || errors.Is(err, changes.ErrUnknown) != test.open {
					t.Errorf("commit: %v", err)
				}
				if test.open && !strings.Contains(err.Error(), "reading the items back failed, too") {
					t.Errorf("commit: %v", err)
				}
				*c = cable{next: c.next, writes: c.writes}
				if status, _ := w.Read(t, it).Text("status"); status != test.status {
					t.Errorf("the case is %s, want %s", status, test.status)
				}
				want := 0
				if test.status == "approved" {
					want = 1
				}
				if n := len(w.Entries(t, "ver_1")); n != want {
					t.Errorf("%d audit entries, want %d", n, want)
				}
				list, err := w.Workspace.Journal.Changes()
				if err != nil || len(list) != 1 {
					t.Fatalf("%d changes in the journal, %v", len(list), err)
				}
				if list[0].Open() != test.open || !test.open && list[0].Committed() != (want == 1) {
					t.Errorf("the journal says %+v", list[0].Outcome)
				}
				if test.open {
					resolveLater(t, w, list[0])
				}
			})
		})
	}
}

// resolveLater resolves a change without an outcome.
func resolveLater(t *testing.T, w *fixture.Fixture, c changes.PastChange) {
	t.Helper()
	later := workspace.New(session.Options{
		Profile: w.Profile, Store: w.Conn.Reader(), Target: w.Conn.Describe(), Role: session.Support, Actor: "naledi",
		StateDir: w.Dir, JournalPath: w.Workspace.Session.JournalPath(), Clock: func() time.Time { return time.Now().Add(time.Hour) },
	})
	state, err := later.Journal.Resolve(t.Context(), c)
	if err != nil || state != change.Written {
		t.Errorf("resolved as %q, %v", state, err)
	}
	list, err := later.Journal.Changes()
	if err != nil || len(list) != 1 || !list[0].Committed() {
		t.Errorf("after it was resolved: %+v, %v", list, err)
	}
}

// The change is refused before anything is sent.
func TestChangesNeedAWritableJournal(t *testing.T) {
	w, c := behind(t)
	w.PutCase(t, "ver_1")
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": "ver_1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	c.writes = 0
	s := workspace.NewWriting(session.Options{
		Profile: w.Profile, Store: w.Conn.Reader(), Target: w.Conn.Describe(), Role: session.Admin,
		Actor:    "kagiso",
		StateDir: w.Dir, JournalPath: w.Dir, Clock: func() time.Time { return fixture.Now }, // a folder
	}, w.Conn.Writer())
	if _, err := s.Committer.Commit(t.Context(), p); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "journal") {
		t.Errorf("commit: %v", err)
	}
	if c.writes != 0 {
		t.Errorf("%d writes were sent", c.writes)
	}
}

// A change is refused if the journal was modified anywhere.
func TestChangesNeedAnIntactJournal(t *testing.T) {
	w, c := behind(t)
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
		t.Errorf("%d writes, %v", c.writes, err)
	}
	if err := decide(before, "ver_3"); err != nil { // its end is sound, and it was read once
		t.Error(err)
	}
}
