package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
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

// expect fails unless a command returns the exit code and prints the text.
func expect(t *testing.T, code int, text string, args ...string) {
	t.Helper()
	if got, out, errs := ddbdesk(t, args...); got != code || !strings.Contains(out+errs, text) {
		t.Errorf("ddbdesk %s: exit %d, want %d with %q:\n%s%s", strings.Join(args, " "), got, code, text, out, errs)
	}
}

// isolate gives the test its own folders and credentials.
func isolate(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"DDBDESK_STATE_DIR": t.TempDir(), "DDBDESK_CONFIG_DIR": t.TempDir(), "HOME": t.TempDir(), "USER": "tester",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_SESSION_TOKEN": "",
		"AWS_PROFILE": "", "AWS_REGION": "",
	} {
		t.Setenv(name, value)
	}
}

// openStore opens an embedded database until the test ends, in memory if dir is "".
func openStore(t *testing.T, dir string) *embedded.Store {
	t.Helper()
	db, err := embedded.Open(embedded.Options{Path: dir, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// withTables creates the tables of a schema in the store.
func withTables(t *testing.T, db *embedded.Store, schema string) (*store.Connection, *profiles.Profile) {
	t.Helper()
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
	return conn, p
}

// storeWith creates an embedded database with items and returns its folder. The items' attributes have type S.
func storeWith(t *testing.T, schema string, items ...map[string]string) string {
	t.Helper()
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	dir := t.TempDir()
	db := openStore(t, dir)
	conn, p := withTables(t, db, schema)
	var list []models.Item
	for _, it := range items {
		item := models.Item{}
		for n, v := range it {
			item[n] = models.StringValue(v)
		}
		list = append(list, item)
	}
	if err := stored.Put(t.Context(), conn.Writer(), p.Tables[0].Name, list); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// serveAnswers serves the answers to operations and returns the flags that connect to it. It ignores the request that
// asks for the server's name.
func serveAnswers(t *testing.T, answer func(operation string) (status int, body string)) []string {
	t.Helper()
	isolate(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "ddbdesk")
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if r.Method == http.MethodGet {
			return
		}
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		status, body := answer(operation)
		w.WriteHeader(status)
		if _, err := w.Write([]byte(body)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return []string{"--endpoint-url", server.URL, "--region", "eu-west-1"}
}
