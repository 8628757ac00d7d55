package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrMissing is the error for a placeholder that has no value. A *ValueError that names the placeholder wraps it; use
// errors.Is.
var ErrMissing = errors.New("no value")

// A ValueError is the error for a placeholder whose value cannot be part of a key. Err may quote the value.
type ValueError struct {
	Name string
	Err  error
}

func (e *ValueError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ValueError) Unwrap() error { return e.Err }

// Values returns the value of a placeholder, or false if there is none. An implementation must return the same value
// for the same name for the duration of a call that uses it.
type Values func(name string) (string, bool)

// MapValues returns Values that reads from a map.
func MapValues(m map[string]string) Values {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

// Format builds the key. The error is a *ValueError for a placeholder whose value is missing, empty or not valid in its
// format, and for a value that contains the literal after its placeholder if neither the other formats nor the stored
// attributes determine where it ends. Format does not check the length: DynamoDB allows 2048 bytes for a partition key
// and 1024 for a sort key, and ddbdesk checks them when it builds a request.
func (t Template) Format(values Values) (string, error) {
	key, _, err := filledTemplate{t, values}.write(false)
	if err != nil {
		return "", err
	}
	return key, nil
}

// write builds the key. With prefix, it stops at the first placeholder without a value.
func (f filledTemplate) write(prefix bool) (text string, complete bool, err error) {
	var b strings.Builder
	var delimiterErr error
	emptyPlaceholder := "" // the placeholder at the end if its value is empty
	for i := 0; i < len(f.segs); i++ {
		if end := f.omittedEnd(i, prefix); end > i {
			i = end - 1
			continue
		}
		s := f.segs[i]
		if s.Name == "" {
			b.WriteString(s.Literal)
			emptyPlaceholder = ""
			continue
		}
		text, err := f.render(i)
		if prefix && errors.Is(err, ErrMissing) {
			switch {
			case delimiterErr != nil:
				return "", false, delimiterErr
			case emptyPlaceholder != "":
				return "", false, &ValueError{emptyPlaceholder, errEmpty}
			case f.IsOneWay():
				return "", false, nil
			}
			return b.String(), false, nil
		}
		if err != nil {
			return "", false, err
		}
		b.WriteString(text)
		if emptyPlaceholder = ""; text == "" {
			emptyPlaceholder = s.Name
		}
		if delimiterErr == nil {
			delimiterErr = f.delimiterError(i, text)
		}
	}
	if emptyPlaceholder != "" {
		return "", false, &ValueError{emptyPlaceholder, errEmpty}
	}
	if delimiterErr == nil && f.isInner() {
		delimiterErr = f.checkReadBack(b.String())
	}
	if delimiterErr != nil && !f.IsOneWay() && !f.splitsIntoValues(b.String(), true) {
		return "", false, delimiterErr
	}
	return f.digest.digestText(b.String()), true, nil
}

var errEmpty = errors.New("value is empty; a key cannot end with an empty part")

// omittedEnd returns the end of an omitted option at segment i, or i. A prefix ends inside the last option.
func (f filledTemplate) omittedEnd(i int, prefix bool) int {
	for at, o := range f.options {
		if o.start == i && !f.isFilled(at) && (!prefix || o.end < len(f.segs)) {
			return o.end
		}
	}
	return i
}

// checkReadBack returns an error if the key would parse into other values, because a value looks like an optional part.
func (f filledTemplate) checkReadBack(key string) error {
	m, err := f.Parse(key)
	if i := f.firstDifference(key, m); err != nil || i >= 0 {
		return &ValueError{f.nearestPlaceholder(max(i, 0)), errors.New("without the optional part, the key would be parsed differently")}
	}
	return nil
}

// firstDifference returns the first segment whose value in m differs from the value that the key was built from, or -1.
func (f filledTemplate) firstDifference(key string, m Match) int {
	at := 0
	for i, s := range f.segs {
		if s.Optional && !f.isFilled(s.option) {
			continue
		}
		text := s.Literal
		if s.Name != "" {
			text, _ = f.render(i)
		}
		if at == len(m.Spans) || key[m.Spans[at].Start:m.Spans[at].End] != text {
			return i
		}
		at++
	}
	return -1
}

// nearestPlaceholder returns the placeholder at segment i, the first one after it, or the last one.
func (f filledTemplate) nearestPlaceholder(i int) string {
	if j := slices.IndexFunc(f.segs[i:], func(s Segment) bool { return s.Name != "" }); j >= 0 {
		return f.segs[i+j].Name
	}
	names := f.Placeholders()
	return names[len(names)-1]
}

func (f Format) digestText(text string) string {
	if c, ok := f.computation(); ok {
		text, _ = c.compute(text) // Every text has a digest.
	}
	return text
}

// CheckDelimiters returns the *ValueError for a value that contains the literal after its placeholder, so that other
// values make the same key. It returns nil if no value does.
func (t Template) CheckDelimiters(values Values) error {
	key, err := t.Format(values)
	if err != nil || t.IsOneWay() || (filledTemplate{t, values}).splitsIntoValues(key, false) {
		return nil //nolint:nilerr // Format reports it.
	}
	return filledTemplate{t, values}.firstDelimiterError()
}

// Prefix builds the key up to the first placeholder without a value. complete reports whether every placeholder has
// one. It returns the same errors as Format, except for missing values. In an incomplete key, no value may contain the
// literal after its placeholder, because the prefix would then select other values. One-way keys have no prefixes.
func (t Template) Prefix(values Values) (prefix string, complete bool, err error) {
	return filledTemplate{t, values}.write(true)
}

// CheckPrefixDelimiters is like CheckDelimiters, but for a key that is a prefix of others. It rejects every value that
// contains the literal after its placeholder, regardless of the format.
func (t Template) CheckPrefixDelimiters(values Values) error {
	return filledTemplate{t, values}.firstDelimiterError()
}

func (t Template) delimiterError(i int, text string) error {
	s := t.segs[i]
	if _, fixed := s.Format.Width(); fixed {
		return nil
	}
	for _, after := range s.after {
		if !strings.Contains(text+after[:len(after)-1], after) {
			continue
		}
		err := fmt.Errorf("%q contains %q, the separator after it in %s", Printable(text), after, t.source)
		if literal := t.repeatedLiteral(i, text); literal != "" {
			err = fmt.Errorf("%w; leave out %s, which the template adds", err, literal)
		}
		return &ValueError{s.Name, err}
	}
	return nil
}

// RepeatedLiteral returns the literal before the placeholder if value begins with it, as in c#12345 for c#{customerId},
// and "" otherwise. A key with such a value is valid, but the user probably pasted the value from a key.
func (t Template) RepeatedLiteral(name, value string) string {
	for i, s := range t.segs {
		if s.Name == name {
			if literal := t.repeatedLiteral(i, value); literal != "" {
				return literal
			}
		}
	}
	return ""
}

// repeatedLiteral returns the end of the literal before placeholder i if text repeats it, not as a documented prefix.
func (t Template) repeatedLiteral(i int, text string) string {
	if i == 0 {
		return ""
	}
	isWordRune := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	literal, s := t.segs[i-1].Literal, t.segs[i]
	if last, _ := utf8.DecodeLastRuneInString(literal); literal == "" || isWordRune(last) {
		return ""
	}
	for rest := literal; strings.IndexFunc(rest, isWordRune) >= 0; {
		known := s.attribute != nil && s.attribute.Prefix != "" && strings.HasPrefix(s.attribute.Prefix, rest)
		if !known && len(text) > len(rest) && strings.HasPrefix(text, rest) {
			return rest
		}
		rest = strings.TrimLeftFunc(strings.TrimLeftFunc(rest, isWordRune), func(r rune) bool { return !isWordRune(r) })
	}
	return ""
}

func (m *Match) read(t Template, s Segment, key string, pos, end int, known Values) error {
	text := key[pos:end]
	if text == "" && !s.mayEndEmpty(key, end, known) {
		return t.mismatch(pos, s.Name, "{%s} is empty", s.Name)
	}
	v, err := "", error(nil)
	if text != "" {
		v, err = s.read(text)
	}
	if err != nil {
		return t.mismatch(pos, s.Name, "{%s}: %v", s.Name, err)
	}
	name := s.PartName()
	old, seen := m.Values[name]
	switch {
	case !seen || !m.isWhole(name):
		m.Values[name] = v
	case s.isWhole() && old != v:
		return t.mismatch(pos, s.Name, "{%s} is %q here but %q earlier", name, Printable(v), Printable(old))
	}
	m.Spans = append(m.Spans, Span{s, pos, end})
	return nil
}

// isWhole reports whether the key contains the whole value, not just the date of a time.
func (m Match) isWhole(name string) bool {
	return slices.ContainsFunc(m.Spans, func(s Span) bool { return s.Segment.PartName() == name && s.Segment.isWhole() })
}

func (t Template) mismatch(pos int, want, reason string, args ...any) error {
	return &Mismatch{Template: t.String(), Pos: pos, Want: want, Reason: fmt.Sprintf(reason, args...)}
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// A filledTemplate is a template with the values for one of its keys.
type filledTemplate struct {
	Template
	values Values
}

func (f filledTemplate) render(i int) (string, error) {
	s := f.segs[i]
	v, isPart, ok := s.value(f.values)
	if !ok {
		return "", &ValueError{s.Name, ErrMissing}
	}
	text, err := v, error(nil)
	if isPart {
		_, err = s.read(v)
	} else {
		text, err = s.Render(v)
	}
	if err != nil {
		return "", &ValueError{s.Name, err}
	}
	if text == "" && !s.MayBeEmpty() {
		return "", &ValueError{s.Name, errors.New("value is empty, but this part of the key needs one")}
	}
	if !utf8.ValidString(text) {
		return "", &ValueError{s.Name, errors.New("value is not valid UTF-8")}
	}
	return text, nil
}

// isFilled reports whether every placeholder in the option, and in the options around it, has a value.
func (f filledTemplate) isFilled(at int) bool {
	for o := at; o >= 0; o = f.options[o].outer {
		for _, s := range f.segs[f.options[o].start:f.options[o].end] {
			if s.Name == "" || s.option != o {
				continue
			}
			if v, _, ok := s.value(f.values); !ok || v == "" {
				return false
			}
		}
	}
	return true
}

func (f filledTemplate) firstDelimiterError() error {
	for i, s := range f.segs {
		if s.Name == "" || s.Optional && !s.HasValue(f.values) {
			continue
		}
		text, err := f.render(i)
		if err != nil {
			return nil //nolint:nilerr // Format and Prefix report it.
		}
		if err := f.delimiterError(i, text); err != nil {
			return err
		}
	}
	return nil
}

// splitsIntoValues reports whether the formats, and with stored the attributes, split the key into the values.
func (f filledTemplate) splitsIntoValues(key string, stored bool) bool {
	var known Values
	if stored && slices.ContainsFunc(f.segs, Segment.isStored) {
		known = func(name string) (string, bool) {
			if !slices.ContainsFunc(f.segs, func(s Segment) bool { return s.Name == name && s.isStored() }) {
				return "", false
			}
			return f.values(name)
		}
	}
	m, err := f.ParseItem(key, known)
	return err == nil && !m.Ambiguous && f.firstDifference(key, m) < 0
}
