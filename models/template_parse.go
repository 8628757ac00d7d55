package models

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Parse splits a key into its placeholders. A placeholder extends to the first
// occurrence of the literal after it that leaves a documented value to every placeholder,
// the last one to the end of the key. The error is a *Mismatch. The Match has no values with an
// error. Of a time, the value is in the attribute's own format if the key has all of it.
func (t Template) Parse(key string) (Match, error) { return t.ParseItem(key, nil) }

// ParseItem is Parse for the key of an item whose attributes are known. Where a value
// contains the literal after its placeholder, they decide where it ends.
func (t Template) ParseItem(key string, known Values) (Match, error) {
	if t.IsOneWay() {
		return t.compare(key, known)
	}
	m := Match{Values: make(map[string]string, len(t.segs)), Spans: make([]Span, 0, len(t.segs))}
	open, err := t.walk(key, known != nil, func(s *Segment, start, end int) error {
		if s.Name == "" {
			m.Spans = append(m.Spans, Span{*s, start, end})
			return nil
		}
		return m.read(t, *s, key, start, end)
	})
	if err != nil {
		m = Match{}
	}
	if !open {
		return m, err
	}
	s := splitter{Template: t, key: key, known: known}
	s.from(0, 0)
	if len(s.found) == 0 {
		m.Ambiguous = true
		return m, err
	}
	best := s.found[max(slices.IndexFunc(s.found, Match.likely), 0)]
	best.Ambiguous = len(s.found) > 1
	return best, nil
}

// compare is ParseItem for a key that cannot be read: it matches if the attributes of the item make it. It
// gives no values.
func (t Template) compare(key string, known Values) (Match, error) {
	if c, _ := t.digest.computation(); c.check(key) != nil {
		return Match{}, t.mismatch(0, "", "not a %s digest of %d hexadecimal digits", t.digest, c.length())
	}
	if known == nil {
		return Match{}, t.mismatch(len(key), "", "a digest is one-way, so the key cannot be decoded")
	}
	text, err := t.Format(known)
	switch {
	case err != nil:
		return Match{}, t.mismatch(0, "", "cannot be computed: %v", err)
	case text != key:
		return Match{}, t.mismatch(commonPrefix(key, text), "", "does not match the attributes")
	}
	return Match{Values: map[string]string{}}, nil
}

func (m Match) likely() bool {
	return !slices.ContainsFunc(m.Spans, func(s Span) bool { return s.Segment.Name != "" && !s.Segment.likely(m.Values[s.Segment.Part()]) })
}

// fits is ParseItem for a template that has no placeholder twice.
func (t Template) fits(key string, it Item) bool {
	if t.IsOneWay() {
		_, err := t.compare(key, it.Text)
		return err == nil
	}
	open, err := t.walk(key, true, func(s *Segment, start, end int) error {
		switch {
		case s.Name == "":
			return nil
		case start == end:
			return ErrMissing
		}
		_, err := s.read(key[start:end])
		return err
	})
	if err != nil && open {
		_, err = t.ParseItem(key, it.Text)
	}
	return err == nil
}

// walk calls visit for the part of the key that each segment matches, up to the first occurrence of each
// literal. open reports whether there are others.
func (t Template) walk(key string, known bool, visit func(s *Segment, start, end int) error) (open bool, err error) {
	pos := 0
	for i := range t.segs {
		s := &t.segs[i]
		if s.Optional && pos == len(key) && (i == 0 || !t.segs[i-1].Optional) {
			break
		}
		end := 0
		if s.Name == "" {
			n := commonPrefix(key[pos:], s.Literal)
			switch {
			case n == 0:
				return open, t.mismatch(pos, s.Literal, "expected %q", s.Literal)
			case n < len(s.Literal): // the whole literal: its rest alone is not a word of the schema
				return open, t.mismatch(pos+n, s.Literal, "differs from %q", s.Literal)
			}
			end = pos + n
		} else {
			var more bool
			end, more, err = t.firstEnd(key, i, pos)
			open = open || more || known && end < len(key) && i+1 < len(t.segs) && t.segs[i+1].Optional
			if err != nil {
				return open, err
			}
		}
		if err := visit(s, pos, end); err != nil {
			return open, err
		}
		pos = end
	}
	if pos < len(key) {
		return open, t.mismatch(pos, "", "the key continues after the end of the template")
	}
	return open, nil
}

// firstEnd returns where placeholder i ends if its value does not contain the literal after it; open reports
// whether it may.
func (t Template) firstEnd(key string, i, pos int) (end int, open bool, err error) {
	s := t.segs[i]
	if n, fixed := t.fixed(i); fixed {
		return pos + charactersEnd(key[pos:], n), false, nil // The format reports a value that is too short.
	}
	if i+1 == len(t.segs) {
		return len(key), false, nil
	}
	after := t.After(i)
	if after == "" {
		return pos, true, t.mismatch(pos, s.Name, "nothing tells where {%s} ends", s.Name)
	}
	j := strings.Index(key[pos:], after)
	switch {
	case j >= 0:
		return pos + j, strings.Contains(key[pos+j+1:], after), nil
	case t.segs[i+1].Optional:
		return len(key), false, nil
	default:
		return 0, false, t.mismatch(len(key), after, "the key ends before %q", after)
	}
}

func (t Template) fixed(i int) (int, bool) {
	if n, ok := t.segs[i].Format.Width(); ok {
		return n, true
	}
	if i+1 == len(t.segs) || t.After(i) != "" {
		return 0, false
	}
	return t.segs[i].length()
}

func charactersEnd(text string, n int) int {
	end := 0
	for range n {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return end
}

// The bounds of the work on a key that repeats a separator. A key has at most 2048 bytes, but a
// separator that repeats in it can give exponentially many splits. Beyond the bounds the search
// ends with the splits that it has.
const (
	maxSteps  = 5000
	maxSplits = 32
)

// A splitter finds the splits of a key, the shortest values first, that give every
// placeholder a value that it can have.
type splitter struct {
	Template
	key   string
	known Values // nil if nothing is known

	spans []Span
	steps int
	found []Match
}

func (s *splitter) from(i, pos int) {
	s.steps++
	if s.steps > maxSteps || len(s.found) == maxSplits {
		return
	}
	if i == len(s.segs) || s.segs[i].Optional && pos == len(s.key) && (i == 0 || !s.segs[i-1].Optional) {
		if pos == len(s.key) {
			s.accept()
		}
		return
	}
	seg := s.segs[i]
	place := func(end int) {
		s.spans = append(s.spans, Span{seg, pos, end})
		s.from(i+1, end)
		s.spans = s.spans[:len(s.spans)-1]
	}
	if seg.Name == "" {
		if strings.HasPrefix(s.key[pos:], seg.Literal) {
			place(pos + len(seg.Literal))
		}
		return
	}
	after := s.After(i)
	n, fixed := s.fixed(i)
	switch {
	case fixed:
		place(pos + charactersEnd(s.key[pos:], n))
	case i+1 == len(s.segs):
		place(len(s.key))
	case after == "":
		for end := pos; end < len(s.key); {
			end += charactersEnd(s.key[end:], 1)
			place(end)
		}
	default:
		s.beforeLiteral(pos, after, s.segs[i+1].Optional, place)
	}
}

func (s *splitter) beforeLiteral(pos int, after string, optional bool, place func(end int)) {
	for end := pos; ; end++ {
		j := strings.Index(s.key[end:], after)
		if j < 0 {
			break
		}
		end += j
		place(end)
	}
	if optional {
		place(len(s.key))
	}
}

func (s *splitter) accept() {
	m := Match{Values: make(map[string]string, len(s.segs)), Spans: make([]Span, 0, len(s.spans))}
	for _, span := range s.spans {
		if span.Segment.Name == "" {
			m.Spans = append(m.Spans, span)
			continue
		}
		if m.read(s.Template, span.Segment, s.key, span.Start, span.End) != nil || !s.possible(span, m.Values[span.Segment.Part()]) {
			return
		}
	}
	s.found = append(s.found, m)
}

func (s *splitter) possible(span Span, value string) bool {
	if s.known != nil {
		if v, ok := s.known(span.Segment.Name); ok {
			text, err := span.Segment.Render(v)
			return err == nil && text == s.key[span.Start:span.End]
		}
	}
	return span.Segment.possible(value)
}
