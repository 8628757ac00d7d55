// This file decodes YAML into the declarations of a profile and remembers
// where everything stood. It goes on after a fault: all are reported at once.

package profiles

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/models"
)

// An ordered map keeps the order of the document.
type ordered[T any] []entry[T]

type entry[T any] struct {
	Key   string
	Value T
}

// orderedMap lets the decoder fill any ordered[T].
type orderedMap interface {
	add(key string) any
}

func (o *ordered[T]) add(key string) any {
	*o = append(*o, entry[T]{Key: key})
	return &(*o)[len(*o)-1].Value
}

func (o ordered[T]) get(key string) (T, bool) {
	for _, e := range o {
		if e.Key == key {
			return e.Value, true
		}
	}
	var zero T
	return zero, false
}

func (o ordered[T]) keys() []string {
	list := make([]string, len(o))
	for i, e := range o {
		list[i] = e.Key
	}
	return list
}

// scalarForm is a declaration that may be written as plain text.
type scalarForm interface {
	setScalar(text string)
}

// source is a parsed profile with the positions of its parts.
type source struct {
	file  string
	pos   map[string][2]int
	bad   []Diagnostic
	open  map[*yaml.Node]bool // what is being decoded, to see an alias inside itself
	nodes int
}

// maxNodes bounds a profile with its aliases written out, which may double
// with every line. The built-in ones have up to 4000 parts.
const maxNodes = 100_000

func (s *source) errorf(path, suggestion, format string, args ...any) {
	s.report(Diagnostic{Path: path, Severity: Error, Rule: "invalid", Message: fmt.Sprintf(format, args...), Suggestion: suggestion})
}

// report adds a diagnostic at its path.
func (s *source) report(d Diagnostic) { s.bad = append(s.bad, s.locate(d)) }

// locate gives a diagnostic the position of its path, or of the closest part
// around it that stands in the file.
func (s *source) locate(d Diagnostic) Diagnostic {
	d.File = s.file
	for path := d.Path; ; {
		if p, ok := s.pos[path]; ok {
			d.Line, d.Column = p[0], p[1]
			break
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			break
		}
		path = path[:i]
	}
	return d
}

// parse reads text into decl.
func parse(file string, text []byte, decl any) *source {
	s := &source{file: file, pos: map[string][2]int{}, open: map[*yaml.Node]bool{}}
	if blank(text) {
		s.bad = append(s.bad, Diagnostic{File: file, Line: 1, Column: 1, Severity: Error, Rule: "syntax", Message: "the file is empty: a profile starts with name:"})
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
	d := Diagnostic{File: s.file, Line: 1, Column: 1, Severity: Error, Rule: "syntax", Message: "not YAML: " + err.Error()}
	var l *yaml.LoadError
	if errors.As(err, &l) && l.Mark.Line > 0 {
		d.Line, d.Column = l.Mark.Line, max(l.Mark.Column, 1)
		d.Message = "not YAML: " + l.Message
		if l.ContextMsg != "" {
			d.Message += " " + l.ContextMsg
		}
	}
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
			s.errorf(path, "write fewer aliases", "the profile has more than %d parts", maxNodes)
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
	if f, ok := v.Addr().Interface().(*formulaDecl); ok {
		s.decodeFormula(n, f, path)
		return
	}
	if n.Kind == yaml.ScalarNode {
		if f, ok := v.Addr().Interface().(scalarForm); ok {
			f.setScalar(n.Value)
			return
		}
	}
	if o, ok := v.Addr().Interface().(orderedMap); ok {
		s.decodePairs(n, path, func(key string) (reflect.Value, bool) {
			return reflect.ValueOf(o.add(key)).Elem(), true
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
		if tag := v.Type().Field(i).Tag.Get("yaml"); tag != "" {
			words[tag] = i
			names = append(names, tag)
		}
	}
	s.decodePairs(n, path, func(key string) (reflect.Value, bool) {
		i, ok := words[key]
		if !ok {
			d := Diagnostic{Path: join(path, key), Severity: Error, Rule: "unknown-word", Message: fmt.Sprintf("unknown word %q", models.Printable(key))}
			if near, ok := models.Nearest(key, names); ok {
				d.Suggestion = fmt.Sprintf("did you mean %q?", near)
			} else {
				d.Suggestion = "known words here: " + strings.Join(names, ", ")
			}
			s.report(d)
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
		items = []*yaml.Node{n} // one element needs no brackets
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
	case reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if err != nil {
			s.errorf(path, "", "expected a whole number, found %q", models.Printable(n.Value))
			return
		}
		v.SetInt(int64(i))
	default:
		panic("profiles: no decoding for " + v.Type().String())
	}
}

// decodeFormula keeps a formula in the form in which it is written.
func (s *source) decodeFormula(n *yaml.Node, f *formulaDecl, path string) {
	switch n.Kind {
	case yaml.MappingNode:
		f.form = mapForm
		s.decodePairs(n, path, func(key string) (reflect.Value, bool) {
			return reflect.ValueOf(f.fields.add(key)).Elem(), true
		})
	case yaml.SequenceNode:
		f.form, f.list = listForm, make([]formulaDecl, len(n.Content))
		for i, item := range n.Content {
			s.decode(item, reflect.ValueOf(&f.list[i]).Elem(), join(path, strconv.Itoa(i)))
		}
	default:
		f.form, f.text = textForm, n.Value
		if n.Tag == "!!null" {
			f.form = nullForm
		}
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
