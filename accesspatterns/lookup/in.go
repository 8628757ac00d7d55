package lookup

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// How many words a text may have to be the value of an attribute that any text fits, and to be words of a title.
const (
	idWords    = 3
	proseWords = 8
)

// names reports whether a word is the name of an entity, as in "order 4711".
func (s Schema) names(word string) bool {
	return slices.ContainsFunc(s.Entities, func(e *models.Entity) bool { return strings.EqualFold(e.Name, word) })
}

// Clean returns what a text stands for where one key or ID is wanted: the text itself if it is one or a single word, else the
// most specific one in it.
func Clean(s Schema, text string) string {
	words := tokens(text)
	if len(words) == 1 && words[0] == strings.TrimSpace(text) && !strings.ContainsAny(text, "%/") {
		return text // Where it differs from a key is worth more than what is inside.
	}
	key, _, item, err := accesspatterns.SplitPasted(text)
	spelled := func(c accesspatterns.Candidate) bool { return c.Spelled() && len(c.Warnings) == 0 }
	if r, _ := exactly(s, text); err == nil && item != nil && len(r.Reads) > 0 ||
		item == nil && slices.ContainsFunc(accesspatterns.Decode(nil, s.Entities, key, "").Candidates, spelled) {
		return text
	}
	for _, one := range newPasted(s, tidied(text), text).list {
		if one.found.Best() <= Exact {
			return one.text
		}
	}
	return text
}

// loose reports whether an ID or key seems to have more around it: signs that follow it, a path, or what its format does not
// allow.
func (s Schema) loose(text string) bool {
	text = strings.TrimSpace(text)
	if strings.TrimRight(text, trailing+",;?") != text || strings.HasPrefix(text, "/") {
		return true
	}
	if (strings.ContainsFunc(text, ends) || strings.ContainsAny(text, "/#.") || strings.HasSuffix(text, "-")) &&
		slices.ContainsFunc(s.Entities, func(e *models.Entity) bool {
			a := e.Attribute(e.IDName())
			return a != nil && a.Prefix != "" && a.Format == models.NoFormat && strings.HasPrefix(text, a.Prefix)
		}) {
		return true // Any text fits behind the prefix.
	}
	key, sort, item, err := accesspatterns.SplitPasted(text)
	if err != nil || item != nil || sort != "" {
		return false
	}
	odd := func(c accesspatterns.Candidate) bool {
		for name, value := range c.Values {
			if _, part := c.Partial(name); !part && c.Entity.Attribute(name) != nil && c.Entity.Attribute(name).Check(value) != nil {
				return true
			}
		}
		return len(c.Warnings) > 0
	}
	candidates := accesspatterns.Decode(nil, s.Entities, key, sort).Candidates
	return slices.ContainsFunc(candidates, odd) &&
		!slices.ContainsFunc(candidates, func(c accesspatterns.Candidate) bool { return c.Spelled() && !odd(c) })
}

// In looks a text up: an ID or another value, a key, a pair of keys, or the JSON of an item or of a part of one, as
// accesspatterns.SplitPasted accepts them, or a text that contains one of these: a link, a log line, a page of a query, an event,
// a mail address in any wrapping. An error says why the text can be none of them.
// Reads are ordered by quality, then whole items before partitions, then what is certain before
// what is guessed, then what needs more of the text before what needs less. A result without reads is no error. The errors are those of
// accesspatterns.SplitPasted and CheckKey.
func In(s Schema, text string) (Result, error) {
	if l, ok := Linked(text); ok {
		return l.in(s)
	}
	typed := text
	if text = norm.NFC.String(typed); len(typed) > accesspatterns.MaxPasted {
		text = typed
	}
	r, err := exactly(s, text)
	pair := len(strings.Fields(text)) == 2 && !strings.ContainsAny(strings.TrimSpace(text), "\n\t")
	plain := text
	if len(typed) <= accesspatterns.MaxPasted {
		plain = tidied(text)
	}
	if err == nil && !pair && plain == text && s.isKey(text, r) {
		return r, nil
	}
	prose := len(strings.Fields(text)) > idWords || strings.HasPrefix(text, "arn:")
	if prose && r.Best() == Bare {
		r = Result{Value: r.Value}
	}
	inside, n := within(s, typed, plain, text)
	r.National = inside.National
	switch {
	case n == 0 && prose && legible(plain):
		return r, nil // Lines that are no pair of keys.
	case n == 0:
		return r, err
	case err != nil || r.Best() > inside.Best() || prose || r.Best() == inside.Best() && strings.EqualFold(r.Value, inside.Value):
		if r.Best() > inside.Best() {
			r.Reads = slices.DeleteFunc(r.Reads, func(read Read) bool { return read.Quality == Bare && !read.Whole })
		}
		r.Value, r.Targets, r.Missing = inside.Value, inside.Targets, inside.Missing
	}
	r.From, r.Within, r.Cut = inside.From, inside.Within, inside.Cut || len(inside.Reads)+len(r.Reads) > maxReads
	r.Reads = s.joined(inside.Reads, r.Reads)
	return r, nil
}

// joined returns the reads once, as many as are sent.
func (s Schema) joined(lists ...[]Read) []Read {
	f := &finder{schema: s, seen: map[string]bool{}}
	for _, read := range slices.Concat(lists...) {
		if len(f.result.Reads) < maxReads {
			f.add(read)
		}
	}
	sortReads(f.result.Reads)
	return f.result.Reads
}

// isKey reports whether a text is a key, an item or an ID with a prefix, and nothing else.
func (s Schema) isKey(text string, r Result) bool {
	return (r.Best() == Literal || r.Value == "" && len(r.Reads) > 0) && !r.mixed && !s.loose(text)
}

// names reports whether a piece names an item that another result does not, in any spelling.
func (p piece) names(other Result) bool {
	plain := func(r Read) string { return strings.ToLower(strings.ReplaceAll(r.Fingerprint(), "-", "")) }
	return slices.ContainsFunc(p.found.Reads, func(r Read) bool {
		return r.Whole && r.Sure && !slices.ContainsFunc(other.Reads, func(o Read) bool { return plain(o) == plain(r) })
	})
}

// within returns what the pieces of a text read: the result of the first one, with the reads of all n of them.
func within(s Schema, typed, plain, text string) (inside Result, n int) {
	pieces := newPasted(s, plain, text)
	pieces.add(typed, false) // A key can have decomposed letters.
	for i, one := range pieces.list {
		for j := range one.found.Reads {
			one.found.Reads[j].From = one.from
		}
		if i == 0 {
			inside = one.found
			inside.From = one.from
			object := len(one.from) > 0 && strings.HasPrefix(pieces.whole, "{")
			inside.Within = !one.alone && !one.entire && (object || len(strings.Fields(text)) > 1)
			continue
		}
		inside.Within = inside.Within || one.names(pieces.list[0].found)
		inside.Reads = append(inside.Reads, one.found.Reads...)
	}
	inside.Cut, inside.National = pieces.cut, pieces.national
	return inside, len(pieces.list)
}
