package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// inReview returns an authbridge case that is in review.
func inReview(id string) map[string]string {
	const created, status = "2026-01-14T10:00:00Z", "in_review"
	return map[string]string{
		"PK": "CASE#" + id, "SK": "META", "verificationId": id, "clientId": "c", "status": status, "documentType": "omang",
		"createdAt": created, "updatedAt": created, "expiresAt": "2026-02-13T10:00:00Z",
		"GSI1PK": "CLIENT#c", "GSI1SK": status + "#" + created, "GSI2PK": "DATE#2026-01-14", "GSI2SK": created + "#" + id,
	}
}

// A program that ends between the intent and the outcome of a change leaves the change unresolved.
func TestJournalShowsUnresolvedChange(t *testing.T) {
	path := storeWith(t, "authbridge", inReview("ver_1"))
	dir := "--embedded=" + path
	j, err := journal.Open(journal.DefaultPath())
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Append(t.Context(), journal.Entry{
		Kind: journal.Intent, Actor: "ana", Role: "admin", Endpoint: appdir.RealPath(path), Region: "local", Profile: "authbridge",
		Subject: "authbridge.approve",
		Detail:  journal.Detail{Key: "CASE#ver_1 / META", From: "in_review", To: "approved", Record: "c2VhbGVk"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, out, errs := ddbdesk(t, "journal", "show")
	if !strings.Contains(out, "In review → Approved  OPEN") ||
		!strings.Contains(errs, "1 change unresolved; to check, run ddbdesk journal resolve authbridge") {
		t.Errorf("want a note about 1 unresolved change, got %s%s", out, errs)
	}
	_, out, _ = ddbdesk(t, "journal", "-o", "json")
	if !strings.Contains(out, `"open": true`) || strings.Contains(out, "c2VhbGVk") {
		t.Error(out)
	}
	code, _, errs := ddbdesk(t, "journal", "resolve", "authbridge", dir)
	if code != cli.ExitUsage || !strings.Contains(errs, "may still be in progress") {
		t.Errorf("exit %d, want a usage error about a change in progress: %s", code, errs)
	}
	code, _, errs = ddbdesk(t, "undo", "authbridge", "--yes", "--role", "admin", dir)
	if code != cli.ExitUsage || !strings.Contains(errs, "is unknown; resolve it first with ddbdesk journal resolve authbridge") {
		t.Errorf("exit %d, want a usage error about a change without outcome: %s", code, errs)
	}
}

func TestResolveNamesChangesOpenElsewhere(t *testing.T) {
	path := storeWith(t, "authbridge", inReview("ver_1"))
	j, err := journal.Open(journal.DefaultPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []journal.Entry{
		{ID: "1", Endpoint: "http://localhost:8001", Region: "af-south-1", Profile: "authbridge"},
		{ID: "1", Endpoint: "http://localhost:8001", Region: "af-south-1", Profile: "authbridge"}, // a second plan
		{ID: "2", Endpoint: "http://localhost:8001", Region: "af-south-1", Profile: "authbridge"},
		{ID: "3", Region: "af-south-1", Account: "111122223333", Profile: "tazco"},
		{ID: "4", Endpoint: appdir.RealPath(path), Region: "local", Profile: "authbridge", Detail: journal.Detail{Table: "other"}},
	} {
		e.Kind, e.Actor, e.Role, e.Subject = journal.Intent, "ana", "admin", "authbridge.approve"
		if _, err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := ddbdesk(t, "journal", "resolve", "authbridge", "-o", "json", "--embedded="+path)
	if code != cli.ExitOK || strings.TrimSpace(out) != "[]" {
		t.Errorf("exit %d, want 0 and an empty list: %s", code, out)
	}
	for _, want := range []string{
		"2 changes unresolved elsewhere: authbridge on http://localhost:8001, af-south-1;",
		"1 change unresolved elsewhere: tazco on af-south-1, account 111122223333;",
		"1 change unresolved elsewhere: authbridge on " + appdir.RealPath(path) + ", local, table other;",
	} {
		if strings.Count(errs, want) != 1 {
			t.Errorf("want %q once, got %s", want, errs)
		}
	}
}

func TestLongReasonsAreRejectedAsArguments(t *testing.T) {
	path := storeWith(t, "authbridge", inReview("ver_1"))
	for _, args := range [][]string{
		{"change", "authbridge", "approve", "verificationId=ver_1", "--yes", "--role", "admin"},
		{"undo", "authbridge", "--yes", "--role", "admin"},
		{"drift", "authbridge", "--repair"},
		{"run", "authbridge", "get-verification", "verificationId=ver_1", "--reveal", "--role", "developer"},
	} {
		args = append(args, "--embedded="+path, "--reason", strings.Repeat("x", 5000))
		code, _, errs := ddbdesk(t, args...)
		if code != cli.ExitUsage || !strings.Contains(errs, "--reason: 5,000 bytes; the maximum is 4,096") {
			t.Errorf("%s: exit %d, want a usage error about --reason: %s", args[0], code, errs)
		}
	}
	if _, err := os.Stat(journal.DefaultPath()); !os.IsNotExist(err) {
		t.Errorf("the rejected command wrote the journal: %v", err)
	}
}

// appWith returns an app with the given flags that prints nothing.
func appWith(f globalFlags) *app {
	return &app{Streams: cli.Streams{Stdin: nil, Stdout: io.Discard, Stderr: io.Discard}, settings: settings{flags: f}, stores: &stores{}}
}

// The command that --plan suggests contains the variables.
func TestApplyAcceptsOnlyVariablesOfPlan(t *testing.T) {
	useReleasedFiles(t, "0.1.0")
	at := []string{"--role", "admin", "--embedded=db", "--var"}
	change := append([]string{"change", "library.yaml", "give-back", "loanId=l_1", "--plan", "dev.json"}, at...)
	expect(t, cli.ExitOK, "loans-dev", append(change, "environment=dev")...)
	apply := append([]string{"apply", "dev.json", "--yes"}, at...)
	expect(t, cli.ExitUsage, "--var: the plan file sets the variables; omit the flag", append(apply, "environment=test")...)
	expect(t, cli.ExitOK, "committed", append(apply, "environment=dev")...)
}
