package changes_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestChangeConformance(t *testing.T) {
	fixture.Servers(t, func(t *testing.T, o store.Options) {
		conn, err := store.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("concurrent approvals", func(t *testing.T) { checkConcurrentApprovals(t, fixtureWithOwnTables(t, conn, "authbridge")) })
		for _, name := range profiles.Names() {
			t.Run(name, func(t *testing.T) { changesOf(t, fixtureWithOwnTables(t, conn, name)) })
		}
	})
}

// fixtureWithOwnTables loads a built-in schema with unique table names, so that tests can share a server, and fills
// the tables.
func fixtureWithOwnTables(t *testing.T, conn *store.Connection, name string) *fixture.Fixture {
	t.Helper()
	file, text, err := profiles.ReadSource(name)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := profiles.Load(file, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Load(file, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	suffix := fmt.Sprintf("-%d", time.Now().UnixNano())
	for i, table := range p.Tables {
		table.Name = plain.Tables[i].Name + suffix
	}
	return fixtureAs(t, "kagiso", p, conn)
}

// If 32 users approve the same case, one succeeds, one audit entry exists, and the others receive a conflict.
func checkConcurrentApprovals(t *testing.T, w *fixture.Fixture) {
	const people = 32
	it := w.PutCase(t, "ver_race")
	approve := w.Profile.Action("approve")
	errs := make([]error, people)
	var start, end sync.WaitGroup
	start.Add(1)
	for i := range people {
		s := w.As(fmt.Sprintf("reviewer%d", i))
		p, err := s.Planner.Plan(t.Context(), approve, map[string]string{"verificationId": "ver_race"}, "")
		if err != nil {
			t.Fatal(err)
		}
		end.Go(func() {
			start.Wait()
			_, errs[i] = s.Committer.Commit(t.Context(), p)
		})
	}
	start.Done()
	end.Wait()
	approvals := 0
	for i, err := range errs {
		var conflict *change.Conflict
		switch {
		case err == nil:
			approvals++
		case !errors.As(err, &conflict):
			t.Errorf("reviewer%d: got %v, want a conflict", i, err)
		}
	}
	if approvals != 1 {
		t.Errorf("got %d approvals, want 1", approvals)
	}
	if status, _ := w.Read(t, it).Text("status"); status != "approved" {
		t.Errorf("status = %s, want approved", status)
	}
	if n := len(w.Entries(t, "ver_race")); n != 1 {
		t.Errorf("got %d audit entries, want 1", n)
	}
	list, err := fixture.Changes(w.Workspace.Journal)
	if err != nil {
		t.Fatal(err)
	}
	applied := 0
	for _, c := range list {
		if c.Open() {
			t.Errorf("entry %s of %s has no outcome", c.Intent.ID, c.Intent.Actor)
		}
		if c.Committed() {
			applied++
		}
	}
	if applied != 1 || len(list) != people {
		t.Errorf("the journal has %d changes, %d committed, want %d and 1", len(list), applied, people)
	}
}
