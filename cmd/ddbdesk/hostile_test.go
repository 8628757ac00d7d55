package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// hostileStore creates a store with a case for every hostile text, all of one client,
// and returns its folder. Case n has the ID ver_n.
func hostileStore(t *testing.T) (dir string, cases int) {
	t.Helper()
	dir = t.TempDir()
	db := openStore(t, dir)
	conn, p := withTables(t, db, "authbridge")
	shapes := append(hostile.Shapes(), hostile.Shape{
		Name:       "a hostile case",
		Attributes: models.Item{"documentType": models.StringValue(hostile.Text)},
	})
	for i, shape := range shapes {
		created := fmt.Sprintf("2026-01-20T08:%02d:00Z", i)
		it, err := p.Entity("Verification").Build(models.Item{
			"verificationId": models.StringValue(fmt.Sprintf("ver_%d", i)), "clientId": models.StringValue("client_1"),
			"status":       models.StringValue("in_review"),
			"documentType": models.StringValue("omang"), "createdAt": models.StringValue(created), "updatedAt": models.StringValue(created),
			"submittedAt": models.StringValue(created), "expiresAt": models.StringValue("2026-02-19T08:00:00Z"),
			"ttl": &types.AttributeValueMemberN{Value: "1771488000"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n, v := range shape.Attributes {
			it[n] = v
		}
		if err := conn.Admin().PutItems(t.Context(), p.Tables[0].Name, []models.Item{it}); err != nil {
			t.Fatalf("%s: %v", shape.Name, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, len(shapes)
}

// unfenced runs a command without its fence.
func unfenced(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = runUnfenced(args, cli.Streams{Stdin: os.Stdin, Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

// clean runs a command, and fails the test if it writes terminal control sequences.
func clean(t *testing.T, allowed string, args ...string) (stdout string) {
	t.Helper()
	_, out, errs := unfenced(args...)
	call := models.Truncate(models.Printable(strings.Join(args, " ")), 200)
	if acts := hostile.Acts(out, allowed); acts != "" {
		t.Errorf("%s writes %s", call, acts)
	}
	if acts := hostile.Acts(errs, ""); acts != "" {
		t.Errorf("%s says %s", call, acts)
	}
	return out
}

func hostileSurroundings(t *testing.T) {
	t.Helper()
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	t.Setenv("DDBDESK_CONFIG_DIR", t.TempDir())
	t.Setenv("USER", strings.ReplaceAll(hostile.Text, "\x00", ""))
}

// Every format shows every hostile text, and JSON preserves it.
func TestHostileItemsInEveryFormat(t *testing.T) {
	hostileSurroundings(t)
	dir, cases := hostileStore(t)
	at := "--embedded=" + dir
	for _, format := range []string{"table", "json", "jsonl", "csv", "dynamodb"} {
		allowed := ""
		if format == "csv" {
			allowed = "\t"
		}
		out := clean(t, allowed, "run", "authbridge", "list-client-verifications", "clientId=client_1", "--all", at, "-o", format)
		switch format {
		case "json", "dynamodb":
			var doc map[string]any
			if err := json.Unmarshal([]byte(out), &doc); err != nil {
				t.Errorf("%s is no JSON: %v", format, err)
			}
		case "jsonl":
			lines := slices.Collect(strings.Lines(out))
			if len(lines) != cases {
				t.Errorf("%d lines for %d cases", len(lines), cases)
			}
			if !slices.ContainsFunc(lines, func(line string) bool {
				var row struct{ DocumentType string }
				return json.Unmarshal([]byte(line), &row) == nil && row.DocumentType == hostile.Text
			}) {
				t.Error("JSON changed a value")
			}
		}
	}
	last := fmt.Sprintf("verificationId=ver_%d", cases-1)
	for _, args := range [][]string{
		{"run", "authbridge", "get-verification", last},
		{"run", "authbridge", "get-case-file", last},
		{"change", "authbridge", "approve", last, "--dry-run"},
		{"change", "authbridge", "approve", last, "--dry-run", "-o", "json"},
		{"change", "authbridge", "approve", last, "--dry-run", "-o", "cli"},
		{"change", "authbridge", "reject", last, "--dry-run", "--reason", hostile.Text},
		{"change", "authbridge", "reject", last, "--yes", "--role", "admin", "--reason", "because " + hostile.Text},
		{"journal"},
		{"journal", "show", "-o", "json"},
		{"journal", "verify"},
		{"journal", "resolve", "authbridge"},
		{"drift", "authbridge"},
		{"drift", "authbridge", "-o", "json"},
		{"table", "check", "authbridge"},
		{"doctor"},
		{"doctor", "-o", "json"},
	} {
		clean(t, "", append(args, at)...)
	}
	// A plan file with hostile text applies as it was made.
	plan := filepath.Join(os.Getenv("DDBDESK_STATE_DIR"), "plan.json")
	approve := []string{
		"change", "authbridge", "approve", "verificationId=ver_1", "--plan", plan, "--reason", "because " + hostile.Text,
		at,
	}
	if code, _, errs := unfenced(approve...); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if code, _, errs := unfenced("apply", plan, "--yes", "--role", "admin", at); code != cli.ExitOK {
		t.Errorf("the plan is not carried out: exit %d: %s", code, errs)
	}
	cleanFiles(t, os.Getenv("DDBDESK_STATE_DIR"), "plan.json", "journal")
}

// cleanFiles checks every text file in a folder, among which must be the named ones.
func cleanFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	seen := ""
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(d.Name(), ".key") {
			return err
		}
		text, err := os.ReadFile(path)
		if acts := hostile.Acts(string(text), ""); acts != "" {
			t.Errorf("%s holds %s", path, acts)
		}
		seen += d.Name() + " "
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !strings.Contains(seen, n) {
			t.Errorf("there is no %s among %s", n, seen)
		}
	}
}

// Messages repeat arguments.
func TestHostileArguments(t *testing.T) {
	hostileSurroundings(t)
	for _, x := range []string{hostile.Text, "a\xff\xc3(\x9b31m", "\x1b]0;owned\a", "-\x1b[2J%s\n"} {
		for _, args := range [][]string{
			{x},
			{x, x},
			{"help", x},
			{"--" + x},
			{"--role", x, "schema", "list"},
			{"--theme", x, "demo"},
			{"--context", x, "schema", "list"},
			{"--var", x, "schema", "show", "authbridge"},
			{"--var", "environment=" + x, "schema", "show", "ebay-sniper"},
			{"--actor", x, "schema", "list"},
			{"schema", "list", "-o", x},
			{"run", "authbridge", "get-verification", x + "=1"},
			{"run", "authbridge", "get-verification", "verificationId=" + x, "--explain"},
			{"run", "authbridge", "list-client-verifications", "clientId=c", "status=" + x, "--explain"},
			{"run", "authbridge", "list-audit-by-date", "date=" + x, "--explain"},
			{"run", "authbridge", "get-verification", "verificationId=" + x, "--endpoint-url", x},
			{"run", "authbridge", "get-verification", "verificationId=a", "--region", x},
			{"run", "authbridge", "get-verification", "verificationId=a", "--profile", x},
			{"run", "authbridge", x},
			{"schema", "show", x},
			{"decode", "authbridge", x},
			{"tail", "authbridge", "--where", x, "--once"},
			{"seed", "authbridge", "--at", x},
			{"find", "CASE#" + x, "-o", "json"},
			{"decode", "authbridge", "CASE#" + x, "-o", "json"},
			{"change", "authbridge", x},
			{"change", "authbridge", "approve", x},
			{"apply", x},
			{"drift", "authbridge", x},
			{"serve", "--addr", x},
			{"undo", "authbridge", x},
			{"journal", x},
			{"__complete", "run", x},
			{"__complete", "run", "authbridge", x},
			{"__complete", "run", "authbridge", "list-client-verifications", "status=" + x},
		} {
			clean(t, "\t", args...)
		}
	}
}

// Profiles, configurations, plans and bookmarks may come from other people.
func TestHostileFiles(t *testing.T) {
	hostileSurroundings(t)
	quoted, err := json.Marshal(hostile.Text)
	if err != nil {
		t.Fatal(err)
	}
	text := string(quoted)
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i, content := range []string{
		"name: " + text, "name: good\ntitle: " + text + "\ntables: {things: {name: things, partition_key: id}}\n", text + ": 1",
		"- " + text, "\x1b[2J", "name: \"a\n\x1b[2J", "a: &x [*x, " + text + "]",
	} {
		path := file(fmt.Sprintf("bad%d\x1b[2J.yaml", i), content)
		for _, args := range [][]string{
			{"schema", "lint", path},
			{"schema", "lint", path, "-o", "json"},
			{"schema", "show", path},
			{"run", path, "x"},
			{"__complete", "run", path, ""},
			{"apply", path},
			{"apply", path, "--yes", "--role", "admin"},
		} {
			clean(t, "\t", args...)
		}
	}
	for _, content := range []string{
		`{"format":` + text + `}`, `{"action":` + text + `,"profile":` + text + `,"schema":` + text + `}`, text,
	} {
		clean(t, "", "apply", file("plan.json", content))
	}
	config := os.Getenv("DDBDESK_CONFIG_DIR")
	for _, content := range []string{
		"theme: " + text, "contexts: {" + text + ": {region: " + text + "}}",
		"contexts: {a: {region: " + text + ", actor: " + text + "}}", "keys: {" + text + ": 1}", "\x1b[2J: 1",
	} {
		if err := os.WriteFile(filepath.Join(config, "config.yaml"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"doctor"},
			{"doctor", "-o", "json"},
			{"--context", "a", "schema", "list"},
			{"__complete", "--context", ""},
			{"demo"},
		} {
			clean(t, "\t", args...)
		}
	}
}
