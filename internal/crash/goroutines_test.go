package crash

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// bare are the files that may start a goroutine by themselves, and why.
var bare = map[string]string{
	"internal/crash/keeper.go":      "it is what starts the others",
	"internal/embedded/store.go":    "the embedded store knows nothing of ddbdesk; its sweep makes errors of panics",
	"accesspatterns/cursor_load.go": "a panic goes on in the goroutine that waits",
	"internal/tools":                "these are programs for developers",
	"internal/testing":              "only tests use it: a panic must end the test",
}

// Every goroutine of the program is started by Go: a panic in any other one would
// end the program before it could put the terminal right.
func TestEveryGoroutineIsGuarded(t *testing.T) {
	root := filepath.Join("..", "..")
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for part := filepath.ToSlash(name); part != "."; part = filepath.ToSlash(filepath.Dir(part)) {
			if bare[part] != "" {
				return nil
			}
		}
		parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: a goroutine that is not started by crash.Go", files.Position(g.Pos()))
			}
			if c, ok := n.(*ast.CallExpr); ok && startsByItself(c) {
				t.Errorf("%s: a goroutine that is started by a library", files.Position(c.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// startsByItself recognises wg.Go and what else is called like it with a function,
// but for Go of this package.
func startsByItself(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Go" && s.Sel.Name != "TryGo" {
		return false
	}
	if _, function := c.Args[len(c.Args)-1].(*ast.FuncLit); !function {
		return false
	}
	of, ok := s.X.(*ast.Ident)
	return !ok || of.Name != "crash"
}
