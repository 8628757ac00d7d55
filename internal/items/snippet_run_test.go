package items_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// servedFixture returns a schema with its sample data behind an HTTP endpoint.
func servedFixture(t *testing.T, name string) *fixture.Fixture {
	t.Helper()
	for variable, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_PAGER": "",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_DYNAMODB": "",
	} {
		t.Setenv(variable, value) // Setenv restores the variable after the test.
		if value == "" {
			if err := os.Unsetenv(variable); err != nil {
				t.Fatal(err)
			}
		}
	}
	server := httptest.NewServer(fixture.Database(t))
	t.Cleanup(server.Close)
	conn, err := store.Connect(t.Context(), store.Options{EndpointURL: server.URL, Region: "af-south-1"})
	if err != nil {
		t.Fatal(err)
	}
	f := fixture.NewOn(t, schemas.Open(t, name), conn)
	f.Create(t)
	f.Seed(t)
	f.Workspace = f.With(session.Developer)
	return f
}

// capturedCall is a pattern with its request and number of results.
type capturedCall struct {
	pattern *accesspatterns.Pattern
	request *accesspatterns.Request
	rows    int
}

// capturedCalls returns the patterns of a schema that return rows, with requests that mask no values.
func capturedCalls(t *testing.T, w *fixture.Fixture) []capturedCall {
	t.Helper()
	samples := w.Samples(t)
	tries := map[string][]map[string]string{}
	for _, s := range samples {
		for _, r := range w.Workspace.Reading.Related(s.Table, s.Item) {
			tries[r.Pattern.ID] = append(tries[r.Pattern.ID], r.Args)
		}
	}
	var list []capturedCall
	if err := w.Workspace.Session.Reveal(t.Context(), "test", "parameters that are sensitive"); err != nil {
		t.Fatal(err)
	}
	for _, p := range w.Profile.Patterns {
		if !p.IsRead() || p.StopAfter > 0 || p.Read.Index != nil && p.Read.Index.Projection != "ALL" {
			continue
		}
		for _, args := range append(tries[p.ID], fixture.FixedArgs(p)...) {
			r, err := w.Workspace.Reading.Start(p, args, reading.RunOptions{AllowScan: true, Limit: 1000})
			if err != nil {
				continue
			}
			page, err := r.Next(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", p.FullID(), err)
			}
			if page.Count > 0 {
				list = append(list, capturedCall{p, r.Request(), page.Count})
				break
			}
		}
	}
	return list
}

func program(t *testing.T, name string, args ...string) string {
	t.Helper()
	if os.Getenv("DDBDESK_TEST_PROGRAMS") == "" {
		t.Skip("starts interpreters and the AWS CLI; set DDBDESK_TEST_PROGRAMS=1, as .ci/run clients does")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Skipf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return path
}

// The Python snippet of every pattern prints as many rows as ddbdesk finds.
func TestPythonSnippetsFindTheSameRows(t *testing.T) {
	python := program(t, "python3", "-c", "import boto3")
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			w := servedFixture(t, name)
			dir, files := t.TempDir(), []string{}
			list := capturedCalls(t, w)
			for i, q := range list {
				file := filepath.Join(dir, fmt.Sprintf("%03d.py", i))
				if err := os.WriteFile(file, []byte(w.Workspace.Exporter.Snippet(q.request, snippet.Python)), 0o600); err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
			const all = "import runpy, sys\nfor f in sys.argv[1:]:\n    print('@', f)\n    runpy.run_path(f, run_name='__main__')\n"
			out, err := exec.CommandContext(t.Context(), python, append([]string{"-c", all}, files...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			answers := strings.Split(string(out), "@ ")[1:]
			for i, q := range list {
				lines := strings.Split(strings.TrimSpace(answers[i]), "\n")[1:]
				if q.request.IsCount() {
					if lines[0] != fmt.Sprint(q.rows) {
						t.Errorf("%s counts %s, want %d", q.pattern.FullID(), lines[0], q.rows)
					}
					continue
				}
				if len(lines) != q.rows {
					t.Errorf("%s prints %d rows, want %d:\n%s", q.pattern.FullID(), len(lines), q.rows, answers[i])
				}
			}
			t.Logf("%d snippets ran", len(list))
		})
	}
}

// The AWS CLI accepts the command for each kind of operation.
func TestCommandsRunWithAWSCLI(t *testing.T) {
	program(t, "aws", "--version")
	w := servedFixture(t, "form-bridge")
	ran := map[accesspatterns.Operation]bool{}
	for _, q := range capturedCalls(t, w) {
		if ran[q.pattern.Read.Operation] && len(q.request.Legs) == 1 {
			continue
		}
		ran[q.pattern.Read.Operation] = true
		command := w.Workspace.Exporter.Snippet(q.request, snippet.CLI)
		out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, command, out)
		}
		partition := `"` + q.pattern.Table.PartitionKey.Name + `": {`
		if n := strings.Count(string(out), partition); !q.request.IsCount() && n != q.rows {
			t.Errorf("%s returns %d items, want %d\n%s", q.pattern.FullID(), n, q.rows, command)
		}
	}
	if len(ran) < 3 {
		t.Errorf("only %v ran, want at least 3 operations", ran)
	}
}

// Node checks the syntax without running the code, so it does not need the SDK.
func TestTypeScriptSnippetsParse(t *testing.T) {
	node := program(t, "node", "--version")
	w := fixture.New(t, "form-bridge", session.Developer)
	dir := t.TempDir()
	for i, q := range capturedCalls(t, w) {
		text := w.Workspace.Exporter.Snippet(q.request, snippet.TypeScript)
		if strings.Contains(text, "CommandInput[]") {
			continue // the only type annotation
		}
		file := filepath.Join(dir, fmt.Sprintf("%03d.mjs", i))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), node, "--check", file).CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, text)
		}
	}
}

// The PartiQL statement of every pattern returns as many rows as ddbdesk finds.
func TestPartiQLStatementsFindTheSameRows(t *testing.T) {
	for _, name := range []string{"authbridge", "ebay-sniper"} {
		t.Run(name, func(t *testing.T) {
			w := servedFixture(t, name)
			for _, q := range capturedCalls(t, w) {
				n, text := 0, w.Workspace.Exporter.Snippet(q.request, snippet.PartiQL)
				for _, statement := range strings.Split("\n"+text, "\nSELECT ")[1:] {
					for next := ""; ; {
						page := execute(t, w, "SELECT "+statement, next)
						n += len(page.Items)
						if next = page.NextToken; next == "" {
							break
						}
					}
				}
				if n != q.rows {
					t.Errorf("%s returns %d rows, want %d:\n%s", q.pattern.FullID(), n, q.rows, text)
				}
			}
		})
	}
}

type statementPage struct {
	Items     []json.RawMessage
	NextToken string
	Message   string
}

func execute(t *testing.T, w *fixture.Fixture, statement, next string) (page statementPage) {
	t.Helper()
	body := map[string]string{"Statement": statement}
	if next != "" {
		body["NextToken"] = next
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.Workspace.Session.Target().Endpoint, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("X-Amz-Target", "DynamoDB_20120810.ExecuteStatement")
	q.Header.Set("Content-Type", "application/x-amz-json-1.0")
	q.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/af-south-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil || page.Message != "" {
		t.Fatalf("the statement failed: %v %s\n%s", err, page.Message, statement)
	}
	return page
}
