package item

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func BenchmarkItemView(b *testing.B) {
	env, table, it := screentest.Largest(b)
	s := New(env, screen.Item{Table: table, Item: it}).(*itemScreen)
	s.SetSize(160, 50)
	for tab, name := range s.bar.Titles {
		b.Run(strings.Fields(name)[0], func(b *testing.B) {
			s.bar.Active = tab
			s.layout()
			for b.Loop() {
				s.View()
			}
		})
	}
}

func BenchmarkItemOpen(b *testing.B) {
	env, table, it := screentest.Largest(b)
	for tab, name := range map[int]string{tabOverview: "overview", tabRaw: "raw"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := New(env, screen.Item{Table: table, Item: it}).(*itemScreen)
				s.SetSize(160, 50)
				s.bar.Active = tab
				s.layout()
				s.View()
			}
		})
	}
}

func BenchmarkTimelineView(b *testing.B) {
	p := schemas.Open(b, "authbridge")
	env := screentest.NewItemEnv(b, p, &screentest.Memory{}, session.Admin)
	e := p.Entity("Verification")
	s := New(env, screen.Item{Table: e.Table, Item: screentest.Verification(b, p)}).(*itemScreen)
	s.bar.Active = tabTimeline
	s.SetSize(160, 50)
	t := s.timeline
	t.line = timeline.New(env.Session.Viewer, env.Reading, e, s.item)
	t.trails = t.line.Trails()
	t.setColumns()
	for i := range 50 {
		t.entries = append(t.entries, timeline.Entry{Trail: t.trails[0]})
		t.shown[i] = timeline.Entry{
			Trail: t.trails[0], WhenText: fmt.Sprintf("2026-11-21T10:00:%02dZ", i), Who: screentest.Huge, What: screentest.Huge,
			Reason: screentest.Huge,
			Before: screentest.ItemText(screentest.Huge),
			After:  &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"big": screentest.ItemText(screentest.Huge)}},
		}
	}
	t.grid.SetSource(t)
	if !strings.Contains(s.View(), "enter opens") {
		b.Fatal("there is no entry in view")
	}
	for b.Loop() {
		s.View()
	}
}
