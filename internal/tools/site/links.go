package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// check resolves every link of every page, rewrites it for the site, and returns the faults of all.
func (s *site) check() error {
	var faults []error
	for _, p := range s.pages {
		_ = ast.Walk(p.document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // faults are collected
			if !entering {
				return ast.WalkContinue, nil
			}
			var fault error
			switch n := n.(type) {
			case *ast.Link:
				n.Destination, fault = s.link(p, string(n.Destination))
			case *ast.Image:
				n.Destination, fault = s.picture(p, string(n.Destination))
			}
			if fault != nil {
				faults = append(faults, fmt.Errorf("%s: %w", p.file, fault))
			}
			return ast.WalkContinue, nil
		})
	}
	return errors.Join(faults...)
}

// link returns where a link of p leads on the site: to a page and one of its headings, or to a file of the repository.
func (s *site) link(p *page, target string) ([]byte, error) {
	if strings.Contains(target, "://") {
		return []byte(target), nil
	}
	path, id, _ := strings.Cut(target, "#")
	to := p
	if path != "" {
		file := filepath.Join(filepath.Dir(p.file), path)
		if to = s.byFile[file]; to == nil {
			return s.file(file, target)
		}
	}
	if !to.has(id) {
		return nil, fmt.Errorf("link to %q: %s has no such heading", target, to.file)
	}
	if id != "" {
		return []byte(to.name + "#" + id), nil
	}
	return []byte(to.name), nil
}

// file returns the address of a file of the repository.
func (s *site) file(path, target string) ([]byte, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("link to %q, which does not exist", target)
	}
	relative, err := filepath.Rel(s.root, path)
	if err != nil || strings.HasPrefix(relative, "..") {
		return nil, fmt.Errorf("link to %q, which is outside the repository", target)
	}
	return []byte(repository + filepath.ToSlash(relative)), nil
}

// picture returns the place of a picture on the site, where all pages are in one folder.
func (s *site) picture(p *page, target string) ([]byte, error) {
	if strings.Contains(target, "://") {
		return nil, fmt.Errorf("picture %q is on another host; the site must work without", target)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(p.file), target)); err != nil {
		return nil, fmt.Errorf("picture %q does not exist", target)
	}
	p.files[target] = true
	return []byte(target), nil
}
