package changes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

func TestTransitionOffersNameActionOrReason(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "in_review")
	words := func(s *workspace.Workspace) []string {
		var list []string
		for _, m := range s.Planner.TransitionOffers(e, it) {
			a := "-"
			if m.Action != nil {
				a = m.Action.ID
			}
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s to %s by %s %s", m.Transition.Name, m.To.Name, a, m.Reason)))
		}
		return list
	}
	want := []string{
		"approve to approved by approve", "reject to rejected by reject", "auto-reject to auto_rejected by auto-reject",
		"request-resubmission to resubmission_required by request-resubmission", "mark-expired to expired by mark-expired",
	}
	if diff := cmp.Diff(want, words(w.Workspace)); diff != "" {
		t.Errorf("moves of an admin (-want +got):\n%s", diff)
	}
	for _, line := range words(w.With(session.Support)) {
		if !strings.HasSuffix(line, "role support cannot change items") {
			t.Errorf("support may make a move: %s", line)
		}
	}
	for _, m := range w.Workspace.Planner.TransitionOffers(e, it) {
		id, _ := it.Text("verificationId")
		if diff := cmp.Diff(map[string]string{"verificationId": id}, m.Args); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m.Action.ID, diff)
		}
	}
}

func TestOffersGiveReasonForDisabledActions(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "pending_review")
	reason := map[string]string{}
	for _, o := range w.Workspace.Planner.Offers(e, it) {
		reason[o.Action.ID] = o.Reason
	}
	for id, want := range map[string]string{
		"claim-review": "", "update-verification-status": "", "approve": "after Claim for review",
		"repair-index-key": "no problems found", "create-verification": "disabled: Clients",
	} {
		if got, ok := reason[id]; !ok || want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
	if len(reason) != len(w.Profile.ActionsOf(e)) {
		t.Errorf("got %d offers, want %d", len(reason), len(w.Profile.ActionsOf(e)))
	}
	stale := it.Clone()
	stale["GSI1SK"] = models.StringValue("created#2026")
	for _, o := range w.Workspace.Planner.Offers(e, stale) {
		if o.Action.Kind == change.KindRepair && o.Reason != "" {
			t.Errorf("the repair of a stale key is refused: %q", o.Reason)
		}
	}
}

// offersOf returns the offers for an item by action ID.
func offersOf(w *workspace.Workspace, e *models.Entity, it models.Item) map[string]changes.Offer {
	offers := map[string]changes.Offer{}
	for _, o := range w.Planner.Offers(e, it) {
		offers[o.Action.ID] = o
	}
	return offers
}

// An action that the state does not allow names the enabled actions of the same lifecycle that lead to an allowed
// state, or else the states. It contains no IDs.
func TestOffersNameActionToRunFirst(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "pending_review")
	reason := func() string { return offersOf(w.Workspace, e, it)["approve"].Reason }
	if got := reason(); got != "after Claim for review" {
		t.Errorf("got %q, want \"after Claim for review\"", got)
	}
	other := *w.Profile.Action("claim-review")
	other.Title = "Take over"
	w.Profile.Actions = append(w.Profile.Actions, &other)
	if got := reason(); got != "after Claim for review or Take over" {
		t.Errorf("with two actions: got %q", got)
	}
	other.Lifecycle = &models.Lifecycle{Entity: e, Attribute: "status"}
	w.Profile.Action("claim-review").Disabled = "not used"
	if got := reason(); got != "only when In review" {
		t.Errorf("with another lifecycle's action and a disabled action: got %q", got)
	}
	_, it = w.SampleCase(t, "in_review")
	if ways := w.Workspace.Planner.Prerequisites(w.Profile.Action("approve"), it); len(ways) != 0 || reason() != "" {
		t.Errorf("in a state that allows the action: got %v, %q, want none", ways, reason())
	}
}

// The screens distinguish actions that only the session prevents from actions that the item does not allow.
func TestOffersDistinguishSessionAndItem(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Support)
	e, it := w.SampleCase(t, "in_review")
	offers := offersOf(w.Workspace, e, it)
	if o := offers["approve"]; !o.Refused || o.Reason != "role support cannot change items" {
		t.Errorf("refused by the session: got %+v", o)
	}
	if o := offers["claim-review"]; o.Refused || o.Reason != "only when Waiting for review" || o.Now != "In review" {
		t.Errorf("prevented by the item: got %+v", o)
	}
	for id, o := range offersOf(w.With(session.Admin), e, it) {
		if o.Refused {
			t.Errorf("%s is refused to an admin: %s", id, o.Reason)
		}
	}
}

// Moves offers an enabled action for each transition. It prefers an action for this transition only, and the first of
// equal actions.
func TestMovesPreferSpecificAction(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "in_review")
	approval := func() changes.TransitionOffer {
		t.Helper()
		for _, m := range w.Workspace.Planner.TransitionOffers(e, it) {
			if m.Transition.Name == "approve" {
				return m
			}
		}
		t.Fatal("no transition has the action approve")
		return changes.TransitionOffer{}
	}
	second := *w.Profile.Action("approve")
	second.ID = "approve-again"
	w.Profile.Actions = append(w.Profile.Actions, &second)
	if m := approval(); m.Action.ID != "approve" {
		t.Errorf("of two equal actions, got %s, want approve", m.Action.ID)
	}
	w.Profile.Action("approve").Disabled, second.Disabled = "not used", "not used"
	m := approval()
	if m.Action.ID != "update-verification-status" || m.Args[m.Action.Target] != "approved" || m.Reason != "" {
		t.Errorf("with the specific action disabled: got %s %v %q", m.Action.ID, m.Args, m.Reason)
	}
	m.Action.Disabled = "not used"
	if m = approval(); m.Action.ID != "approve" || !strings.Contains(m.Reason, "disabled") {
		t.Errorf("with both disabled: got %s %q", m.Action.ID, m.Reason)
	}
}

// For a documented transition without an action, the reason names the actor, unless it is staff or admin.
func TestMovesExplainMissingAction(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "in_review")
	w.Profile.Actions = nil
	for _, tt := range []struct {
		documented bool
		actor      string
		want       string
	}{
		{false, "", "the schema does not document this transition"},
		{false, "system", "the schema does not document this transition"},
		{true, "system", "performed by the system; the schema has no action for it"},
		{true, "staff", "the schema has no action for it"},
		{true, "admin", "the schema has no action for it"},
		{true, "", "the schema has no action for it"},
	} {
		for _, m := range w.Workspace.Planner.TransitionOffers(e, it) {
			m.Transition.Documented, m.Transition.Actor = tt.documented, tt.actor
		}
		for _, m := range w.Workspace.Planner.TransitionOffers(e, it) {
			if m.Reason != tt.want || m.Action != nil {
				t.Errorf("%s, documented: %t, by %q: %q, want %q", m.Transition.Name, tt.documented, tt.actor, m.Reason, tt.want)
			}
		}
	}
}

// After a user is deactivated, the next queue contains the bids to cancel. An undo, or an action that the queue does
// not list, leads to no queue.
func TestQueuesFollowChange(t *testing.T) {
	w := fixture.New(t, "ebay-sniper", session.Admin)
	e := w.Profile.Entity("User")
	var user models.Item
	for _, s := range w.Samples(t) {
		if active, _ := s.Item.Text("isActive"); s.Entity == e && active == "true" {
			user = s.Item
			break
		}
	}
	id, _ := user.Text("userId")
	plan := func(id string) *change.Plan {
		t.Helper()
		a := w.Profile.Action(id)
		p, err := w.Workspace.Planner.Plan(t.Context(), a, a.Args(user), "as agreed")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	after := func(p *change.Plan) (list []string) {
		for _, q := range w.Workspace.Planner.QueuesAfter(p) {
			list = append(list, q.Queue.ID+" "+q.Given["userId"])
		}
		return list
	}
	p := plan("deactivate-user")
	want := []string{"cancel-all-pending-of-user " + id}
	if diff := cmp.Diff(want, after(p)); diff != "" {
		t.Errorf("after deactivate-user (-want +got):\n%s", diff)
	}
	deleted, undo := *p, *p
	deleted.Writes = []change.Write{p.Writes[0]}
	deleted.Writes[0].After = nil
	if diff := cmp.Diff(want, after(&deleted)); diff != "" {
		t.Errorf("after it deleted the user (-want +got):\n%s", diff)
	}
	undo.Undoes = p
	if got := after(&undo); got != nil {
		t.Errorf("queues after an undo: got %v, want none", got)
	}
	nothing := deleted
	nothing.Writes = []change.Write{{Operation: change.Check, Table: e.Table, Entity: e, Key: p.Writes[0].Key}}
	if got := after(&nothing); got != nil {
		t.Errorf("queues after a plan without an item: got %v, want none", got)
	}
	w.Profile.Action("deactivate-user").Audits = nil
	for _, q := range w.Profile.Queues {
		q.After = nil
	}
	if got := after(p); got != nil {
		t.Errorf("queues after an action without a following queue: got %v, want none", got)
	}
}

// The inputs that an item fills identify it, even if an attribute contradicts its key.
func TestActionArgsIdentifyItem(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		samples, err := sample.Items(p, sample.Options{Seed: 1, At: fixture.Now})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range samples {
			a := p.RepairOf(s.Entity)
			if a == nil {
				continue
			}
			args := changes.ActionArgs(a, s.Entity, s.Item)
			for _, k := range []models.Key{s.Table.PartitionKey, s.Table.SortKey} {
				tpl, ok := s.Entity.KeyTemplate(k.Name)
				if !ok {
					continue
				}
				want, _ := s.Item.Text(k.Name)
				if got, err := tpl.Format(models.MapValues(args)); err != nil || got != want {
					t.Fatalf("%s: %v make %s %q, %v; want %q", s.Entity.Name, args, k.Name, got, err, want)
				}
			}
		}
	}
}

// ddbdesk cannot plan an action with an obstacle. The test covers every action of every built-in schema.
func TestObstaclesPreventPlanning(t *testing.T) {
	t.Parallel()
	fixture.EachSchema(t, session.Admin, func(t *testing.T, w *fixture.Fixture, samples []sample.Item) {
		byEntity := map[*models.Entity][]models.Item{}
		for _, s := range samples {
			if list := byEntity[s.Entity]; len(list) < 12 {
				byEntity[s.Entity] = append(list, s.Item)
			}
		}
		allowed, refused := 0, 0
		for _, a := range w.Profile.Actions {
			enabled := *a
			enabled.Disabled = ""
			for _, it := range byEntity[a.Entity] {
				obstacle := enabled.Obstacle(it, fixture.Now, "tester")
				_, err := w.Workspace.Planner.Plan(t.Context(), &enabled, someInputs(&enabled, it), "as agreed")
				if obstacle != nil && err == nil {
					t.Errorf("%s can be planned despite the obstacle %v", a.ID, obstacle)
				}
				if err == nil {
					allowed++
				} else if obstacle != nil {
					refused++
				}
			}
		}
		if allowed == 0 || refused == 0 {
			t.Errorf("got %d plans and %d obstacles, want some of both", allowed, refused)
		}
	})
}
