package item

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func BenchmarkItemView(b *testing.B) {
	env, table, it := screentest.Largest(b)
	s := New(env, screen.Item{Table: table, Item: it}).(*itemScreen)
	s.SetSize(160, 50)
	for i, name := range s.bar.Titles {
		b.Run(strings.Fields(name)[0], func(b *testing.B) {
			s.bar.Active = i
			s.turn(0)
			for b.Loop() {
				s.View()
			}
		})
	}
}

func BenchmarkItemOpen(b *testing.B) {
	env, table, it := screentest.Largest(b)
	for _, tab := range []string{"overview", "raw"} {
		b.Run(tab, func(b *testing.B) {
			for b.Loop() {
				s := New(env, screen.Item{Table: table, Item: it, Tab: tab})
				s.SetSize(160, 50)
				s.View()
			}
		})
	}
}
