package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// ddbdeskUnfiltered runs a command without the filter of control characters.
func ddbdeskUnfiltered(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = runUnfiltered(args, cli.Streams{Stdin: os.Stdin, Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

// runClean runs a command and fails the test if the command writes terminal control sequences.
func runClean(t *testing.T, allowed string, args ...string) (stdout string) {
	t.Helper()
	_, out, errs := ddbdeskUnfiltered(args...)
	call := models.Truncate(models.Printable(strings.Join(args, " ")), 200)
	if unsafeText := hostile.FirstUnsafe(out, allowed); unsafeText != "" {
		t.Errorf("%s writes %s to stdout", call, unsafeText)
	}
	if unsafeText := hostile.FirstUnsafe(errs, ""); unsafeText != "" {
		t.Errorf("%s writes %s to stderr", call, unsafeText)
	}
	return out
}

func setHostileEnvironment(t *testing.T) {
	t.Helper()
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	t.Setenv("DDBDESK_CONFIG_DIR", t.TempDir())
	t.Setenv("USER", strings.ReplaceAll(hostile.Text, "\x00", ""))
}

// requireCleanFiles fails if a file of the fixture contains terminal control sequences.
func requireCleanFiles(t *testing.T, w *operationFixture) {
	t.Helper()
	w.eachFile(func(name, text string) {
		if unsafeText := hostile.FirstUnsafe(text, ""); unsafeText != "" && !strings.HasSuffix(name, ".key") {
			t.Errorf("%s contains %s", name, unsafeText)
		}
	})
}

// Messages repeat arguments. checkHostileText tests the arguments of operations.
func TestHostileArguments(t *testing.T) {
	setHostileEnvironment(t)
	for _, x := range []string{hostile.Text, "a\xff\xc3(\x9b31m", "-\x1b[2J%s\n"} {
		for _, args := range [][]string{
			{x},
			{x, x},
			{"help", x},
			{"schema", x},
			{"--" + x},
			{"--role", x, "schema", "list"},
			{"--theme", x, "demo"},
			{"--context", x, "schema", "list"},
			{"--var", x, "schema", "show", "authbridge"},
			{"--var", "environment=" + x, "schema", "show", "ebay-sniper"},
			{"--actor", x, "schema", "list"},
			{"--endpoint-url", x, "table", "check", "authbridge"},
			{"--region", x, "table", "check", "authbridge"},
			{"--profile", x, "table", "check", "authbridge"},
			{"run", "authbridge", "get-verification", "verificationId=" + x, "--explain"},
			{"run", "authbridge", "list-client-verifications", "clientId=c", "status=" + x, "--explain"},
			{"change", "authbridge", x},
			{"change", "authbridge", "approve", x},
			{"apply", x},
			{"drift", "authbridge", x},
			{"serve", "--addr", x},
			{"undo", "authbridge", x},
			{"__complete", "run", x},
			{"__complete", "run", "authbridge", x},
			{"__complete", "run", "authbridge", "list-client-verifications", "status=" + x},
		} {
			runClean(t, "\t", args...)
		}
	}
}

// Profiles, configurations, plans and bookmarks may come from other people.
func TestHostileFiles(t *testing.T) {
	setHostileEnvironment(t)
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
			runClean(t, "\t", args...)
		}
	}
	for _, content := range []string{
		`{"format":` + text + `}`, `{"action":` + text + `,"profile":` + text + `,"schema":` + text + `}`, text,
	} {
		runClean(t, "", "apply", file("plan.json", content))
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
			runClean(t, "\t", args...)
		}
	}
}
