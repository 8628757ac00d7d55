package screens

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// takeBoxes are the boxes for taking things away, over an item screen.
func takeBoxes(tb testing.TB) (*itemScreen, map[string]box) {
	tb.Helper()
	p := openProfile(tb, "authbridge")
	it := verification(tb, p)
	env := newItemEnv(tb, p, &memory{item: it}, session.Developer)
	s := NewItem(env, p.Entity("Verification").Table, it).(*itemScreen)
	s.SetSize(160, 50)
	return s, map[string]box{
		"menu": s.copyMenu(),
		"export": newExport(env, exporting{title: "Export rows", name: "rows", rows: []rowChoice{
			{label: "read · 1", note: "all there are", items: pick([]models.Item{it})}, {label: "all, to the end"},
		}, what: session.Export{Table: s.table}}),
	}
}

func BenchmarkTakeBoxes(b *testing.B) {
	s, boxes := takeBoxes(b)
	defer s.Close()
	background := s.View()
	for name, x := range boxes {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				x.over(s.env.Styles, background, 160, 50)
			}
		})
	}
}
