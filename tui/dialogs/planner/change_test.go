package planner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// drawDialog fails unless the dialog fits every size, and returns the widest drawing.
func drawDialog(t *testing.T, c *Change, subject string) string {
	t.Helper()
	text := ""
	for _, size := range screentest.ChangeSizes {
		c.height, c.builtWidth = 0, 0
		view := c.Over(c.Env.Styles, widget.Place("", size.W, size.H), size.W, size.H)
		tuitest.RendersExactly(t, view, size.W, size.H)
		text = strings.Join(tuitest.Draw(view, size.W, size.H), "\n")
		if !strings.Contains(text, "[ ") {
			t.Errorf("%s at %dx%d has no button:\n%s", subject, size.W, size.H, text)
		}
	}
	return text
}

func TestEveryChangeIsShown(t *testing.T) {
	if testing.Short() {
		t.Skip("-short skips tests that draw one frame after another")
	}
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			env, from := screentest.Seeded(t, schemas.Open(t, name))
			done := map[*change.Action]bool{}
			screentest.EveryItem(t, env, from, func(table *models.Table, it models.Item) {
				r, ok := env.Session.Recognize(table, it)
				if !ok {
					return
				}
				for _, o := range env.Planner.Offers(r.Entity, it) {
					if o.Reason == "" && !done[o.Action] {
						done[o.Action] = showChange(t, env, it, o)
					}
				}
			})
			on := slices.ContainsFunc(env.Session.Profile().Actions, func(a *change.Action) bool { return a.Disabled == "" })
			if on && len(done) == 0 {
				t.Error("no change has a plan")
			}
		})
	}
}

// showChange draws the dialog of an offer, or returns false if the sample data does not allow the plan.
func showChange(t *testing.T, env *screen.Env, it models.Item, o changes.Offer) bool {
	t.Helper()
	c := NewChange(
		env,
		ChangeRequest{Action: o.Action, Title: o.Action.Title + " · sample", About: o.Action.Description, Item: it, Args: o.Args},
	)
	inputs := map[string]string{}
	maps.Copy(inputs, o.Args)
	for _, q := range o.Action.Inputs {
		if _, filled := inputs[q.Name]; !filled && q.Required {
			inputs[q.Name] = sampleInput(q)
		}
	}
	p, err := env.Planner.Plan(context.Background(), o.Action, inputs, "because")
	if err != nil {
		return false
	}
	drawDialog(t, c, o.Action.ID)
	c.showPlan(p)
	c.expanded = true
	for _, w := range p.Writes {
		if w.Table == nil || len(w.Key) == 0 {
			t.Errorf("%s has an incomplete write", o.Action.ID)
		}
	}
	if text := drawDialog(t, c, o.Action.ID); !strings.Contains(text, c.req.Verb) {
		t.Errorf("%s: the button lacks the verb:\n%s", o.Action.ID, text)
	}
	c.dryRun = true
	drawDialog(t, c, o.Action.ID+" as a command")
	return true
}

func sampleInput(q *accesspatterns.Param) string {
	switch q.Type {
	case accesspatterns.Number, accesspatterns.Integer:
		return "7"
	case accesspatterns.Boolean:
		return "true"
	case accesspatterns.Timestamp, accesspatterns.Day:
		return "now"
	case accesspatterns.Enum:
		return q.Enum[0]
	default:
		return q.Prefix + "x"
	}
}

func TestChangeOutcomes(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Admin)
	a := p.Action("approve")
	differences := []models.Change{
		{Path: "status", Before: screentest.ItemText("in_review"), After: screentest.ItemText("rejected")},
		{Path: "customerMetadata.email", Before: screentest.ItemText("john@example.com"), After: screentest.ItemText("jane@example.com")},
		{
			Path:  "customerMetadata",
			After: &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"email": screentest.ItemText("jane@example.com")}},
		},
	}
	tests := []struct {
		name string
		err  error
		sent bool
		want []string
	}{
		{"conflict", &change.Conflict{Message: "nothing was written: Case 1 was changed", Differences: differences}, true, []string{
			"≠ Nothing was written: the item changed in the meantime", "Case 1 was changed", "◐ in_review", "✗ rejected", "Plan again",
		}},
		{"refused", &session.Refusal{Reason: "role support cannot change items", Advice: "ask an admin"}, true, []string{
			"⊘ Refused: nothing was sent", "ask an admin", "Inputs",
		}},
		{"unknown", fmt.Errorf("%w: no answer (entry 01J)", changes.ErrUnknown), true, []string{
			"? Outcome unknown", "no answer (entry 01J)", "Do not repeat the change",
		}},
		{"failed", errors.New("credentials expired; run aws sso login"), false, []string{
			"✗ Nothing was written", "run aws sso login", "Plan again",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := NewChange(env, ChangeRequest{Action: a, Title: "Approve · case"})
			c.finish(outcomeOf(tt.err, tt.sent))
			text := drawDialog(t, c, tt.name)
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing:\n%s", want, text)
				}
			}
			if strings.Contains(text, "jane@") || strings.Contains(text, "john@") {
				t.Errorf("the dialog shows personal data:\n%s", text)
			}
		})
	}
}

func TestChangeWorksForHostileItems(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Admin)
	const evil = "\x1b[31mred\r\n\t\u202eevil\x9b31m"
	it := screentest.With(
		screentest.Verification(t, p),
		map[string]types.AttributeValue{evil: screentest.ItemText(evil), "documentType": screentest.ItemText(strings.Repeat(evil, 80))},
	)
	e := p.Entity("Verification")
	key, _ := e.Table.PrimaryKey(it)
	before := screentest.With(it, map[string]types.AttributeValue{"documentType": screentest.ItemText("長い文字列")})
	c := NewChange(env, ChangeRequest{Action: p.Action("approve"), Title: "Approve " + evil, About: evil})
	drawDialog(t, c, "the form")
	c.showPlan(&change.Plan{
		Action: p.Action("approve"), Basis: &change.Basis{}, Notes: []string{evil},
		Writes: []change.Write{
			{Operation: change.Update, Table: e.Table, Entity: e, Key: key, Before: before, After: it, Changes: models.Diff(before, it)},
			{Operation: change.Delete, Table: e.Table, Entity: e, Key: key, Before: it},
		},
	})
	c.expanded = true
	drawDialog(t, c, "the plan")
	c.finish(outcomeOf(&change.Conflict{Message: evil, Differences: models.Diff(before, it)}, true))
	drawDialog(t, c, "the conflict")
}

// On a small screen, the wheel scrolls the plan to its end, as the keys do.
func TestWheelScrollsPlan(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it}, session.Admin)
	c := NewChange(env, ChangeRequest{Action: p.Action("approve"), Title: "Approve", Item: it})
	lines := make([]string, 50)
	c.step, c.builtWidth, c.lineCount = changeStepPlan, 60, len(lines)
	c.pager.SetLines(lines)
	c.pager.SetSize(60, 8)
	for range lines {
		c.Wheel(false)
	}
	if !c.pager.AtEnd() {
		t.Errorf("the plan shows line %d, want its end", c.pager.Top())
	}
}
