package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
)

// staleCases serves an embedded database in which the index keys of verifications have an old format. It calls before
// with the body of each transaction.
func staleCases(t *testing.T, n int, before func(put func(models.Item), body string)) string {
	t.Helper()
	isolate(t)
	db := openStore(t, "")
	f := fixture.NewOn(t, schemas.Open(t, "authbridge"), fixture.Connect(t, db))
	f.Create(t)
	for _, s := range f.Samples(t) {
		if s.Entity.Name == "Verification" && n > 0 {
			it := s.Item.Clone()
			it["GSI1SK"] = models.StringValue("old")
			f.Put(t, s.Table, it)
			n--
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "TransactWriteItems") {
			before(func(it models.Item) { f.Put(t, f.Profile.Tables[0], it) }, string(body))
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		db.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Drift repair reports an item that changes during its repair as a conflict, and repairs all others.
func TestDriftRepairContinuesAfterConflict(t *testing.T) {
	writes := 0
	url := staleCases(t, 3, func(put func(models.Item), body string) {
		if writes++; writes != 2 {
			return
		}
		_, rest, _ := strings.Cut(body, "CASE#")
		id, _, _ := strings.Cut(rest, `"`)
		put(models.Item{"PK": models.StringValue("CASE#" + id), "SK": models.StringValue("META"), "status": models.StringValue("taken")})
	})
	code, out, errs := ddbdesk(t, "drift", "authbridge", "Verification", "--repair", "--yes", "--role", "admin", "--actor", "kagiso",
		"--endpoint-url", url, "--region", "af-south-1", "-o", "json")
	var doc struct {
		Items []struct {
			Repair, Why, Journal *string
		}
		Count int
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Items) != 3 {
		t.Fatalf("got %v, want 3 items:\n%s\n%s", err, out, errs)
	}
	if code != cli.ExitConflict {
		t.Errorf("exit %d, want %d: %s", code, cli.ExitConflict, errs)
	}
	for i, want := range []string{"committed", "conflict", "committed"} {
		it := doc.Items[i]
		if it.Repair == nil || *it.Repair != want || (it.Journal != nil) != (want == "committed") || (it.Why != nil) != (want == "conflict") {
			t.Errorf("item %d has the outcome %+v\n%s", i, it, out)
		}
	}
	if !strings.Contains(errs, "2 repairs committed, 1 repair conflict") {
		t.Error(errs)
	}
}

// A user can add the printed actions for missing attributes to the schema. A sweep then sets the attributes and their
// derived keys.
func TestDriftTemplateSetsMissingAttributes(t *testing.T) {
	lacking := inReview("ver_1")
	delete(lacking, "documentType")
	db := storeWith(t, "authbridge", lacking)
	code, out, errs := ddbdesk(t, "drift", "authbridge", "Verification", "--embedded="+db)
	if code != cli.ExitOK || !strings.Contains(errs, "actions in the schema can set 1 missing attribute; --template prints them") {
		t.Fatalf("exit %d, want 0 and a note about --template:\n%s%s", code, out, errs)
	}
	code, template, errs := ddbdesk(t, "drift", "authbridge", "Verification", "--template", "--embedded="+db)
	if code != cli.ExitOK || !strings.HasPrefix(template, "actions:\n") {
		t.Fatalf("exit %d, want 0 and a YAML template:\n%s%s", code, template, errs)
	}
	text, err := os.ReadFile("../../profiles/builtin/authbridge.yaml")
	if err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(t.TempDir(), "authbridge.yaml")
	change := func(want int, template string, args ...string) string {
		t.Helper()
		extended := strings.Replace(string(text), "\nactions:\n", "\n"+template, 1)
		if err := os.WriteFile(profile, []byte(extended), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"change", profile, "set-verification-document-type", "--over", "list-client-verifications", "clientId=c"}, args...)
		code, out, errs := ddbdesk(t, append(args, "documentType=passport", "--reason", "backfill", "--role", "admin", "--embedded="+db)...)
		if code != want {
			t.Fatalf("exit %d, want %d\n%s%s", code, want, out, errs)
		}
		return out + errs
	}
	change(cli.ExitRefused, template, "--dry-run")
	enabled := regexp.MustCompile(`\n    disabled: .*`).ReplaceAllString(template, "")
	change(cli.ExitOK, enabled, "--plan", filepath.Join(t.TempDir(), "sweep.json"), "--yes")
	if message := change(cli.ExitConflict, enabled, "--dry-run"); !strings.Contains(message, "documentType is set") {
		t.Errorf("the second run: got %s, want a conflict that documentType is set", message)
	}
}
