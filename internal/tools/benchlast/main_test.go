package main

import (
	"strings"
	"testing"
)

const output = `goos: linux
pkg: github.com/ddbdesk/ddbdesk/internal/rows
BenchmarkSort/1000-2         	       2	     20000 ns/op	  12 B/op
BenchmarkFilter-2            	     300	      1500.5 ns/op
PASS
pkg: github.com/ddbdesk/ddbdesk/models
BenchmarkFilter-2            	     300	      100 ns/op
`

func TestSlowBenchmarksAreNamedInTheLastLine(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	last := func(text string) string {
		t.Helper()
		var out strings.Builder
		if err := run(strings.NewReader(text), &out, true); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), text) {
			t.Errorf("the output does not start with the input:\n%s", out.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		return lines[len(lines)-1]
	}
	if got := last(output); got != "slower by a third: none" {
		t.Errorf("the last line of the first run is %q", got)
	}
	slow := strings.NewReplacer("20000 ns", "31000 ns", " 100 ns", " 140 ns").Replace(output)
	if got := last(slow); got != "slower by a third: rows.Sort/1000 (1.6 times)" {
		t.Errorf("the last line of the slow run is %q", got)
	}
	if got := last(slow); got != "slower by a third: none" {
		t.Errorf("the last line of a run compared with itself is %q", got)
	}
}

func TestFailedBenchmarksAreErrorAndNotRecorded(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	var out strings.Builder
	if err := run(strings.NewReader(output+"FAIL\tgithub.com/ddbdesk/ddbdesk/tui\t1.2s\n"), &out, true); err == nil {
		t.Error("a failed benchmark returned no error")
	}
	out.Reset()
	if err := run(strings.NewReader(output), &out, true); err != nil || !strings.Contains(out.String(), "new") {
		t.Errorf("after a failed run: got %v\n%s", err, out.String())
	}
}

func TestBenchmarkPrintsRatioToSDK(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	text := "pkg: github.com/ddbdesk/ddbdesk/internal/reading\nBenchmarkScanAll/segments=8-2 \t 2\t 9000 ns/op\t 81000 rows/s\t 1.07 x-raw\n"
	for _, want := range []string{"9000 ns  new, 1.07 of the throughput of the bare SDK\n", "1.00 of the last run, 1.07 of the throughput of the bare SDK\n"} {
		var out strings.Builder
		if err := run(strings.NewReader(text), &out, true); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("got %v, want %q:\n%s", err, want, out.String())
		}
	}
}
