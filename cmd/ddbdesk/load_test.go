package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

func TestLoadProgressText(t *testing.T) {
	began := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name          string
		after         time.Duration
		checked, read int64
		want          string
	}{
		{"a short load", progressDelay - 1, 500, 0, ""},
		{"checking", progressDelay, 12_500, 0, "12,500 items checked"},
		{"writing", progressDelay, 12_500, 3_125, "25% · 3,125 of 12,500 items"},
		{"at the end", progressDelay, 12_500, 12_500, "100% · 12,500 of 12,500 items"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &loadProgress{started: began}
			p.checked.Store(tt.checked)
			p.read.Store(tt.read)
			if got := p.text(began.Add(tt.after)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// An error about one request says how many items were written before it.
func TestLoadSaysWhatWasWrittenBeforeAnError(t *testing.T) {
	url, line := lined(t)
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
		t.Errorf("exit %d: %s", code, errs.String())
	}
}
