// Command benchlast copies the output of `go test -bench` from its input, and compares it with the last run on this
// machine.
//
//	go test -bench . ./... | go run ./internal/tools/benchlast
//
// After the output it prints one line for each benchmark: its time, the ratio to the last run, and the ratio to the
// bare AWS SDK if the benchmark measures it (x-raw, see package sdkbench). The last line names the benchmarks that take
// at least 1.5 times as long. It records the run in the user's cache folder, unless -record=false.
package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// slowRatio is the ratio from which a benchmark counts as slower.
const slowRatio = 1.5

// resultLine matches the line of a benchmark; its name excludes the number of processors.
var resultLine = regexp.MustCompile(`^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+([0-9.]+) ns/op`)

// sdkRatio matches the ratio of a benchmark's throughput to the bare SDK's in the same run.
var sdkRatio = regexp.MustCompile(`\s([0-9.]+) x-raw\b`)

// A timing is the time of one benchmark in nanoseconds.
type timing struct {
	name string
	ns   float64
	sdk  string // ratio to the bare SDK, or ""
}

func main() {
	record := flag.Bool("record", true, "record the run for the next one")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *record); err != nil {
		fmt.Fprintln(os.Stderr, "benchlast:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, record bool) error {
	dir, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "ddbdesk", "bench.txt")
	var text strings.Builder
	now, err := timings(io.TeeReader(in, io.MultiWriter(out, &text)))
	if err != nil {
		return err
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	last, err := timings(strings.NewReader(string(old)))
	if err != nil {
		return err
	}
	compare(out, now, last)
	if strings.Contains("\n"+text.String(), "\nFAIL") {
		return errors.New("a benchmark failed; the run is not recorded")
	}
	if !record || len(now) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text.String()), 0o600)
}

// timings parses the output of go test. The package distinguishes benchmarks with the same name.
func timings(in io.Reader) ([]timing, error) {
	var list []timing
	pkg := ""
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "pkg: "); ok {
			pkg = name[strings.LastIndexByte(name, '/')+1:]
			continue
		}
		m := resultLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m[1], err)
		}
		t := timing{name: pkg + "." + strings.TrimPrefix(m[1], "Benchmark"), ns: ns}
		if r := sdkRatio.FindStringSubmatch(lines.Text()); r != nil {
			t.sdk = r[1]
		}
		list = append(list, t)
	}
	return list, lines.Err()
}

// compare prints the ratios to the last run and to the bare SDK, and then the slower benchmarks.
func compare(out io.Writer, now, last []timing) {
	lastTimes := map[string]float64{}
	for _, t := range last {
		lastTimes[t.name] = t.ns
	}
	var slower []string
	for _, t := range now {
		comparison := "new"
		if lastTime := lastTimes[t.name]; lastTime > 0 {
			ratio := t.ns / lastTime
			comparison = fmt.Sprintf("%.2f of the last run", ratio)
			if ratio >= slowRatio {
				slower = append(slower, fmt.Sprintf("%s (%.1f times)", t.name, ratio))
			}
		}
		if t.sdk != "" {
			comparison += ", " + t.sdk + " of the throughput of the bare SDK"
		}
		fmt.Fprintf(out, "%-60s %14.0f ns  %s\n", t.name, t.ns, comparison)
	}
	fmt.Fprintln(out, "slower by a third:", cmp.Or(strings.Join(slower, ", "), "none"))
}
