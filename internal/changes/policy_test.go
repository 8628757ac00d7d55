package changes_test

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// policyFixture returns a fixture whose session is restricted to the schema's policy for an admin. Its connection is
// not restricted.
func policyFixture(t *testing.T, p *profiles.Profile, o schema.PolicyOptions) (*fixture.Fixture, *faults.Guard, faults.Policy) {
	t.Helper()
	db := fixture.Database(t)
	text, err := json.Marshal(schema.PolicyOf(p, o))
	if err != nil {
		t.Fatal(err)
	}
	var policy faults.Policy
	if err := json.Unmarshal(text, &policy); err != nil {
		t.Fatal(err)
	}
	guard := faults.NewGuard(db, policy)
	guard.Keys = map[string]string{}
	w, guarded := fixture.NewOn(t, p, fixture.Connect(t, db)), fixture.Connect(t, guard)
	for _, table := range p.Tables {
		guard.Keys[table.Name] = table.PartitionKey.Name
		live := *table
		live.Indexes = nil
		for _, x := range table.Indexes {
			index := *x
			if index.Projection == models.ProjectionUnknown { // Use the narrowest projection.
				index.Projection = models.ProjectionKeysOnly
			}
			live.Indexes = append(live.Indexes, &index)
		}
		if err := w.Conn.Admin().CreateTable(t.Context(), &live); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tables.Seed(t.Context(), p, w.Conn, sample.Options{Seed: 1, At: fixture.Now}); err != nil {
		t.Fatal(err)
	}
	w.Workspace = workspace.NewWriting(session.Options{
		Profile: p, Store: guarded.Reader(), Target: guarded.Describe(), Role: session.Admin, Actor: "tester",
		StateDir: w.Dir, JournalPath: filepath.Join(w.Dir, "journal.jsonl"), Clock: fixture.Ticking(),
	}, guarded.Writer())
	return w, guard, policy
}

// useAll compares the tables, opens an item of each, runs every pattern with sample data, and applies and undoes every
// enabled action.
func useAll(t *testing.T, w *fixture.Fixture) {
	t.Helper()
	if text, _ := w.Workspace.Tables.Compare(t.Context()).Summary(); text == "" {
		t.Error("the summary of the table comparison is empty")
	}
	samples := w.Samples(t)
	opened := map[*models.Table]bool{}
	tried := map[string]int{}
	for _, s := range samples {
		if key, ok := s.Table.PrimaryKey(s.Item); ok && !opened[s.Table] {
			opened[s.Table] = true
			if _, err := w.Workspace.Reading.Get(t.Context(), s.Table, key); err != nil {
				t.Error(err)
			}
		}
		for _, r := range w.Workspace.Reading.Related(s.Table, s.Item) {
			name := s.Entity.Name + " " + r.Pattern.ID
			for _, q := range r.Pattern.Params {
				if _, isSet := r.Args[q.Name]; isSet {
					name += " " + q.Name
				}
			}
			if tried[name]++; tried[name] < 3 {
				openFirstItem(t, w, r.Pattern, r.Args)
			}
		}
	}
	for _, p := range w.Profile.Patterns {
		for _, args := range fixture.FixedArgs(p) {
			if _, err := w.Workspace.Reading.Bind(p, args); err == nil {
				openFirstItem(t, w, p, args)
			}
		}
	}
	for _, a := range w.Profile.Actions {
		if a.Disabled != "" {
			continue
		}
		applyAndUndo(t, w, a, samples)
		for _, table := range a.Tables() {
			if !a.CanSweep() {
				continue
			}
			if _, err := w.Workspace.Session.Store().PointInTimeRecovery(t.Context(), table.Name); err != nil {
				t.Errorf("%s: %v", a.FullID(), err)
			}
		}
	}
}

func openFirstItem(t *testing.T, w *fixture.Fixture, p *accesspatterns.Pattern, args map[string]string) {
	t.Helper()
	if !p.IsRead() {
		return
	}
	args = maps.Clone(args)
	for _, q := range p.Params { // Use a time that is early enough to find items.
		if q.Type == accesspatterns.Timestamp && q.Default != "" && args[q.Name] == "" && (q.Name == "from" || q.Name == "since") {
			args[q.Name] = "now-30d"
		}
	}
	r, err := w.Workspace.Reading.Start(p, args, reading.RunOptions{AllowScan: true})
	if err == nil {
		_, err = r.Next(t.Context())
	}
	if err != nil {
		t.Errorf("%s %v: %v", p.FullID(), args, err)
	}
}

// applyAndUndo applies and undoes the action on the first item that allows it, and applies it to two more items: other
// items in the transaction may be new the first time and exist the next time.
func applyAndUndo(t *testing.T, w *fixture.Fixture, a *change.Action, samples []sample.Item) {
	t.Helper()
	enabled := *a
	enabled.FourEyes = false
	applied := 0
	for _, s := range samples {
		if s.Entity != a.Entity {
			continue
		}
		it := storeReadyItem(t, w, &enabled, s.Item)
		if applied == 0 {
			if commitAndUndo(t, w, &enabled, it) == nil {
				applied++
			}
			continue
		}
		p, err := w.Workspace.Planner.Plan(t.Context(), &enabled, someInputs(&enabled, it), "as agreed")
		if err != nil {
			continue // The item does not allow it.
		}
		var conflict *change.Conflict
		if _, err := w.Workspace.Committer.Commit(t.Context(), p); err != nil && !errors.As(err, &conflict) {
			t.Errorf("committing %s: %v", a.FullID(), err)
		}
		if applied++; applied == 3 {
			return
		}
	}
	if applied == 0 {
		t.Errorf("no sample item allows %s", a.FullID())
	}
}

func TestPolicyIsSufficientAndMinimal(t *testing.T) {
	t.Parallel()
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := profiles.Open(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			w, guard, policy := policyFixture(t, p, schema.PolicyOptions{Writes: true, Regions: []string{"eu-central-1"}})
			useAll(t, w)
			for _, a := range guard.Refused() {
				t.Errorf("the policy denies %s on %s", a.Action, a.Resource)
			}
			requests := guard.Needed()
			for i, s := range policy.Statement {
				for _, action := range s.Action {
					reduced := policy.Without(i, action)
					for _, resource := range s.Resource {
						if !isNeeded(requests, reduced, action, resource) {
							t.Errorf("%s: no request needs %s on %s", s.Sid, action, resource)
						}
					}
				}
			}
		})
	}
}

// isNeeded reports whether a policy without one action refuses a request that was sent.
func isNeeded(requests []faults.PermissionRequest, reduced faults.Policy, action, resource string) bool {
	for _, a := range requests {
		if a.Needs(action, resource) && !reduced.Allows(a) {
			return true
		}
	}
	return false
}
