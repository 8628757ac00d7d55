package screens

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A screen that is not in the catalogue has keys that nobody documents and nobody
// can change.
func TestEveryScreenIsInTheCatalogue(t *testing.T) {
	catalogue, err := os.ReadFile("catalogue.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	screens := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && f.Recv != nil && f.Name.Name == "Actions" && !strings.HasSuffix(file, "_test.go") {
				if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
					screens[star.X.(*ast.Ident).Name] = true
				}
			}
		}
	}
	if len(screens) < 10 {
		t.Fatalf("only %d screens were found", len(screens))
	}
	for _, name := range slices.Sorted(maps.Keys(screens)) {
		if !strings.Contains(string(catalogue), "(&"+name+"{}).makeActions()") {
			t.Errorf("%s is missing in Scopes", name)
		}
	}
}
