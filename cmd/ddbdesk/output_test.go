package main

import (
	"strings"
	"testing"
)

// TestLateColumnsAreNamed: CSV is written while it is read, so that its columns
// are those of the first page. What comes later is not dropped in silence.
func TestLateColumnsAreNamed(t *testing.T) {
	one := map[string]string{
		"PK": "CASE#ver_1", "SK": "META", "verificationId": "ver_1", "clientId": "client_1", "status": "created", "createdAt": "2026-01-14T10:00:00Z",
		"GSI1PK": "CLIENT#client_1", "GSI1SK": "created#2026-01-14T10:00:00Z",
	}
	two := map[string]string{
		"PK": "CASE#ver_2", "SK": "META", "verificationId": "ver_2", "clientId": "client_1", "status": "created", "createdAt": "2026-01-14T11:00:00Z",
		"GSI1PK": "CLIENT#client_1", "GSI1SK": "created#2026-01-14T11:00:00Z", "strayed": "x",
	}
	dir := storeWith(t, "authbridge", one, two)
	args := []string{"run", "authbridge", "list-client-verifications", "clientId=client_1", "--limit", "1", "--all", "--embedded=" + dir, "-o"}
	code, out, errs := desk(t, append(args, "csv")...)
	if code != exitOK || strings.Count(out, "\n") != 3 || strings.Contains(out, "strayed") {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
	if !strings.Contains(errs, "no column for strayed") {
		t.Errorf("nothing is said of it: %q", errs)
	}
	if _, out, errs := desk(t, append(args, "jsonl")...); !strings.Contains(out, `"strayed":`) || strings.Contains(errs, "no column") {
		t.Errorf("jsonl left something out:\n%s%s", out, errs)
	}
}
