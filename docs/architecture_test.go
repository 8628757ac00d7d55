package docs

import (
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestArchitectureDescribesEveryPackage(t *testing.T) {
	document := read(t, "architecture.md")
	described := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| .+ \\|$").FindAllStringSubmatch(document, -1) {
		if described[row[1]] {
			t.Errorf("package %s is described twice", row[1])
		}
		described[row[1]] = true
	}
	graph := packages(t)
	for name := range graph {
		if !described[name] {
			t.Errorf("docs/architecture.md does not describe package %s", name)
		}
	}
	for name := range described {
		if _, exists := graph[name]; !exists {
			t.Errorf("docs/architecture.md describes %s, which is not a package", name)
		}
	}
}

func TestNoScreenImportsAnother(t *testing.T) {
	folders, err := filepath.Glob("../tui/screens/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		pkg, err := build.ImportDir(folder, 0)
		if err != nil { // A file, or a folder without Go files.
			continue
		}
		for _, imported := range pkg.Imports {
			if strings.HasPrefix(imported, "github.com/ddbdesk/ddbdesk"+"/tui/screens/") {
				t.Errorf("screen %s imports %s; open it by its navigation target", pkg.Name, imported)
			}
		}
	}
}

// pages returns the documents: the pages for users, those for contributors, and those at the root.
func pages(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*.md", "internals/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	return append(list, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md")
}

// TestLinksExist checks the relative links of all documents, and the headings that they name.
func TestLinksExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#: ]*)(#[^)]*)?\)`)
	for _, document := range append(pages(t), "../CHANGELOG.md") {
		for _, target := range link.FindAllStringSubmatch(read(t, document), -1) {
			file := filepath.Join(filepath.Dir(document), target[1])
			if target[1] == "" {
				file = document
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which does not exist", document, target[1])
			} else if target[2] != "" && !slices.Contains(headings(t, file), target[2][1:]) {
				t.Errorf("%s links to %s%s, which is not a heading", document, target[1], target[2])
			}
		}
	}
}

// headings returns the anchors of a document, as GitHub makes them.
func headings(t *testing.T, file string) []string {
	t.Helper()
	var list []string
	for _, heading := range regexp.MustCompile("(?m)^#+ (.+)$").FindAllStringSubmatch(read(t, file), -1) {
		text := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		list = append(list, strings.ReplaceAll(text, " ", "-"))
	}
	return list
}

// TestIndexNamesEveryPage checks that the index of the documentation links to every page.
func TestIndexNamesEveryPage(t *testing.T) {
	index := read(t, "README.md")
	for _, page := range pages(t) {
		if !strings.HasPrefix(page, "../") && page != "README.md" && !strings.Contains(index, "]("+page+")") {
			t.Errorf("docs/README.md does not name %s", page)
		}
	}
}

// TestPathsExist checks the files and packages that the documents name.
func TestPathsExist(t *testing.T) {
	named := regexp.MustCompile("(?:[`\\s]|\\./)((?:accesspatterns|cmd|docs|internal|models|profiles|tui)/[a-zA-Z0-9_./-]*[a-zA-Z0-9_])")
	for _, document := range pages(t) {
		if document == "command-reference.md" {
			continue // its examples name files of users
		}
		for _, name := range named.FindAllStringSubmatch(read(t, document), -1) {
			if strings.Contains(name[1], "NAME") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", name[1])); err != nil {
				t.Errorf("%s names %s, which does not exist", document, name[1])
			}
		}
	}
}

// TestFunctionsExist checks that the functions in the tables of CONTRIBUTING.md are declared in one
// of the files of their row.
func TestFunctionsExist(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\|[^|]*\\|([^|]*\\(?\\)?)\\|([^|]*\\.go`[^|]*)\\|$")
	quoted := regexp.MustCompile("`([^`]+)`")
	checked := 0
	for _, cells := range row.FindAllStringSubmatch(read(t, "../CONTRIBUTING.md"), -1) {
		var sources string
		for _, file := range quoted.FindAllStringSubmatch(cells[2], -1) {
			sources += read(t, filepath.Join("..", file[1]))
		}
		for _, function := range quoted.FindAllStringSubmatch(cells[1], -1) {
			checked++
			if !declares(sources, function[1]) {
				t.Errorf("CONTRIBUTING.md names %s in %s, which does not declare it", function[1], strings.TrimSpace(cells[2]))
			}
		}
	}
	if checked < 10 {
		t.Errorf("checked only %d functions; did the tables change their format?", checked)
	}
}

// declares reports whether Go sources declare a function, or a method that is named with its type.
func declares(sources, function string) bool {
	declared := `(?m)^func ` + function + `\b`
	if receiver, name, method := strings.Cut(function, "."); method {
		declared = `(?m)^func \(\w+ \*?` + receiver + `\) ` + name + `\(`
	}
	return regexp.MustCompile(declared).MatchString(sources)
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// packages returns the packages of the program by their path in the module. Screens count as one package.
func packages(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(dir, "..")), "/")
		switch {
		case !entry.IsDir():
			return nil
		case strings.HasPrefix(entry.Name(), ".") && name != "", entry.Name() == "testdata",
			name == "internal/testing", name == "internal/tools", name == "docs", name == "bin":
			return filepath.SkipDir
		}
		if pkg, err := build.ImportDir(dir, 0); err != nil || len(pkg.GoFiles) == 0 { // A folder without Go files for this system.
			return nil //nolint:nilerr // Such a folder is not a package.
		}
		if screen, ok := strings.CutPrefix(name, "tui/screens/"); ok && path.Dir(screen) == "." {
			name = "tui/screens"
		}
		found[name] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
