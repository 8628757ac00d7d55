package output

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
)

func TestFileNames(t *testing.T) {
	long := strings.Repeat("x", 68) + "--y"
	for want, parts := range map[string][]string{
		"Verification-ver_1-key.json":       {"Verification", "ver_1", "key"},
		"CASE-ver_1-META.json":              {"CASE#ver_1 / META"},
		"ddbdesk.json":                      {"•••", "../.."},
		"tc-passwd.json":                    {"/étc/passwd"},
		strings.Repeat("x", 68) + "-y.json": {long},
	} {
		if got := present.FileName("json", parts...); got != want {
			t.Errorf("FileName(%q) = %s, want %s", parts, got, want)
		}
	}
}

func BenchmarkExportDialog(b *testing.B) {
	p := schemas.Open(b, "authbridge")
	it := screentest.Verification(b, p)
	env := screentest.NewItemEnv(b, p, &screentest.Memory{Item: it}, session.Developer)
	x := NewExport(env, ExportContent{Title: "Export rows", Name: "rows", Rows: []RowChoice{
		{Label: "read · 1", Note: "all there are", Items: rows.Select([]models.Item{it})}, {Label: "all, to the end"},
	}, What: items.Export{Table: p.Entity("Verification").Table}})
	for b.Loop() {
		x.Over(env.Styles, "", 160, 50)
	}
}
