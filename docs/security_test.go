package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each threat names the test that shows what is done about it.
func TestThreatsNameTheirTests(t *testing.T) {
	text, err := os.ReadFile("security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("(`Test[A-Za-z]+`(?:, `Test[A-Za-z]+`)*), `(internal/[a-z/]+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 10 {
		t.Fatalf("%d tests are named", len(named))
	}
	for _, m := range named {
		for name := range strings.SplitSeq(strings.ReplaceAll(m[1], "`", ""), ", ") {
			files, err := filepath.Glob(filepath.Join("..", m[2], "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range files {
				text, err := os.ReadFile(f)
				found = found || err == nil && strings.Contains(string(text), "func "+name+"(")
			}
			if !found {
				t.Errorf("%s has no %s", m[2], name)
			}
		}
	}
}
