package changes_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// bidFixture returns a fixture of ebay-sniper with one pending bid of one user, and a console whose clock moves.
func bidFixture(t *testing.T) (*fixture.Fixture, models.Item) {
	t.Helper()
	f := fixtureAs(t, "kagiso", schemas.Open(t, "ebay-sniper"), fixture.Connect(t, fixture.Database(t)))
	o := f.Options()
	o.Clock = time.Now
	f.Workspace = f.Open(o)
	for _, s := range f.Samples(t) {
		if status, _ := s.Item.Text("status"); s.Entity.Name == "Bid" && status == "PENDING" {
			f.Put(t, s.Entity.Table, s.Item)
			return f, s.Item
		}
	}
	t.Fatal("no sample bid is pending")
	return nil, nil
}

// changeBid plans and commits an action that is off by default.
func changeBid(ctx context.Context, w *workspace.Workspace, a change.Action, bid models.Item, inputs map[string]string) (*change.Plan, error) {
	a.Disabled = ""
	all := a.Args(bid)
	maps.Copy(all, inputs)
	p, err := w.Planner.Plan(ctx, &a, all, "as agreed")
	if err != nil {
		return nil, err
	}
	done, err := w.Committer.Commit(ctx, p)
	if err != nil {
		return nil, err
	}
	return done.Plan, nil
}

func entryOf(p *change.Plan) models.Item { return p.Writes[len(p.Writes)-1].After }

// Entries of the same second would have the same key, or be sorted by action name.
func TestItemChangesHaveDistinctEntriesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, bid := bidFixture(t)
		var keys []string
		for _, step := range []struct{ action, amount string }{
			{"update-bid-amount", "701"}, {"update-bid-amount", "702"}, {"update-bid-amount", "703"}, {"cancel-bid", ""},
		} {
			inputs := map[string]string{}
			if step.amount != "" {
				inputs["maxBidAmount"] = step.amount
			}
			p, err := changeBid(t.Context(), f.Workspace, *f.Profile.Action(step.action), bid, inputs)
			if err != nil {
				t.Fatal(step.action, err)
			}
			if p.Basis.Now.After(time.Now()) {
				t.Errorf("the time of %s is %s, after the current time %s", step.action, p.Basis.Now, time.Now())
			}
			key, _ := entryOf(p).Text("historyId")
			keys = append(keys, key)
		}
		if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != len(keys) {
			t.Errorf("the entry keys are not distinct and sorted: %q", keys)
		}
	})
}

// If another item already has the key of this second, the change waits for the next second.
func TestChangeWaitsForFreeEntryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, bid := bidFixture(t)
		a := *f.Profile.Action("update-bid-amount")
		a.Disabled = ""
		inputs := a.Args(bid)
		inputs["maxBidAmount"] = "701"
		p, err := f.Workspace.Planner.Plan(t.Context(), &a, inputs, "as agreed")
		if err != nil {
			t.Fatal(err)
		}
		f.Put(t, p.Writes[1].Table, entryOf(p))
		start := time.Now().Truncate(time.Second)
		done, err := f.Workspace.Committer.Commit(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if at := done.Plan.Basis.Now; !at.Equal(start.Add(time.Second)) || at.After(time.Now()) {
			t.Errorf("planned for %s and applied at %s, want one second later", start, at)
		}
	})
}

// If the clock stands still, the key never becomes free.
func TestChangeReportsTakenEntryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, bid := bidFixture(t)
		f.Workspace = f.As("kagiso")
		_, err := changeBid(t.Context(), f.Workspace, *f.Profile.Action("update-bid-amount"), bid, map[string]string{"maxBidAmount": "701"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = changeBid(t.Context(), f.Workspace, *f.Profile.Action("update-bid-amount"), bid, map[string]string{"maxBidAmount": "702"})
		var conflict *change.Conflict
		if !errors.As(err, &conflict) {
			t.Fatalf("got %v, want a conflict", err)
		}
		const want = "already exists, because another change was made in the same second; apply the plan again in a second"
		if got := conflict.Message; len(got) < len(want) || got[len(got)-len(want):] != want {
			t.Errorf("got conflict %q, want the suffix %q", got, want)
		}
	})
}
