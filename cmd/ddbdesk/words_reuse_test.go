package main

import (
	"os"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

const reuseProfile = `
name: reuse
x-text: &text {type: S, required: true}
tables:
  t: {name: words, partition_key: PK, sort_key: SK}
mixins:
  base:
    keys: {SK: META}
    attributes:
      id: *text
      status: {type: N, required: true, labels: {0: Open, 1: Done}}
      createdAt: {type: S, format: iso8601}
entities:
  Task:
    table: t
    keys: {PK: "TASK#{id}"}
    mixins: [base]
    item_title: "{name} of {owner}"
    attributes:
      name: {<<: *text, description: What to do}
      owner: {type: S, sensitive: pii}
    columns: [id, name, status]
  Note:
    table: t
    keys: {PK: "NOTE#{id}"}
    mixins: [base]
    attributes: {createdAt: {type: S, format: date}}
patterns:
  task: &get {operation: get, key: {PK: "TASK#{id}", SK: META}, returns: [Task]}
  note: {<<: *get, key: {PK: "NOTE#{id}", SK: META}, returns: [Note]}
  history: {operation: query, key: {PK: "TASK#{id}"}, consistent: true, returns: [Task]}
  by-status: {operation: scan, filter: [{attribute: status, equals: "{status}"}, {attribute: PK, begins_with: "TASK#"}], consistent: true, returns: [Task]}
actions:
  finish: {entity: Task, set: {status: 1}, disabled: Tasks finish by themselves.}
`

// Merge keys, keys that begin with x-, and mixins have the same effect as the text that they replace.
func TestSchemasReuseTheirParts(t *testing.T) {
	r := startRecorder(t, reuseProfile)
	r.put(`{"PK":{"S":"TASK#a"},"SK":{"S":"META"},"id":{"S":"a"},"name":{"S":"Paint"},"owner":{"S":"Neo"},"status":{"N":"0"}}`,
		`{"PK":{"S":"NOTE#b"},"SK":{"S":"META"},"id":{"S":"b"},"status":{"N":"1"},"createdAt":{"S":"2026-01-14"}}`)
	for pattern, id := range map[string]string{"task": "a", "note": "b"} {
		if got := r.rows("id", pattern, "id="+id); got != id {
			t.Errorf("%s: got %q, want %q", pattern, got, id)
		}
	}
	out, _ := r.ok("schema", "docs", r.profile)
	for _, want := range []string{"| `name` | S | yes |  | What to do |", "one of Open (0), Done (1)", "| `createdAt` | S |  | date |"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}
	if _, errs := r.ok("drift", r.profile, "--allow-scan"); !strings.Contains(errs, "no drift") {
		t.Errorf("drift reports a difference: %s", errs)
	}
	// The error for a mixin names the line in the mixin.
	for old, c := range map[string]struct{ text, want string }{
		"type: S, format: iso8601}": {"type: S, format: iso}", ":12:28: error: entities.Task.attributes.createdAt.format: unknown format \"iso\""},
		"mixins: [base]\n    item":  {"mixins: [bas]\n    item", ":17:14: error: entities.Task.mixins.0: unknown mixin \"bas\"; did you mean \"base\"?"},
		"1: Done}":                  {"1: Done}, enum: [\"0\"]", ": error: entities.Task.attributes.status.labels.1: \"1\" is not a value of status"},
		"{name} of":                 {"{nam} of", ": error: entities.Task.item_title: Task has no attribute \"nam\"; did you mean \"name\"?"},
	} {
		bad := t.TempDir() + "/bad.yaml"
		if err := os.WriteFile(bad, []byte(strings.Replace(reuseProfile, old, c.text, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, _ := r.do("schema", "lint", bad); code != cli.ExitUsage || !strings.Contains(out, c.want) {
			t.Errorf("exit %d: got %s, want %s", code, out, c.want)
		}
	}
}

// Tables show labels with their values. JSON and parameters contain only the values.
func TestLabelsAreShownBesideValues(t *testing.T) {
	r := startRecorder(t, reuseProfile)
	r.put(`{"PK":{"S":"TASK#a"},"SK":{"S":"META"},"id":{"S":"a"},"name":{"S":"Paint"},"status":{"N":"0"}}`)
	if out, _ := r.ok("run", r.profile, "task", "id=a", "-o", "table"); !strings.Contains(out, "Open (0)") {
		t.Errorf("table: the label Open is missing in %s", out)
	}
	for _, format := range []string{"json", "csv", "dynamodb"} {
		if out, _ := r.ok("run", r.profile, "task", "id=a", "-o", format); strings.Contains(out, "Open") {
			t.Errorf("%s: the output contains a label: %s", format, out)
		}
	}
	if got := r.rows("id", "by-status", "status=0"); got != "a" {
		t.Errorf("by-status: got %q, want a", got)
	}
	if code, _, errs := r.do("run", r.profile, "by-status", "status=7", "--allow-scan"); code != cli.ExitUsage ||
		!strings.Contains(errs, "one of Open (0), Done (1)") {
		t.Errorf("exit %d, want an error with the labels: %s", code, errs)
	}
}

// Patterns with consistent reads set ConsistentRead. A schema must not use them where DynamoDB does not support them.
func TestConsistentReads(t *testing.T) {
	r := startRecorder(t, reuseProfile)
	for _, pattern := range []string{"history id=a", "by-status status=0"} {
		args := append([]string{"run", r.profile, "--explain"}, strings.Fields(pattern)...)
		if out, _ := r.ok(args...); !strings.Contains(out, `"ConsistentRead": true`) {
			t.Errorf("%s: want a consistent read, got %s", pattern, out)
		}
	}
	r.rows("id", "history", "id=a")
	bad := t.TempDir() + "/bad.yaml"
	text := strings.Replace(multiKeyProfile, "index: ByRegion, key", "consistent: true, index: ByRegion, key", 1)
	if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := r.do("schema", "lint", bad); code != cli.ExitUsage ||
		!strings.Contains(out, "patterns.of-region.consistent: DynamoDB has no consistent reads of a global index") {
		t.Errorf("exit %d, want an error about consistent: %s", code, out)
	}
}
