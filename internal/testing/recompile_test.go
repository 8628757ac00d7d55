package testing_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// imports contains a folder's imports of other folders in this module.
type imports struct {
	program, outside map[string]bool // imports of the package, and of its tests in package NAME_test
	inside           bool            // the package has internal tests
}

// Go compiles a package again with its internal tests. If its external tests import packages that import it, Go also
// compiles these again for this one test program. 54 such packages once took a tenth of the time of go test ./... with
// an empty cache. Instead, put a test into package NAME_test, or into a package further up.
func TestTestsRecompileFewPackages(t *testing.T) {
	const maximum = 18 // packages with files of several formats have internal and external tests
	tree := readImports(t, filepath.Join("..", ".."))
	var second []string
	for dir, folder := range tree {
		if !folder.inside {
			continue
		}
		reached := map[string]bool{}
		for d := range folder.outside {
			addImports(tree, d, reached)
		}
		for d := range reached {
			if d != dir && addImports(tree, d, map[string]bool{})[dir] {
				second = append(second, d+" for the tests of "+dir)
			}
		}
	}
	if len(second) > maximum {
		t.Errorf("%d packages are compiled again, want at most %d:\n%s", len(second), maximum, strings.Join(second, "\n"))
	}
}

// addImports adds a folder and everything that it imports, directly or not.
func addImports(tree map[string]*imports, dir string, previous map[string]bool) map[string]bool {
	if folder := tree[dir]; folder != nil && !previous[dir] {
		previous[dir] = true
		for d := range folder.program {
			addImports(tree, d, previous)
		}
	}
	return previous
}

func readImports(t *testing.T, root string) map[string]*imports {
	t.Helper()
	const module = "github.com/ddbdesk/ddbdesk/"
	tree := map[string]*imports{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		local, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(local))
		folder := tree[dir]
		if folder == nil {
			folder = &imports{program: map[string]bool{}, outside: map[string]bool{}}
			tree[dir] = folder
		}
		into := folder.program
		switch test := strings.HasSuffix(name, "_test.go"); {
		case test && strings.HasSuffix(f.Name.Name, "_test"):
			into = folder.outside
		case test:
			folder.inside = true
			return nil // an import in the other direction would be a cycle
		}
		for _, spec := range f.Imports {
			if dir, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); ours {
				into[dir] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tree) < 50 {
		t.Fatalf("got only %d folders; check the path of the module", len(tree))
	}
	return tree
}
