package rows

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// ErrIncomplete matches the error for a filter that is valid so far but incomplete. While the user types, the console
// shows it as a hint instead of an error.
var ErrIncomplete = errors.New("incomplete filter")

// incompleteError is an error that ErrIncomplete matches.
type incompleteError string

func (e incompleteError) Error() string { return string(e) }

func (incompleteError) Is(target error) bool { return target == ErrIncomplete }

// Parse parses a filter. It returns nil without an error for an empty text.
//
//	kagiso "two words"        rows that contain these texts
//	status:approved           the attribute contains the text; states and numbers equal it
//	status:created,approved   either value
//	-status:rejected          negation, also for words
//	amount>100  createdAt>=-7d  updatedAt:today  name="exactly"  name!=x
//	email:?                   the attribute exists
//	"first name":kagiso       an attribute whose name contains a space
//
// Times are relative to now; see models.ParseTime. The error contains the attribute and the input. Words and names
// ignore case. If s has no entities, only words and key attributes work.
func Parse(text string, s *Fields, now time.Time) (*Filter, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil, nil
	}
	f := &Filter{}
	for _, tok := range split(trimmed) {
		if err := f.addToken(tok, s, now); err != nil {
			return nil, err
		}
	}
	if len(f.conditions)+len(f.words) == 0 {
		return nil, nil
	}
	f.findPending(text, s)
	return f, nil
}

func (f *Filter) findPending(text string, s *Fields) {
	n := len(f.words)
	if n == 0 || f.words[n-1].negated || !strings.HasSuffix(strings.ToLower(text), f.words[n-1].text) {
		return
	}
	if _, names := Complete(text, s, 1); len(names) > 0 {
		f.shorter = &Filter{conditions: f.conditions, words: f.words[:n-1], notes: f.notes, pending: names[0]}
	}
}

// A token is a part of a filter between spaces outside of quotes.
type token struct {
	negated bool
	text    string
}

func split(text string) []token {
	var tokens []token
	var b strings.Builder
	inQuotes, started := false, false
	endToken := func() {
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
			endToken()
		default:
			started = true
			b.WriteRune(r)
		}
	}
	endToken()
	return tokens
}

func newToken(text string) token {
	rest, negated := strings.CutPrefix(text, "-")
	if rest == "" {
		return token{text: text}
	}
	return token{negated: negated, text: rest}
}

// conditionSyntax matches a condition. A name with other characters, such as a space, must be quoted.
var conditionSyntax = models.LazyRegexp(`^("[^"]+"|[\pL\pN_][\pL\pN_.\-]*)(!=|>=|<=|:|=|>|<)(.*)$`)

func (f *Filter) addToken(tok token, s *Fields, now time.Time) error {
	m := conditionSyntax().FindStringSubmatch(tok.text)
	if m == nil || strings.HasPrefix(m[3], "//") || s.field(unquote(m[1])) == nil && mayBeText(m[1]) {
		if text := unquote(tok.text); text != "" {
			f.words = append(f.words, word{tok.negated, strings.ToLower(text)})
		}
		return nil
	}
	name, op, value := unquote(m[1]), m[2], m[3]
	field := s.field(name)
	if field == nil {
		hint := models.DidYouMean(name, s.names())
		if hint == "" {
			hint = `; quote it to search for the text`
		}
		return fmt.Errorf("no attribute %q%s", models.Printable(name), hint)
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
	f.conditions = append(f.conditions, condition{tok.negated != (op == "!="), match})
	return nil
}

// mayBeText reports whether the text before an operator may be plain text, such as quoted text or the hour in 10:30. It
// is a name only if a field has this name.
func mayBeText(name string) bool { return name[0] == '"' || name[0] >= '0' && name[0] <= '9' }

func unquote(text string) string { return strings.ReplaceAll(text, `"`, "") }

func splitAlternatives(value string) []string {
	var out []string
	from, inQuotes := 0, false
	for i, r := range value + "," {
		switch {
		case r == '"':
			inQuotes = !inQuotes
		case r == ',' && (!inQuotes || i == len(value)):
			if v := unquote(value[from:i]); v != "" {
				out = append(out, v)
			}
			from = i + 1
		}
	}
	return out
}

func (f *field) valueHint() string {
	switch {
	case len(f.values) > 5:
		return "; for example " + strings.Join(f.values[:5], ", ")
	case len(f.values) > 0:
		return "; use one of " + strings.Join(f.values, ", ")
	case f.kind == timeField:
		return "; for example today, -7d or 2026-01-14"
	case f.kind == boolField:
		return "; use true or false"
	}
	return fmt.Sprintf("; %s:? finds rows that have one", f.path)
}
