package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
)

// A recorder is a DynamoDB endpoint that records requests, with a schema file for its tables.
type recorder struct {
	t       *testing.T
	profile string
	url     string
	db      *embedded.Store

	mu  sync.Mutex
	got []string // operation and body of each read and write
}

// startRecorder starts a recorder with the tables of the schema.
func startRecorder(t *testing.T, profile string) *recorder {
	t.Helper()
	isolate(t)
	r := &recorder{t: t, db: openStore(t, ""), profile: filepath.Join(t.TempDir(), "p.yaml")}
	if err := os.WriteFile(r.profile, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	r.ok("table", "create", r.profile, "--role", "admin")
	return r
}

// ServeHTTP records the request and passes it to the database.
func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		r.t.Error(err)
	}
	_, operation, _ := strings.Cut(q.Header.Get("X-Amz-Target"), ".")
	if operation != "" && !strings.HasSuffix(operation, "Table") && !strings.HasSuffix(operation, "TimeToLive") &&
		!strings.HasSuffix(operation, "Tables") {
		r.mu.Lock()
		r.got = append(r.got, operation+" "+r.normalize(body))
		r.mu.Unlock()
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	r.db.ServeHTTP(w, q)
}

// normalize returns a request with sorted names, without its page size and the default order.
func (r *recorder) normalize(text []byte) string {
	v := map[string]any{}
	if err := json.Unmarshal(text, &v); err != nil {
		r.t.Errorf("%v: %s", err, text)
	}
	delete(v, "Limit")
	if v["ScanIndexForward"] == true {
		delete(v, "ScanIndexForward")
	}
	out, err := json.Marshal(v)
	if err != nil {
		r.t.Error(err)
	}
	return string(out)
}

// received returns the requests since the last call, sorted by bytes.
func (r *recorder) received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.got
	r.got = nil
	slices.Sort(list)
	return list
}

// do runs ddbdesk against the recorder.
func (r *recorder) do(args ...string) (code int, out, errs string) {
	return ddbdesk(r.t, append(args, "--endpoint-url", r.url, "--region", "eu-west-1")...)
}

// ok runs ddbdesk, which must exit with 0, and returns its output.
func (r *recorder) ok(args ...string) (out, errs string) {
	r.t.Helper()
	code, out, errs := r.do(args...)
	if code != cli.ExitOK {
		r.t.Fatalf("%s: exit %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out, errs
}

// put writes items in DynamoDB JSON to the table words.
func (r *recorder) put(items ...string) {
	r.t.Helper()
	for _, it := range items {
		body := `{"TableName":"words","Item":` + it + `}`
		status, answer, err := postDynamo(r.t, http.DefaultClient, r.url, "", "PutItem", strings.NewReader(body))
		if err != nil || status != http.StatusOK {
			r.t.Fatalf("writing the item failed: %v %d %s\n%s", err, status, answer, body)
		}
	}
	r.received()
}

// rows runs a pattern and returns an attribute of its rows, separated by spaces. It fails unless --explain prints the
// requests that the server receives.
func (r *recorder) rows(attribute, pattern string, args ...string) string {
	r.t.Helper()
	args = append([]string{"run", r.profile, pattern, "--allow-scan", "--all"}, args...)
	text, _ := r.ok(append(args, "--explain")...)
	var explained []struct {
		Operation string
		Input     json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &explained); err != nil {
		r.t.Fatal(err)
	}
	var want []string
	for _, x := range explained {
		want = append(want, x.Operation+" "+r.normalize(x.Input))
	}
	slices.Sort(want)
	r.received()
	out, _ := r.ok(append(args, "-o", "jsonl")...)
	if diff := gocmp.Diff(want, r.received()); diff != "" {
		r.t.Errorf("%s: --explain (-) and what the server received (+):\n%s", pattern, diff)
	}
	var values []string
	for line := range strings.Lines(out) {
		row := map[string]any{}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			r.t.Fatal(err)
		}
		value, _ := row[attribute].(string)
		values = append(values, value)
	}
	return strings.Join(values, " ")
}
