package main

import (
	"encoding/json"
	"testing"
	"unicode"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
)

// TestHostileValuesStayValues: nothing of them reaches the terminal as it is,
// JSON loses nothing of them, and CSV stays one cell.
func TestHostileValuesStayValues(t *testing.T) {
	dir := storeWith(t, "authbridge", map[string]string{
		"PK": "CASE#ver_1", "SK": "META", "verificationId": "ver_1", "clientId": hostile.Text, "createdAt": "2026-01-14T10:00:00Z",
	})
	for _, format := range []string{"table", "json", "jsonl", "csv", "dynamodb"} {
		code, out, errs := ddbdesk(t, "run", "authbridge", "get-verification", "verificationId=ver_1", "-o", format, "--embedded="+dir)
		if code != exitOK {
			t.Fatalf("%s: exit %d: %s", format, code, errs)
		}
		for _, r := range out + errs {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl) && r != '\n' && r != '\u200d' && (r != '\t' || format != "csv") {
				t.Errorf("%s holds %U", format, r)
			}
		}
		if format != "jsonl" {
			continue
		}
		var row map[string]any
		if err := json.Unmarshal([]byte(out), &row); err != nil || row["clientId"] != hostile.Text {
			t.Errorf("JSON lost something: %v, %q", err, row["clientId"])
		}
	}
}
