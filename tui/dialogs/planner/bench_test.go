package planner

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// bigPlan returns the plan of an approval with a huge item and a huge audit entry.
func bigPlan(p *profiles.Profile, before models.Item) *change.Plan {
	e := p.Entity("Verification")
	after := screentest.With(
		before,
		map[string]types.AttributeValue{"status": screentest.ItemText("approved"), "documentType": screentest.ItemText(screentest.Huge)},
	)
	key, _ := e.Table.PrimaryKey(before)
	return &change.Plan{
		Action: p.Action("approve"), Basis: &change.Basis{}, Notes: []string{"tell the client"},
		Writes: []change.Write{
			{
				Operation: change.Update, Table: e.Table, Entity: e, Key: key, Before: before, After: after,
				Changes: models.Diff(before, after),
			},
			{Operation: change.Put, Table: e.Table, Entity: e, Key: key, After: after},
		},
	}
}

func BenchmarkChangeView(b *testing.B) {
	p := schemas.Open(b, "authbridge")
	env := screentest.NewItemEnv(b, p, &screentest.Memory{}, session.Admin)
	it := screentest.Verification(b, p)
	background := widget.Place(strings.Repeat("│ some text of a screen below ", 5), 160, 50)
	c := NewChange(env, ChangeRequest{Action: p.Action("approve"), Title: "Approve · case", Item: it})
	draw := func(b *testing.B) {
		for b.Loop() {
			c.Over(env.Styles, background, 160, 50)
		}
	}
	b.Run("form", draw)
	c.showPlan(bigPlan(p, it))
	c.expanded = true
	c.Over(env.Styles, background, 160, 50)
	b.Run("plan", draw)
	b.Run("new plan", func(b *testing.B) {
		for b.Loop() {
			c.builtWidth = 0
			c.Over(env.Styles, background, 160, 50)
		}
	})
	c.finish(outcomeOf(&change.Conflict{Message: screentest.Huge, Differences: models.Diff(it, bigPlan(p, it).Writes[0].After)}, true))
	c.Over(env.Styles, background, 160, 50)
	b.Run("conflict", draw)
}
