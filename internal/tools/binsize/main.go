// Command binsize reports the size of a Linux build of ddbdesk by origin and the number of lines of its packages, and
// prevents both from growing unnoticed.
//
//	go run ./internal/tools/binsize -record docs/internals/size.md   # build, and rewrite the table
//	go run ./internal/tools/binsize -check docs/internals/size.md    # build, and fail if it is more than 5 % larger than recorded
package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxGrowth is the maximum ratio of the size to the recorded size.
const maxGrowth = 1.05

func main() {
	record := flag.String("record", "", "write the table to `FILE`")
	check := flag.String("check", "", "compare with the size recorded in `FILE`")
	flag.Parse()
	if err := run(context.Background(), *record, *check); err != nil {
		fmt.Fprintln(os.Stderr, "binsize:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, record, check string) error {
	if (record == "") == (check == "") {
		return errors.New("pass either -record FILE or -check FILE")
	}
	dir, err := os.MkdirTemp("", "binsize")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // A temporary folder.
	stripped := filepath.Join(dir, "stripped")
	if err := build(ctx, stripped, "-s -w"); err != nil {
		return err
	}
	info, err := os.Stat(stripped)
	if err != nil {
		return err
	}
	if check != "" {
		text, err := os.ReadFile(check)
		if err != nil {
			return err
		}
		return compare(info.Size(), string(text), check)
	}
	full := filepath.Join(dir, "full")
	if err := build(ctx, full, ""); err != nil {
		return err
	}
	parts, err := sizesByOrigin(full)
	if err != nil {
		return err
	}
	count, err := countLines(".")
	if err != nil {
		return err
	}
	return os.WriteFile(record, []byte(document(info.Size(), parts)+budgetTable(count)), 0o644)
}

// build builds the program for Linux on amd64, with the flags of a release.
func build(ctx context.Context, path, ldflags string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", ldflags, "-o", path, "./cmd/ddbdesk")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// recordedSize matches the size in the document.
var recordedSize = regexp.MustCompile(`\*\*([0-9]+) bytes\*\*`)

// compare returns an error if size exceeds the limit for the size recorded in text, or if text contains no size.
func compare(size int64, text, file string) error {
	m := recordedSize.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s has no size; write it with -record", file)
	}
	recorded, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return err
	}
	fmt.Printf("the program has %.1f MB; the recorded size is %.1f MB\n", megabytes(size), megabytes(recorded))
	if float64(size) > maxGrowth*float64(recorded) {
		return fmt.Errorf("the program grew by %.1f %%; to find the cause, run `go run ./internal/tools/binsize -record %s`, and commit the table if it is worth it",
			100*(float64(size)/float64(recorded)-1), file)
	}
	return nil
}

// A part is the number of bytes from one origin.
type part struct {
	origin string
	bytes  uint64
}

// sizesByOrigin returns the bytes of code and data by origin, largest first. The program must have a symbol table.
func sizesByOrigin(path string) ([]part, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // The file was only read.
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	bytesByOrigin := map[string]uint64{}
	for _, s := range symbols {
		if int(s.Section) >= len(f.Sections) || f.Sections[s.Section].Type == elf.SHT_NOBITS {
			continue // occupies memory but no bytes in the file
		}
		bytesByOrigin[originOf(s.Name)] += s.Size
	}
	if tables := f.Section(".gopclntab"); tables != nil {
		bytesByOrigin["tables of functions and lines, for stack traces"] = tables.FileSize
	}
	var parts []part
	for _, origin := range slices.Sorted(maps.Keys(bytesByOrigin)) {
		parts = append(parts, part{origin, bytesByOrigin[origin]})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.bytes, a.bytes) })
	return parts, nil
}

// origins maps the start of an import path to an origin.
var origins = []struct{ prefix, origin string }{
	{"github.com/ddbdesk/ddbdesk", "ddbdesk"},
	{"main", "ddbdesk"},
	{"github.com/aws/", "AWS SDK"},
	{"go.yaml.in/", "YAML"},
	{"charm.land/", "Bubble Tea, Lip Gloss and their terminal packages"},
	{"github.com/charmbracelet/", "Bubble Tea, Lip Gloss and their terminal packages"},
	{"github.com/mattn/go-runewidth", "Bubble Tea, Lip Gloss and their terminal packages"},
	{"github.com/clipperhouse/", "Bubble Tea, Lip Gloss and their terminal packages"},
	{"github.com/rivo/", "Bubble Tea, Lip Gloss and their terminal packages"},
	{"github.com/modelcontextprotocol/", "MCP SDK"},
	{"github.com/google/jsonschema-go", "MCP SDK"},
	{"github.com/segmentio/", "MCP SDK"},
	{"github.com/klauspost/", "compression (klauspost)"},
	{"go.etcd.io/", "database file (bbolt)"},
	{"github.com/spf13/", "command line (cobra)"},
}

func originOf(symbol string) string {
	path := packageOf(symbol)
	for _, o := range origins {
		if path == o.prefix || strings.HasPrefix(path, o.prefix) && (strings.HasSuffix(o.prefix, "/") || strings.HasPrefix(path, o.prefix+"/")) {
			return o.origin
		}
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return "other libraries"
	}
	return "Go: runtime and standard library"
}

// packageOf returns the import path of a symbol, such as "net/http" for "net/http.(*Client).Do". For generic code, it
// returns the package that defines the code.
func packageOf(symbol string) string {
	symbol = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(symbol, "type:"), ".eq."), "*[]")
	if i := strings.IndexAny(symbol, "[({, "); i >= 0 {
		symbol = symbol[:i]
	}
	slash := strings.LastIndex(symbol, "/") + 1
	if dot := strings.Index(symbol[slash:], "."); dot >= 0 {
		symbol = symbol[:slash+dot]
	}
	return strings.ReplaceAll(symbol, "%2e", ".")
}

// document returns the page with the table.
func document(size int64, parts []part) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Size

This page records the size of the program and limits the lines of its packages. The release for Linux on amd64 has **%d bytes**
(%.1f MB), without symbols; the goal is 27 MB. CI fails if the size grows by more than 5%%.
`+"`go run ./internal/tools/binsize -record docs/internals/size.md`"+` writes this page.

| Origin | MB |
| --- | ---: |
`, size, megabytes(size))
	var listed uint64
	for _, p := range parts {
		fmt.Fprintf(&b, "| %s | %.1f |\n", p.origin, megabytes(int64(p.bytes)))
		listed += p.bytes
	}
	fmt.Fprintf(&b, "| types, strings and padding outside symbols | %.1f |\n", max(megabytes(size)-megabytes(int64(listed)), 0))
	b.WriteString(sizeExplanation)
	return b.String()
}

// sizeExplanation explains why the program exceeds its intended size. The numbers come from builds with and without
// each part.
const sizeExplanation = `
Without ` + "`ddbdesk mcp`" + ` and its SDK (2.0 MB) and without inlining (3.8 MB, ` + "`-gcflags=all=-l`" + `), the program would still exceed the goal, so both
stay. The linter rejects ` + "`text/template`" + `, because it makes the linker keep every method (5.5 MB). Crash reports need the tables for stack
traces.
`

func megabytes(n int64) float64 { return float64(n) / 1e6 }

// budgetStep is the multiple to which budgets are rounded up, so that small corrections do not change a budget.
const budgetStep = 50

// countLines returns the number of lines of each package below a folder, except tests, tools and test helpers.
func countLines(root string) (map[string]int, error) {
	count := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if d.Name() == "testdata" || name == "internal/tools" || name == "internal/testing" || strings.HasPrefix(d.Name(), ".") && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		count[filepath.ToSlash(filepath.Dir(name))] += bytes.Count(text, []byte("\n"))
		return err
	})
	return count, err
}

// budgetLine matches a row of the budget table.
var budgetLine = regexp.MustCompile("(?m)^\\| `([a-z/0-9]+)` \\| ([0-9]+) \\|$")

// budgets returns the maximum number of lines of each package in text.
func budgets(text string) (map[string]int, error) {
	list := map[string]int{}
	for _, m := range budgetLine.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, err
		}
		list[m[1]] = n
	}
	return list, nil
}

// budgetProblems lists packages that exceed their budget or have none, and budgets without a package.
func budgetProblems(count map[string]int, text string) ([]string, error) {
	budget, err := budgets(text)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		switch n, ok := budget[name]; {
		case !ok:
			list = append(list, fmt.Sprintf("package %s has no budget of lines", name))
		case count[name] > n:
			list = append(list, fmt.Sprintf("package %s has %d lines, its budget is %d", name, count[name], n))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(budget)) {
		if _, ok := count[name]; !ok {
			list = append(list, fmt.Sprintf("package %s has a budget and no lines", name))
		}
	}
	return list, nil
}

// budgetTable returns the section about lines.
func budgetTable(count map[string]int) string {
	var b strings.Builder
	total := 0
	for _, n := range count {
		total += n
	}
	fmt.Fprintf(&b, `
## Lines

The program has %d lines in %d packages: Go without tests, `+"`internal/tools` and `internal/testing`"+`. The table limits the lines of each
package, and a test enforces the limits. Raise a limit in a separate commit that gives the reason.

| Package | Maximum lines |
| --- | ---: |
`, total, len(count))
	for _, name := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&b, "| `%s` | %d |\n", name, (count[name]+budgetStep-1)/budgetStep*budgetStep)
	}
	return b.String()
}
