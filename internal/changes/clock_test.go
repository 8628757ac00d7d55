package changes_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A wallClock is the clock of a machine and its database, which a test sets.
type wallClock struct{ at time.Time }

func (c *wallClock) now() time.Time { return c.at }

// A sleeper forwards requests to the store. The machine sleeps after the next write arrives, and loses the response.
type sleeper struct {
	next   store.Doer
	clock  *wallClock
	asleep time.Duration // 0 for a machine that does not sleep
	onWake func()        // called after the sleep; may be nil
	writes int           // writes that arrived
}

// Do implements store.Doer.
func (s *sleeper) Do(r *http.Request) (*http.Response, error) {
	answer, err := s.next.Do(r)
	if !isWrite(r) {
		return answer, err
	}
	s.writes++
	if s.asleep == 0 || err != nil {
		return answer, err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	s.clock.at, s.asleep = s.clock.at.Add(s.asleep), 0
	if s.onWake != nil {
		s.onWake()
	}
	return nil, errBroken
}

// clockFixture returns a fixture without items and with a clock that the test sets.
func clockFixture(t *testing.T) (*fixture.Fixture, *sleeper) {
	t.Helper()
	clock := &wallClock{fixture.Now}
	db, err := embedded.Open(embedded.Options{NoSync: true, Clock: clock.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	line := &sleeper{next: db, clock: clock}
	conn, err := store.Connect(t.Context(), store.Options{Embedded: line, Clock: clock.now})
	if err != nil {
		t.Fatal(err)
	}
	f := fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), conn)
	o := f.Options()
	o.Clock = clock.now
	f.Workspace = f.Open(o)
	return f, line
}

// planApproval plans to approve the case ver_1.
func planApproval(t *testing.T, w *workspace.Workspace) *change.Plan {
	t.Helper()
	p, err := w.Planner.Plan(t.Context(), w.Session.Profile().Action("approve"), map[string]string{"verificationId": "ver_1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// DynamoDB forgets a client request token after ten minutes. A request that is repeated later, because the machine
// slept, fails on its own conditions, which does not prove that nothing was written.
func TestCommitAfterTokenIsForgotten(t *testing.T) {
	for _, asleep := range []time.Duration{time.Minute, 11 * time.Minute, 24 * time.Hour} {
		t.Run(asleep.String(), func(t *testing.T) {
			w, line := clockFixture(t)
			it := w.PutCase(t, "ver_1")
			p := planApproval(t, w.Workspace)
			line.asleep, line.writes = asleep, 0
			if _, err := w.Workspace.Committer.Commit(t.Context(), p); err != nil {
				t.Errorf("commit: %v", err)
			}
			if status, _ := w.Read(t, it).Text("status"); status != "approved" || line.writes < 2 {
				t.Errorf("status = %s after %d writes, want approved after a retry", status, line.writes)
			}
			if n := len(w.Entries(t, "ver_1")); n != 1 {
				t.Errorf("got %d audit entries, want 1", n)
			}
			if last := changesIn(t, w.Workspace)[0]; !last.Committed() {
				t.Errorf("the journal contains %+v, want a committed change", last.Outcome)
			}
		})
	}
}

// Another user changed the case while the machine slept: the change may have been applied.
func TestCommitAfterTokenIsForgottenAndItemsChanged(t *testing.T) {
	w, line := clockFixture(t)
	it := w.PutCase(t, "ver_1")
	p := planApproval(t, w.Workspace)
	line.asleep = time.Hour
	line.onWake = func() {
		changed := it.Clone()
		changed["status"], changed["updatedAt"] = models.StringValue("expired"), models.StringValue("2026-01-20T12:30:00Z")
		w.Put(t, w.Profile.Entity("Verification").Table, changed)
	}
	_, err := w.Workspace.Committer.Commit(t.Context(), p)
	last := changesIn(t, w.Workspace)[0]
	if err == nil && !last.Committed() || err != nil && !errors.Is(err, changes.ErrUnknown) {
		t.Errorf("got %v from Commit; the journal contains %+v", err, last.Outcome)
	}
}

// With a clock that was set back, the change would precede its plan, and its audit entry would precede older entries.
func TestCommitRefusesClockThatWasSetBack(t *testing.T) {
	w, line := clockFixture(t)
	it := w.PutCase(t, "ver_1")
	p := planApproval(t, w.Workspace)
	line.clock.at = line.clock.at.Add(-time.Hour)
	_, err := w.Workspace.Committer.Commit(t.Context(), p)
	if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "clock") {
		t.Errorf("got %v, want a refusal about the clock", err)
	}
	if status, _ := w.Read(t, it).Text("status"); status != "in_review" {
		t.Errorf("status = %s, want in_review", status)
	}
}

// Clocks are corrected by seconds all the time, so Commit uses the time of the plan.
func TestCommitNeverPrecedesItsPlan(t *testing.T) {
	w, line := clockFixture(t)
	w.PutCase(t, "ver_1")
	p := planApproval(t, w.Workspace)
	line.clock.at = line.clock.at.Add(-2 * time.Second)
	done, err := w.Workspace.Committer.Commit(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !done.Plan.Basis.Now.Equal(p.Basis.Now) {
		t.Errorf("planned at %s, but applied at %s", p.Basis.Now, done.Plan.Basis.Now)
	}
}

// The clocks of two users differ. If they differ by less than a minute, the item's audit entries are in the order of
// its changes. A time in the far future cannot come from another clock, so it is ignored.
func TestChangeFollowsTheLastChangeOfItsItem(t *testing.T) {
	tests := []struct {
		name       string
		ahead      time.Duration // lead of the clock of the user who last changed the item
		afterwards time.Duration // from the other change to this one; negative if this clock determines the time
	}{
		{"same second", 0, -1},
		{"half a second", 500 * time.Millisecond, -1},
		{"ten seconds", 10 * time.Second, time.Second},
		{"a minute", time.Minute, time.Second},
		{"more than a minute", time.Minute + time.Second, -1},
		{"an hour behind", -time.Hour, -1},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			w, line := clockFixture(t)
			it := w.PutCase(t, "ver_1").Clone()
			last := line.clock.at.Add(tt.ahead)
			it["updatedAt"] = models.StringValue(last.Format(time.RFC3339))
			w.Put(t, w.Profile.Entity("Verification").Table, it)
			want := line.clock.at
			if tt.afterwards > 0 {
				want = last.Add(tt.afterwards)
			}
			done, err := w.Workspace.Committer.Commit(t.Context(), planApproval(t, w.Workspace))
			if err != nil {
				t.Fatal(err)
			}
			if got := done.Plan.Basis.Now; !got.Equal(want) {
				t.Errorf("%s: applied at %s, want %s", tt.name, got, want)
			}
		})
	}
}

// The age of an open change is unreliable if the clock was set: a change that is being sent must not be resolved.
func TestResolveSkipsChangeInProgress(t *testing.T) {
	for name, jump := range map[string]time.Duration{"forwards": time.Hour, "backwards": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			w, line := clockFixture(t)
			w.PutCase(t, "ver_1")
			p := planApproval(t, w.Workspace)
			var resolved error
			line.asleep = jump
			line.onWake = func() {
				_, resolved = w.Workspace.Journal.Resolve(t.Context(), changesIn(t, w.Workspace)[0])
			}
			if _, err := w.Workspace.Committer.Commit(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if !errors.Is(resolved, session.ErrInput) || !strings.Contains(resolved.Error(), "is being sent") {
				t.Errorf("resolving during the write: got %v, want an input error", resolved)
			}
		})
	}
}

// Commit checks the plan's time requirements again, because the clock may have passed them.
func TestCommitRechecksTimes(t *testing.T) {
	w, line := clockFixture(t)
	a := *w.Profile.Action("extend-expiry")
	a.Disabled = ""
	a.Require = []change.Requirement{{Attribute: "expiresAt", Compare: accesspatterns.Greater, Value: formula(t, "{now}")}}
	it := w.PutCase(t, "ver_1")
	inputs := map[string]string{"verificationId": "ver_1", "expiresAt": "now+60d"}
	p, err := w.Workspace.Planner.Plan(t.Context(), &a, inputs, "asked for")
	if err != nil {
		t.Fatal(err)
	}
	line.clock.at = line.clock.at.AddDate(0, 2, 0)
	_, err = w.Workspace.Committer.Commit(t.Context(), p)
	if _, ok := errors.AsType[*change.Conflict](err); !ok {
		t.Errorf("got %v, want a conflict", err)
	}
	if now := w.Read(t, it); !models.EqualItems(now, it) {
		t.Errorf("the conflict changed the case: %v", now)
	}
}

func formula(t *testing.T, text string) change.Formula {
	t.Helper()
	f, err := change.ParseFormula(text, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
