package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func BenchmarkOpenPalette(b *testing.B) {
	d := newDesk(b, "tazco")
	m := New(Options{Opener: d})
	s, err := d.Open(b.Context(), d.profile)
	if err != nil {
		b.Fatal(err)
	}
	t := d.profile.Tables[0]
	for i := range 50 {
		s.History.Visit(t, models.Item{
			t.PartitionKey.Name: models.StringValue(fmt.Sprint("p", i)), t.SortKey.Name: models.StringValue("s"),
		})
		s.History.Remember(d.profile.Patterns[0], map[string]string{d.profile.Patterns[0].Params[0].Name: fmt.Sprint("v", i)})
	}
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
	m.Update(screen.SessionMsg{Workspace: s})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			m.openPalette()
		}
	})
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			m.View()
		}
	})
	b.Run("history", func(b *testing.B) {
		for b.Loop() {
			m.openHistory()
			m.View()
		}
	})
}
