// This file decodes YAML into declarations and remembers where everything stood.
// It goes on after a fault: all are reported at once.

package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/models"
)

// pairs is a mapping in the order of the document.
type pairs[T any] []pair[T]

type pair[T any] struct {
	key   string
	value T
}

func (p *pairs[T]) add(key string) any {
	*p = append(*p, pair[T]{key: key})
	return &(*p)[len(*p)-1].value
}

// mapping lets the decoder fill any pairs[T].
type mapping interface{ add(key string) any }

// source is a file with the positions of its parts.
type source struct {
	name  string
	pos   map[string][2]int
	bad   Errors
	open  map[*yaml.Node]bool // what is being decoded, to see an alias inside itself
	nodes int
}

// maxNodes bounds a file with its aliases written out, which may double with
// every line.
const maxNodes = 20_000

// errorf reports a fault of the part at path.
func (s *source) errorf(path, suggestion, format string, args ...any) {
	d := Diagnostic{File: s.name, Path: models.Printable(path), Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
	for at := path; ; {
		if p, ok := s.pos[at]; ok {
			d.Line, d.Column = p[0], p[1]
			break
		}
		i := strings.LastIndexByte(at, '.')
		if i < 0 {
			break
		}
		at = at[:i]
	}
	s.bad = append(s.bad, d)
}

// fewWords is how many words are all named beside the one that was probably
// meant: a guess alone does not say what else there is.
const fewWords = 7

// unknown reports a word that is none of those known.
func (s *source) unknown(path, what, word string, known []string) {
	suggestion := "known are " + strings.Join(known, ", ")
	if near, ok := models.Nearest(word, known); ok {
		guess := fmt.Sprintf("did you mean %q?", near)
		if len(known) > fewWords {
			suggestion = guess
		} else {
			suggestion = guess + " " + suggestion
		}
	}
	s.errorf(path, suggestion, "unknown %s %q", what, models.Printable(word))
}

// parse reads text into decl. An empty file is one that says nothing.
func parse(name string, text []byte, decl any) *source {
	s := &source{name: name, pos: map[string][2]int{}, open: map[*yaml.Node]bool{}}
	if blank(text) {
		return s
	}
	var root yaml.Node
	if err := yaml.Load(text, &root); err != nil {
		s.syntax(err)
		return s
	}
	if root.Kind == yaml.DocumentNode && len(root.Content) > 0 {
		s.decode(root.Content[0], reflect.ValueOf(decl).Elem(), "")
	}
	return s
}

// blank reports whether text is empty lines and comments alone.
func blank(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

func (s *source) syntax(err error) {
	d := Diagnostic{File: s.name, Line: 1, Column: 1, Message: "not YAML: " + err.Error()}
	var l *yaml.LoadError
	if errors.As(err, &l) && l.Mark.Line > 0 {
		d.Line, d.Column = l.Mark.Line, max(l.Mark.Column, 1)
		d.Message = "not YAML: " + l.Message
		if l.ContextMsg != "" {
			d.Message += " " + l.ContextMsg
		}
	}
	d.Message = models.Printable(d.Message)
	s.bad = append(s.bad, d)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (s *source) decode(n *yaml.Node, v reflect.Value, path string) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if s.open[n] {
		s.errorf(path, "write it out", "an alias stands inside what it repeats")
		return
	}
	if s.nodes++; s.nodes > maxNodes {
		if s.nodes == maxNodes+1 {
			s.errorf(path, "write fewer aliases", "the file has more than %d parts", maxNodes)
		}
		return
	}
	if n.Kind != yaml.ScalarNode {
		s.open[n] = true
		defer delete(s.open, n)
	}
	if _, ok := s.pos[path]; !ok {
		s.pos[path] = [2]int{n.Line, n.Column}
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if t, ok := v.Addr().Interface().(*themeDecl); ok && n.Kind == yaml.ScalarNode {
		t.Base = n.Value // The short form: theme: NAME.
		s.pos[join(path, "base")] = [2]int{n.Line, n.Column}
		return
	}
	if m, ok := v.Addr().Interface().(mapping); ok {
		s.decodePairs(n, path, func(key string) (reflect.Value, bool) {
			return reflect.ValueOf(m.add(key)).Elem(), true
		})
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		s.decodeStruct(n, v, path)
	case reflect.Slice:
		s.decodeList(n, v, path)
	default:
		s.decodeScalar(n, v, path)
	}
}

func (s *source) decodeStruct(n *yaml.Node, v reflect.Value, path string) {
	words := map[string]int{}
	var names []string
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("yaml")
		words[tag] = i
		names = append(names, tag)
	}
	s.decodePairs(n, path, func(key string) (reflect.Value, bool) {
		i, ok := words[key]
		if !ok {
			s.unknown(join(path, key), "word", key, names)
			return reflect.Value{}, false
		}
		return v.Field(i), true
	})
}

// decodePairs decodes a mapping; slot gives the place of each value.
func (s *source) decodePairs(n *yaml.Node, path string, slot func(key string) (reflect.Value, bool)) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		s.errorf(path, "", "expected a mapping (word: value), found %s", kindName(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		p := join(path, k.Value)
		if k.Kind != yaml.ScalarNode {
			s.errorf(path, "", "expected a word, found %s", kindName(k))
			continue
		}
		s.pos[p] = [2]int{k.Line, k.Column}
		if seen[k.Value] {
			s.errorf(p, "", "%q stands here twice", models.Printable(k.Value))
			continue
		}
		seen[k.Value] = true
		if v, ok := slot(k.Value); ok {
			s.decode(val, v, p)
		}
	}
}

func (s *source) decodeList(n *yaml.Node, v reflect.Value, path string) {
	items := n.Content
	if n.Kind == yaml.ScalarNode {
		if n.Tag == "!!null" {
			return
		}
		items = []*yaml.Node{n} // One element needs no brackets.
	} else if n.Kind != yaml.SequenceNode {
		s.errorf(path, "", "expected a list, found %s", kindName(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		s.decode(item, v.Index(i), join(path, strconv.Itoa(i)))
	}
}

func (s *source) decodeScalar(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode {
		s.errorf(path, "", "expected plain text, found %s", kindName(n))
		return
	}
	switch v.Kind() {
	case reflect.String:
		if n.Tag != "!!null" {
			v.SetString(n.Value)
		}
	case reflect.Bool:
		switch n.Value {
		case "true":
			v.SetBool(true)
		case "false":
			v.SetBool(false)
		default:
			s.errorf(path, "", "expected true or false, found %q", models.Printable(n.Value))
		}
	default:
		panic("config: no decoding for " + v.Type().String())
	}
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", models.Printable(n.Value))
	}
}
