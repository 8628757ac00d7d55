package queue

import (
	"fmt"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func BenchmarkQueueView(b *testing.B) {
	p := schemas.Open(b, "authbridge")
	env := screentest.NewItemEnv(b, p, &screentest.Memory{}, session.Admin)
	s := New(env, screen.Queue{ID: "review-queue"}).(*queueScreen)
	s.SetSize(160, 50)
	var items []models.Item
	for i := range 200 {
		items = append(items, screentest.With(
			queueItem(fmt.Sprintf("%04d", i)),
			map[string]types.AttributeValue{"documentType": screentest.ItemText(screentest.Huge)},
		))
	}
	s.job().rows.take(items)
	s.job().ran = true
	s.View()
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			s.View()
		}
	})
	b.Run("moving", func(b *testing.B) {
		for b.Loop() {
			s.Update(screentest.Pressed("down"))
			s.View()
		}
	})
	s.job().rows.markAll()
	x := planner.NewSweepDialog(
		env, sweep.Sweep{Action: s.job().queue.Actions[0], Items: planner.SweepItems(s.job().queue.Pattern.Table, items)},
	)
	s.Box = x
	b.Run("sweep", func(b *testing.B) {
		for b.Loop() {
			s.View()
		}
	})
}
