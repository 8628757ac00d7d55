package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

// serveWithFaults serves authbridge sample data over a connection with faults.
func serveWithFaults(t *testing.T) (url string, line *faults.Connection) {
	t.Helper()
	isolate(t)
	db := openStore(t, "")
	line = faults.New(db)
	server := httptest.NewServer(line)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	var errs strings.Builder
	if code := run([]string{"seed", "authbridge", "--at", "2026-01-20", "--role", "admin", "--endpoint-url", server.URL}, os.Stdin, io.Discard,
		&errs); code != cli.ExitOK {
		t.Fatalf("seed: exit %d: %s", code, errs.String())
	}
	return server.URL, line
}

// requestCommands returns commands that send requests.
func requestCommands(url string) [][]string {
	list := [][]string{
		{"run", "authbridge", "list-verifications-by-date", "date=2026-01-19", "-o", "json"},
		{"run", "authbridge", "list-verifications-by-date", "date=2026-01-19", "--all", "-o", "jsonl"},
		{"run", "authbridge", "get-verification", "verificationId=ver_1", "-o", "json"},
		{"drift", "authbridge", "Verification", "--allow-scan", "-o", "json"},
		{"table", "check", "authbridge", "-o", "json"},
		{"change", "authbridge", "approve", "verificationId=ver_1", "--dry-run", "-o", "json", "--role", "admin"},
	}
	for i := range list {
		list[i] = append(list[i], "--endpoint-url", url)
	}
	return list
}

// codeOf returns the exit code for a permanent fault.
func codeOf(f *faults.Fault) int {
	switch f.Kind {
	case faults.Credentials:
		return cli.ExitConfig
	default:
		return cli.ExitService
	}
}

// requireWellFormed fails unless a failed command wrote no data or a complete document, and at most two lines on
// stderr.
func requireWellFormed(t *testing.T, label string, args []string, out, errs string) {
	t.Helper()
	values := json.NewDecoder(strings.NewReader(out))
	for {
		var v any
		err := values.Decode(&v)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("%s: %v: stdout is incomplete: %v\n%s", label, args, err, out)
			break
		}
	}
	maximum := 2
	if slices.Contains(args, "--context=b") {
		maximum = 5 // Each context reports its missing items.
	}
	if n := strings.Count(strings.TrimSpace(errs), "\n") + 1; n > maximum || errs == "" {
		t.Errorf("%s: %v: got %d lines on stderr, want 1 to %d:\n%s", label, args, n, maximum, errs)
	}
}

func TestInterruptEndsHangingRequest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("requires signals")
	}
	url, line := serveWithFaults(t)
	hang := faults.Named("hang")
	for _, args := range requestCommands(url) {
		arrived := make(chan struct{}, 64)
		line.Set(func(faults.Request) *faults.Fault {
			arrived <- struct{}{}
			return hang
		})
		cmd := exec.CommandContext(t.Context(), "ddbdesk", args...)
		cmd.Env = append(os.Environ(), "DDBDESK_STATE_DIR="+filepath.Join(t.TempDir(), "state"))
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-arrived:
		case <-time.After(20 * time.Second):
			t.Fatalf("%v: no request was sent: %s", args, errs.String())
		}
		start := time.Now()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // The exit code contains the result.
		took := time.Since(start)
		if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
			t.Errorf("%v: exit %d, want %d: %s", args, code, cli.ExitInterrupted, errs.String())
		}
		if took > time.Second { // An idle machine needs a tenth of this.
			t.Errorf("%v: ended %s after the signal, want at most 1s", args, took)
		}
		requireWellFormed(t, "interrupted", args, out.String(), errs.String())
	}
}

// If the credentials expire after the first page of a scan, the output must not look complete.
func TestStoppedSearchIsIncomplete(t *testing.T) {
	url, line := serveWithFaults(t)
	schema := filepath.Join(t.TempDir(), "shop.yaml")
	put := func(name, text string) string {
		path := filepath.Join(filepath.Dir(schema), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("shop.yaml", `
name: shop
title: Shop
tables: {shop: {name: shop, partition_key: PK}}
entities:
  Order: {table: shop, keys: {PK: "ORDER#{id}"}, attributes: {id: {type: S}, name: {type: S, required: true}, note: {type: S}}}
`)
	pages := func(first int, attributes string) string { // pages of a megabyte, except the last
		var b strings.Builder
		for i := first; i < first+5; i++ {
			fmt.Fprintf(&b, `{"PK":"ORDER#%d","id":"%[1]d",%s"note":%q}`+"\n", i, attributes, strings.Repeat("x", 300<<10))
		}
		return b.String()
	}
	call := func(args ...string) (out, errs string, code int) {
		var stdout, stderr strings.Builder
		code = run(append(args, "--endpoint-url", url, "--role", "admin"), os.Stdin, &stdout, &stderr)
		return stdout.String(), stderr.String(), code
	}
	for _, args := range [][]string{{"table", "create", schema}, {"load", schema, put("whole.jsonl", pages(0, `"name":"n",`))}} {
		if _, errs, code := call(args...); code != cli.ExitOK {
			t.Fatal(args, errs)
		}
	}
	expire := func() {
		scans := 0
		line.Set(func(r faults.Request) *faults.Fault {
			if r.Operation == "Scan" {
				scans++
			}
			if scans < 2 {
				return nil
			}
			return faults.Named("expired token")
		})
	}
	expire()
	_, errs, code := call("drift", schema, "--allow-scan")
	if code != cli.ExitConfig || !strings.Contains(errs, ", incomplete") || strings.Contains(errs, "no drift") {
		t.Errorf("exit %d, want 253 and an incomplete result: %s", code, errs)
	}
	line.Set(nil)
	if _, errs, code := call("load", schema, put("drifted.jsonl", pages(5, "")), "--unchecked"); code != cli.ExitOK {
		t.Fatal(errs)
	}
	expire()
	out, errs, code := call("drift", schema, "--allow-scan", "-o", "json")
	requireWellFormed(t, "drift", nil, out, "one line")
	if code != cli.ExitConfig || !strings.HasSuffix(out, `,"truncated":true}`+"\n") {
		t.Errorf("exit %d, want 253 and a truncated result: %s %s", code, out, errs)
	}
}
