package find_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

// If several contexts fail, the advice begins with a sign-in, regardless of their order.
func TestAdviceSuggestsSignInFirst(t *testing.T) {
	refused, expired := errors.New("region eu-west-1 is not allowed"), &store.Error{SignIn: []string{"aws", "login"}}
	r := find.Result{Failures: []find.Failure{{Err: refused}, {Err: expired}, {Err: refused}}}
	if list := r.FailuresByError(); len(list) != 2 || !errors.Is(list[0].Err, expired) || len(list[1].Places) != 2 {
		t.Errorf("got failures %+v, want 2 errors with the expired sign-in first", list)
	}
}

// The finder searches contexts concurrently, each with its own budget and masking. A failure stops only its context.
func TestContextsAreSearchedInParallel(t *testing.T) {
	staging, live := newTestDatabase(t, "ebay-sniper"), newTestDatabase(t, "ebay-sniper")
	email := staging.sampleValue(t, "ebay-sniper", "User", "email")
	production := true
	entered := make(chan struct{})
	source := func(w *testDatabase, name string, change func(*session.Options), wait func()) find.Source {
		f := w.fixtures["ebay-sniper"]
		return find.Source{Place: find.Place{Profile: f.Profile, Context: name}, Open: func(context.Context) (*workspace.Workspace, error) {
			wait()
			o := f.Options()
			change(&o)
			return f.Open(o), nil
		}}
	}
	f := find.New([]find.Source{
		// Each search waits for the other one to start, so they must run in parallel.
		source(staging, "staging", func(o *session.Options) { o.Role = session.Developer }, func() { <-entered }),
		source(live, "live", func(o *session.Options) { o.Role, o.Declared.Production = session.Support, &production }, func() { close(entered) }),
		{
			Place: find.Place{Profile: live.fixtures["ebay-sniper"].Profile, Context: "expired"},
			Open:  func(context.Context) (*workspace.Workspace, error) { return nil, errors.New("the sign-in expired") },
		},
	}, find.Options{Reads: 8, Offers: true})
	r := search(t, f, email)
	if len(r.Hits) != 2 || r.Hits[0].Context != "staging" || r.Hits[1].Context != "live" || r.HasUniqueHit() {
		t.Fatalf("got hits %+v, want staging and live", r.Hits)
	}
	if len(r.Failures) != 1 || r.Failures[0].In() != "ebay-sniper in expired" {
		t.Errorf("got failures %+v, want ebay-sniper in expired", r.Failures)
	}
	if r.Hits[1].Workspace.Session.Role() != session.Support || !r.Hits[1].Workspace.Session.Production() {
		t.Error("the hit does not have the role of its context")
	}
	bid := staging.sampleValue(t, "ebay-sniper", "Bid", "bidId")
	live.Reset()
	if r = search(t, f, bid); len(r.Hits) != 1 || r.Hits[0].Context != "staging" || r.Hits[0].Way != find.Scanned {
		t.Errorf("got %+v, want one scanned hit in staging", r.Hits)
	}
	for _, operation := range live.Operations() {
		if operation == "Scan" {
			t.Error("the search scanned production")
		}
	}
}

func TestContextGivenTwiceIsSearchedOnce(t *testing.T) {
	w := newTestDatabase(t, "authbridge")
	f := w.fixtures["authbridge"]
	staging := find.Source{Place: find.Place{Profile: f.Profile, Context: "staging"}, Open: func(context.Context) (*workspace.Workspace, error) {
		return f.Open(f.Options()), nil
	}}
	finder := find.New([]find.Source{staging, staging}, find.Options{})
	if r := search(t, finder, w.sampleValue(t, "authbridge", "Verification", "verificationId")); finder.Len() != 1 || len(r.Hits) == 0 {
		t.Errorf("%d schemas, hits %+v", finder.Len(), r.Hits)
	}
}
