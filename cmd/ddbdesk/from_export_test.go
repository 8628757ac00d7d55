package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// Commands read an export like a database. They mask its items, cannot write to it, and leave no files behind.
func TestCommandsReadExport(t *testing.T) {
	isolate(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	f := fixture.New(t, "authbridge", session.Support)
	var items []models.Item
	var id string
	for _, s := range f.Samples(t) {
		items = append(items, s.Item)
		if v, ok := s.Item.Text("verificationId"); ok {
			id = v
		}
	}
	dir := t.TempDir()
	export := fixture.Export(t, dir, f.Profile.Tables[0].Name, items)
	from := "--from-export=" + dir
	expect(t, cli.ExitOK, `"count":1`, "run", "authbridge", "get-verification", "verificationId="+id, "-o", "json", from)
	expect(t, cli.ExitOK, `"schema": "authbridge"`, "find", id, "-o", "json", from)
	expect(t, cli.ExitOK, "export of table "+f.Profile.Tables[0].Name+" from 2026-01-20T12:00:00Z: ", "drift", "authbridge", from)
	expect(t, cli.ExitOK, `"store": "export"`, "doctor", "-o", "json", from)
	expect(t, cli.ExitRefused, "read-only", "seed", "authbridge", from, "--role", "admin")
	expect(t, cli.ExitRefused, "", "change", "authbridge", "claim-review", "verificationId="+id, "--reason", "x", "--yes", from, "--role", "admin")
	expect(t, cli.ExitUsage, "--from-export cannot be used with", "run", "authbridge", "get-verification", "verificationId=x", from, "--embedded=x")
	expect(t, cli.ExitUsage, "the export is of table", "run", "ebay-sniper", "get-user-by-email", "email=a@b.example", from)
	expect(t, cli.ExitUsage, "does not exist", "run", "authbridge", "get-verification", "verificationId=x", "--from-export="+dir+"x")
	other := fixture.Export(t, t.TempDir(), f.Profile.Tables[0].Name, items[1:])
	config := t.TempDir()
	t.Setenv("DDBDESK_CONFIG_DIR", config)
	contexts := "contexts:\n  before: {from-export: " + other + "}\n  after: {from-export: " + export + "}\n"
	if err := os.WriteFile(filepath.Join(config, "config.yaml"), []byte(contexts), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitConflict, "0 only in before; 1 only in after; 0 items differ", "diff", "authbridge", "--context", "before", "--context", "after")
	if err := os.Truncate(filepath.Join(export, "data", "part0.json.gz"), 10); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitRefused, "part0.json.gz does not match its checksum", "run", "authbridge", "get-verification", "verificationId="+id, from)
	if files, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(files) > 0 {
		t.Errorf("the temporary files %v are left, error %v", files, err)
	}
}
