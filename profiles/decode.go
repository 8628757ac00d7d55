package profiles

import (
	"cmp"
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/placed"
)

// source is a parsed profile with the positions of its parts and its errors.
type source struct {
	placed.Source
	file string
	bad  []Diagnostic
}

// maxParts is how many parts a profile may have. The built-in ones have up to
// 4000.
const maxParts = 100_000

func (s *source) add(f placed.Fault) {
	rule := map[placed.Kind]string{placed.Syntax: "syntax", placed.UnknownWord: "unknown-word", placed.Invalid: "invalid"}[f.Kind]
	s.bad = append(s.bad, Diagnostic{
		File: cmp.Or(f.File, s.file), Line: f.Line, Column: f.Column, Path: f.Path, Severity: Error, Rule: rule, Message: f.Message,
		Suggestion: f.Suggestion,
	})
}

// parse applies the overlay of an environment, "" for none.
func parse(of text, environment string, decl *profileDecl) (*source, []inclusion) {
	s := &source{file: of.file}
	s.Source = placed.Source{Report: s.add, What: "profile", MaxParts: maxParts, Extensions: true}
	c := composer{source: s, of: of}
	root := c.compose()
	if root == nil {
		return s, c.included
	}
	if environment != "" {
		_, overlays := placed.Pair(root, "overlays")
		_, changes := placed.Pair(overlays, environment)
		root = s.Patch(root, changes)
	}
	s.Decode(root, decl)
	return s, c.included
}

// A comparison is a word of a condition that compares a value, and its operator.
type comparison[T any] struct {
	word    string
	compare accesspatterns.Operator
	value   T
}

// comparisons returns the words of a declared condition that are given, by the compare tags of its fields.
func comparisons[T any](decl any) (list []comparison[T]) {
	v := reflect.ValueOf(decl)
	for _, f := range reflect.VisibleFields(v.Type()) {
		if o := f.Tag.Get("compare"); o != "" && !v.FieldByIndex(f.Index).IsZero() {
			list = append(list, comparison[T]{f.Tag.Get("yaml"), accesspatterns.Operator(o), v.FieldByIndex(f.Index).Interface().(T)})
		}
	}
	return list
}

// Decode implements placed.Former: it keeps the form of the formula.
func (f *formulaDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	switch n.Kind {
	case yaml.MappingNode:
		f.form = mapForm
		s.Pairs(n, &f.fields, path)
	case yaml.SequenceNode:
		f.form, f.list = listForm, make([]formulaDecl, len(n.Content))
		for i, item := range n.Content {
			s.Into(item, &f.list[i], placed.Join(path, strconv.Itoa(i)))
		}
	default:
		f.form, f.text, f.tag = textForm, n.Value, n.ShortTag()
		if n.Tag == "!!null" {
			f.form = nullForm
		}
	}
}

// Decode implements placed.Former: one attribute needs no list.
func (k *keysDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	switch n.Kind {
	case yaml.SequenceNode:
		*k = make(keysDecl, len(n.Content))
		for i, item := range n.Content {
			s.Into(item, &(*k)[i], placed.Join(path, strconv.Itoa(i)))
		}
	case yaml.MappingNode:
		*k = make(keysDecl, 1)
		s.Struct(n, &(*k)[0], path)
	default:
		if n.Tag != "!!null" {
			*k = keysDecl{{Name: n.Value}}
		}
	}
}

// Decode implements placed.Former: a range is a mapping, everything else a list.
func (v *valuesDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	switch {
	case n.Kind == yaml.MappingNode:
		v.span = &numbersDecl{}
		s.Struct(n, v.span, path)
	case n.Kind == yaml.SequenceNode:
		v.list = make([]string, len(n.Content))
		for i, item := range n.Content {
			s.Into(item, &v.list[i], placed.Join(path, strconv.Itoa(i)))
		}
	case n.Tag != "!!null":
		v.list = []string{n.Value}
	}
}
