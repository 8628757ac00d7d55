// Command site writes the documentation as HTML that works from the file system: no server, no other host, search in the
// page.
//
//	go run ./internal/tools/site -out site
//
// docs/site.yaml orders the pages. A page that is not listed, a link to nothing and an anchor that does not exist are
// errors, and then nothing is written.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	docs := flag.String("docs", "docs", "the `FOLDER` of the documentation")
	out := flag.String("out", "", "write the site to `FOLDER`; without it, the pages are only checked")
	flag.Parse()
	if err := run(*docs, *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(docs, out string) error {
	s, err := read(docs)
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if out == "" {
		return nil
	}
	return s.write(out)
}

// write renders every page into a folder, and copies the files that they show.
func (s *site) write(out string) error {
	files := map[string][]byte{"search.js": s.index(), "page.js": script, "page.css": style}
	for _, p := range s.pages {
		html, err := s.render(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		files[p.name] = html
		for target := range p.files {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(p.file), target))
			if err != nil {
				return err
			}
			files[target] = text
		}
	}
	for name, text := range files {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			return err
		}
	}
	return nil
}
