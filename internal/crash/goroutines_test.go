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

// exempt lists the files that may start a goroutine without crash.Go, with the reason.
var exempt = map[string]string{
	"internal/crash/handler.go":     "it starts the others",
	"internal/embedded/store.go":    "the embedded database is independent of ddbdesk; its sweep returns panics as errors",
	"accesspatterns/cursor_load.go": "a panic continues in the goroutine that waits",
	"internal/tools":                "programs for developers",
	"internal/testing":              "used by tests only, which a panic must fail",
}

// TestEveryGoroutineCatchesPanics checks that Go starts all goroutines of the program. A panic in any other goroutine
// would end the program before it restores the terminal.
func TestEveryGoroutineCatchesPanics(t *testing.T) {
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
			if exempt[part] != "" {
				return nil
			}
		}
		parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: start the goroutine with crash.Go", files.Position(g.Pos()))
			}
			if c, ok := n.(*ast.CallExpr); ok && startsGoroutine(c) {
				t.Errorf("%s: the library call starts a goroutine", files.Position(c.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// startsGoroutine recognizes wg.Go and similar calls with a function literal, except Go of this package.
func startsGoroutine(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Go" && s.Sel.Name != "TryGo" {
		return false
	}
	if _, function := c.Args[len(c.Args)-1].(*ast.FuncLit); !function {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return !ok || pkg.Name != "crash"
}
