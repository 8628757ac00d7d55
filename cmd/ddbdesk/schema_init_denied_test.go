package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// serveDenying serves the server's API without permission for one operation.
func serveDenying(t *testing.T, server http.Handler, operation string) *httptest.Server {
	t.Helper()
	denying := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !strings.HasSuffix(q.Header.Get("X-Amz-Target"), "."+operation) {
			server.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"User: arn:aws:iam::1:user/x `+
			`is not authorized to perform: dynamodb:`+operation+`"}`)
	}))
	t.Cleanup(denying.Close)
	return denying
}

// If ddbdesk may not describe a table, it reads the table page by page with the key that the user names.
func TestUndescribableTable(t *testing.T) {
	r := startRecorder(t, multiKeyProfile)
	r.put(`{"id":{"S":"a"},"player":{"S":"p"}}`)
	at := []string{"--endpoint-url", serveDenying(t, r, "DescribeTable").URL, "--region", "eu-west-1", "--role", "developer"}
	for _, c := range []struct {
		code    int
		message string
		args    []string
	}{
		{cli.ExitService, "add its primary key: --key NAME:TYPE,NAME:TYPE", []string{"table", "get", "words", "id=a"}},
		{cli.ExitOK, `"player":"p"`, []string{"table", "get", "words", "id=a", "--key", "id:S", "-o", "jsonl"}},
		{cli.ExitOK, `"player":"p"`, []string{"table", "query", "words", "id=a", "--key", "id", "--where", "player = p", "-o", "jsonl"}},
		{cli.ExitRefused, "reads the whole table words; to accept", []string{"table", "scan", "words", "--key", "id"}},
		{cli.ExitOK, " --key id:S", []string{
			"table", "edit", "words", "id=a", "--key", "id", "--set", "player=q", "--reason", "test", "--plan", filepath.Join(t.TempDir(), "plan"),
		}},
		{cli.ExitUsage, "--key: write one or two attributes", []string{"table", "get", "words", "id=a", "--key", "id:BOOL"}},
	} {
		code, out, errs := ddbdesk(t, append(c.args, at...)...)
		if code != c.code || !strings.Contains(out+errs, c.message) {
			t.Errorf("%q: exit %d, want %d with %q\n%s%s", c.args, code, c.code, c.message, out, errs)
		}
	}
}

// If a permission is missing, schema init names it and writes no schema. Only the permission for TTL is optional.
func TestSchemaInitWithoutPermission(t *testing.T) {
	r := startRecorder(t, multiKeyProfile)
	r.put(`{"id":{"S":"a"},"player":{"S":"p"}}`)
	for operation, c := range map[string]struct {
		code    int
		message string
	}{
		"DescribeTable":      {cli.ExitService, "DescribeTable"},
		"Scan":               {cli.ExitService, "Scan"},
		"DescribeTimeToLive": {cli.ExitOK, "1 table"},
	} {
		t.Run(operation, func(t *testing.T) {
			denying := serveDenying(t, r, operation)
			path := filepath.Join(t.TempDir(), "p.yaml")
			code, out, errs := ddbdesk(t, "schema", "init", "words", "--allow-scan", "--out", path, "--endpoint-url", denying.URL, "--region", "eu-west-1")
			_, err := os.Stat(path)
			if code != c.code || !strings.Contains(errs, c.message) || (err == nil) != (code == cli.ExitOK) || out != "" {
				t.Errorf("exit %d, file %v, want exit %d with %q\n%s%s", code, err, c.code, c.message, out, errs)
			}
			if n := strings.Count(errs, "\n"); code != cli.ExitOK && n > 2 {
				t.Errorf("got %d lines, want at most 2:\n%s", n, errs)
			}
		})
	}
}
