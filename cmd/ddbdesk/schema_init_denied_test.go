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

// Without a permission, schema init names it and writes no profile. The permission for TTL alone is not needed.
func TestSchemaInitWithoutPermission(t *testing.T) {
	r := record(t, multiKeyProfile)
	r.put(`{"id":{"S":"a"},"player":{"S":"p"}}`)
	for operation, c := range map[string]struct {
		code int
		says string
	}{
		"DescribeTable":      {cli.ExitService, "DescribeTable"},
		"Scan":               {cli.ExitService, "Scan"},
		"DescribeTimeToLive": {cli.ExitOK, "1 table"},
	} {
		t.Run(operation, func(t *testing.T) {
			denying := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if !strings.HasSuffix(q.Header.Get("X-Amz-Target"), "."+operation) {
					r.ServeHTTP(w, q)
					return
				}
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"User: arn:aws:iam::1:user/x `+
					`is not authorized to perform: dynamodb:`+operation+`"}`)
			}))
			defer denying.Close()
			path := filepath.Join(t.TempDir(), "p.yaml")
			code, out, errs := ddbdesk(t, "schema", "init", "words", "--allow-scan", "--out", path, "--endpoint-url", denying.URL, "--region", "eu-west-1")
			_, err := os.Stat(path)
			if code != c.code || !strings.Contains(errs, c.says) || (err == nil) != (code == cli.ExitOK) || out != "" {
				t.Errorf("exit %d, file %v\n%s%s", code, err, out, errs)
			}
			if n := strings.Count(errs, "\n"); code != cli.ExitOK && n > 2 {
				t.Errorf("%d lines:\n%s", n, errs)
			}
		})
	}
}
