package dashboard_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// newRecordedFixture returns a schema with its sample data, and a recorder of its requests.
func newRecordedFixture(t *testing.T, name string) (*fixture.Fixture, *fixture.Recorder) {
	t.Helper()
	r := &fixture.Recorder{Doer: fixture.Database(t)}
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := fixture.NewOn(t, p, fixture.Connect(t, r))
	f.Create(t)
	f.Seed(t)
	r.Reset()
	return f, r
}

// read reads a board to its end.
func read(ctx context.Context, w *workspace.Workspace, o dashboard.Options) dashboard.Summary {
	b := dashboard.New(w, o)
	for b.Next(ctx) {
		continue
	}
	return b.Summary()
}

// stored counts the items of an entity by an attribute, in a full read of the table.
func stored(t *testing.T, f *fixture.Fixture, entity, attribute string) map[string]int {
	t.Helper()
	e := f.Profile.Entity(entity)
	counts := map[string]int{}
	err := f.Workspace.Reading.WholeTable(e.Table).All(t.Context(), func(page reading.Page) error {
		for _, it := range page.Items {
			if r, ok := f.Workspace.Session.Recognize(e.Table, it); ok && r.Entity == e {
				text, _ := it.Text(attribute)
				counts[text]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func TestDashboardCountsEveryState(t *testing.T) {
	for _, name := range profiles.Names() {
		f, _ := newRecordedFixture(t, name)
		sum := read(t.Context(), f.Workspace, dashboard.Options{})
		if !sum.Done || sum.Err != nil || sum.Incomplete || len(sum.Offers) > 0 || sum.At.IsZero() {
			t.Errorf("%s: got done %v, error %v, incomplete %v, offers %v", name, sum.Done, sum.Err, sum.Incomplete, sum.Offers)
		}
		for _, s := range sum.States {
			want := stored(t, f, s.Lifecycle.Entity.Name, s.Lifecycle.Attribute)
			for _, state := range s.Lifecycle.States {
				if got := s.Counts[state.Name]; got.N != want[state.Name] || got.More {
					t.Errorf("%s: %s %s = %v, want %d", name, s.Lifecycle.Name, state.Name, got, want[state.Name])
				}
			}
			if !s.Done || s.Err != nil {
				t.Errorf("%s: %s: got done %v, error %v", name, s.Lifecycle.Name, s.Done, s.Err)
			}
		}
		for _, q := range sum.Queues {
			if !q.Done || q.Err != nil || len(q.Since) != q.Count.N || !slices.IsSortedFunc(q.Since, time.Time.Compare) {
				t.Errorf("%s: %s: got queue %+v", name, q.Queue.ID, q)
			}
		}
	}
}

// If an index has the state as its partition key, the dashboard counts items without reading them.
func TestQueriesCountIndexStates(t *testing.T) {
	f, r := newRecordedFixture(t, "tazco")
	sum := read(t.Context(), f.Workspace, dashboard.Options{ScanUnits: -1})
	for _, s := range sum.States {
		if name := s.Lifecycle.Entity.Name; name == "CardRequest" && (s.Scanned || s.Offered || s.Total().N == 0) ||
			name == "Card" && (!s.Scanned || !s.Offered) {
			t.Errorf("%s: got scanned %v, offered %v, total %v", name, s.Scanned, s.Offered, s.Total())
		}
	}
	if r.Count("Scan") > 0 || len(sum.Offers) == 0 {
		t.Errorf("got %d scans and offers %v, want offers only", r.Count("Scan"), sum.Offers)
	}
}

func TestProductionIsReadOnRequestOnly(t *testing.T) {
	f, r := newRecordedFixture(t, "authbridge")
	o := f.Options()
	yes := true
	o.Declared = session.Declaration{Production: &yes}
	w := workspace.New(o)
	w.History.SetDrift(local.DriftCheck{Items: 3, Scanned: 120})
	sum := read(t.Context(), w, dashboard.Options{})
	if len(r.Operations()) > 0 || !sum.Unread || !sum.Done || sum.Drift == nil || sum.Drift.Items != 3 {
		t.Errorf("got requests %v, unread %v, drift %v, want no request", r.Operations(), sum.Unread, sum.Drift)
	}
	sum = read(t.Context(), w, dashboard.Options{Requested: true})
	if r.Count("Scan") > 0 || r.Count("Query") == 0 || len(sum.Offers) != 1 || sum.Offers[0].Estimate.Items == 0 || !sum.States[0].Offered {
		t.Errorf("got requests %v and offers %v, want queries and 1 offer", r.Operations(), sum.Offers)
	}
	sum = read(t.Context(), w, dashboard.Options{Requested: true, Scan: true})
	if r.Count("Scan") == 0 || len(sum.Offers) > 0 || sum.States[0].Total().N == 0 {
		t.Errorf("with consent: got %d scans and %v", r.Count("Scan"), sum.States[0].Counts)
	}
}

func TestDashboardStaysWithinItsBudget(t *testing.T) {
	f, r := newRecordedFixture(t, "tazco")
	sum := read(t.Context(), f.Workspace, dashboard.Options{Requests: 5})
	if !sum.Incomplete || !sum.Done || sum.Requests != len(r.Operations()) || len(r.Operations()) > 6 {
		t.Errorf("got incomplete %v, %d requests counted and %d sent", sum.Incomplete, sum.Requests, len(r.Operations()))
	}
}

// An unknown number is not 0, so each unreadable part reports an error, even two parts of one missing table.
func TestMissingTablesAreNamedOnce(t *testing.T) {
	for _, name := range []string{"form-bridge", "tazco"} {
		t.Run(name, func(t *testing.T) {
			p, err := profiles.Open(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			f := fixture.NewOn(t, p, fixture.Connect(t, fixture.Database(t)))
			sum := read(t.Context(), f.Workspace, dashboard.Options{})
			if len(sum.Missing) == 0 || sum.Err != nil || !sum.Done {
				t.Errorf("got missing tables %v, error %v", sum.Missing, sum.Err)
			}
			if names := slices.Sorted(slices.Values(sum.Missing)); len(slices.Compact(names)) != len(sum.Missing) {
				t.Errorf("a missing table is listed twice: %v", sum.Missing)
			}
			if _, known := sum.Waiting(); known {
				t.Error("Waiting() returns a length although a table is missing")
			}
			for _, q := range sum.Queues {
				if store.ClassOf(q.Err) != store.TableMissing {
					t.Errorf("%s: got error %v, want a missing table", q.Queue.ID, q.Err)
				}
			}
			for _, s := range sum.States {
				if !s.Offered && store.ClassOf(s.Err) != store.TableMissing {
					t.Errorf("%s: got error %v, want a missing table", s.Lifecycle.Attribute, s.Err)
				}
			}
		})
	}
}

func TestCanceledDashboardKeepsItsNumbers(t *testing.T) {
	f, _ := newRecordedFixture(t, "authbridge")
	ctx, cancel := context.WithCancel(t.Context())
	b := dashboard.New(f.Workspace, dashboard.Options{})
	b.Next(ctx)
	b.Next(ctx)
	cancel()
	for range 2 {
		if b.Next(ctx) {
			t.Error("the canceled dashboard sent another request")
		}
	}
	if sum := b.Summary(); !sum.Incomplete || !sum.Done || sum.Err != nil || sum.Queues[0].Count.N == 0 {
		t.Errorf("got incomplete %v, error %v, queue %v", sum.Incomplete, sum.Err, sum.Queues[0].Count)
	}
}

// The dashboard counts other users' requests if the configuration names a table for them. Otherwise it reads nothing.
func TestRequestsToReviewAreCounted(t *testing.T) {
	f, r := newRecordedFixture(t, "authbridge")
	if sum := read(t.Context(), f.Workspace, dashboard.Options{}); sum.Review.Done || sum.Review.Table != "" {
		t.Errorf("without a table: got %+v", sum.Review)
	}
	p, err := requests.NewProfile(requests.Place{Table: "requests", PartitionKey: "PK", SortKey: "SK"})
	if err != nil {
		t.Fatal(err)
	}
	as := func(name string) *workspace.Workspace {
		o := f.Options()
		o.Actor, o.Person.User, o.Requests.Table = name, name, "requests"
		return f.Open(o)
	}
	r.Reset()
	missing := read(t.Context(), as("ben"), dashboard.Options{})
	if missing.Review.Err == nil || missing.Err != nil || len(missing.Missing) != 0 {
		t.Errorf("with a missing table: got %v, %v, %v", missing.Review.Err, missing.Err, missing.Missing)
	}
	if err := f.Conn.Admin().CreateTable(t.Context(), p.Tables[0]); err != nil {
		t.Fatal(err)
	}
	f.PutCase(t, "ver_1")
	ana := as("ana")
	a, err := ana.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := ana.Planner.Plan(t.Context(), a, map[string]string{"verificationId": "ver_1"}, "checked")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ana.Requests.File(t.Context(), plan, "authbridge", ""); err != nil {
		t.Fatal(err)
	}
	if got := read(t.Context(), as("ben"), dashboard.Options{}).Review; got.Err != nil || got.Count.N != 1 || len(got.Since) != 1 {
		t.Errorf("review of another user = %+v, want 1 request", got)
	}
	if got := read(t.Context(), as("ana"), dashboard.Options{}).Review; got.Err != nil || got.Count.N != 0 || got.Open.N != 1 {
		t.Errorf("review of the requester = %+v, want no request to review, and 1 open", got)
	}
	o := f.Options()
	o.Actor, o.Person.User, o.Requests.Table, o.Role = "ana", "ana", "requests", session.Support
	if got := read(t.Context(), f.Open(o), dashboard.Options{}).Review; got.Err != nil || got.Count.N != 1 || !got.OwnRequests {
		t.Errorf("review of a requester without the role = %+v, want the own request", got)
	}
}

// A brief dashboard only reads the items in the queues of a schema.
func TestBriefDashboardReadsQueuesOnly(t *testing.T) {
	f, r := newRecordedFixture(t, "tazco")
	sum := read(t.Context(), f.Workspace, dashboard.Options{Brief: true, ScanUnits: -1})
	count, known := sum.Waiting()
	if !sum.Done || !sum.Brief || !known || count.N == 0 {
		t.Errorf("got done %v, brief %v, %v in the queues", sum.Done, sum.Brief, count)
	}
	if sent := len(r.Operations()); sent > 2*len(sum.Queues) {
		t.Errorf("got %d requests for %d queues, want at most 2 each", sent, len(sum.Queues))
	}
	for _, s := range sum.States {
		if len(s.Counts) > 0 {
			t.Errorf("the brief dashboard counts %s", s.Lifecycle.Name)
		}
	}
}
