package tables_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// guardedFixture returns a fixture of an admin behind a policy that initially allows everything.
func guardedFixture(t *testing.T, name string) (*fixture.Fixture, *faults.Guard) {
	t.Helper()
	return guardedProfile(t, schemas.Open(t, name))
}

func guardedProfile(t *testing.T, p *profiles.Profile) (*fixture.Fixture, *faults.Guard) {
	t.Helper()
	guard := faults.NewGuard(fixture.Database(t), faults.AllowAll())
	guard.Keys = map[string]string{}
	for _, table := range p.Tables {
		guard.Keys[table.Name] = table.PartitionKey.Name
	}
	f := fixture.NewOn(t, p, fixture.Connect(t, guard))
	f.Create(t)
	f.Seed(t)
	return f, guard
}

// runPattern reads the first page of a pattern.
func runPattern(t *testing.T, w *fixture.Fixture, id string, args map[string]string) error {
	t.Helper()
	r, err := w.Workspace.Reading.Start(pattern(t, w, id), args, reading.RunOptions{AllowScan: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Next(t.Context())
	return err
}

func pattern(t *testing.T, w *fixture.Fixture, id string) *accesspatterns.Pattern {
	t.Helper()
	p, err := w.Workspace.Reading.Pattern(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refusedPatterns lists the patterns with an obstacle.
func refusedPatterns(w *fixture.Fixture) []string {
	var ids []string
	for _, p := range w.Profile.Patterns {
		if w.Workspace.Tables.Obstacle(p) != nil {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

func TestDeniedIndexBlocksItsPatterns(t *testing.T) {
	w, guard := guardedFixture(t, "authbridge")
	p := pattern(t, w, "list-verifications-by-date")
	args := map[string]string{"date": "2026-01-19"}
	guard.Set(faults.AllowAll().Except("dynamodb:Query", "/index/"+p.Read.Index.Name))
	if o := w.Workspace.Tables.Obstacle(p); o != nil {
		t.Fatalf("got obstacle %s before any denial", o)
	}
	before := w.Workspace.Tables.Version()
	if err := runPattern(t, w, p.ID, args); store.ClassOf(err) != store.AccessDenied {
		t.Fatalf("got %v, want an access error", err)
	}
	o := w.Workspace.Tables.Obstacle(p)
	if o == nil || !o.Refused || o.Problem != "no permission: dynamodb:Query on …/index/"+p.Read.Index.Name {
		t.Fatalf("got obstacle %+v", o)
	}
	if !strings.Contains(o.Advice, "denies it explicitly") {
		t.Errorf("got advice %q, want one about an explicit deny", o.Advice)
	}
	if w.Workspace.Tables.Version() == before {
		t.Error("the denial did not change the version")
	}
	var same []string
	for _, q := range w.Profile.Patterns {
		if q.IsRead() && q.Read.Index == p.Read.Index {
			same = append(same, q.ID)
		}
	}
	if diff := cmp.Diff(same, refusedPatterns(w)); diff != "" {
		t.Errorf("patterns with an obstacle (-want +got):\n%s", diff)
	}
	calls := len(guard.Needed())
	request, err := w.Workspace.Reading.Bind(p, args)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Workspace.Reading.CanQuickCount(request); err == nil || !strings.Contains(err.Error(), "no permission") {
		t.Errorf("CanQuickCount() = %v, want an error about the permission", err)
	}
	if _, err := w.Workspace.Reading.QuickCount(t.Context(), request); err == nil || len(guard.Needed()) != calls {
		t.Error("QuickCount sent a request despite the denial")
	}
	if err := runPattern(t, w, "list-client-verifications", map[string]string{"clientId": "client_1"}); err != nil {
		t.Errorf("a pattern of another index: %v", err)
	}
	guard.Set(faults.AllowAll())
	if err := runPattern(t, w, p.ID, args); err != nil {
		t.Fatal(err)
	}
	if o := w.Workspace.Tables.Obstacle(p); o != nil {
		t.Errorf("got obstacle %s after the permission was granted", o)
	}
}

// If the role cannot describe tables, no table counts as missing, and all patterns run.
func TestUndescribableTables(t *testing.T) {
	w, guard := guardedFixture(t, "ebay-sniper")
	guard.Set(faults.AllowAll().Except("dynamodb:Describe*"))
	l := w.Workspace.Tables.Compare(t.Context())
	text, good := l.Summary()
	if good || l.Err != nil || text != "not compared: no permission dynamodb:DescribeTable" {
		t.Errorf("got summary %q, good %v, error %v", text, good, l.Err)
	}
	if len(l.Checks) != len(w.Profile.Tables) {
		t.Fatalf("got %d tables, want %d", len(l.Checks), len(w.Profile.Tables))
	}
	for _, c := range l.Checks {
		if c.Missing || len(c.MissingIndexes) > 0 || !strings.HasPrefix(
			c.NotCompared, "not compared: no permission dynamodb:DescribeTable on …/",
		) {
			t.Errorf("%s: got missing %v, indexes %v, note %q", c.Table, c.Missing, c.MissingIndexes, c.NotCompared)
		}
	}
	if ids := refusedPatterns(w); ids != nil {
		t.Errorf("got patterns with an obstacle: %v", ids)
	}
	if err := runPattern(t, w, "get-user-by-email", map[string]string{"email": "a@example.com"}); err != nil {
		t.Error(err)
	}
	guard.Set(faults.AllowAll().Except("dynamodb:DescribeTimeToLive"))
	if text, good := w.Workspace.Tables.Compare(t.Context()).Summary(); good || !strings.HasPrefix(
		text, "not compared: no permission dynamodb:DescribeTimeToLive",
	) {
		t.Errorf("got summary %q without DescribeTimeToLive", text)
	}
	guard.Set(faults.AllowAll())
	if text, good := w.Workspace.Tables.Compare(t.Context()).Summary(); !good {
		t.Errorf("got summary %q with all permissions", text)
	}
	if d := w.Workspace.Session.Denials().List(); len(d) != 0 {
		t.Errorf("got denials %v, want none", d)
	}
}

// If an admin's credentials can read but not write, the first denied transaction shows which write they lack.
func TestWritesAreRefused(t *testing.T) {
	w, guard := guardedFixture(t, "authbridge")
	approve, err := w.Workspace.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	guard.Set(faults.AllowAll().Except("dynamodb:UpdateItem"))
	offered, item := readyItem(t, w, approve)
	commit := func() error {
		p, err := w.Workspace.Planner.Plan(t.Context(), approve, offered.Args, "seen in person")
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Workspace.Committer.Commit(t.Context(), p)
		return err
	}
	if o := w.Workspace.Tables.ObstacleToChange(approve); o != nil {
		t.Fatalf("got obstacle %s before any denial", o)
	}
	if err := commit(); store.ClassOf(err) != store.AccessDenied {
		t.Fatalf("got %v, want an access error", err)
	}
	o := w.Workspace.Tables.ObstacleToChange(approve)
	if o == nil || o.Problem != "no permission: dynamodb:UpdateItem on …/"+approve.Entity.Table.Name {
		t.Fatalf("got obstacle %v", o)
	}
	create, err := w.Workspace.Planner.Action("create-verification")
	if err != nil {
		t.Fatal(err)
	}
	if o := w.Workspace.Tables.ObstacleToChange(create); o != nil {
		t.Errorf("got obstacle %s to putting an item", o)
	}
	if reason := offer(t, w, approve, item).Reason; reason != "" {
		t.Errorf("the offer has the reason %s, want none", reason)
	}
	guard.Set(faults.AllowAll())
	if err := commit(); err != nil {
		t.Fatal(err)
	}
	if o := w.Workspace.Tables.ObstacleToChange(approve); o != nil {
		t.Errorf("got obstacle %s after the permission was granted", o)
	}
}

// readyItem returns an item that allows the action.
func readyItem(t *testing.T, w *fixture.Fixture, a *change.Action) (changes.Offer, models.Item) {
	t.Helper()
	samples := w.Samples(t)
	for _, s := range samples {
		if s.Entity != a.Entity {
			continue
		}
		if o := offer(t, w, a, s.Item); o.Action != nil && o.Reason == "" {
			return o, s.Item
		}
	}
	t.Fatalf("no sample item allows %s", a.FullID())
	return changes.Offer{}, nil
}

func offer(t *testing.T, w *fixture.Fixture, a *change.Action, it models.Item) changes.Offer {
	t.Helper()
	for _, o := range w.Workspace.Planner.Offers(a.Entity, it) {
		if o.Action == a {
			return o
		}
	}
	return changes.Offer{}
}

// New credentials may have other permissions.
func TestNewCredentialsClearDenials(t *testing.T) {
	w, guard := guardedFixture(t, "ebay-sniper")
	guard.Set(faults.AllowAll().Except("dynamodb:Scan"))
	if err := runPattern(t, w, "scan-scheduled-bids", nil); store.ClassOf(err) != store.AccessDenied {
		t.Fatal(err)
	}
	if o := w.Workspace.Tables.ObstacleToDrift(pattern(t, w, "scan-scheduled-bids").Table); o == nil {
		t.Error("the denied scan is not an obstacle to drift detection")
	}
	broken := &failingDescriber{Reader: w.Conn.Reader()}
	s := workspace.New(session.Options{Profile: w.Profile, Store: broken, Clock: func() time.Time { return fixture.Now }})
	table := w.Profile.Tables[0]
	broken.err = &store.Error{Class: store.AccessDenied, Operation: "DescribeTable", Table: table.Name}
	if _, err := s.Tables.Describe(t.Context(), table.Name); err == nil || len(s.Session.Denials().List()) != 1 {
		t.Fatalf("got denials %v after %v, want 1", s.Session.Denials().List(), err)
	}
	broken.err = &store.Error{Class: store.ExpiredCredentials}
	if _, err := s.Tables.Describe(t.Context(), table.Name); err == nil || len(s.Session.Denials().List()) != 0 {
		t.Fatalf("got denials %v after %v, want none", s.Session.Denials().List(), err)
	}
}

// failingDescriber returns an error instead of descriptions.
type failingDescriber struct {
	store.Reader
	err error
}

func (e *failingDescriber) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{}, e.err
}
