// This file reads items: exact text of a value, paths into nested attributes,
// and plain JSON that loses no digit.

package models

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An Item is an item as DynamoDB returns it. Numbers stay decimal text.
type Item map[string]types.AttributeValue

// ValueText returns the text of a scalar: a string, a number's digits, true or
// false, base64 of binary. ok is false for documents, sets and NULL.
func ValueText(v types.AttributeValue) (text string, ok bool) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value, true
	case *Masked:
		return v.Value, true
	case *types.AttributeValueMemberN:
		return v.Value, true
	case *types.AttributeValueMemberBOOL:
		return strconv.FormatBool(v.Value), true
	case *types.AttributeValueMemberB:
		return base64.StdEncoding.EncodeToString(v.Value), true
	default:
		return "", false
	}
}

// Text returns the text of the scalar at path; see ValueText.
func (it Item) Text(path string) (string, bool) {
	v, ok := it.At(path)
	if !ok {
		return "", false
	}
	return ValueText(v)
}

// At returns the value at path: an attribute, or a.b.c into maps. An attribute
// whose own name holds the dots wins.
func (it Item) At(path string) (types.AttributeValue, bool) {
	if v, ok := it[path]; ok {
		return v, true
	}
	head, rest, nested := strings.Cut(path, ".")
	v, ok := it[head]
	if !ok || !nested {
		return nil, false
	}
	m, ok := v.(*types.AttributeValueMemberM)
	if !ok {
		return nil, false
	}
	return Item(m.Value).At(rest)
}

// Names returns the item's attribute names in byte order.
func (it Item) Names() []string {
	return it.appendNames(make([]string, 0, len(it)))
}

func (it Item) appendNames(names []string) []string {
	for n := range it {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// ValueType returns DynamoDB's type descriptor of v: S, N, M and so on.
func ValueType(v types.AttributeValue) Type {
	switch v.(type) {
	case *types.AttributeValueMemberS, *Masked:
		return TypeS
	case *types.AttributeValueMemberN:
		return TypeN
	case *types.AttributeValueMemberB:
		return TypeB
	case *types.AttributeValueMemberBOOL:
		return TypeBOOL
	case *types.AttributeValueMemberNULL:
		return TypeNULL
	case *types.AttributeValueMemberM:
		return TypeM
	case *types.AttributeValueMemberL:
		return TypeL
	case *types.AttributeValueMemberSS:
		return TypeSS
	case *types.AttributeValueMemberNS:
		return TypeNS
	case *types.AttributeValueMemberBS:
		return TypeBS
	default:
		return ""
	}
}

// MarshalJSON writes the item as plain JSON: numbers with every digit, sets as
// arrays, binary as base64, names in byte order.
func (it Item) MarshalJSON() ([]byte, error) {
	return it.AppendJSON(nil), nil
}

// AppendJSON appends what MarshalJSON writes to dst.
func (it Item) AppendJSON(dst []byte) []byte {
	return appendMap(dst, it, AppendValueJSON)
}

// AppendDynamoDBJSON appends the item in DynamoDB's typed JSON:
// {"status":{"S":"created"}}.
func (it Item) AppendDynamoDBJSON(dst []byte) []byte {
	return appendMap(dst, it, AppendTypedJSON)
}

type appendFunc func([]byte, types.AttributeValue) []byte

func appendMap(dst []byte, it Item, value appendFunc) []byte {
	var room [24]string // Most items have fewer attributes: their names are not allocated.
	dst = append(dst, '{')
	for i, n := range it.appendNames(room[:0]) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, n), ':')
		dst = value(dst, it[n])
	}
	return append(dst, '}')
}

func appendList(dst []byte, n int, element func([]byte, int) []byte) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, i)
	}
	return append(dst, ']')
}

func appendString(dst []byte, s string) []byte {
	if plain(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// A string always encodes; invalid UTF-8 becomes U+FFFD.
	_ = e.Encode(s)
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// plain reports whether s stands in JSON as it is: most keys and values do.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func appendBytes(dst, b []byte) []byte {
	return appendString(dst, base64.StdEncoding.EncodeToString(b))
}

// AppendValueJSON appends v as plain JSON; see Item.MarshalJSON.
func AppendValueJSON(dst []byte, v types.AttributeValue) []byte {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return appendString(dst, v.Value)
	case *Masked:
		return appendString(dst, v.Value)
	case *types.AttributeValueMemberN:
		return append(dst, jsonNumber(v.Value)...)
	case *types.AttributeValueMemberB:
		return appendBytes(dst, v.Value)
	case *types.AttributeValueMemberBOOL:
		return strconv.AppendBool(dst, v.Value)
	case *types.AttributeValueMemberM:
		return appendMap(dst, v.Value, AppendValueJSON)
	case *types.AttributeValueMemberL:
		return appendList(dst, len(v.Value), func(d []byte, i int) []byte { return AppendValueJSON(d, v.Value[i]) })
	case *types.AttributeValueMemberSS:
		return appendList(dst, len(v.Value), func(d []byte, i int) []byte { return appendString(d, v.Value[i]) })
	case *types.AttributeValueMemberNS:
		return appendList(dst, len(v.Value), func(d []byte, i int) []byte { return append(d, jsonNumber(v.Value[i])...) })
	case *types.AttributeValueMemberBS:
		return appendList(dst, len(v.Value), func(d []byte, i int) []byte { return appendBytes(d, v.Value[i]) })
	default:
		return append(dst, "null"...)
	}
}

// jsonNumber returns n when it is a JSON number, else n as a JSON string: a
// server that sends something else must not make the output invalid.
func jsonNumber(n string) []byte {
	if json.Valid([]byte(n)) && n != "" && (n[0] == '-' || n[0] >= '0' && n[0] <= '9') {
		return []byte(n)
	}
	return appendString(nil, n)
}

// AppendTypedJSON appends v in DynamoDB's typed JSON.
func AppendTypedJSON(dst []byte, v types.AttributeValue) []byte {
	t := ValueType(v)
	if t == "" {
		return append(dst, "null"...)
	}
	dst = append(append(dst, `{"`...), t...)
	dst = append(dst, `":`...)
	switch v := v.(type) {
	case *types.AttributeValueMemberN:
		dst = appendString(dst, v.Value)
	case *types.AttributeValueMemberNULL:
		dst = strconv.AppendBool(dst, v.Value)
	case *types.AttributeValueMemberM:
		dst = appendMap(dst, v.Value, AppendTypedJSON)
	case *types.AttributeValueMemberL:
		dst = appendList(dst, len(v.Value), func(d []byte, i int) []byte { return AppendTypedJSON(d, v.Value[i]) })
	case *types.AttributeValueMemberNS:
		dst = appendList(dst, len(v.Value), func(d []byte, i int) []byte { return appendString(d, v.Value[i]) })
	default:
		dst = AppendValueJSON(dst, v)
	}
	return append(dst, '}')
}

// ParseKeyJSON reads a primary key in DynamoDB's typed JSON, as
// AppendDynamoDBJSON writes it: S, N and B only.
func ParseKeyJSON(text []byte) (Item, error) {
	var typed map[string]map[Type]string
	if err := json.Unmarshal(text, &typed); err != nil {
		return nil, fmt.Errorf("reading a key: %w", err)
	}
	it := make(Item, len(typed))
	for name, v := range typed {
		if len(v) != 1 {
			return nil, fmt.Errorf("reading a key: %s needs one type and its value", Printable(name))
		}
		for t, s := range v {
			value, err := keyValue(t, s)
			if err != nil {
				return nil, fmt.Errorf("reading a key: %s: %w", Printable(name), err)
			}
			it[name] = value
		}
	}
	return it, nil
}

func keyValue(t Type, text string) (types.AttributeValue, error) {
	switch t {
	case TypeS, TypeN:
		return ScalarValue(t, text)
	case TypeB:
		b, err := base64.StdEncoding.DecodeString(text)
		return &types.AttributeValueMemberB{Value: b}, err
	default:
		return nil, fmt.Errorf("%q is no type of a key: S, N or B", Printable(string(t)))
	}
}
