package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrMissing is the error for a placeholder that has no value.
var ErrMissing = errors.New("no value")

// A ValueError is the error for a placeholder whose value cannot be part of a
// key.
type ValueError struct {
	Name string
	Err  error
}

func (e *ValueError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ValueError) Unwrap() error { return e.Err }

// Values returns the value of the placeholder called name; false when it has
// none.
type Values func(name string) (string, bool)

// MapValues returns Values that reads from a map.
func MapValues(m map[string]string) Values {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

// Format builds the key. The error is a *ValueError for the placeholder whose
// value is missing, empty, or not valid in its format. A value that contains the
// literal after its placeholder is an error, too: Parse would split the key in
// the wrong place.
func (t Template) Format(values Values) (string, error) {
	var b strings.Builder
	for i, s := range t.segs {
		if s.Optional && !t.tailFilled(values) {
			break
		}
		if s.Name == "" {
			b.WriteString(s.Literal)
			continue
		}
		text, err := t.render(i, values)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// Prefix builds the key up to the first placeholder that has no value. complete
// reports whether all have one. The error is that of Format, except for missing
// values.
func (t Template) Prefix(values Values) (prefix string, complete bool, err error) {
	var b strings.Builder
	for i, s := range t.segs {
		if s.Name == "" {
			b.WriteString(s.Literal)
			continue
		}
		text, err := t.render(i, values)
		if errors.Is(err, ErrMissing) {
			return b.String(), false, nil
		}
		if err != nil {
			return "", false, err
		}
		b.WriteString(text)
	}
	return b.String(), true, nil
}

func (t Template) tailFilled(values Values) bool {
	for _, s := range t.segs {
		if !s.Optional || s.Name == "" {
			continue
		}
		if v, ok := values(s.Name); !ok || v == "" {
			return false
		}
	}
	return true
}

// render returns the value of placeholder i as the key spells it.
func (t Template) render(i int, values Values) (string, error) {
	s := t.segs[i]
	v, ok := values(s.Name)
	if !ok {
		return "", &ValueError{s.Name, ErrMissing}
	}
	text, err := s.render(v)
	if err != nil {
		return "", &ValueError{s.Name, err}
	}
	if text == "" {
		return "", &ValueError{s.Name, errors.New("value is empty; a key cannot hold an empty part")}
	}
	if !utf8.ValidString(text) {
		return "", &ValueError{s.Name, errors.New("value is not valid UTF-8")}
	}
	if after := t.After(i); after != "" && strings.Contains(text+after[:len(after)-1], after) {
		return "", &ValueError{s.Name, fmt.Errorf("%q contains %q, the separator after it in %s", Printable(text), after, t.source)}
	}
	return text, nil
}

// Parse splits a key into its placeholders. A placeholder extends to the first
// occurrence of the literal after it, the last one to the end of the key. The
// error is a *Mismatch.
func (t Template) Parse(key string) (Match, error) {
	m := Match{Values: make(map[string]string, len(t.segs)), Spans: make([]Span, 0, len(t.segs))}
	err := t.walk(key, func(s *Segment, start, end int) error {
		if s.Name == "" {
			m.Spans = append(m.Spans, Span{*s, start, end})
			return nil
		}
		return t.readInto(&m, *s, key, start, end)
	})
	if err != nil {
		return Match{}, err
	}
	return m, nil
}

// fits reports whether Parse accepts the key, for a template that has no placeholder
// twice.
func (t Template) fits(key string) bool {
	return t.walk(key, func(s *Segment, start, end int) error {
		switch {
		case s.Name == "":
			return nil
		case start == end:
			return ErrMissing
		}
		_, err := s.read(key[start:end])
		return err
	}) == nil
}

// walk calls visit for the part of the key that each segment matches.
func (t Template) walk(key string, visit func(s *Segment, start, end int) error) error {
	pos := 0
	for i := range t.segs {
		s := &t.segs[i]
		if s.Optional && pos == len(key) && (i == 0 || !t.segs[i-1].Optional) {
			break
		}
		end := len(key)
		if s.Name == "" {
			n := commonPrefix(key[pos:], s.Literal)
			if n < len(s.Literal) {
				return t.mismatch(pos+n, s.Literal, "expected %q", s.Literal[n:])
			}
			end = pos + n
		} else if after := t.After(i); after != "" {
			j := strings.Index(key[pos:], after)
			switch {
			case j >= 0:
				end = pos + j
			case t.segs[i+1].Optional:
			default:
				return t.mismatch(len(key), after, "the key ends before %q", after)
			}
		}
		if err := visit(s, pos, end); err != nil {
			return err
		}
		pos = end
	}
	if pos < len(key) {
		return t.mismatch(pos, "", "the key continues after the end of the template")
	}
	return nil
}

// readInto reads key[pos:end] as the value of placeholder s into m.
func (t Template) readInto(m *Match, s Segment, key string, pos, end int) error {
	text := key[pos:end]
	if text == "" {
		return t.mismatch(pos, s.Name, "{%s} is empty", s.Name)
	}
	v, err := s.read(text)
	if err != nil {
		return t.mismatch(pos, s.Name, "{%s}: %v", s.Name, err)
	}
	old, seen := m.Values[s.Name]
	switch {
	case !seen || !m.whole(s.Name):
		m.Values[s.Name] = v
	case !s.Format.Lossy() && old != v:
		return t.mismatch(pos, s.Name, "{%s} is %q here but %q earlier", s.Name, Printable(v), Printable(old))
	}
	m.Spans = append(m.Spans, Span{s, pos, end})
	return nil
}

// whole reports whether the key holds the placeholder's entire value, not just a
// part such as the date of a time.
func (m Match) whole(name string) bool {
	return slices.ContainsFunc(m.Spans, func(s Span) bool { return s.Segment.Name == name && !s.Segment.Format.Lossy() })
}

func (t Template) mismatch(pos int, want, reason string, args ...any) error {
	return &Mismatch{Template: t.source, Pos: pos, Want: want, Reason: fmt.Sprintf(reason, args...)}
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
