// This file splits pasted text into what can be decoded: a key, a pair of
// keys, or an item as plain or DynamoDB JSON.

package accesspatterns

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// MaxPasted is the longest text that is decoded, in bytes: twice the 400 KB
// that an item may have, which its JSON can take.
const MaxPasted = 800 << 10

// ErrPasted is wrapped by every error of SplitPasted.
var ErrPasted = errors.New("cannot be decoded")

type pastedError struct{ msg string }

func (e *pastedError) Error() string        { return e.msg }
func (e *pastedError) Is(target error) bool { return target == ErrPasted }

// SplitPasted reads what a person pasted: the JSON of an item (plain, or
// DynamoDB's typed JSON, bare or as the CLI prints it under "Item"), or a key.
// A pair of keys is parted by " / ", " | ", a tab or a line break; sort is ""
// without one. Quotes around a key are dropped. The error says what to paste
// instead.
func SplitPasted(text string) (key, sort string, item models.Item, err error) {
	if len(text) > MaxPasted {
		return "", "", nil, &pastedError{fmt.Sprintf("%d KB are too much: an item has 400 KB at most", len(text)>>10)}
	}
	text = strings.Trim(text, " \t\r\n\x00")
	if strings.HasPrefix(text, "{") {
		item, err = readItemJSON(text)
		return "", "", item, err
	}
	for _, gap := range []string{"\n", "\t", " / ", " | "} {
		if a, b, ok := strings.Cut(text, gap); ok {
			return unquote(a), unquote(b), nil, nil
		}
	}
	return unquote(text), "", nil, nil
}

// unquote drops blanks, and quotes that a log or a program put around a key.
func unquote(s string) string {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), ","))
	if n := len(s); n >= 2 && s[0] == s[n-1] && strings.IndexByte("\"'`", s[0]) >= 0 {
		return s[1 : n-1]
	}
	return s
}

func readItemJSON(text string) (models.Item, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var raw map[string]any
	if err := d.Decode(&raw); err != nil {
		return nil, &pastedError{"this starts like an item's JSON, but " + jsonFault(err)}
	}
	if d.More() {
		return nil, &pastedError{"paste one item: there is text after the first"}
	}
	if inner, ok := raw["Item"].(map[string]any); ok && isTyped(inner) {
		raw = inner
	}
	typed := isTyped(raw)
	item := make(models.Item, len(raw))
	for name, v := range raw {
		var value types.AttributeValue
		var err error
		if typed {
			value, err = typedValue(v)
		} else {
			value = plainValue(v)
		}
		if err != nil {
			return nil, &pastedError{fmt.Sprintf("%s: %v", models.PrintableCell(name, 64), err)}
		}
		item[name] = value
	}
	return item, nil
}

func jsonFault(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("it breaks off or is no JSON at character %d", syntax.Offset)
	}
	return "it is cut off: " + err.Error()
}

// isTyped reports whether every value is an object of one type descriptor.
func isTyped(m map[string]any) bool {
	for _, v := range m {
		if _, _, ok := descriptor(v); !ok {
			return false
		}
	}
	return len(m) > 0
}

func descriptor(v any) (models.Type, any, bool) {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return "", nil, false
	}
	for name, inner := range m {
		for _, t := range models.Types() {
			if string(t) == name {
				return t, inner, true
			}
		}
	}
	return "", nil, false
}

// plainValue makes a DynamoDB value of a JSON value.
func plainValue(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case json.Number:
		return &types.AttributeValueMemberN{Value: v.String()}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case map[string]any:
		m := make(map[string]types.AttributeValue, len(v))
		for name, inner := range v {
			m[name] = plainValue(inner)
		}
		return &types.AttributeValueMemberM{Value: m}
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

// typedValue reads {"S": ..}.
func typedValue(v any) (types.AttributeValue, error) {
	t, inner, ok := descriptor(v)
	if !ok {
		return nil, errors.New("is not typed like the others")
	}
	bad := fmt.Errorf("not a value of the type %s", t)
	switch x := inner.(type) {
	case string:
		return typedText(t, x, bad)
	case bool:
		if t == models.TypeBOOL {
			return &types.AttributeValueMemberBOOL{Value: x}, nil
		}
		if t == models.TypeNULL {
			return &types.AttributeValueMemberNULL{Value: x}, nil
		}
	case map[string]any:
		if t == models.TypeM {
			return typedMap(x)
		}
	case []any:
		return typedList(t, x, bad)
	}
	return nil, bad
}

func typedText(t models.Type, x string, bad error) (types.AttributeValue, error) {
	switch t {
	case models.TypeS:
		return &types.AttributeValueMemberS{Value: x}, nil
	case models.TypeN:
		return &types.AttributeValueMemberN{Value: x}, nil
	case models.TypeB:
		b, err := base64.StdEncoding.DecodeString(x)
		if err != nil {
			return nil, fmt.Errorf("binary that is no base64: %w", err)
		}
		return &types.AttributeValueMemberB{Value: b}, nil
	default:
		return nil, bad
	}
}

func typedMap(x map[string]any) (types.AttributeValue, error) {
	m := make(map[string]types.AttributeValue, len(x))
	for name, inner := range x {
		v, err := typedValue(inner)
		if err != nil {
			return nil, err
		}
		m[name] = v
	}
	return &types.AttributeValueMemberM{Value: m}, nil
}

func typedList(t models.Type, x []any, bad error) (types.AttributeValue, error) {
	if t == models.TypeL {
		l := make([]types.AttributeValue, len(x))
		for i, inner := range x {
			v, err := typedValue(inner)
			if err != nil {
				return nil, err
			}
			l[i] = v
		}
		return &types.AttributeValueMemberL{Value: l}, nil
	}
	texts := make([]string, len(x))
	for i, inner := range x {
		s, ok := inner.(string)
		if !ok {
			return nil, bad
		}
		texts[i] = s
	}
	switch t {
	case models.TypeSS:
		return &types.AttributeValueMemberSS{Value: texts}, nil
	case models.TypeNS:
		return &types.AttributeValueMemberNS{Value: texts}, nil
	case models.TypeBS:
		set := make([][]byte, len(texts))
		for i, s := range texts {
			b, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				return nil, fmt.Errorf("binary that is no base64: %w", err)
			}
			set[i] = b
		}
		return &types.AttributeValueMemberBS{Value: set}, nil
	default:
		return nil, bad
	}
}

// typedItem reads DynamoDB's typed JSON, and nothing else.
func typedItem(text []byte) (models.Item, error) {
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("reading an item: %s", jsonFault(err))
	}
	it := make(models.Item, len(m))
	for name, v := range m {
		value, err := typedValue(v)
		if err != nil {
			return nil, err
		}
		it[name] = value
	}
	return it, nil
}
