package models

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Parse splits a key into its placeholders. A placeholder extends to the first occurrence of the next literal that
// leaves a documented value for every placeholder, and the last one extends to the end of the key. The error is a
// *Mismatch, and the Match then has no values. A time is in the attribute's own format if the key contains all of it.
func (t Template) Parse(key string) (Match, error) { return t.ParseItem(key, nil) }

// ParseItem is like Parse, but for the key of an item with known attributes. If a value contains the literal after its
// placeholder, the attributes determine where the value ends.
func (t Template) ParseItem(key string, known Values) (Match, error) {
	if t.IsOneWay() {
		return t.compareDigest(key, known)
	}
	m := Match{Values: make(map[string]string, len(t.segs)), Spans: make([]Span, 0, len(t.segs))}
	open, err := t.walk(key, known != nil, func(s *Segment, start, end int) error {
		if s.Name == "" {
			m.Spans = append(m.Spans, Span{*s, start, end})
			return nil
		}
		return m.read(t, *s, key, start, end, known)
	})
	if err != nil {
		m = Match{}
	}
	if !open && !t.isInner() {
		return m, err
	}
	s := splitter{Template: t, key: key, known: known}
	if len(key) <= maxKey {
		s.splitFrom(0, 0, 0)
	}
	found := s.found
	if t.isInner() {
		separate := slices.DeleteFunc(slices.Clone(found), func(m Match) bool { return !t.separates(key, m) })
		if len(separate) > 0 {
			found = separate
		}
	}
	if len(found) == 0 {
		m.Ambiguous = open
		return m, err
	}
	best := found[max(slices.IndexFunc(found, Match.isLikely), 0)]
	best.Ambiguous = len(found) > 1
	return best, nil
}

// separates reports whether no value of the match contains the literal after its placeholder.
func (t Template) separates(key string, m Match) bool {
	return !slices.ContainsFunc(m.Spans, func(s Span) bool {
		return s.Segment.Name != "" && slices.ContainsFunc(s.Segment.after, func(after string) bool {
			return strings.Contains(key[s.Start:s.End], after)
		})
	})
}

// compareDigest is ParseItem for a digest: it matches if the item's attributes make the same key, without values.
func (t Template) compareDigest(key string, known Values) (Match, error) {
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

func (m Match) isLikely() bool {
	return !slices.ContainsFunc(m.Spans, func(s Span) bool {
		return s.Segment.Name != "" &&
			!s.Segment.isLikely(m.Values[s.Segment.PartName()])
	})
}

// matchesKey is ParseItem for a template without a repeated placeholder.
func (t Template) matchesKey(key string, it Item) bool {
	if t.IsOneWay() || t.isInner() {
		_, err := t.ParseItem(key, it.Text)
		return err == nil
	}
	open, err := t.walk(key, true, func(s *Segment, start, end int) error {
		switch {
		case s.Name == "":
			return nil
		case start == end:
			if !s.mayEndEmpty(key, end, it.Text) {
				return ErrMissing
			}
			return nil
		}
		_, err := s.read(key[start:end])
		return err
	})
	if err != nil && open {
		_, err = t.ParseItem(key, it.Text)
	}
	return err == nil
}

// walk visits the part of the key that each segment matches, up to the first literal that may follow it. It includes an
// optional part if the key continues with that part's first literal. open reports whether other splits exist.
func (t Template) walk(key string, known bool, visit func(s *Segment, start, end int) error) (open bool, err error) {
	pos := 0
	for i := t.enter(0, key); i < len(t.segs); {
		s := &t.segs[i]
		end := 0
		if s.Name == "" {
			n := commonPrefix(key[pos:], s.Literal)
			switch {
			case n == 0:
				return open, t.mismatch(pos, s.Literal, "expected %q", s.Literal)
			case n < len(s.Literal): // the whole literal, because a fragment of it means nothing to the user
				return open, t.mismatch(pos+n, s.Literal, "differs from %q", s.Literal)
			}
			end = pos + n
		} else {
			var more bool
			end, more, err = t.firstEnd(key, i, pos)
			open = open || more || known && end < len(key) && (s.last || len(s.after) > 1)
			if err != nil {
				return open, err
			}
		}
		if err := visit(s, pos, end); err != nil {
			return open, err
		}
		pos = end
		i = t.enter(i+1, key[pos:])
	}
	if pos < len(key) {
		return open, t.mismatch(pos, "", "the key continues after the end of the template")
	}
	return open, nil
}

// enter returns the segment with which the rest of a key begins: i, or the first one after the absent options at i.
func (t Template) enter(i int, rest string) int {
	for _, o := range t.options {
		if o.start != i {
			continue
		}
		s := t.segs[i]
		begins := rest != "" && (s.Name != "" || strings.HasPrefix(rest, s.Literal))
		if begins || rest != "" && o.end == len(t.segs) { // The rest of the key has no other place.
			continue
		}
		i = o.end
	}
	return i
}

// firstEnd returns where placeholder i ends at the literal after it; open reports whether its value may contain it.
func (t Template) firstEnd(key string, i, pos int) (end int, open bool, err error) {
	s := &t.segs[i]
	if n, fixed := s.fixedLength(); fixed {
		return pos + charactersEnd(key[pos:], n), false, nil // The format reports a value that is too short.
	}
	switch {
	case s.adjoins:
		return pos, true, t.mismatch(pos, s.Name, "the end of {%s} is ambiguous", s.Name)
	case len(s.after) == 0:
		return len(key), false, nil
	}
	first, after := -1, ""
	for _, literal := range s.after {
		if j := strings.Index(key[pos:], literal); j >= 0 && (first < 0 || j < first) {
			first, after = j, literal
		}
	}
	switch {
	case first >= 0:
		return pos + first, strings.Contains(key[pos+first+1:], after), nil
	case s.last:
		return len(key), false, nil
	default:
		return 0, false, t.mismatch(len(key), s.after[0], "the key ends before %q", s.after[0])
	}
}

func (s *Segment) fixedLength() (int, bool) {
	if n, ok := s.Format.Width(); ok || !s.adjoins {
		return n, ok
	}
	return s.length()
}

func charactersEnd(text string, n int) int {
	end := 0
	for range n {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return end
}

// These limits bound the work for a text that repeats a separator, which can allow exponentially many splits. A longer
// text than maxKey is not a key. When the search reaches another limit, it returns the splits found so far.
const (
	maxKey    = 2048 // bytes; Source: Amazon DynamoDB Developer Guide, "Quotas"
	maxSteps  = 5000
	maxSplits = 32
)

// A splitter finds the splits of a key that give every placeholder a possible value, starting with the shortest values.
type splitter struct {
	Template
	key   string
	known Values // known values, or nil

	spans []Span
	steps int
	found []Match
}

// splitFrom continues at segment i, after entering its first options.
func (s *splitter) splitFrom(i, entered, pos int) {
	s.steps++
	if s.steps > maxSteps || len(s.found) == maxSplits {
		return
	}
	for _, o := range s.options {
		if o.start != i {
			continue
		}
		if entered--; entered < 0 {
			s.splitFrom(i, s.outerOptions(i, o)+1, pos)
			s.splitFrom(o.end, 0, pos)
			return
		}
	}
	if i == len(s.segs) {
		if pos == len(s.key) {
			s.addMatch()
		}
		return
	}
	seg := s.segs[i]
	place := func(end int) {
		s.spans = append(s.spans, Span{seg, pos, end})
		s.splitFrom(i+1, 0, end)
		s.spans = s.spans[:len(s.spans)-1]
	}
	if seg.Name == "" {
		if strings.HasPrefix(s.key[pos:], seg.Literal) {
			place(pos + len(seg.Literal))
		}
		return
	}
	if n, fixed := seg.fixedLength(); fixed {
		place(pos + charactersEnd(s.key[pos:], n))
		return
	}
	for end := pos; end < len(s.key); end += charactersEnd(s.key[end:], 1) {
		ends := func(literal string) bool { return strings.HasPrefix(s.key[end:], literal) }
		if seg.adjoins && end > pos || slices.ContainsFunc(seg.after, ends) {
			place(end)
		}
	}
	if seg.last || seg.adjoins {
		place(len(s.key))
	}
}

func (s *splitter) outerOptions(i int, o option) int {
	n := 0
	for at := o.outer; at >= 0 && s.options[at].start == i; at = s.options[at].outer {
		n++
	}
	return n
}

func (s *splitter) addMatch() {
	m := Match{Values: make(map[string]string, len(s.segs)), Spans: make([]Span, 0, len(s.spans))}
	for _, span := range s.spans {
		if span.Segment.Name == "" {
			m.Spans = append(m.Spans, span)
			continue
		}
		if m.read(s.Template, span.Segment, s.key, span.Start, span.End, s.known) != nil ||
			!s.isPossible(span, m.Values[span.Segment.PartName()]) {
			return
		}
	}
	s.found = append(s.found, m)
}

func (s *splitter) isPossible(span Span, value string) bool {
	if s.known != nil {
		if v, ok := s.known(span.Segment.Name); ok {
			text, err := span.Segment.Render(v)
			return err == nil && text == s.key[span.Start:span.End]
		}
	}
	return span.Segment.isPossible(value)
}
