package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// linesProfile contains the scan of the table.
const linesProfile = `
name: lines
tables:
  lines: {name: lines, partition_key: PK, sort_key: SK}
entities:
  Line:
    table: lines
    keys: {PK: "KIND#{kind}", SK: "{at}"}
    attributes:
      kind: {type: S, required: true}
      at: {type: S, required: true}
      owner: {type: S, sensitive: pii}
      note: {type: S}
patterns:
  all: {title: All, operation: scan, table: lines, returns: [Line]}
`

// hugeTable serves one table of generated items of about 450 bytes, without an order. Item n is in segment n modulo the
// number of segments.
type hugeTable struct{ items int }

func (h hugeTable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Limit, Segment, TotalSegments int
		ExclusiveStartKey             map[string]map[string]string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
	case "DescribeTable":
		fmt.Fprintf(w, `{"Table":{"TableName":"lines","TableStatus":"ACTIVE","ItemCount":%d,"TableSizeBytes":%d,`+
			`"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],`+
			`"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}}`, h.items, h.items*450)
	case "Scan":
		first, step := in.Segment, max(in.TotalSegments, 1)
		if at, ok := in.ExclusiveStartKey["SK"]; ok {
			n, _ := strconv.Atoi(at["S"])
			first = n + step
		}
		_, _ = w.Write(h.page(first, step, in.Limit))
	default:
		http.Error(w, `{"__type":"UnknownOperationException"}`, http.StatusBadRequest)
	}
}

var hugeNote = strings.Repeat("some words about it ", 15)

// page returns the response to a Scan that begins at item first.
func (h hugeTable) page(first, step, limit int) []byte {
	text := []byte(`{"Items":[`)
	count, last := 0, 0
	for n := first; n < h.items && count < limit; n += step {
		if count > 0 {
			text = append(text, ',')
		}
		at := fmt.Appendf(nil, "%08d", n)
		text = append(append(text, `{"PK":{"S":"KIND#a"},"kind":{"S":"a"},"owner":{"S":"somebody@example.com"},"SK":{"S":"`...), at...)
		text = append(append(text, `"},"at":{"S":"`...), at...)
		text = append(append(append(text, `"},"note":{"S":"`...), hugeNote...), `"}}`...)
		count, last = count+1, n
	}
	text = fmt.Appendf(text, `],"Count":%d,"ScannedCount":%d`, count, count)
	if count == limit {
		text = fmt.Appendf(text, `,"LastEvaluatedKey":{"PK":{"S":"KIND#a"},"SK":{"S":"%08d"}}`, last)
	}
	return append(text, '}')
}

// maxMemory is the maximum memory of run --all in bytes, for any size of table.
const maxMemory = 60 << 20

// DDBDESK_TEST_SCALE raises the number of items to 10,000,000 and measures the release build. The test binary needs
// more memory, because it contains the tests and collects garbage later on a busy machine.
func TestRunAllUsesLittleMemory(t *testing.T) {
	items, program, limit := 60_000, "ddbdesk", maxMemory+20<<20
	if os.Getenv("DDBDESK_TEST_SCALE") != "" {
		items, program, limit = 10_000_000, filepath.Join(t.TempDir(), "ddbdesk"), maxMemory
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	server := httptest.NewServer(hugeTable{items})
	t.Cleanup(server.Close)
	schema := filepath.Join(t.TempDir(), "lines.yaml")
	if err := os.WriteFile(schema, []byte(linesProfile), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "run", schema, "all", "--all", "--allow-scan", "-o", "jsonl",
		"--endpoint-url", server.URL, "--budget", "none")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "DDBDESK_STATE_DIR="+t.TempDir(), "DDBDESK_CONFIG_DIR="+t.TempDir())
	var output strings.Builder
	cmd.Stderr = &output
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, maximum, chunk := 0, 0, make([]byte, 64<<10)
	for i := 0; err == nil; i++ {
		var n int
		n, err = out.Read(chunk)
		lines += bytes.Count(chunk[:n], []byte("\n"))
		if i%32 == 0 && err == nil {
			maximum = max(maximum, peakMemory(t, cmd.Process.Pid))
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err, output.String())
	}
	t.Logf("%d items: %d MB, %s", items, maximum>>20, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if lines != items || maximum == 0 || maximum > limit {
		t.Errorf("got %d lines of %d items with %d MB, want at most %d MB", lines, items, maximum>>20, limit>>20)
	}
}

// peakMemory returns the maximum resident memory of a process in bytes. Wait would count this test's memory at the
// start of the process as well.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if rest == "" {
		return 0 // The process has ended.
	}
	n, err := strconv.Atoi(kilobytes)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}
