package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testNames  = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`")
	testFolder = regexp.MustCompile("`([a-z]+(?:/[a-z]+)*)`$")
)

// Each threat names at least one test and its package.
func TestThreatsNameTheirTests(t *testing.T) {
	text, err := os.ReadFile("internals/security.md")
	if err != nil {
		t.Fatal(err)
	}
	threats := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) < 3 || cells[0] == " Threat" || strings.HasPrefix(cells[0], " ---") {
			continue
		}
		threats++
		for named := range strings.SplitSeq(strings.TrimSpace(cells[len(cells)-1]), "; ") {
			names, folder := testNames.FindAllStringSubmatch(named, -1), testFolder.FindStringSubmatch(named)
			if len(names) == 0 || folder == nil {
				t.Errorf("%s: %q names no test with its package", cells[0], named)
				continue
			}
			for _, name := range names {
				if !hasTest(t, folder[1], name[1]) {
					t.Errorf("%s: %s has no %s", cells[0], folder[1], name[1])
				}
			}
		}
	}
	if threats < 25 {
		t.Errorf("got %d threats, want at least 25", threats)
	}
}

// hasTest reports whether a package has a test of this name.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
