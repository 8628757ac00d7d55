package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// CSV writes rows while it reads them, so its columns come from the first thousand rows. A note names attributes that
// occur later.
func TestCSVNotesOmittedColumns(t *testing.T) {
	const rows = 1100
	var items []map[string]string
	for i := range rows {
		id := fmt.Sprintf("ver_%04d", i)
		items = append(items, map[string]string{
			"PK": "CASE#" + id, "SK": "META", "verificationId": id, "clientId": "client_1", "status": "created",
			"createdAt": "2026-01-14T10:00:00Z",
			"GSI1PK":    "CLIENT#client_1", "GSI1SK": "created#2026-01-14T10:00:00Z",
		})
	}
	items[rows-1]["GSI1SK"], items[rows-1]["createdAt"] = "created#2026-01-14T11:00:00Z", "2026-01-14T11:00:00Z"
	items[rows-1]["strayed"] = "x"
	dir := storeWith(t, "authbridge", items...)
	args := []string{"run", "authbridge", "list-client-verifications", "clientId=client_1", "--all", "--embedded=" + dir, "-o"}
	code, out, errs := ddbdesk(t, append(args, "csv")...)
	if code != cli.ExitOK || strings.Count(out, "\n") != rows+1 || strings.Contains(out, "strayed") {
		t.Errorf("exit %d, want 0 and a column for each known attribute:\n%s%s", code, out, errs)
	}
	if !strings.Contains(errs, "omitted strayed") {
		t.Errorf("got %q, want a note about the omitted column", errs)
	}
	if _, out, errs := ddbdesk(t, append(args, "jsonl")...); !strings.Contains(out, `"strayed":`) || strings.Contains(errs, "no column") {
		t.Errorf("JSON Lines omits an attribute:\n%s%s", out, errs)
	}
}

func TestScanReportsMissingReasonBeforeCost(t *testing.T) {
	isolate(t)
	text := "contexts: {strict: {embedded: " + t.TempDir() + ", session: {reason: required}}}"
	if err := os.WriteFile(filepath.Join(os.Getenv("DDBDESK_CONFIG_DIR"), "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	scan := []string{"run", "ebay-sniper", "scan-scheduled-bids", "--context", "strict"}
	expect(t, cli.ExitRefused, "this database requires a reason; add --reason TEXT", scan...)
	expect(t, cli.ExitRefused, "to accept the cost", append(scan, "--reason", "why")...)
}
