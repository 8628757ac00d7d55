// Package placed decodes YAML into Go values and records the position of every part. It continues after faults, so that
// it can report all of them at once, each with its line, column and path. The loaders of schemas and of the
// configuration use it, and define the meaning of the keys.
package placed

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Kind is the kind of a fault: invalid YAML syntax, an unknown key, or an invalid value.
type Kind uint8

// These are the kinds.
const (
	Syntax Kind = iota
	UnknownWord
	Invalid
)

// A Fault is an error in a text.
type Fault struct {
	Kind         Kind
	File         string // "" for the loaded text, or else an included file
	Line, Column int    // from 1; 0 if the text does not contain any part of the path
	Path         string // such as patterns.get-verification.key.PK
	Message      string
	Suggestion   string
}

// Format returns the fault on one line: file:line:column: severity: path: message; suggestion. A fault without a line
// concerns the whole file.
func (f Fault) Format(file, severity string) string {
	var b strings.Builder
	b.WriteString(cmp.Or(f.File, file))
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	b.WriteString(": " + severity + ": ")
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Message)
	if f.Suggestion != "" {
		b.WriteString("; " + f.Suggestion)
	}
	return b.String()
}

// Compare orders faults by position, then by message.
func (f Fault) Compare(o Fault) int {
	return cmp.Or(cmp.Compare(f.File, o.File), cmp.Compare(f.Line, o.Line), cmp.Compare(f.Column, o.Column),
		cmp.Compare(f.Message, o.Message))
}

// Suggest returns a suggestion for an unknown word: the closest known word, or all known words.
func Suggest(word string, known []string) string {
	if nearest, ok := models.Nearest(word, known); ok {
		return fmt.Sprintf("did you mean %q?", nearest)
	}
	return "use " + english.OxfordWordSeries(known, "or")
}

// A Mapping receives the keys of a mapping in text order. Add returns a pointer for the value of a new key.
type Mapping interface{ Add(key string) any }

// Ordered is a mapping that keeps its keys in text order.
type Ordered[T any] []Entry[T]

// An Entry is a key of a mapping with its value.
type Entry[T any] struct {
	Key   string
	Value T
}

// Add implements [Mapping].
func (o *Ordered[T]) Add(key string) any {
	*o = append(*o, Entry[T]{Key: key})
	return &(*o)[len(*o)-1].Value
}

func (o *Ordered[T]) grow(keys int) { *o = slices.Grow(*o, keys) }

// Get returns the value of a key. ok is false if the mapping does not contain the key.
func (o Ordered[T]) Get(key string) (value T, ok bool) {
	for i := range o { // avoid copying entries, which may be large
		if o[i].Key == key {
			return o[i].Value, true
		}
	}
	return value, false
}

// Keys returns the keys in text order.
func (o Ordered[T]) Keys() []string {
	return models.MapSlice(o, func(e Entry[T]) string { return e.Key })
}

// A Scalar is a declaration whose short form is plain text.
type Scalar interface{ SetScalar(text string) }

// A FormDecoder decodes itself. Declarations with several forms implement it.
type FormDecoder interface {
	Decode(s *Source, n *yaml.Node, path string)
}

// A Source is a text with the positions of its parts.
type Source struct {
	// Report receives every fault.
	Report func(Fault)
	// Subject names the text in messages, such as "profile" or "file".
	Subject string
	// MaxParts limits the number of parts after expanding aliases, because each line with an alias can double it.
	MaxParts int
	// Invisible accepts texts with invisible characters. By default they are faults, because the names and titles of a
	// schema appear on every screen and in every message.
	Invisible bool

	// Extensions ignores struct keys that begin with x-, which contain parts for YAML aliases.
	Extensions bool

	pos      map[string]place
	uses     map[string]string   // maps the path of each reuse to the original path
	files    files               // maps included parts to their files
	decoding map[*yaml.Node]bool // nodes that are being decoded, to detect an alias inside itself
	expanded int
	parsed   int // number of parsed parts
}

// Load decodes text into decl, a pointer to a struct. An empty text changes nothing.
func (s *Source) Load(text []byte, decl any) {
	if root := s.Parse("", text); root != nil {
		s.Decode(root, decl)
	}
}

// Parse parses the loaded text, or an included text if file is not "". It returns nil for an empty text and for invalid
// YAML.
func (s *Source) Parse(file string, text []byte) *yaml.Node {
	if Blank(text) {
		return nil
	}
	var root yaml.Node
	if err := yaml.Load(text, &root); err != nil {
		s.addSyntaxFault(file, text, err)
		return nil
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) == 0 {
		return nil
	}
	if file != "" {
		if s.files == nil {
			s.files = files{}
		}
		s.files.note(root.Content[0], file)
	}
	if !s.Invisible {
		s.checkInvisible(root.Content[0], "")
	}
	return root.Content[0]
}

// Decode decodes a parsed text into decl, a pointer to a struct.
func (s *Source) Decode(root *yaml.Node, decl any) {
	s.pos, s.uses, s.decoding = make(map[string]place, s.parsed), map[string]string{}, map[*yaml.Node]bool{}
	s.decode(root, reflect.ValueOf(decl).Elem(), "")
}

func (s *Source) checkInvisible(n *yaml.Node, path string) {
	s.parsed++
	check := func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && !models.IsShowable(n.Value) {
			s.FaultAt(n, path, "remove them",
				"contains invisible or control characters: "+models.PrintableCell(models.PrintableLines(n.Value), 60))
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			check(n.Content[i])
			s.checkInvisible(n.Content[i+1], Join(path, n.Content[i].Value))
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			s.checkInvisible(item, Join(path, strconv.Itoa(i)))
		}
	default:
		check(n)
	}
}

// Blank reports whether text contains only empty lines and comments.
func Blank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// Errorf reports an invalid value at path.
func (s *Source) Errorf(path, suggestion, format string, args ...any) {
	s.addFault(Invalid, path, suggestion, fmt.Sprintf(format, args...))
}

// Regexp reports a fault if the value at path is empty or not a regular expression. A missing path is valid.
func (s *Source) Regexp(path, value, example string) {
	if _, err := regexp.Compile(value); err != nil || s.Has(path) && value == "" {
		s.Errorf(path, "write one such as "+example, "invalid regular expression %q", models.Printable(value))
	}
}

// addFault makes all texts printable, because a file may contain anything.
func (s *Source) addFault(kind Kind, path, suggestion, message string) {
	file, line, column := s.At(path)
	s.Report(Fault{
		Kind: kind, File: file, Line: line, Column: column, Path: models.Printable(path), Message: models.Printable(message),
		Suggestion: models.Printable(suggestion),
	})
}

// FaultAt reports an invalid value at a node of a parsed text.
func (s *Source) FaultAt(n *yaml.Node, path, suggestion, message string) {
	s.Report(Fault{
		Kind: Invalid, File: s.files[n], Line: n.Line, Column: n.Column, Path: models.Printable(path),
		Message: models.Printable(message), Suggestion: models.Printable(suggestion),
	})
}

func (s *Source) addSyntaxFault(file string, text []byte, err error) {
	f := Fault{Kind: Syntax, File: file, Line: 1, Column: 1, Message: "not YAML: " + err.Error()}
	if l, ok := errors.AsType[*yaml.LoadError](err); ok {
		f.Line, f.Column = max(l.Mark.Line, 1), max(l.Mark.Column, 1)
		f.Message = strings.TrimSuffix("not YAML: "+strings.TrimPrefix(l.Message, "yaml: ")+" "+l.ContextMsg, " ")
		if l.Mark.Line == 0 && !utf8.Valid(text) {
			f.Line = 1 + bytes.Count(text[:bytes.IndexRune(text, utf8.RuneError)], []byte("\n"))
			f.Message, f.Suggestion = "not UTF-8 text", "save the file as UTF-8"
		}
	}
	f.Message = models.Printable(f.Message)
	s.Report(f)
}

// Join returns the path of a key within another path.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// DecodeValue decodes n into the value that v points to.
func (s *Source) DecodeValue(n *yaml.Node, v any, path string) {
	s.decode(n, reflect.ValueOf(v).Elem(), path)
}

func (s *Source) decode(n *yaml.Node, v reflect.Value, path string) {
	n = resolve(n)
	if s.decoding[n] {
		s.Errorf(path, "write the value instead", "alias refers to a mapping that contains it")
		return
	}
	if !s.countPart(path) {
		return
	}
	if n.Kind != yaml.ScalarNode {
		s.decoding[n] = true
		defer delete(s.decoding, n)
	}
	if !s.Has(path) {
		s.SetPosition(path, n)
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch d := v.Addr().Interface().(type) {
	case FormDecoder:
		d.Decode(s, n, path)
		return
	case Scalar:
		if n.Kind == yaml.ScalarNode {
			d.SetScalar(n.Value)
			return
		}
	}
	if m, ok := reflect.TypeAssert[Mapping](v.Addr()); ok {
		s.Pairs(n, m, path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		s.Struct(n, v.Addr().Interface(), path)
	case reflect.Slice:
		s.list(n, v, path)
	default:
		s.scalar(n, v, path)
	}
}

func (s *Source) countPart(path string) bool {
	if s.expanded++; s.expanded == s.MaxParts+1 {
		s.Errorf(path, "use fewer aliases", "the %s has more than %d parts", s.Subject, s.MaxParts)
	}
	return s.expanded <= s.MaxParts
}

// Struct decodes a mapping into the struct that decl points to, according to the yaml tags of its fields and of
// embedded structs. It reports unknown keys as faults.
func (s *Source) Struct(n *yaml.Node, decl any, path string) {
	v := reflect.ValueOf(decl).Elem()
	known := wordsOf(v.Type())
	s.pairs(n, path, func(key string) (reflect.Value, bool) {
		field, ok := known.fields[key]
		if !ok && s.Extensions && strings.HasPrefix(key, "x-") {
			return reflect.Value{}, false
		}
		if !ok {
			s.addFault(UnknownWord, Join(path, key), Suggest(key, known.names), fmt.Sprintf("unknown key %q", models.Printable(key)))
			return reflect.Value{}, false
		}
		return v.FieldByIndex(field), true
	})
}

// words contains the keys that a struct declares.
type words struct {
	names  []string         // in declaration order
	fields map[string][]int // index of each field for reflect.Value.FieldByIndex
}

// wordsByType caches the words of each struct type, because a schema contains thousands of mappings but only a few
// dozen types.
var wordsByType sync.Map // from reflect.Type to *words

func wordsOf(t reflect.Type) *words {
	if w, ok := wordsByType.Load(t); ok {
		return w.(*words)
	}
	w := &words{fields: map[string][]int{}}
	for _, f := range reflect.VisibleFields(t) {
		if tag := f.Tag.Get("yaml"); tag != "" {
			w.fields[tag] = f.Index
			w.names = append(w.names, tag)
		}
	}
	wordsByType.Store(t, w)
	return w
}

// Pairs decodes a mapping with arbitrary keys.
func (s *Source) Pairs(n *yaml.Node, m Mapping, path string) {
	if g, ok := m.(interface{ grow(keys int) }); ok {
		g.grow(len(n.Content) / 2)
	}
	s.pairs(n, path, func(key string) (reflect.Value, bool) { return reflect.ValueOf(m.Add(key)).Elem(), true })
}

func (s *Source) pairs(n *yaml.Node, path string, slot func(key string) (reflect.Value, bool)) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		s.Errorf(path, "", "expected a mapping (key: value), found %s", kindName(n))
		return
	}
	previous := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			s.Errorf(path, "", "expected a word, found %s", kindName(k))
			continue
		}
		p := Join(path, k.Value)
		switch {
		case isMerge(k):
			continue
		case previous[k.Value]:
			s.SetPosition(p, k)
			s.Errorf(p, "", "duplicate key %q", models.Printable(k.Value))
			continue
		}
		s.pair(k, val, p, previous, slot)
	}
	s.merge(n, path, previous, slot)
}

func (s *Source) pair(k, val *yaml.Node, path string, previous map[string]bool, slot func(key string) (reflect.Value, bool)) {
	s.SetPosition(path, k)
	previous[k.Value] = true
	if v, ok := slot(k.Value); ok {
		s.decode(val, v, path)
	}
}

func (s *Source) list(n *yaml.Node, v reflect.Value, path string) {
	items := n.Content
	if n.Kind == yaml.ScalarNode {
		if n.Tag == "!!null" {
			return
		}
		items = []*yaml.Node{n} // a single element does not need brackets
	} else if n.Kind != yaml.SequenceNode {
		s.Errorf(path, "", "expected a list, found %s", kindName(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		s.decode(item, v.Index(i), Join(path, strconv.Itoa(i)))
	}
}

func (s *Source) scalar(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode {
		s.Errorf(path, "", "expected plain text, found %s", kindName(n))
		return
	}
	switch v.Kind() {
	case reflect.String:
		if n.Tag != "!!null" {
			v.SetString(n.Value)
		}
	case reflect.Bool:
		if v.SetBool(n.Value == "true"); n.Value != "true" && n.Value != "false" {
			s.Errorf(path, "", "expected true or false, found %q", models.Printable(n.Value))
		}
	case reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if err != nil {
			s.Errorf(path, "", "expected a whole number, found %q", models.Printable(n.Value))
			return
		}
		v.SetInt(int64(i))
	default:
		panic("placed: no decoding for " + v.Type().String())
	}
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", models.Truncate(models.Printable(n.Value), 48))
	}
}
