package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A pkg is a package as `go list` describes it.
type pkg struct {
	ImportPath, Dir, Name, Export string
	GoFiles, TestGoFiles          []string
	XTestGoFiles                  []string
	DepOnly                       bool

	exports map[string]string // the files with the types of all packages
}

// load lists the packages that match the patterns and have tests.
func load(ctx context.Context, patterns []string) ([]pkg, error) {
	if len(patterns) == 0 {
		return nil, errors.New("name at least one package")
	}
	out, err := output(exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-deps", "-json"}, patterns...)...))
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	var list []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			p.exports = exports
			list = append(list, p)
		}
	}
	return list, nil
}

// output runs a command; its error has what the command printed.
func output(cmd *exec.Cmd) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args[:2], " "), err, errs.String(), out.String())
	}
	return out.Bytes(), nil
}

// mutate writes the mutated files of the package to a folder. The overlay names them in the form of `go build -overlay`.
func (p pkg) mutate(dir string, only *regexp.Regexp) (mutants []mutant, overlay string, err error) {
	fset := token.NewFileSet()
	files := make([]*ast.File, len(p.GoFiles))
	for i, name := range p.GoFiles {
		if files[i], err = parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution); err != nil {
			return nil, "", err
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) })}
	if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
		return nil, "", err
	}
	next := 0
	replace := map[string]string{}
	for i, name := range p.GoFiles {
		if only != nil && !only.MatchString(name) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, "", err
		}
		r := &rewriter{fset: fset, info: info, name: name, src: src, next: &next}
		text := r.rewrite(files[i])
		if len(r.found) == 0 {
			continue
		}
		mutants = append(mutants, r.found...)
		replace[filepath.Join(p.Dir, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, "", err
		}
	}
	const helper = "mutant_support.go"
	replace[filepath.Join(p.Dir, helper)] = filepath.Join(dir, helper)
	if err := os.WriteFile(filepath.Join(dir, helper), fmt.Appendf(nil, support, p.Name, next+1), 0o600); err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return mutants, overlay, os.WriteFile(overlay, text, 0o600)
}
