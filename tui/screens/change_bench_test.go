package screens

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// huge is a text of 300 KB that is hard to draw.
var huge = strings.Repeat("\x1b[31mevil \u202e 長い \u200b", 300<<10/24)

// bigPlan is the plan of an approval whose item and audit entry are huge.
func bigPlan(p *profiles.Profile, before models.Item) *accesspatterns.Plan {
	e := p.Entity("Verification")
	after := with(before, map[string]types.AttributeValue{"status": itemText("approved"), "documentType": itemText(huge)})
	key, _ := e.Table.PrimaryKey(before)
	return &accesspatterns.Plan{
		Action: p.Action("approve"), Basis: &accesspatterns.Basis{}, Notes: []string{"tell the client"},
		Writes: []accesspatterns.PlannedWrite{
			{Operation: accesspatterns.Update, Table: e.Table, Entity: e, Key: key, Before: before, After: after, Changes: models.Diff(before, after)},
			{Operation: accesspatterns.Put, Table: e.Table, Entity: e, Key: key, After: after},
		},
	}
}

func BenchmarkChangeView(b *testing.B) {
	p := openProfile(b, "authbridge")
	env := newItemEnv(b, p, &memory{}, session.Admin)
	it := verification(b, p)
	background := widget.Place(strings.Repeat("│ some text of a screen below ", 5), 160, 50)
	c := newChange(env, changeRequest{Action: p.Action("approve"), Title: "Approve · case", Item: it})
	draw := func(b *testing.B) {
		for b.Loop() {
			c.Over(env.Styles, background, 160, 50)
		}
	}
	b.Run("form", draw)
	c.show(bigPlan(p, it))
	c.unfold = true
	c.Over(env.Styles, background, 160, 50)
	b.Run("plan", draw)
	b.Run("plan anew", func(b *testing.B) {
		for b.Loop() {
			c.made = 0
			c.Over(env.Styles, background, 160, 50)
		}
	})
	c.finish(endOf(&accesspatterns.Conflict{What: huge, Differences: models.Diff(it, bigPlan(p, it).Writes[0].After)}, true))
	c.Over(env.Styles, background, 160, 50)
	b.Run("conflict", draw)
}

func BenchmarkQueueView(b *testing.B) {
	p := openProfile(b, "authbridge")
	env := newItemEnv(b, p, &memory{}, session.Admin)
	s := NewQueue(env, Queue{ID: "review-queue"}).(*queueScreen)
	s.SetSize(160, 50)
	var items []models.Item
	for i := range 200 {
		items = append(items, with(queueItem(fmt.Sprintf("%04d", i)), map[string]types.AttributeValue{"documentType": itemText(huge)}))
	}
	s.job().bring(items)
	s.job().ran = true
	s.View()
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			s.View()
		}
	})
	b.Run("moving", func(b *testing.B) {
		for b.Loop() {
			s.Update(pressed("down"))
			s.View()
		}
	})
	s.markAll()
	x := newBulkBox(env, session.Bulk{Action: s.job().queue.Actions[0], Items: bulkItems(s.job().queue.Pattern.Table, items)})
	s.box = x
	b.Run("bulk", func(b *testing.B) {
		for b.Loop() {
			s.View()
		}
	})
}

func BenchmarkTimelineView(b *testing.B) {
	p := openProfile(b, "authbridge")
	env := newItemEnv(b, p, &memory{}, session.Admin)
	e := p.Entity("Verification")
	s := NewItem(env, Item{Table: e.Table, Item: verification(b, p)}).(*itemScreen)
	s.tabs.Active = tabTimeline
	s.SetSize(160, 50)
	t := s.past
	t.line = env.Session.Timeline(e, s.item)
	t.trails = t.line.Trails()
	t.setColumns()
	for i := range 50 {
		t.entries = append(t.entries, session.TimelineEntry{Trail: t.trails[0]})
		t.shown[i] = session.TimelineEntry{
			Trail: t.trails[0], WhenText: fmt.Sprintf("2026-11-21T10:00:%02dZ", i), Who: huge, What: huge, Reason: huge,
			Before: itemText(huge), After: &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"big": itemText(huge)}},
		}
	}
	t.grid.SetSource(t)
	if !strings.Contains(s.View(), "enter opens it") {
		b.Fatal("there is no entry in view")
	}
	for b.Loop() {
		s.View()
	}
}
