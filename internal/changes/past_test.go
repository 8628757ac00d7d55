package changes_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// undoLast plans and applies the undo of the journal's newest change.
func undoLast(t *testing.T, w *workspace.Workspace) error {
	t.Helper()
	last, found, err := w.Journal.Last()
	if err != nil || !found {
		t.Fatalf("no change to undo: %v", err)
	}
	p, err := w.Planner.PlanUndoOf(t.Context(), last.PastChange, "a mistake")
	if err == nil {
		_, err = w.Committer.Commit(t.Context(), p)
	}
	return err
}

// Last skips changes that were undone or never applied, and undos. It includes a change with an unknown outcome, which
// must be resolved first.
func TestLastReturnsNewestUndoableChange(t *testing.T) {
	w, c := cuttableFixture(t)
	w.PutCase(t, "ver_1")
	it := w.PutCase(t, "ver_2")
	o := w.Options()
	o.Clock = fixture.Ticking()
	s := w.Open(o)
	last := func() (key string, err error) {
		t.Helper()
		l, found, err := s.Journal.Last()
		p := l.Plan
		if found != (p != nil) {
			t.Fatalf("found: %t, but the plan is %+v", found, p)
		}
		if found {
			key, _ = p.Writes[0].Key.Text("PK")
		}
		return key, err
	}
	want := func(subject, key string) {
		t.Helper()
		if got, err := last(); got != key || err != nil {
			t.Errorf("%s: got %q, %v, want %q", subject, got, err, key)
		}
	}
	want("an empty journal", "")
	if err := approve(t, s, "ver_1"); err != nil {
		t.Fatal(err)
	}
	p, err := s.Planner.Plan(t.Context(), w.Profile.Action("approve"), map[string]string{"verificationId": "ver_2"}, "")
	if err != nil {
		t.Fatal(err)
	}
	w.Put(t, w.Profile.Entity("Verification").Table, withText(it, "status", "expired"))
	if _, err := s.Committer.Commit(t.Context(), p); !errors.As(err, new(*change.Conflict)) {
		t.Fatalf("got %v, want a conflict", err)
	}
	want("after a conflict", "CASE#ver_1")
	if err := undoLast(t, s); err != nil {
		t.Fatal(err)
	}
	want("after its undo", "")
	w.Put(t, w.Profile.Entity("Verification").Table, it)
	c.cutAfter = true
	if err := approve(t, s, "ver_2"); !errors.Is(err, changes.ErrUnknown) {
		t.Fatalf("got %v, want an unknown outcome", err)
	}
	if got, err := last(); got != "CASE#ver_2" || !errors.Is(err, session.ErrRefused) {
		t.Errorf("with an unknown outcome: got %q, %v, want a refusal", got, err)
	}
}

// withText returns a copy of an item with a text attribute.
func withText(it models.Item, name, text string) models.Item {
	it = it.Clone()
	it[name] = models.StringValue(text)
	return it
}

// The undo of a later change updates the version and the time of change, but does not prevent the undo of the earlier
// change. Another user's change does.
func TestSuccessiveChangesAreUndone(t *testing.T) {
	for name, foreign := range map[string]bool{"this machine alone": false, "another user in between": true} {
		t.Run(name, func(t *testing.T) {
			w, _ := cuttableFixture(t)
			table := w.Profile.Entity("Verification").Table
			it := withText(w.PutCase(t, "ver_1"), "status", "pending_review")
			it["GSI1SK"] = models.StringValue("pending_review#2026-01-19T10:00:00Z")
			w.Put(t, table, it)
			o := w.Options()
			o.Clock = fixture.Ticking()
			s := w.Open(o)
			decide(t, s, "claim-review", "")
			decide(t, s, "approve", "")
			if err := undoLast(t, s); err != nil {
				t.Fatal(err)
			}
			if foreign {
				w.Put(t, table, withText(w.Read(t, it), "updatedAt", "2026-01-20T13:00:00Z"))
			}
			err := undoLast(t, s)
			if foreign {
				if !errors.As(err, new(*change.Conflict)) {
					t.Errorf("got %v, want a conflict", err)
				}
				return
			}
			if status, _ := w.Read(t, it).Text("status"); err != nil || status != "pending_review" {
				t.Errorf("status = %s, %v, want pending_review", status, err)
			}
		})
	}
}

// A session counts the changes without an outcome that it cannot resolve, by database. It excludes changes of its own
// tables, and counts an intent once even if the change was planned again.
func TestOpenChangesElsewhere(t *testing.T) {
	w, _ := cuttableFixture(t)
	target := w.Conn.Describe()
	remote := store.Target{Region: "eu-west-1", Account: "111122223333"}
	endpoint := store.Target{Endpoint: "http://localhost:8000", Region: "local"}
	path := w.Workspace.Session.JournalPath()
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	announce := func(at store.Target, profile, table string, outcome bool) journal.Entry {
		t.Helper()
		o := w.Options()
		o.Target = at
		e := w.Open(o).Session.Entry(journal.Intent, profile+".approve", journal.Detail{Table: table})
		e.Profile = profile
		if e, err = j.Append(t.Context(), e); err == nil && outcome {
			_, err = j.Append(t.Context(), e.Result("committed", journal.Detail{}))
		}
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	ownTable := w.Profile.Tables[0].Name
	ownEntry := announce(target, "authbridge", ownTable, false)
	announce(remote, "authbridge", ownTable, true)
	second := announce(remote, "authbridge", ownTable, false)
	announce(endpoint, "authbridge", ownTable, false)
	announce(remote, "authbridge", ownTable, false)
	announce(remote, "tazco", "tazco-dev", false)
	other := announce(target, "authbridge", "verifications-of-others", false)
	if _, err := j.Append(t.Context(), second); err != nil { // ddbdesk planned the change again.
		t.Fatal(err)
	}
	want := []changes.OpenElsewhere{
		{Schema: "authbridge", Place: "eu-west-1, account 111122223333", Number: 2},
		{Schema: "authbridge", Place: "http://localhost:8000, local", Number: 1},
		{Schema: "tazco", Place: "eu-west-1, account 111122223333", Number: 1},
	}
	place := "table verifications-of-others"
	for _, part := range slices.Backward([]string{other.Endpoint, other.Region}) {
		if part != "" {
			place = part + ", " + place
		}
	}
	want = slices.Insert(want, 3, changes.OpenElsewhere{Schema: "authbridge", Place: place, Number: 1})
	if diff := cmp.Diff(want, w.Workspace.Journal.OpenElsewhere()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if open, err := w.Workspace.Journal.Open(); err != nil || len(open) != 1 || open[0].Intent.ID != ownEntry.ID {
		t.Errorf("Open() = %+v, %v, want only the session's change", open, err)
	}
}

// If ddbdesk planned a change again under the same ID, only its last intent is open.
func TestOpenReturnsLastIntentOfChange(t *testing.T) {
	w, _ := cuttableFixture(t)
	j, err := journal.Open(w.Workspace.Session.JournalPath())
	if err != nil {
		t.Fatal(err)
	}
	e := w.Workspace.Session.Entry(journal.Intent, "authbridge.approve", journal.Detail{Token: "first"})
	if e, err = j.Append(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	e.Detail.Token = "second"
	if _, err = j.Append(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	open, err := w.Workspace.Journal.Open()
	if err != nil || len(open) != 1 || open[0].Intent.Detail.Token != "second" {
		t.Errorf("Open() = %+v, %v, want the second intent", open, err)
	}
	if list := changesIn(t, w.Workspace); len(list) != 1 || list[0].Intent.Detail.Token != "second" {
		t.Errorf("got changes %+v, want the second intent", list)
	}
}

// A change without an outcome may be in progress for ninety seconds. A time in the future, after a clock was set back,
// adds no delay.
func TestUnsettledChangeExpires(t *testing.T) {
	w, _ := cuttableFixture(t)
	for age, want := range map[time.Duration]time.Duration{
		-time.Second: 0, 0: 90 * time.Second, time.Second: 89 * time.Second, 89 * time.Second: time.Second, 90 * time.Second: 0, time.Hour: 0,
	} {
		c := changes.PastChange{Intent: journal.Entry{Time: fixture.Now.Add(-age)}}
		if got := w.Workspace.Journal.Unsettled(c); got != want {
			t.Errorf("Unsettled() at age %s = %s, want %s", age, got, want)
		}
	}
}
