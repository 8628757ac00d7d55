package screens

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

func BenchmarkExportDialog(b *testing.B) {
	p := openProfile(b, "authbridge")
	it := verification(b, p)
	env := newItemEnv(b, p, &memory{item: it}, session.Developer)
	x := newExport(env, exporting{title: "Export rows", name: "rows", rows: []rowChoice{
		{label: "read · 1", note: "all there are", items: pick([]models.Item{it})}, {label: "all, to the end"},
	}, what: session.Export{Table: p.Entity("Verification").Table}})
	for b.Loop() {
		x.Over(env.Styles, "", 160, 50)
	}
}
