package accesspatterns

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// MaxPasted is the maximum length in bytes of a text to decode. It is twice the maximum item size of 400 KB, because an
// item's JSON is longer than the item.
const MaxPasted = 800 << 10

// ErrPasted matches every error of SplitPasted. The messages are for the user and do not quote the pasted text.
var ErrPasted = errors.New("cannot be decoded")

type pastedError struct{ msg string }

func (e *pastedError) Error() string        { return e.msg }
func (e *pastedError) Is(target error) bool { return target == ErrPasted }

// maxSplits limits the places where a pasted pair is split, because each costs a comparison with all entities.
const maxSplits = 8

// SplitPasted parses a pasted text: the JSON of an item (plain JSON or DynamoDB JSON, alone or under "Item" as the AWS
// CLI prints it), a key, or a pair of keys separated by " / ", " | ", a tab or a line break. sort is "" unless it is a
// pair. If a key contains a separator, the entities determine where it ends. It removes quotes around a key. Every error
// matches ErrPasted and describes what to paste. For an item, key and sort are "". Numbers in plain JSON keep their
// digits. Without a schema, it may return any text as a key.
func SplitPasted(entities []*models.Entity, text string) (key, sort string, item models.Item, err error) {
	if len(text) > MaxPasted {
		return "", "", nil, &pastedError{fmt.Sprintf("the text has %d KB; an item can have at most 400 KB", len(text)>>10)}
	}
	text = strings.Trim(text, " \t\r\n\x00")
	if strings.HasPrefix(text, "{") {
		item, err = parseItem(text)
		return "", "", item, err
	}
	for _, gap := range []string{"\n", "\t"} {
		if a, b, ok := strings.Cut(text, gap); ok {
			return unquote(a), unquote(b), nil, nil
		}
	}
	key = unquote(text)
	for _, gap := range []string{" / ", " | "} {
		parts := strings.Split(text[:min(len(text), MaxPartitionKey+MaxSortKey)], gap)
		for n := 1; n < min(len(parts), maxSplits); n++ {
			a := strings.Join(parts[:n], gap)
			b := unquote(text[len(a)+len(gap):])
			if a = unquote(a); slices.ContainsFunc(match(entities, a, b).Candidates, func(c Candidate) bool { return c.HasLiteral() }) {
				return a, b, nil, nil
			}
			if sort == "" {
				key, sort = a, b
			}
		}
	}
	return key, sort, nil, nil
}

func unquote(s string) string {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), ","))
	if n := len(s); n >= 2 && s[0] == s[n-1] && strings.IndexByte("\"'`", s[0]) >= 0 {
		return s[1 : n-1]
	}
	return s
}

func parseItem(text string) (models.Item, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var raw map[string]any
	if err := d.Decode(&raw); err != nil {
		return nil, &pastedError{"this starts like the JSON of an item, but " + jsonFault(err)}
	}
	if d.More() {
		return nil, &pastedError{"more text follows the first item; paste one item"}
	}
	if inner, ok := raw["Item"].(map[string]any); ok && isTyped(inner) {
		raw = inner
	}
	if !isTyped(raw) {
		return models.PlainItem(raw), nil
	}
	it, err := models.TypedItem(raw)
	if err != nil {
		return nil, &pastedError{err.Error()}
	}
	return it, nil
}

func jsonFault(err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("it ends early or is not JSON at character %d", syntax.Offset)
	}
	return "it ends early"
}

// isTyped reports whether every value has the form {"S": value}.
func isTyped(m map[string]any) bool {
	for _, v := range m {
		typed, ok := v.(map[string]any)
		if !ok || len(typed) != 1 || !slices.Contains(models.Types(), models.Type(slices.Collect(maps.Keys(typed))[0])) {
			return false
		}
	}
	return len(m) > 0
}

// Pasted returns the parameters of p that a pasted text contains: a key, a pair of keys, or the JSON of an item, as
// SplitPasted accepts them. entity is the entity of the key, nil when the text is not a key; a bare ID is a value, not
// a key. args is empty if the key contains no parameter of p. Values are never guessed. Bind validates the values
// against each other.
func Pasted(p *Pattern, patterns []*Pattern, entities []*models.Entity, text string) (args map[string]string, entity *models.Entity) {
	key, sort, item, err := SplitPasted(entities, text)
	if err != nil {
		return nil, nil
	}
	f := filler{entities: entities}
	add := func(v View) {
		f.view = v
		if found := f.fillSome(p); entity == nil || len(found) > len(args) {
			args, entity = found, v.Entity
		}
	}
	if item != nil {
		tables := map[*models.Table]bool{}
		for _, e := range entities {
			if found, ok := models.Recognize(entities, e.Table, item); ok && !tables[e.Table] {
				add(ItemView(found.Entity, item))
			}
			tables[e.Table] = true
		}
		return args, entity
	}
	for _, c := range Decode(patterns, entities, key, sort).Candidates {
		if sort == "" && !c.HasLiteral() {
			continue
		}
		add(c.view())
	}
	return args, entity
}

// HasLiteral reports whether the key contains literal text of its template. A template that is a single placeholder
// matches any text, even if an optional part may follow.
func (c *Candidate) HasLiteral() bool {
	return slices.ContainsFunc(c.Matches, func(m KeyMatch) bool {
		return slices.ContainsFunc(m.Spans, func(s models.Span) bool {
			return s.Segment.Name == "" && strings.Trim(s.Segment.Literal, "#") != ""
		})
	})
}

func (c *Candidate) view() View {
	keys := map[string]string{}
	for _, m := range c.Matches {
		keys[m.Attribute] = m.Key
	}
	return View{Entity: c.Entity, Values: models.MapValues(c.Values), Keys: keys}
}

// fillSome leaves ranges of times to the user.
func (f *filler) fillSome(p *Pattern) map[string]string {
	args := map[string]string{}
	for _, q := range p.Params {
		if q.Type == Token || q.Name == p.PageParam || q.Type == Timestamp && (!q.Required || q.Default != "") {
			continue
		}
		if choices := f.matchingValues(p, q); len(choices) > 0 {
			args[q.Name] = choices[0].value
		}
	}
	return args
}
