package accesspatterns

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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

// SplitPasted parses a pasted text: the JSON of an item (plain JSON or DynamoDB JSON, alone or under "Item" as the AWS
// CLI prints it), a key, or a pair of keys separated by " / ", " | ", a tab or a line break. sort is "" unless it is a
// pair. It removes quotes around a key. Every error matches ErrPasted and describes what to paste. For an item, key and
// sort are "". Numbers in plain JSON keep their digits. Without a schema, it may return any text as a key.
func SplitPasted(text string) (key, sort string, item models.Item, err error) {
	if len(text) > MaxPasted {
		return "", "", nil, &pastedError{fmt.Sprintf("%d KB is too much; an item has at most 400 KB", len(text)>>10)}
	}
	text = strings.Trim(text, " \t\r\n\x00")
	if strings.HasPrefix(text, "{") {
		item, err = parseItem(text)
		return "", "", item, err
	}
	for _, gap := range []string{"\n", "\t", " / ", " | "} {
		if a, b, ok := strings.Cut(text, gap); ok {
			return unquote(a), unquote(b), nil, nil
		}
	}
	return unquote(text), "", nil, nil
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
		return plainMap(raw), nil
	}
	it, err := typedMap(raw)
	if err != nil {
		return nil, &pastedError{err.Error()}
	}
	return it, nil
}

func jsonFault(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("it ends early or is not JSON at character %d", syntax.Offset)
	}
	return "it ends early: " + err.Error()
}

func isTyped(m map[string]any) bool {
	for _, v := range m {
		if _, _, ok := descriptor(v); !ok {
			return false
		}
	}
	return len(m) > 0
}

// descriptor splits {"S": value}.
func descriptor(v any) (t models.Type, value any, ok bool) {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return "", nil, false
	}
	for name, inner := range m {
		t, value = models.Type(name), inner
	}
	return t, value, slices.Contains(models.Types(), t)
}

func plainMap(m map[string]any) models.Item {
	it := make(models.Item, len(m))
	for name, v := range m {
		it[name] = plainValue(v)
	}
	return it
}

func plainValue(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case json.Number:
		return &types.AttributeValueMemberN{Value: v.String()}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case map[string]any:
		return &types.AttributeValueMemberM{Value: plainMap(v)}
	case []any:
		l := make([]types.AttributeValue, len(v))
		for i, inner := range v {
			l[i] = plainValue(inner)
		}
		return &types.AttributeValueMemberL{Value: l}
	default:
		return &types.AttributeValueMemberNULL{Value: true}
	}
}

// ParseTypedItem parses an item in DynamoDB JSON, the format of the AWS CLI. Unlike models.ParseItem it does not
// normalize values, so that an item that ddbdesk wrote is read back unchanged.
func ParseTypedItem(text []byte) (models.Item, error) {
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("reading an item: %s", jsonFault(err))
	}
	return typedMap(m)
}

func typedMap(m map[string]any) (models.Item, error) {
	it := make(models.Item, len(m))
	for name, v := range m {
		value, err := typedValue(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", models.PrintableCell(name, 64), err)
		}
		it[name] = value
	}
	return it, nil
}

func typedValue(v any) (types.AttributeValue, error) {
	t, inner, ok := descriptor(v)
	if !ok {
		return nil, errors.New("the value has no type")
	}
	switch t {
	case models.TypeS, models.TypeN, models.TypeB:
		if s, ok := inner.(string); ok {
			return typedText(t, s)
		}
	case models.TypeBOOL, models.TypeNULL:
		b, ok := inner.(bool)
		if ok && t == models.TypeBOOL {
			return &types.AttributeValueMemberBOOL{Value: b}, nil
		}
		if ok {
			return &types.AttributeValueMemberNULL{Value: b}, nil
		}
	case models.TypeM:
		if m, ok := inner.(map[string]any); ok {
			it, err := typedMap(m)
			return &types.AttributeValueMemberM{Value: it}, err
		}
	default:
		if list, ok := inner.([]any); ok {
			return typedList(t, list)
		}
	}
	return nil, wrongType(t)
}

func wrongType(t models.Type) error { return fmt.Errorf("the value is not of type %s", t) }

func typedText(t models.Type, text string) (types.AttributeValue, error) {
	switch t {
	case models.TypeS:
		return &types.AttributeValueMemberS{Value: text}, nil
	case models.TypeN:
		return &types.AttributeValueMemberN{Value: text}, nil
	default:
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("the binary value is not base64: %w", err)
		}
		return &types.AttributeValueMemberB{Value: b}, nil
	}
}

func typedList(t models.Type, list []any) (types.AttributeValue, error) {
	if t == models.TypeL {
		l := make([]types.AttributeValue, len(list))
		for i, inner := range list {
			v, err := typedValue(inner)
			if err != nil {
				return nil, err
			}
			l[i] = v
		}
		return &types.AttributeValueMemberL{Value: l}, nil
	}
	texts, binary := make([]string, len(list)), make([][]byte, len(list))
	for i, inner := range list {
		s, ok := inner.(string)
		if !ok {
			return nil, wrongType(t)
		}
		texts[i] = s
		if t == models.TypeBS {
			v, err := typedText(models.TypeB, s)
			if err != nil {
				return nil, err
			}
			binary[i] = v.(*types.AttributeValueMemberB).Value
		}
	}
	switch t {
	case models.TypeSS:
		return &types.AttributeValueMemberSS{Value: texts}, nil
	case models.TypeNS:
		return &types.AttributeValueMemberNS{Value: texts}, nil
	default:
		return &types.AttributeValueMemberBS{Value: binary}, nil
	}
}

// Pasted returns the parameters of p that a pasted text contains: a key, a pair of keys, or the JSON of an item, as
// SplitPasted accepts them. entity is the entity of the key, nil when the text is not a key; a bare ID is a value, not
// a key. args is empty if the key contains no parameter of p. Values are never guessed. Bind validates the values
// against each other.
func Pasted(p *Pattern, patterns []*Pattern, entities []*models.Entity, text string) (args map[string]string, entity *models.Entity) {
	key, sort, item, err := SplitPasted(text)
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
		tried := map[*models.Table]bool{}
		for _, e := range entities {
			if found, ok := models.Recognize(entities, e.Table, item); ok && !tried[e.Table] {
				add(ItemView(found.Entity, item))
			}
			tried[e.Table] = true
		}
		return args, entity
	}
	for _, c := range Decode(patterns, entities, key, sort).Candidates {
		if sort == "" && !c.Spelled() {
			continue
		}
		add(c.view())
	}
	return args, entity
}

// Spelled reports whether the key contains literal text of its template. A template that is a single placeholder
// matches any text.
func (c *Candidate) Spelled() bool {
	for _, m := range c.Matches {
		for _, seg := range m.Template.Segments() {
			if seg.Name == "" && strings.Trim(seg.Literal, "#") != "" {
				return true
			}
		}
	}
	return false
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
		if options := f.matchingValues(p, q); len(options) > 0 {
			args[q.Name] = options[0].value
		}
	}
	return args
}
