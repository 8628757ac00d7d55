package profiles

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/placed"
)

// source is a parsed schema with the positions of its parts and its errors.
type source struct {
	placed.Source
	file   string
	faults []Diagnostic
}

// maxParts is the maximum number of parts in a schema. Built-in schemas have up to 4000.
const maxParts = 100_000

func (s *source) add(f placed.Fault) {
	rule := map[placed.Kind]string{placed.Syntax: "syntax", placed.UnknownWord: "unknown-word", placed.Invalid: "invalid"}[f.Kind]
	s.faults = append(s.faults, Diagnostic{
		File: cmp.Or(f.File, s.file), Line: f.Line, Column: f.Column, Path: f.Path, Severity: Error, Rule: rule, Message: f.Message,
		Suggestion: f.Suggestion,
	})
}

// parse applies the overlay of an environment, or none if environment is "".
func parse(input profileText, environment string, decl *profileDecl) (*source, []inclusion) {
	s := &source{file: input.file}
	s.Source = placed.Source{Report: s.add, Subject: "schema", MaxParts: maxParts, Extensions: true}
	c := composer{source: s, input: input}
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

// A comparison is a keyword that compares a value, and its operator.
type comparison[T any] struct {
	word    string
	compare accesspatterns.Operator
	value   T
}

func comparisons[T any](decl any) (list []comparison[T]) {
	v := reflect.ValueOf(decl)
	for _, f := range comparedFields(v.Type()) {
		if value := v.FieldByIndex(f.Index); !value.IsZero() {
			o := accesspatterns.Operator(f.Tag.Get("compare"))
			list = append(list, comparison[T]{f.Tag.Get("yaml"), o, value.Interface().(T)})
		}
	}
	return list
}

var comparedByType sync.Map // maps reflect.Type to []reflect.StructField

func comparedFields(t reflect.Type) []reflect.StructField {
	list, ok := comparedByType.Load(t)
	if !ok {
		list = slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("compare") == "" })
		comparedByType.Store(t, list)
	}
	return list.([]reflect.StructField)
}

// Decode implements placed.FormDecoder. It keeps the form of the formula.
func (f *formulaDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	switch n.Kind {
	case yaml.MappingNode:
		f.form = mapForm
		s.Pairs(n, &f.fields, path)
	case yaml.SequenceNode:
		f.form, f.list = listForm, make([]formulaDecl, len(n.Content))
		for i, item := range n.Content {
			s.DecodeValue(item, &f.list[i], placed.Join(path, strconv.Itoa(i)))
		}
	default:
		f.form, f.text, f.tag = textForm, n.Value, n.ShortTag()
		if n.Tag == "!!null" {
			f.form = nullForm
		}
	}
}

// Decode implements placed.FormDecoder. It accepts a single attribute without a list.
func (k *keysDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	switch n.Kind {
	case yaml.SequenceNode:
		*k = make(keysDecl, len(n.Content))
		for i, item := range n.Content {
			s.DecodeValue(item, &(*k)[i], placed.Join(path, strconv.Itoa(i)))
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

// Decode implements placed.FormDecoder. It reads a mapping as a range and everything else as a list.
func (v *valuesDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	switch {
	case n.Kind == yaml.MappingNode:
		v.span = &numbersDecl{}
		s.Struct(n, v.span, path)
	case n.Kind == yaml.SequenceNode:
		v.list = make([]string, len(n.Content))
		for i, item := range n.Content {
			s.DecodeValue(item, &v.list[i], placed.Join(path, strconv.Itoa(i)))
		}
	case n.Tag != "!!null":
		v.list = []string{n.Value}
	}
}

// A profileText is the text of a schema, with access to the files that it includes.
type profileText struct {
	file string
	text []byte
	// read returns a file in the schema's folder by its relative path. It is nil if the text is not from a folder.
	read func(path string) ([]byte, error)
}

// An inclusion is a file that a schema includes.
type inclusion struct {
	path string // within the folder of the schema
	file string // file name for messages
	text []byte
}

// maxFiles is the maximum number of files that a schema can include.
const maxFiles = 100

// A composer assembles the text of a schema from its included files and the overlay of an environment.
type composer struct {
	*source
	input    profileText
	included []inclusion
	within   []string // the files that include the current one, to detect a cycle
}

// compose returns nil if there is nothing to decode.
func (c *composer) compose() *yaml.Node {
	if placed.Blank(c.input.text) {
		c.add(placed.Fault{Kind: placed.Syntax, Line: 1, Column: 1, Message: "file is empty; a schema starts with name:"})
	}
	c.within = []string{path.Base(strings.ReplaceAll(c.input.file, `\`, "/"))}
	root := c.Parse("", c.input.text)
	if root == nil || root.Kind != yaml.MappingNode {
		return root
	}
	return c.include(root, root, ".")
}

func (c *composer) include(root, n *yaml.Node, dir string) *yaml.Node {
	_, list := placed.Pair(n, "include")
	if list == nil {
		return root
	}
	names := []*yaml.Node{list}
	if list.Kind == yaml.SequenceNode {
		names = list.Content
	}
	for i, name := range names {
		at := placed.Join("include", strconv.Itoa(i))
		if name.Kind != yaml.ScalarNode {
			c.FaultAt(name, at, "", "expected a file path")
			continue
		}
		root = c.includeFile(root, name, at, path.Join(dir, name.Value))
	}
	return root
}

// includeFile adds one included file to root. Including it again has no effect.
func (c *composer) includeFile(root, name *yaml.Node, at, p string) *yaml.Node {
	if slices.Contains(c.within, p) {
		c.FaultAt(name, at, "remove it", "file includes itself: "+strings.Join(append(slices.Clone(c.within), p), " → "))
		return root
	}
	if slices.ContainsFunc(c.included, func(i inclusion) bool { return i.path == p }) {
		return root
	}
	if len(c.included) == maxFiles {
		c.FaultAt(name, at, "combine some of the files", fmt.Sprintf("schema includes more than %d files", maxFiles))
		return root
	}
	body, ok := c.readFile(name, at, p)
	c.included = append(c.included, inclusion{p, relativeTo(c.input.file, p), body})
	if !ok {
		return root
	}
	n := c.Parse(relativeTo(c.input.file, p), body)
	switch {
	case n == nil:
		return root
	case n.Kind != yaml.MappingNode:
		c.FaultAt(n, "", "write keys of a schema, such as entities:", "expected a mapping (key: value)")
		return root
	}
	root = c.Union(root, c.sections(n))
	c.within = append(c.within, p)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	return c.include(root, n, path.Dir(p))
}

func (c *composer) readFile(name *yaml.Node, at, p string) ([]byte, bool) {
	const next = "give a path relative to this file, in the folder of the schema"
	switch {
	case c.input.read == nil:
		c.FaultAt(name, at, "save the schema as a file", "include: works only in a schema that is a file")
		return nil, false
	case path.IsAbs(name.Value) || strings.Contains(name.Value, `\`) || !fs.ValidPath(p) || p == ".":
		c.FaultAt(name, at, next, fmt.Sprintf("%q is not a file in the folder of the schema", name.Value))
		return nil, false
	}
	body, err := c.input.read(p)
	if err == nil {
		return body, true
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	c.FaultAt(name, at, next, fmt.Sprintf("cannot read %q: %v", name.Value, err))
	return nil, false
}

// besideFile rejects links that lead out of the folder.
func besideFile(file string) func(p string) ([]byte, error) {
	if name, ok := strings.CutPrefix(file, "builtin:"); ok {
		return func(p string) ([]byte, error) { return builtin.ReadFile(path.Join("builtin", path.Dir(name), p)) }
	}
	return func(p string) ([]byte, error) { return appdir.ReadWithin(filepath.Dir(file), p) }
}

// profileOnlyKeys lists the fields that describe the whole schema. Included files and overlays cannot contain them.
var profileOnlyKeys = []string{"name", "include", "overlays"}

func (c *composer) sections(n *yaml.Node) *yaml.Node {
	n = &yaml.Node{Kind: n.Kind, Content: slices.Clone(n.Content), Line: n.Line, Column: n.Column}
	for i := 0; i+1 < len(n.Content); {
		k := n.Content[i]
		if k.Value == "include" || strings.HasPrefix(k.Value, "x-") {
			n.Content = slices.Delete(n.Content, i, i+2)
			continue
		}
		if k.Value == "name" {
			c.FaultAt(k, k.Value, "remove it", "an included file must not have name:")
			n.Content = slices.Delete(n.Content, i, i+2)
			continue
		}
		i += 2
	}
	return n
}

func relativeTo(file, p string) string {
	if name, ok := strings.CutPrefix(file, "builtin:"); ok {
		return "builtin:" + path.Join(path.Dir(name), p)
	}
	if i := strings.LastIndexAny(file, `/\`); i >= 0 {
		return file[:i+1] + p
	}
	return p
}

// Decode implements placed.FormDecoder. It keeps the changes, which [placed.Source.Patch] applies, and checks
// sections.
func (o *overlayDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	o.changes = n
	if n.Kind != yaml.MappingNode {
		s.Errorf(path, "", "expected a mapping (section: changes)")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; slices.Contains(profileOnlyKeys, k.Value) {
			s.FaultAt(k, placed.Join(path, k.Value), "remove it", "an overlay cannot change "+k.Value)
		}
	}
}
