// This file reads YAML into the declarations of the configuration, and says of
// every fault where it stands.

package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// pairs is a mapping in the order of the document.
type pairs[T any] []pair[T]

type pair[T any] struct {
	key   string
	value T
}

// Add implements placed.Mapping.
func (p *pairs[T]) Add(key string) any {
	*p = append(*p, pair[T]{key: key})
	return &(*p)[len(*p)-1].value
}

// source is a file with the positions of its parts.
type source struct {
	placed.Source
	name string
	bad  Errors
}

// maxParts is how many parts a file may have.
const maxParts = 20_000

// errorf reports a fault of the part at path.
func (s *source) errorf(path, suggestion, format string, args ...any) {
	s.Errorf(path, suggestion, format, args...)
}

// faulty takes a fault of the text over.
func (s *source) faulty(f placed.Fault) {
	s.bad = append(s.bad, Diagnostic{
		File: s.name, Line: f.Line, Column: f.Column, Path: models.Printable(f.Path), Message: f.Message, Suggestion: f.Suggestion,
	})
}

// fewWords is how many words are all named beside the one that was probably
// meant: a guess alone does not say what else there is.
const fewWords = 7

// suggest names what may stand in the place of a word that is not known.
func suggest(word string, known []string) string {
	all := "known are " + strings.Join(known, ", ")
	near, ok := models.Nearest(word, known)
	switch {
	case !ok:
		return all
	case len(known) > fewWords:
		return fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Sprintf("did you mean %q? ", near) + all
}

// unknown reports a word that is none of those known.
func (s *source) unknown(path, what, word string, known []string) {
	s.errorf(path, suggest(word, known), "unknown %s %q", what, models.Printable(word))
}

// parse reads text into decl. An empty file is one that says nothing.
func parse(name string, text []byte, decl any) *source {
	s := &source{name: name}
	s.Source = placed.Source{Report: s.faulty, Unknown: suggest, What: "file", MaxParts: maxParts}
	s.Load(text, decl)
	return s
}

func join(path, key string) string { return placed.Join(path, key) }

// Decode takes the short form too: theme: NAME.
func (t *themeDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode {
		t.Base = n.Value
		s.Mark(join(path, "base"), n)
		return
	}
	s.Pairs(n, t, path)
}
