package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// verification returns an authbridge case with a status.
func verification(id, status string) map[string]string {
	const created = "2026-01-14T10:00:00Z"
	return map[string]string{
		"PK": "CASE#" + id, "SK": "META", "verificationId": id, "clientId": "c", "status": status, "documentType": "omang",
		"createdAt": created, "updatedAt": created, "expiresAt": "2026-02-13T10:00:00Z",
		"GSI1PK": "CLIENT#c", "GSI1SK": status + "#" + created, "GSI2PK": "DATE#2026-01-14", "GSI2SK": created + "#" + id,
	}
}

// The status, its index key and the audit entry change together, and every pattern
// finds the item under its new key.
func TestApproveChangesStatusIndexKeyAndAuditEntry(t *testing.T) {
	dir := "--embedded=" + storeWith(t, "authbridge", verification("ver_1", "in_review"))
	code, out, errs := ddbdesk(t, "change", "authbridge", "approve", "verificationId=ver_1", "--yes", "--role", "admin",
		"--actor", "ana", "--reason", "checked", "-o", "json", dir)
	var doc struct {
		Action, Status, From, To, Token string
		Writes                          []struct {
			Operation, Table string
			Key              map[string]string
			Before, After    map[string]any
			Condition        string
			Entry            bool
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != cli.ExitOK {
		t.Fatalf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	if doc.Action != "approve" || doc.Status != "committed" || doc.From != "in_review" || doc.To != "approved" || doc.Token == "" ||
		len(doc.Writes) != 2 {
		t.Fatalf("%+v", doc)
	}
	change, entry := doc.Writes[0], doc.Writes[1]
	if change.After["GSI1SK"] != "approved#2026-01-14T10:00:00Z" || !strings.Contains(change.Condition, `status = "in_review"`) ||
		change.Before["status"] != "in_review" {
		t.Errorf("the case: %+v", change)
	}
	if !entry.Entry || entry.Operation != "Put" || entry.After["userId"] != "ana" || entry.After["verificationId"] != "ver_1" {
		t.Errorf("the entry: %+v", entry)
	}
	for status, want := range map[string]int{"in_review": 0, "approved": 1} {
		code, out, errs := ddbdesk(t, "run", "authbridge", "list-client-verifications-by-status", "clientId=c", "status="+status,
			"-o", "jsonl", dir)
		if code != cli.ExitOK || strings.Count(out, "\n") != want || strings.Contains(errs, "stale") {
			t.Errorf("%s: exit %d\n%s%s", status, code, out, errs)
		}
	}
}

func TestIllegalTransitionsWriteNothing(t *testing.T) {
	stranger := map[string]string{"PK": "CASE#ver_x", "SK": "META", "kind": "import"}
	done := verification("ver_2", "approved")
	dir := "--embedded=" + storeWith(t, "authbridge", verification("ver_1", "created"), done, stranger)
	for _, tt := range []struct {
		action, id string
		more       string
		words      string
	}{
		{"approve", "ver_1", "", "status is created: approve needs status in_review"},
		{"approve", "ver_2", "", "status is approved: approve needs status in_review"},
		{
			"update-verification-status", "ver_1", "toStatus=approved",
			"status is created: it can become documents_uploading, not approved",
		},
		{"update-verification-status", "ver_1", "toStatus=created", "not created"}, // a state that nothing leads to
		{"update-verification-status", "ver_2", "toStatus=rejected", "no transition leaves this state"},
		{"approve", "ver_none", "", "Verification case CASE#ver_none / META does not exist"},
		{"repair-index-key", "ver_none", "", "Verification case CASE#ver_none / META does not exist"},
	} {
		args := []string{"change", "authbridge", tt.action, "verificationId=" + tt.id, "--yes", "--role", "admin", dir}
		if tt.more != "" {
			args = append(args, tt.more)
		}
		code, out, errs := ddbdesk(t, args...)
		if code != cli.ExitConflict || out != "" || !strings.Contains(errs, tt.words) || strings.Count(errs, "\n") > 2 {
			t.Errorf("%s %s: exit %d\n%s%s", tt.action, tt.id, code, out, errs)
		}
	}
	code, _, errs := ddbdesk(t, "change", "authbridge", "approve", "verificationId=ver_x", "--yes", "--role", "admin", dir)
	if code != cli.ExitConflict {
		t.Errorf("another entity: exit %d\n%s", code, errs)
	}
	text, err := os.ReadFile(journal.DefaultPath())
	if err == nil && strings.Contains(string(text), `"intent"`) {
		t.Errorf("the journal has an intent:\n%s", text)
	}
}

func TestApplyRejectsItemChangedSincePlan(t *testing.T) {
	dir := storeWith(t, "authbridge", verification("ver_1", "in_review"))
	path := filepath.Join(t.TempDir(), "plan.json")
	if code, _, errs := ddbdesk(t, "change", "authbridge", "approve", "verificationId=ver_1", "--plan", path,
		"--embedded="+dir); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if code, _, errs := ddbdesk(t, "change", "authbridge", "reject", "verificationId=ver_1", "--reason", "blurred",
		"--yes", "--role", "admin", "--embedded="+dir); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	code, out, errs := ddbdesk(t, "apply", path, "--yes", "--role", "admin", "--embedded="+dir)
	if code != cli.ExitConflict || out != "" || !strings.Contains(errs, "status is rejected") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// The program ended between the intent and the outcome of a change.
func TestJournalShowsUnresolvedChange(t *testing.T) {
	path := storeWith(t, "authbridge", verification("ver_1", "in_review"))
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
	if !strings.Contains(out, "in_review → approved  OPEN") ||
		!strings.Contains(errs, "1 change without an outcome; to determine it, run ddbdesk journal resolve authbridge") {
		t.Errorf("%s%s", out, errs)
	}
	_, out, _ = ddbdesk(t, "journal", "-o", "json")
	if !strings.Contains(out, `"open": true`) || strings.Contains(out, "c2VhbGVk") {
		t.Error(out)
	}
	code, _, errs := ddbdesk(t, "journal", "resolve", "authbridge", dir)
	if code != cli.ExitUsage || !strings.Contains(errs, "may still be in progress") {
		t.Errorf("exit %d: %s", code, errs)
	}
	code, _, errs = ddbdesk(t, "undo", "authbridge", "--yes", "--role", "admin", dir)
	if code != cli.ExitUsage || !strings.Contains(errs, "no change of authbridge") {
		t.Errorf("an unresolved change was undone: exit %d: %s", code, errs)
	}
}

func TestResolveNamesWhatIsOpenElsewhere(t *testing.T) {
	path := storeWith(t, "authbridge", verification("ver_1", "in_review"))
	j, err := journal.Open(journal.DefaultPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []journal.Entry{
		{ID: "1", Endpoint: "http://localhost:8001", Region: "af-south-1", Profile: "authbridge"},
		{ID: "1", Endpoint: "http://localhost:8001", Region: "af-south-1", Profile: "authbridge"}, // planned again
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
		t.Errorf("exit %d: %s", code, out)
	}
	for _, want := range []string{
		"2 changes without an outcome elsewhere: authbridge on http://localhost:8001, af-south-1;",
		"1 change without an outcome elsewhere: tazco on af-south-1, account 111122223333;",
		"1 change without an outcome elsewhere: authbridge on " + appdir.RealPath(path) + ", local, table other;",
	} {
		if strings.Count(errs, want) != 1 {
			t.Errorf("missing %q in %s", want, errs)
		}
	}
}

func TestLongReasonsAreRejectedWhereTheyAreTyped(t *testing.T) {
	path := storeWith(t, "authbridge", verification("ver_1", "in_review"))
	for _, args := range [][]string{
		{"change", "authbridge", "approve", "verificationId=ver_1", "--yes", "--role", "admin"},
		{"undo", "authbridge", "--yes", "--role", "admin"},
		{"drift", "authbridge", "--repair"},
		{"run", "authbridge", "get-verification", "verificationId=ver_1", "--reveal", "--role", "developer"},
	} {
		args = append(args, "--embedded="+path, "--reason", strings.Repeat("x", 5000))
		code, _, errs := ddbdesk(t, args...)
		if code != cli.ExitUsage || !strings.Contains(errs, "--reason: 5,000 bytes; the maximum is 4,096") {
			t.Errorf("%s: exit %d: %s", args[0], code, errs)
		}
	}
	if _, err := os.Stat(journal.DefaultPath()); !os.IsNotExist(err) {
		t.Errorf("the journal was written: %v", err)
	}
}

// appWith returns an app that was called with flags and prints nothing.
func appWith(f globalFlags) *app {
	return &app{Streams: cli.Streams{Stdin: nil, Stdout: io.Discard, Stderr: io.Discard}, settings: settings{flags: f}, stores: &stores{}}
}

func TestConsoleMayChangeAsAdminAndInTheDemo(t *testing.T) {
	dir := storeWith(t, "authbridge")
	for role, may := range map[string]bool{"support": false, "developer": false, "admin": true} {
		a := appWith(globalFlags{Context: config.Context{Role: role, Embedded: dir}})
		p, err := a.schema("authbridge")
		if err != nil {
			t.Fatal(err)
		}
		s, err := (&opener{app: a}).Open(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Session.CanChange(p.Action("approve")); (err == nil) != may {
			t.Errorf("%s: %v", role, err)
		}
		a.close()
	}
	a := appWith(globalFlags{Context: config.Context{Role: "admin"}})
	defer a.close()
	db, err := a.stores.open(embedded.Options{Path: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.schema("authbridge")
	if err != nil {
		t.Fatal(err)
	}
	s, err := (&opener{app: a, demo: newDemo(db)}).Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Session.CanChange(p.Action("approve")); err != nil {
		t.Errorf("demo: %v", err)
	}
}

// Invalid UTF-8 would be stored differently from the key of the audit entry, and an
// invisible character would make a second actor of one.
func TestActorMustBeVisibleText(t *testing.T) {
	dir := "--embedded=" + storeWith(t, "authbridge", verification("ver_1", "in_review"))
	args := []string{"change", "authbridge", "approve", "verificationId=ver_1", "--yes", "--role", "admin", "-o", "json", dir, "--actor"}
	for actor, want := range map[string]string{
		"a\xff": "--actor: not valid UTF-8", "ana\u200b": "--actor: ana⟨U+200B⟩ contains invisible characters", " ": "--actor: empty",
	} {
		code, out, errs := ddbdesk(t, append(args, actor)...)
		if code != cli.ExitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%q: exit %d, %q, %q", actor, code, out, errs)
		}
	}
	code, out, errs := ddbdesk(t, append(args, "ana ")...)
	if code != cli.ExitOK || !strings.Contains(out, `"userId": "ana"`) {
		t.Errorf("trailing space: exit %d, %s, %q", code, out, errs)
	}
}
