package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// ddbdesk runs the program and returns its exit code and output.
func ddbdesk(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(args, os.Stdin, &out, &errs)
	return code, out.String(), errs.String()
}

// storeWith creates an embedded store with items, whose attributes have type S, and
// returns its folder.
func storeWith(t *testing.T, schema string, items ...map[string]string) string {
	t.Helper()
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	dir := t.TempDir()
	db, err := embedded.Open(embedded.Options{Path: dir, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := store.Connect(t.Context(), store.Options{Embedded: db})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Open(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Create(t.Context(), p, conn); err != nil {
		t.Fatal(err)
	}
	var list []models.Item
	for _, it := range items {
		item := models.Item{}
		for n, v := range it {
			item[n] = models.StringValue(v)
		}
		list = append(list, item)
	}
	if err := fixture.Put(t.Context(), conn.Writer(), p.Tables[0].Name, list); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSchemaShowIsComplete(t *testing.T) {
	type shown struct {
		Tables []struct {
			Indexes []struct{ Optional bool }
		}
		Entities, Lifecycles, Findings []struct{}
		Patterns                       []struct {
			ID, Kind, Operation string
			Finding             *struct{ ID string }
		}
	}
	got := map[string]int{}
	for _, name := range profiles.Names() {
		code, out, errs := ddbdesk(t, "schema", "show", name, "-o", "json")
		var s shown
		if err := json.Unmarshal([]byte(out), &s); err != nil || code != cli.ExitOK {
			t.Fatalf("%s: exit %d, %v, %s", name, code, err, errs)
		}
		got["tables"] += len(s.Tables)
		for _, table := range s.Tables {
			got["indexes"] += len(table.Indexes)
			for _, x := range table.Indexes {
				if x.Optional {
					got["optional indexes"]++
				}
			}
		}
		got["entities"] += len(s.Entities)
		got["lifecycles"] += len(s.Lifecycles)
		got["findings"] += len(s.Findings)
		for _, q := range s.Patterns {
			got["patterns "+q.Kind]++
			if q.Operation == "" {
				t.Errorf("%s has no operation", q.ID)
			}
			if q.Finding != nil {
				got["defects"]++
			}
		}
	}
	for what, want := range map[string]int{
		"tables": 18, "indexes": 22, "optional indexes": 3, "entities": 37, "lifecycles": 16, "findings": 149,
		"patterns read": 104, "patterns write": 15, "defects": 67,
	} {
		if got[what] != want {
			t.Errorf("%d %s, want %d", got[what], what, want)
		}
	}
}

// The index still has a case under its former status. The item is shown, with a note.
func TestRunNotesStaleIndexKeys(t *testing.T) {
	dir := storeWith(t, "authbridge", map[string]string{
		"PK": "CASE#ver_1", "SK": "META", "verificationId": "ver_1", "clientId": "c", "status": "approved",
		"createdAt": "2026-01-14T10:00:00Z",
		"GSI1PK":    "CLIENT#c", "GSI1SK": "created#2026-01-14T10:00:00Z", "GSI2PK": "DATE#2026-01-14", "GSI2SK": "2026-01-14T10:00:00Z#ver_1",
	})
	code, out, errs := ddbdesk(t, "run", "authbridge", "list-client-verifications-by-status", "clientId=c", "status=created",
		"-o", "jsonl", "--embedded="+dir)
	if code != cli.ExitOK || strings.Count(out, "\n") != 1 || !strings.Contains(errs, "stale index key: GSI1SK of CASE#ver_1") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, _, errs = ddbdesk(t, "run", "authbridge", "list-verifications-by-date", "date=2026-01-14", "-o", "jsonl", "--embedded="+dir)
	if code != cli.ExitOK || strings.Contains(errs, "stale") {
		t.Errorf("another index is not stale: exit %d\n%s", code, errs)
	}
}

// An empty result of a pattern that cannot work as documented could be misread.
func TestEmptyResultNamesTheFinding(t *testing.T) {
	dir := storeWith(t, "zentriqvision", map[string]string{"PK": "ORG#o", "SK": "VIDEO#v", "videoId": "v"})
	code, out, errs := ddbdesk(t, "run", "zentriqvision", "list-user-videos", "orgId=o", "userId=u", "-o", "jsonl", "--embedded="+dir)
	if code != cli.ExitOK || out != "" || !strings.Contains(errs, "Z01 IMPOSSIBLE") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// The document is complete, and the error names the token that continues.
func TestErrorAfterAPageCompletesTheJSON(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "local")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "local")
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	pages := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "ddbdesk")
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if r.Method == http.MethodGet { // the request that asks which server it is
			return
		}
		pages++
		body := `{"Items":[{"ecosystemId":{"S":"e"},"timestampScoreId":{"S":"2026-01-14T10:00:00.000Z#s"}}],"Count":1,"ScannedCount":1,
			"LastEvaluatedKey":{"ecosystemId":{"S":"e"},"timestampScoreId":{"S":"2026-01-14T10:00:00.000Z#s"}}}`
		if pages > 2 {
			w.WriteHeader(http.StatusBadRequest)
			body = `{"__type":"com.amazonaws.dynamodb.v20120810#ExpiredTokenException","message":"expired"}`
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	code, out, errs := ddbdesk(t, "run", "tazco", "get-score-history", "ecosystemId=e", "--all", "-o", "json",
		"--endpoint-url", server.URL, "--region", "eu-west-1")
	var envelope struct {
		Items []map[string]string
		Count int
		Next  *string
	}
	if err := json.Unmarshal([]byte(out), &envelope); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if code != cli.ExitConfig || len(envelope.Items) != 2 || envelope.Count != 2 || envelope.Next == nil ||
		!strings.Contains(errs, *envelope.Next) {
		t.Errorf("exit %d, %d rows, %s", code, len(envelope.Items), errs)
	}
}

// A count that is too low would be believed.
func TestFailedCountPrintsNoNumber(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "local")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "local")
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	queries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		body := `{"Count":7,"ScannedCount":7,"LastEvaluatedKey":{"ecosystemId":{"S":"e"},"requestId":{"S":"r"}}}`
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "Query") {
			queries++
		}
		if queries != 1 {
			w.WriteHeader(http.StatusBadRequest)
			body = `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","message":"no"}`
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	code, out, errs := ddbdesk(t, "run", "tazco", "count-requests-requiring-attention", "-o", "json", "--endpoint-url", server.URL,
		"--region", "eu-west-1")
	if code != cli.ExitService || out != "" || queries != 2 {
		t.Errorf("exit %d after %d queries: %q, %s", code, queries, out, errs)
	}
}
