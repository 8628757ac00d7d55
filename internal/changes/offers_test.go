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

func TestMoves(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "in_review")
	words := func(s *workspace.Workspace) []string {
		var list []string
		for _, m := range s.Planner.Moves(e, it) {
			a := "-"
			if m.Action != nil {
				a = m.Action.ID
			}
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s to %s by %s %s", m.Transition.Name, m.To.Name, a, m.Why)))
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
			t.Errorf("support: %s", line)
		}
	}
	for _, m := range w.Workspace.Planner.Moves(e, it) {
		id, _ := it.Text("verificationId")
		if diff := cmp.Diff(map[string]string{"verificationId": id}, m.Args); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m.Action.ID, diff)
		}
	}
}

func TestOffers(t *testing.T) {
	w := fixture.New(t, "authbridge", session.Admin)
	e, it := w.SampleCase(t, "pending_review")
	why := map[string]string{}
	for _, o := range w.Workspace.Planner.Offers(e, it) {
		why[o.Action.ID] = o.Why
	}
	for id, want := range map[string]string{
		"claim-review": "", "update-verification-status": "", "approve": "status is pending_review: approve needs status in_review",
		"repair-index-key": "no defects found", "create-verification": "disabled",
	} {
		if got, ok := why[id]; !ok || want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if len(why) != len(w.Profile.ActionsOf(e)) {
		t.Errorf("%d offers", len(why))
	}
	stale := it.Clone()
	stale["GSI1SK"] = models.StringValue("created#2026")
	for _, o := range w.Workspace.Planner.Offers(e, stale) {
		if o.Action.Kind == change.Repairs && o.Why != "" {
			t.Errorf("repair of a stale key: %q", o.Why)
		}
	}
}

// The inputs that an item fills identify it, even if an attribute contradicts its key.
func TestActionArgsIdentifyTheItem(t *testing.T) {
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

// An action with an obstacle cannot be planned, for every action of every built-in schema.
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
			on := *a
			on.Off = ""
			for _, it := range byEntity[a.Entity] {
				obstacle := on.Obstacle(it, fixture.Now, "tester")
				_, err := w.Workspace.Planner.Plan(t.Context(), &on, someInputs(&on, it), "as agreed")
				if obstacle != nil && err == nil {
					t.Errorf("%s can be planned, though: %v", a.ID, obstacle)
				}
				if err == nil {
					allowed++
				} else if obstacle != nil {
					refused++
				}
			}
		}
		if allowed == 0 || refused == 0 {
			t.Errorf("%d plans, %d obstacles", allowed, refused)
		}
	})
}
