// Package testing_test checks that test support stays out of the program. Only tests and the tools in internal/tools
// import the packages below this folder.
package testing_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestProductionCodeImportsNoTestSupport(t *testing.T) {
	root := filepath.Join("..", "..")
	exempt := []string{".git", filepath.Join("internal", "tools"), filepath.Join("internal", "testing")}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			for _, dir := range exempt {
				if path == filepath.Join(root, dir) {
					return filepath.SkipDir
				}
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			if strings.Contains(spec.Path.Value, "/internal/testing/") {
				t.Errorf("%s imports %s, which only tests may import", path, spec.Path.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("got only %d files; check the path of the module", files)
	}
}
