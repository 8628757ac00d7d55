package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

// The error of a request reports how many items were already written, and the same command continues.
func TestLoadReportsItemsWrittenBeforeError(t *testing.T) {
	url, line := serveWithFaults(t)
	var items strings.Builder
	for i := range 150 {
		fmt.Fprintf(&items, `{"PK":"CASE#ver_x%d","SK":"META"}`+"\n", i)
	}
	path := filepath.Join(t.TempDir(), "items.jsonl")
	if err := os.WriteFile(path, []byte(items.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	line.Set(faults.Writes(faults.After(1, faults.Named("access denied"))))
	var errs strings.Builder
	args := []string{"load", "authbridge", path, "--unchecked", "--role", "admin", "--endpoint-url", url}
	if code := run(args, os.Stdin, io.Discard, &errs); code != cli.ExitService ||
		!strings.Contains(errs.String(), "failed after 100 items written, 0 already existed: access denied") {
		t.Errorf("exit %d, want an error after 100 items: %s", code, errs.String())
	}
	line.Set(nil)
	var out strings.Builder
	if code := run(args, os.Stdin, &out, io.Discard); code != cli.ExitOK || out.String() != "50 items\n" {
		t.Errorf("the second load: exit %d, want 50 items: %s", code, out.String())
	}
}
