// This file reads the language of the filter.

package sieve

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// ErrUnfinished is matched by the error about a filter that is right as far as
// it goes: what is missing is about to be typed.
var ErrUnfinished = errors.New("unfinished")

// unfinished is an error that ErrUnfinished matches.
type unfinished string

func (e unfinished) Error() string { return string(e) }

func (unfinished) Is(target error) bool { return target == ErrUnfinished }

// Parse reads a filter. Nil without an error means that there is nothing to
// filter by.
//
//	kagiso "two words"        rows that show these texts
//	status:approved           the attribute holds it; of states and numbers, is it
//	status:created,approved   one of them
//	-status:rejected          not that; - goes before words as well
//	amount>100  createdAt>=-7d  updatedAt:today  name="exactly"  name!=x
//	email:?                   the attribute is there
//	.amount > 100             jq; what is no true or false is shown as a column
//
// Times are relative to now; see models.ParseTime.
func Parse(text string, s *Schema, now time.Time) (*Filter, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil, nil
	}
	if IsQuery(trimmed) {
		return parseQuery(strings.TrimSpace(strings.TrimPrefix(trimmed, "|")))
	}
	f := &Filter{}
	for _, tok := range split(trimmed) {
		if err := f.take(tok, s, now); err != nil {
			return nil, err
		}
	}
	if len(f.terms)+len(f.words) == 0 {
		return nil, nil
	}
	f.mayBegin(text, s)
	return f, nil
}

// mayBegin notes whether the last word may become the name of a field.
func (f *Filter) mayBegin(text string, s *Schema) {
	n := len(f.words)
	if n == 0 || f.words[n-1].not || !strings.HasSuffix(strings.ToLower(text), f.words[n-1].text) {
		return
	}
	if _, names := Complete(text, s, 1); len(names) > 0 {
		f.begun = &Filter{terms: f.terms, words: f.words[:n-1], notes: f.notes, beginning: names[0]}
	}
}

// queryBegins are the characters that a jq expression begins with here: a path,
// an object or an array that is made, or a pipe before anything else.
const queryBegins = "|.{["

// IsQuery reports whether a filter is a jq expression, right or not.
func IsQuery(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.IndexByte(queryBegins, text[0]) >= 0
}

// A token is a part of a filter between blanks outside of quotes.
type token struct {
	not    bool
	text   string
	quoted bool // as a whole: it is text, whatever it looks like
}

// split parts a filter into tokens. A quote that is not closed yet reaches to
// the end.
func split(text string) []token {
	var tokens []token
	var b strings.Builder
	inQuotes, started := false, false
	end := func() {
		if started {
			tokens = append(tokens, newToken(b.String()))
		}
		b.Reset()
		started = false
	}
	for _, r := range text {
		switch {
		case r == '"':
			inQuotes, started = !inQuotes, true
			b.WriteRune(r)
		case r == ' ' && !inQuotes:
			end()
		default:
			started = true
			b.WriteRune(r)
		}
	}
	end()
	return tokens
}

func newToken(text string) token {
	rest, not := strings.CutPrefix(text, "-")
	if rest == "" {
		return token{text: text}
	}
	return token{not: not, text: rest, quoted: rest[0] == '"'}
}

var fieldTerm = regexp.MustCompile(`^([\pL_][\pL\pN_.\-]*)(!=|>=|<=|:|=|>|<)(.*)$`)

// take adds what a token asks for.
func (f *Filter) take(tok token, s *Schema, now time.Time) error {
	m := fieldTerm.FindStringSubmatch(tok.text)
	if tok.quoted || m == nil || strings.HasPrefix(m[3], "//") {
		if text := unquote(tok.text); text != "" {
			f.words = append(f.words, word{tok.not, strings.ToLower(text)})
		}
		return nil
	}
	name, op, value := m[1], m[2], m[3]
	field := s.Field(name)
	if field == nil {
		hint := models.DidYouMean(name, s.Names())
		if hint == "" {
			hint = `; put it in quotes to look for the text`
		}
		return fmt.Errorf("no field is called %s%s", models.Printable(name), hint)
	}
	if op == "=" {
		value = strings.TrimPrefix(value, "=")
	}
	match, note, err := field.compile(op, value, now)
	if err != nil {
		return err
	}
	if note != "" {
		f.notes = append(f.notes, note)
	}
	f.terms = append(f.terms, term{tok.not != (op == "!="), match})
	return nil
}

// unquote takes the quotes out of a token.
func unquote(text string) string { return strings.ReplaceAll(text, `"`, "") }

// alternatives are the values between commas outside of quotes.
func alternatives(value string) []string {
	var out []string
	inQuotes := false
	from := 0
	for i, r := range value {
		switch {
		case r == '"':
			inQuotes = !inQuotes
		case r == ',' && !inQuotes:
			out = append(out, unquote(value[from:i]))
			from = i + 1
		}
	}
	out = append(out, unquote(value[from:]))
	kept := out[:0]
	for _, v := range out {
		if v != "" {
			kept = append(kept, v)
		}
	}
	return kept
}

// examples suggests what can stand behind the field's name.
func (f *Field) examples() string {
	switch {
	case len(f.Values) > 0:
		return ", one of " + strings.Join(f.Values[:min(len(f.Values), 5)], ", ")
	case f.Kind == Moment:
		return ", such as today, -7d or 2026-01-14"
	case f.Kind == Boolean:
		return ", true or false"
	}
	return "; ? finds rows that have one"
}
