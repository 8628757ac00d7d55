package models

import (
	"fmt"
	"slices"
	"strings"
)

// A Template is a compiled key template such as CASE#{verificationId} or {status}#{createdAt}. Format makes a key from
// attributes, and Parse reads the attributes from a key. The zero value is not a template; see ParseTemplate.
type Template struct {
	source  string
	segs    []Segment
	options []option // ordered by first segment, outer options first
	digest  Format   // digest of the whole text; such a key is one-way
}

// An option is a group of segments that a key contains together or not at all: [#{x}].
type option struct {
	start, end int // range of segments; end is exclusive
	outer      int // the option around it, or -1
}

// A Segment is a piece of a template: a literal, or a placeholder.
type Segment struct {
	// Literal is the text of a literal, or "" for a placeholder.
	Literal string
	// Name is the placeholder's attribute path, or "" for a literal.
	Name string
	// Format defines how the key spells the placeholder's value: a time format, lower, upper, a width such as 05d, or
	// the name of a value map.
	Format Format
	// Optional marks the segments of a part that may be absent: [#{x}].
	Optional bool

	option  int      // the innermost option, or -1
	after   []string // the literals that can follow
	adjoins bool     // a placeholder may follow without a literal in between
	last    bool     // the key may end here

	values    ValueMap
	computed  *computation // nil for a part from which the value can be read
	attribute *Attribute   // the attribute of the placeholder, or nil if unknown
}

// A ValueMap maps an attribute's values to their spelling inside a key, such as active to ACTIVE.
type ValueMap map[string]string

// A Match is the result of Template.Parse.
type Match struct {
	// Values contains the value of each placeholder in the attribute's own spelling. If the key contains only a part of
	// a value, such as a date, Values contains that part.
	Values map[string]string
	// Spans contains the byte range of each segment in the key, in template order.
	Spans []Span
	// Ambiguous is set if a value contains the literal after its placeholder and nothing determines where the value
	// ends. Values then contains the likeliest split. Code that masks or rewrites a key must treat an ambiguous key as
	// one that it cannot split.
	Ambiguous bool
}

// A Span is the part of a key that one segment of its template matched.
type Span struct {
	Segment    Segment
	Start, End int
}

// A Mismatch is the error for a key that does not fit a template. If a key fits none of several templates, the error
// with the greatest Pos is the most helpful. Reason quotes parts of the key.
type Mismatch struct {
	Template string
	Pos      int    // byte offset in the key of the first character that differs
	Want     string // expected text from the template
	Reason   string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("%s: %s at character %d", m.Template, m.Reason, m.Pos+1)
}

// A SyntaxError is an error in the text of a template.
type SyntaxError struct {
	Offset int // byte offset in the template's text
	Msg    string
}

func (e *SyntaxError) Error() string { return e.Msg }

// ParseTemplate compiles the text of a template. maps contains the value maps that a placeholder may name as its
// format. ParseTemplate does not copy them, so they must not change. The error is a *SyntaxError. The loader checks
// whether the placeholders are attributes of an entity and binds them to these attributes.
func ParseTemplate(source string, maps map[string]ValueMap) (Template, error) {
	p := templateParser{src: source, maps: maps}
	if err := p.run(); err != nil {
		return Template{}, err
	}
	t := Template{source: source, segs: p.segs, options: p.options}
	t.linkSegments()
	return t, nil
}

func (t Template) linkSegments() {
	for i := range t.segs {
		s := &t.segs[i]
		for _, next := range t.following(i) {
			switch {
			case next == len(t.segs):
				s.last = true
			case t.segs[next].Name != "":
				s.adjoins = true
			default:
				s.after = append(s.after, t.segs[next].Literal)
			}
		}
	}
}

// following lists the segments that may follow segment i, starting with the next one. len(t.segs) represents the end.
func (t Template) following(i int) []int {
	list := []int{i + 1}
	for at := 0; at < len(list); at++ {
		for _, o := range t.options {
			if o.start == list[at] && !slices.Contains(list, o.end) {
				list = append(list, o.end)
			}
		}
	}
	return list
}

// isInner reports whether an optional part is followed by another part of the key.
func (t Template) isInner() bool {
	return slices.ContainsFunc(t.options, func(o option) bool { return o.end < len(t.segs) })
}

// MustTemplate is like ParseTemplate, but for constant text without maps. It panics on an error.
func MustTemplate(source string) Template {
	t, err := ParseTemplate(source, nil)
	if err != nil {
		panic(fmt.Sprintf("template %q: %v", source, err))
	}
	return t
}

// Placeholder returns a template that consists of one placeholder, whose name may be any text. of is the attribute of
// the value and may be nil.
func Placeholder(name string, of *Attribute) Template {
	return Template{source: "{" + name + "}", segs: []Segment{{Name: name, attribute: of, option: -1, last: true}}}
}

// String returns the source text of the template, in the form sha256({a}|{b}) for one-way keys.
func (t Template) String() string {
	if t.digest != "" {
		return string(t.digest) + "(" + t.source + ")"
	}
	return t.source
}

// IsZero reports whether t is the zero value, which is not a template.
func (t Template) IsZero() bool { return len(t.segs) == 0 }

// Segments returns the segments of the template in order. The caller must not change them.
func (t Template) Segments() []Segment { return t.segs }

// Forms returns the segments of a key for each combination of optional parts, starting with the combination of all
// parts.
func (t Template) Forms() [][]Segment {
	var forms [][]Segment
	for omitted := range 1 << len(t.options) {
		isOmitted := func(at int) bool { return at >= 0 && omitted>>at&1 == 1 }
		if slices.ContainsFunc(t.options, func(o option) bool { return isOmitted(o.outer) && !isOmitted(slices.Index(t.options, o)) }) {
			continue // An inner part needs its outer part.
		}
		forms = append(forms, slices.DeleteFunc(slices.Clone(t.segs), func(s Segment) bool { return isOmitted(s.option) }))
	}
	return forms
}

// Placeholders returns the names of the placeholders, each once, in order. The caller owns the slice, which is nil if
// there are none.
func (t Template) Placeholders() []string {
	var names []string
	for _, s := range t.segs {
		if s.Name != "" && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Has reports whether the template has a placeholder called name.
func (t Template) Has(name string) bool {
	return name != "" && slices.ContainsFunc(t.segs, func(s Segment) bool { return s.Name == name })
}

// Optional lists the placeholders that occur only in optional parts, each once.
func (t Template) Optional() []string {
	var names, before []string
	for _, s := range t.segs {
		switch {
		case s.Name == "":
		case !s.Optional:
			before = append(before, s.Name)
		case !slices.Contains(before, s.Name) && !slices.Contains(names, s.Name):
			names = append(names, s.Name)
		}
	}
	return names
}

// Literal returns the template's text. ok is false if the template has a placeholder.
func (t Template) Literal() (text string, ok bool) {
	if len(t.segs) == 1 && t.segs[0].Name == "" && t.digest == "" {
		return t.segs[0].Literal, true
	}
	return "", false
}

// LiteralPrefix returns the literal text before the first placeholder. It is "" for a template that starts with a
// placeholder and for a one-way key. Every key of the template starts with the prefix, so comparing it is a cheap first
// test.
func (t Template) LiteralPrefix() string {
	if len(t.segs) > 0 && t.digest == "" && !t.segs[0].Optional {
		return t.segs[0].Literal
	}
	return ""
}

// Bind returns a template whose placeholders are bound to attributes; attribute returns nil for a placeholder without
// one. Where a value contains the literal after its placeholder, the attributes' formats and stored values determine
// where the value ends. The receiver does not change. Bind calls attribute for each placeholder, even for one that
// occurs twice.
func (t Template) Bind(attribute func(name string) *Attribute) Template {
	t.segs = slices.Clone(t.segs)
	for i, s := range t.segs {
		if s.Name != "" {
			t.segs[i].attribute = attribute(s.Name)
		}
	}
	return t
}

// WithDigest returns a template of one-way keys, which are the md5, sha1 or sha256 digest of the text. ddbdesk can
// build and compare such keys, but cannot read them.
func (t Template) WithDigest(digest Format) Template {
	t.digest = digest
	return t
}

// IsOneWay reports whether the template's keys cannot be read.
func (t Template) IsOneWay() bool { return t.digest != "" }

// AmbiguousPair returns two adjacent placeholders, neither of which has a fixed length or a stored attribute, so that
// no item determines where the first one ends. It returns "" and "" if there is no such pair.
func (t Template) AmbiguousPair() (first, second string) {
	for i, s := range t.segs {
		if _, fixed := s.length(); s.Name == "" || !s.adjoins || fixed || s.isStored() {
			continue
		}
		for _, at := range t.following(i) {
			if at == len(t.segs) || t.segs[at].Name == "" {
				continue
			}
			next := t.segs[at]
			if _, fixed := next.length(); !next.isStored() && (!fixed || at+1 < len(t.segs) || next.Optional) {
				return s.Name, next.Name
			}
		}
	}
	return "", ""
}

// After lists the literals that can follow segment i if the key continues. There are several if the next part is
// optional. The caller must not change the list.
func (t Template) After(i int) []string { return t.segs[i].after }

// AdjoinsPlaceholder reports whether a placeholder can follow segment i with no text in between.
func (t Template) AdjoinsPlaceholder(i int) bool { return t.segs[i].adjoins }

// EndsAtLiteral reports whether only the literal after placeholder i determines where it ends.
func (t Template) EndsAtLiteral(i int) bool {
	_, fixed := t.segs[i].Format.Width()
	return !fixed && len(t.segs[i].after) > 0
}

// MayBeEmpty reports whether the placeholder can be "" in a key: it is plain text, and more of the key follows.
func (t Template) MayBeEmpty(name string) bool {
	return slices.ContainsFunc(t.segs, func(s Segment) bool { return s.Name == name && s.MayBeEmpty() && len(s.after) > 0 })
}

// Open lists the placeholders of the optional part that could extend a key with these values, or returns nil if there
// is no such part. The part ends the template, and all of its placeholders lack a value.
func (t Template) Open(values Values) []string {
	f := filledTemplate{t, values}
	for _, o := range t.options {
		if o.end < len(t.segs) || o.outer >= 0 && !f.isFilled(o.outer) {
			continue
		}
		var names []string
		isSet := false
		for _, s := range t.segs[o.start:o.end] {
			if s.Name != "" {
				names = append(names, s.Name)
				isSet = isSet || s.HasValue(values)
			}
		}
		if !isSet {
			return names
		}
	}
	return nil
}

// MissingInOption returns a placeholder without a value whose optional part has a placeholder with a value, which the
// key would silently omit. It returns "" if there is none.
func (t Template) MissingInOption(values Values) string {
	f := filledTemplate{t, values}
	for i, o := range t.options {
		isSet := slices.ContainsFunc(t.segs[o.start:o.end], func(s Segment) bool { return s.HasValue(values) })
		if !isSet || f.isFilled(i) {
			continue
		}
		for _, s := range t.segs[o.start:o.end] {
			if s.Name != "" && !s.HasValue(values) {
				return s.Name
			}
		}
	}
	return ""
}

// SkippedPlaceholder returns a placeholder without a value and a later one with a value in its optional part, which no
// prefix of the key would contain. It returns "" if there is no such pair.
func (t Template) SkippedPlaceholder(values Values) (missing, given string) {
	for i, o := range t.options {
		missing = ""
		for _, s := range t.segs[o.start:o.end] {
			switch {
			case s.Name == "":
			case s.HasValue(values) && missing != "":
				return missing, s.Name
			case missing == "" && s.option == i && !s.HasValue(values):
				missing = s.Name
			}
		}
	}
	return "", ""
}

func (t Template) weight() int {
	n := 0
	for i := range t.segs {
		n += len(t.segs[i].Literal)
	}
	return n
}

type templateParser struct {
	src         string
	maps        map[string]ValueMap
	pos         int
	segs        []Segment
	options     []option
	openOptions []int // the options that are still open
}

func (p *templateParser) fail(at int, format string, args ...any) error {
	return &SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// maxOptions is the maximum number of optional parts in a template.
const maxOptions = 6

func (p *templateParser) run() error {
	if p.src == "" {
		return p.fail(0, "template is empty; DynamoDB rejects empty keys")
	}
	for p.pos < len(p.src) {
		var err error
		switch c := p.src[p.pos]; c {
		case '{':
			err = p.placeholder()
		case '}':
			return p.fail(p.pos, "} without {")
		case '[':
			if len(p.options) == maxOptions {
				return p.fail(p.pos, "template has more than %d optional parts", maxOptions)
			}
			p.options = append(p.options, option{start: len(p.segs), outer: p.option()})
			p.openOptions = append(p.openOptions, len(p.options)-1)
			p.pos++
		case ']':
			err = p.closeOption()
		default:
			p.literal()
		}
		if err != nil {
			return err
		}
	}
	if len(p.openOptions) > 0 {
		return p.fail(len(p.src), "[ without ]")
	}
	return nil
}

func (p *templateParser) option() int {
	if len(p.openOptions) == 0 {
		return -1
	}
	return p.openOptions[len(p.openOptions)-1]
}

func (p *templateParser) closeOption() error {
	at := p.option()
	if at < 0 {
		return p.fail(p.pos, "] without [")
	}
	o := &p.options[at]
	o.end = len(p.segs)
	if !slices.ContainsFunc(p.segs[o.start:], func(s Segment) bool { return s.Name != "" && s.option == at }) {
		return p.fail(p.pos, "optional part has no placeholder of its own to show whether a key has it")
	}
	p.openOptions = p.openOptions[:len(p.openOptions)-1]
	p.pos++
	return nil
}

func (p *templateParser) literal() {
	end := len(p.src)
	if i := strings.IndexAny(p.src[p.pos:], "{}[]"); i >= 0 {
		end = p.pos + i
	}
	p.segs = append(p.segs, Segment{Literal: p.src[p.pos:end], Optional: len(p.openOptions) > 0, option: p.option()})
	p.pos = end
}

func (p *templateParser) placeholder() error {
	start := p.pos
	end := strings.IndexByte(p.src[start:], '}')
	if end < 0 {
		return p.fail(start, "{ without }")
	}
	name, format, _ := strings.Cut(p.src[start+1:start+end], ":")
	p.pos = start + end + 1
	if !isValidName(name) {
		return p.fail(start+1, "%q is not a placeholder; use {attribute} or {attribute:format}", name)
	}
	s := Segment{Name: name, Format: Format(format), Optional: len(p.openOptions) > 0, option: p.option()}
	if format != "" && !isKeyFormat(s.Format) {
		if s.Format.IsLayout() {
			return p.fail(start+len(name)+2, "%v", s.Format.CheckLayout())
		}
		m, ok := p.maps[format]
		if !ok {
			return p.fail(start+len(name)+2, "%q is not a format or a map; formats are %s", format, strings.Join(KeyFormats(), ", "))
		}
		s.values = m
	}
	if c, ok := s.Format.computation(); ok && s.values == nil {
		s.computed = &c
	}
	p.segs = append(p.segs, s)
	return nil
}

func isValidName(s string) bool {
	if s == "" {
		return false
	}
	for i, r := range s {
		isLetter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !isLetter && (i == 0 || r != '.' && r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return true
}
