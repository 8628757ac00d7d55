package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// A script must notice if the journal lacks the outcome of an applied change.
func TestChangeWithoutRecordedOutcomeFails(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string // expected on stdout
	}{
		"change": {[]string{"change", "library.yaml", "lend", "loanId=l_1", "reader=Kago", "--yes", "-o", "json"}, `"status": "committed"`},
		"text":   {[]string{"change", "library.yaml", "lend", "loanId=l_1", "reader=Kago", "--yes"}, "committed"},
	} {
		t.Run(name, func(t *testing.T) {
			isolate(t)
			db := openStore(t, "")
			damages := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if damages && !strings.HasSuffix(r.Header.Get("X-Amz-Target"), "GetItem") {
					_ = os.Remove(journal.DefaultPath())
				}
				db.ServeHTTP(w, r)
			}))
			defer server.Close()
			profile, err := filepath.Abs("testdata/library.yaml")
			if err != nil {
				t.Fatal(err)
			}
			command := func(args ...string) (code int, out, errs string) {
				var stdout, stderr bytes.Buffer
				for i, a := range args {
					args[i] = strings.Replace(a, "library.yaml", profile, 1)
				}
				code = run(append(args, "--endpoint-url", server.URL, "--role", "admin"), os.Stdin, &stdout, &stderr)
				return code, stdout.String(), stderr.String()
			}
			if code, _, errs := command("table", "create", "library.yaml"); code != cli.ExitOK {
				t.Fatalf("table create: exit %d: %s", code, errs)
			}
			damages = true
			code, out, errs := command(test.args...)
			if code != cli.ExitOther || !strings.Contains(out, test.want) {
				t.Errorf("exit %d, want %d and output %q: %s", code, cli.ExitOther, test.want, out)
			}
			if !strings.Contains(errs, "the change was applied, but its journal entry") || strings.Contains(errs, "to undo") {
				t.Errorf("got %s, want an error about the journal entry and no undo hint", errs)
			}
			if strings.Count(errs, "journal is damaged") != 1 {
				t.Errorf("want the cause once, got %s", errs)
			}
		})
	}
}
