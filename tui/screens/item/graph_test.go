package item

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// toReview is the way of the sample case into a review.
var toReview = []string{
	"created", "documents_uploading", "documents_complete", "submitted", "processing", "pending_review", "in_review",
}

// walked returns the sample case in the last of some states, and its audit trail, newest first: a move every ten minutes
// since the case was created.
func walked(t *testing.T, p *profiles.Profile, states ...string) (it models.Item, trail []models.Item) {
	t.Helper()
	at := screentest.ItemNow.Add(-2 * time.Hour)
	state := func(name string) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: models.Item{"status": screentest.ItemText(name)}}
	}
	it = screentest.With(screentest.Verification(t, p), map[string]types.AttributeValue{
		"status": screentest.ItemText(states[len(states)-1]), "createdAt": screentest.ItemText(at.Format(time.RFC3339)), "submittedAt": nil,
	})
	for _, name := range p.Entity("Verification").KeyNames() {
		delete(it, name)
	}
	it, err := p.Entity("Verification").Build(it, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, after := range states[1:] {
		at = at.Add(10 * time.Minute)
		entry, err := p.Entity("AuditLog").Build(models.Item{
			"eventId":   screentest.ItemText(fmt.Sprintf("d088dc6e-6774-49ab-b5f3-8a325a3e8f%02d", i)),
			"timestamp": screentest.ItemText(at.Format(time.RFC3339)), "userId": screentest.ItemText("ana"),
			"action": screentest.ItemText("move"), "verificationId": it["verificationId"],
			"before": state(states[i]), "after": state(after), "reason": screentest.ItemText("step " + fmt.Sprint(i)),
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		trail = append(trail, entry)
	}
	slices.Reverse(trail)
	return it, trail
}

func TestLifecycleLightsTheWay(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for name, states := range map[string][]string{
		"moves": toReview, "final": append(slices.Clone(toReview), "rejected"), "start": {"created"},
	} {
		t.Run(name, func(t *testing.T) {
			for size, dimensions := range screentest.EverySize {
				t.Run(size, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						it, trail := walked(t, p, states...)
						tt, _ := showItem(t, dimensions, session.Admin, &screentest.Memory{Item: it, Rows: trail}, it)
						tt.WaitFor("Refreshed")
						tt.Press("3")
						tt.WaitGone("reading the audit trail")
						tt.WaitFor("here")
						if !tt.Has(states[len(states)-1]) || len(states) > 3 && !tt.Has("10 min") {
							t.Errorf("the present state or the time spent is missing:\n%s", tt.Screen())
						}
						tt.Golden(size)
					})
				})
			}
		})
	}
}

// The overview begins with what those need who handle items, and developers see keys instead.
func TestOverviewSummarizesTheItem(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for size, dimensions := range screentest.EverySize {
		t.Run(size, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				it, trail := walked(t, p, toReview...)
				tt, _ := showItem(t, dimensions, session.Support, &screentest.Memory{Item: it, Rows: trail}, it)
				tt.WaitFor("Refreshed")
				if dimensions.H > 30 {
					tt.WaitFor("4 reads the audit trail") // The database may be production.
				}
				tt.Reach("complete", "4")
				tt.Reach("In review for 1 h, since 09:04", "1")
				tt.WaitFor("by staff")
				if dimensions.H > 30 {
					tt.WaitFor("move by ana")
					tt.WaitFor("⊘ ")
				}
				tt.Golden(size)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		it, trail := walked(t, p, toReview...)
		tt, _ := showItem(t, screentest.EverySize["120x40"], session.Developer, &screentest.Memory{Item: it, Rows: trail}, it)
		tt.WaitFor("agrees with the attributes")
		if tt.Has("In review for") {
			t.Errorf("a developer sees the summary:\n%s", tt.Screen())
		}
	})
}

// Letters of moves have no other meaning on the item.
func TestLettersOfMovesAreFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := screentest.Verification(t, schemas.Open(t, "authbridge"))
		tt, stage := showItem(t, screentest.EverySize["120x40"], session.Admin, &screentest.Memory{Item: it}, it)
		tt.WaitFor(", unchanged")
		for _, a := range slices.Concat(stage.Screen.Actions(), screen.TabbedKeys()) {
			for _, k := range a.Binding.Keys() {
				if !strings.HasPrefix(a.Name, "change-") && len(k) == 1 && k[0] >= 'a' && k[0] <= 'z' && !strings.Contains(present.ReservedKeys, k) {
					t.Errorf("a move can have the key %q of %q", k, a.Name)
				}
			}
		}
	})
}

// The summary names the transitions that fit, and says how many more there are.
func TestSummaryNamesTransitions(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		it, trail := walked(t, p, toReview...)
		tt, _ := showItem(t, screentest.EverySize["120x40"], session.Support, &screentest.Memory{Item: it, Rows: trail}, it)
		tt.WaitFor("Next  Approve, Reject by staff +3 more")
	})
}

// A reason in the summary ends where it begins to explain, not in the middle of a word.
func TestSummaryGivesReasonsInAFewWords(t *testing.T) {
	p := schemas.Open(t, "zentriqvision")
	e := p.Entity("Organization")
	it, err := e.Build(models.Item{
		"orgId": screentest.ItemText("org_1"), "name": screentest.ItemText("Acme"), "status": screentest.ItemText("ACTIVE"),
		"createdAt": screentest.ItemText("2026-11-20T07:18:39Z"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it}, session.Admin)
		s := &screentest.Stage{Screen: New(env, screen.Item{Table: e.Table, Item: it})}
		tt := tuitest.New(t, s, screentest.EverySize["120x40"])
		tt.WaitFor("The schema keeps no history of Organization ")
		tt.WaitFor("⊘ zentriqvision.suspend-org is disabled ")
	})
}
