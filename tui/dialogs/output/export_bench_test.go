package output

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
)

func BenchmarkExportDialog(b *testing.B) {
	p := schemas.Open(b, "authbridge")
	it := screentest.Verification(b, p)
	env := screentest.NewItemEnv(b, p, &screentest.Memory{Item: it}, session.Developer)
	x := NewExport(env, Exporting{Title: "Export rows", Name: "rows", Rows: []RowChoice{
		{Label: "read · 1", Note: "all there are", Items: rows.Select([]models.Item{it})}, {Label: "all, to the end"},
	}, What: items.Export{Table: p.Entity("Verification").Table}})
	for b.Loop() {
		x.Over(env.Styles, "", 160, 50)
	}
}
