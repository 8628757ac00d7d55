package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
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
		Kind: journal.Intent, Actor: "ana", Role: "admin", Endpoint: realPath(path), Region: "local", Profile: "authbridge",
		Subject: "authbridge.approve",
		Detail:  journal.Detail{Key: "CASE#ver_1 / META", From: "in_review", To: "approved", Record: "c2VhbGVk"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, out, errs := ddbdesk(t, "journal", "show")
	if !strings.Contains(out, "in_review → approved  OPEN") ||
		!strings.Contains(errs, "1 change without an outcome; run ddbdesk journal resolve authbridge") {
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
	code, _, errs = ddbdesk(t, "journal", "undo", "authbridge", "--yes", "--role", "admin", dir)
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
		{ID: "4", Endpoint: realPath(path), Region: "local", Profile: "authbridge", Detail: journal.Detail{Table: "other"}},
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
		"1 change without an outcome elsewhere: authbridge on " + realPath(path) + ", local, table other;",
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
		{"journal", "undo", "authbridge", "--yes", "--role", "admin"},
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

// Only yes applies the plan; on production only the ID of the item does.
func TestConfirmNeedsAnExplicitAnswer(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	production := p.Guardrails.Production
	if len(production) == 0 {
		t.Fatal("authbridge has no production environment")
	}
	for _, tt := range []struct {
		context, answer string
		yes             bool
	}{
		{"dev", "y\n", true},
		{"dev", " YES \n", true},
		{"dev", "\n", false},
		{"dev", "n\n", false},
		{"dev", "yep\n", false},
		{"dev", "ver_1\n", false},
		{"dev", "", false},
		{production[0], "ver_1\n", true},
		{production[0], "y\n", false},
		{production[0], "VER_1\n", false},
		{production[0], "\n", false},
	} {
		var words strings.Builder
		r := planned(t, p, tt.context, tt.answer, &words)
		err := r.confirm(t.Context())
		if (err == nil) != tt.yes || err != nil && cli.CodeOf(t.Context(), err) != cli.ExitInterrupted {
			t.Errorf("%s, %q: %v", tt.context, tt.answer, err)
		}
		if !strings.Contains(words.String(), "status in_review → approved") {
			t.Errorf("the plan is not shown:\n%s", words.String())
		}
	}
}

func TestInterruptEndsConfirm(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := planned(t, p, "dev", "", io.Discard)
	in, out, err := os.Pipe() // no input, and no end of input
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(out.Close(), in.Close()); err != nil {
			t.Error(err)
		}
	}()
	r.Stdin = in
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.confirm(ctx); cli.CodeOf(ctx, err) != cli.ExitInterrupted {
		t.Errorf("%v", err)
	}
}

// planned returns the report of a planned approval, with the answer of the person.
func planned(t *testing.T, p *profiles.Profile, name, answer string, words io.Writer) *changeReport {
	t.Helper()
	db, err := embedded.Open(embedded.Options{Path: storeWith(t, "authbridge", verification("ver_1", "in_review")), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := store.Connect(t.Context(), store.Options{Embedded: db})
	if err != nil {
		t.Fatal(err)
	}
	s := workspace.New(session.Options{
		Profile: p, Store: conn.Reader(), Target: conn.Describe(), Role: session.Admin, Context: name,
		Actor: "ana",
	})
	act, err := s.Planner.Action("approve")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Planner.Plan(t.Context(), act, map[string]string{"verificationId": "ver_1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "answer")
	if err := os.WriteFile(path, []byte(answer), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	return &changeReport{Streams: cli.Streams{Stdin: in, Stdout: io.Discard, Stderr: words}, output: "text", action: act, session: s, plan: plan}
}

// The outcome of a change decides the exit code, even after an interrupt or with an
// error of the journal.
func TestExitCodeFollowsTheOutcomeOfAChange(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	conflict := &change.Conflict{What: "it moved on", Differences: []models.Change{{Path: "status", After: models.StringValue("rejected")}}}
	refusal := &session.Refusal{Why: "no"}
	lost := errors.New("and the journal does not hold the outcome: disk full")
	for _, tt := range []struct {
		err    error
		code   int
		status string
		lines  int
	}{
		{conflict, cli.ExitConflict, "conflict", 2},
		{errors.Join(conflict, lost), cli.ExitConflict, "conflict", 2},
		{refusal, cli.ExitRefused, "refused", 1},
		{errors.Join(refusal, lost), cli.ExitRefused, "refused", 1},
		{fmt.Errorf("%w: the answer was lost (entry 1)", changes.ErrUnknown), cli.ExitService, "unknown", 1},
		{&store.Error{Class: store.Throttled, What: "too fast"}, cli.ExitService, "", 1},
		{&accesspatterns.ParamError{Param: "a", Reason: "missing"}, cli.ExitUsage, "", 1},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out strings.Builder
		r := planned(t, p, "dev", "", io.Discard)
		r.output, r.Stdout = "json", &out
		err := r.failed(tt.err)
		if code := cli.CodeOf(ctx, err); code != tt.code || strings.Count(err.Error(), "\n")+1 != tt.lines {
			t.Errorf("%v: exit %d, %q", tt.err, code, err)
		}
		var doc struct{ Status string }
		if out.Len() > 0 {
			if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
				t.Errorf("%v: %v", tt.err, err)
			}
		}
		if doc.Status != tt.status {
			t.Errorf("%v: status %q", tt.err, doc.Status)
		}
	}
}

func TestConfirmIsSkippedIfASecondPersonMustApply(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	r := planned(t, p, "dev", "y\n", &words)
	r.secondPerson = true
	err = r.apply(
		t.Context(), modeAsk,
		func(context.Context) (*changes.Commitment, error) { return nil, &session.Refusal{Why: "two people"} },
	)
	if cli.CodeOf(t.Context(), err) != cli.ExitRefused || words.Len() > 0 {
		t.Errorf("%v\n%s", err, words.String())
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

// full is a stream on which every write fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// A script must not mistake an output error for an error of the change.
func TestOutputErrorAfterCommitSaysThatTheChangeWasApplied(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{"text", "json", "cli"} {
		r := planned(t, p, "dev", "", io.Discard)
		r.output, r.Stdout = output, full{}
		err := r.committed(&changes.Commitment{Plan: r.plan, Journal: "0123456789abcdef"})
		if err == nil || !strings.Contains(err.Error(), "the change was applied (journal 01234567), but") ||
			cli.CodeOf(t.Context(), err) != cli.ExitOther {
			t.Errorf("%s: %v", output, err)
		}
	}
}
