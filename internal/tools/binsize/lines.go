package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// step is what a recorded budget is rounded up to, so that small corrections need no commit about the budget.
const step = 50

// lines returns the lines of each package of the program below a folder: of Go files without tests, the tools and what tests share.
func lines(root string) (map[string]int, error) {
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

// budgetLine matches a row of the table of budgets.
var budgetLine = regexp.MustCompile("(?m)^\\| `([a-z/0-9]+)` \\| ([0-9]+) \\|$")

// budgets returns the most lines that each package may have, as recorded in text.
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

// exceeded lists the packages that have more lines than text allows, and those that text does not name or that are gone.
func exceeded(count map[string]int, text string) ([]string, error) {
	most, err := budgets(text)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		switch n, ok := most[name]; {
		case !ok:
			list = append(list, fmt.Sprintf("package %s has no budget of lines", name))
		case count[name] > n:
			list = append(list, fmt.Sprintf("package %s has %d lines, its budget is %d", name, count[name], n))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(most)) {
		if _, ok := count[name]; !ok {
			list = append(list, fmt.Sprintf("package %s has a budget and no lines", name))
		}
	}
	return list, nil
}

// budgetTable returns the part of the page about lines.
func budgetTable(count map[string]int) string {
	var b strings.Builder
	total := 0
	for _, n := range count {
		total += n
	}
	fmt.Fprintf(&b, `
## Lines

The program has %d lines in %d packages: Go without tests, `+"`internal/tools` and `internal/testing`"+`. The table has the most lines that a
package may have; a test fails above it. Raise a number in a commit of its own that says why.

| Package | Lines at most |
| --- | ---: |
`, total, len(count))
	for _, name := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&b, "| `%s` | %d |\n", name, (count[name]+step-1)/step*step)
	}
	return b.String()
}
