package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A raw change of a table with a schema computes derived keys and times, writes the audit entry and reports violations.
// Only actions change a lifecycle's state, unless the context and a second person override this.
func TestRawEditFollowsTablesSchema(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	t.Setenv("DDBDESK_STATE_DIR", filepath.Join(dir, "state"))
	t.Setenv("DDBDESK_CONFIG_DIR", filepath.Join(dir, "config"))
	at := []string{"--embedded=" + filepath.Join(dir, "db"), "--role", "admin"}
	run := func(want int, args ...string) (out, errs string) {
		t.Helper()
		code, out, errs := ddbdesk(t, append(args, at...)...)
		if code != want {
			t.Fatalf("%q: exit %d, want %d: %s%s", args, code, want, out, errs)
		}
		return out, errs
	}
	contains := func(text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%q is missing in:\n%s", w, text)
			}
		}
	}
	write := func(text string, path ...string) string {
		t.Helper()
		name := filepath.Join(append([]string{dir}, path...)...)
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	run(0, "seed", "authbridge")
	out, _ := run(0, "table", "scan", "AuthBridgeTable", "--index", "GSI1", "--allow-scan", "--limit", "1", "-o", "json")
	var page struct {
		Items []struct{ PK, SK, Status, CreatedAt string }
	}
	if err := json.Unmarshal([]byte(out), &page); err != nil || len(page.Items) != 1 {
		t.Fatalf("got %v, want 1 item: %s", err, out)
	}
	it := page.Items[0]
	key := []string{"AuthBridgeTable", "PK=" + it.PK, "SK=" + it.SK, "--reason", "ticket 7"}
	edit := func(want int, more ...string) (string, string) {
		t.Helper()
		return run(want, append(append([]string{"table", "edit"}, key...), more...)...)
	}
	audit, _ := run(0, "table", "scan", "AuthBridgeTable", "--where", "PK begins-with AUDIT#", "--allow-scan", "--limit", "1", "-o", "jsonl")
	var entry struct{ PK, SK string }
	if err := json.Unmarshal([]byte(audit), &entry); err != nil {
		t.Fatalf("%v: %s", err, audit)
	}
	_, refused := run(10, "table", "delete", "AuthBridgeTable", "PK="+entry.PK, "SK="+entry.SK, "--reason", "ticket 7", "--yes")
	contains(refused, "items record what was changed")
	out, _ = edit(0, "--set", "createdAt=2026-01-02T03:04:05Z", "--dry-run")
	contains(out, "updatedAt", "#2026-01-02T03:04:05Z   derived", "+ new Audit", "only if", "TransactWriteItems")
	out, _ = edit(0, "--set", "documentType=library card", "--set", "extra=1", "--set", "documentTyp=a", "--dry-run")
	contains(out, "note: documentType: the value is not one of", "does not declare extra", `does not declare documentTyp; did you mean "documentType"?`)
	out, _ = edit(0, "--set", "SK=OTHER", "--dry-run")
	contains(out, "no key template of the schema makes this key", "- delete")
	_, errs := edit(11, "--set", "status=auto_rejected", "--yes")
	contains(errs, "status is changed by the action ", "(auto-reject)", "ddbdesk change authbridge auto-reject verificationId=")
	edit(0, "--set", "createdAt=2026-01-02T03:04:05Z", "--yes")
	out, _ = run(0, "undo", "authbridge", "--reason", "back", "--yes")
	contains(out, it.CreatedAt, "+ new Audit")
	newFile := write(`{"PK":"CASE#ver_x","SK":"META","status":"approved"}`, "item.json")
	_, errs = run(11, "table", "put", "AuthBridgeTable", newFile, "--reason", "ticket 7", "--yes")
	contains(errs, "status is changed by the action")
	// If the context allows an override, another person applies the plan.
	write(fmt.Sprintf("contexts: {o: {embedded: %q, raw-edits: override}}\n", filepath.Join(dir, "db")), "config", "config.yaml")
	at = []string{"--role", "admin", "--context", "o", "--actor", "ana"}
	_, errs = edit(11, "--set", "status=auto_rejected", "--yes")
	contains(errs, "needs a second person")
	plan := filepath.Join(dir, "plan.json")
	edit(0, "--set", "status=auto_rejected", "--plan", plan)
	_, errs = run(11, "apply", plan, "--yes")
	contains(errs, "second person")
}
