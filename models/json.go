package models

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// MarshalJSON writes the item as plain JSON: numbers with every digit, sets as arrays, binary as base64, and names in
// byte order. The error is always nil. A reader that parses numbers as float64 loses digits; Item.AppendDynamoDBJSON
// writes numbers as strings.
func (it Item) MarshalJSON() ([]byte, error) {
	return it.AppendJSON(nil), nil
}

// AppendJSON appends the JSON of MarshalJSON to dst.
func (it Item) AppendJSON(dst []byte) []byte {
	return appendMap(dst, it, AppendValueJSON)
}

// AppendDynamoDBJSON appends the item in DynamoDB's typed JSON: {"status":{"S":"created"}}. The AWS CLI and ParseItem
// read this form. It writes masked values as strings, so a reader cannot recognize them as masked.
func (it Item) AppendDynamoDBJSON(dst []byte) []byte {
	return appendMap(dst, it, AppendTypedJSON)
}

func appendMap(dst []byte, it Item, value func([]byte, types.AttributeValue) []byte) []byte {
	var buffer [24]string // Most items have fewer attributes, so their names need no allocation.
	dst = append(dst, '{')
	for i, n := range it.appendNames(buffer[:0]) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, n), ':')
		dst = value(dst, it[n])
	}
	return append(dst, '}')
}

func appendList[T any](dst []byte, list []T, element func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, v)
	}
	return append(dst, ']')
}

func appendString(dst []byte, s string) []byte {
	if needsNoEscape(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // A string always encodes; invalid UTF-8 becomes U+FFFD.
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// needsNoEscape also rejects two Unicode line breaks, because encoding/json escapes them for JavaScript.
func needsNoEscape(s string) bool {
	if IndexJSONEscape(s, 0) < len(s) {
		return false
	}
	return IndexNonPrintable(s, 0) == len(s) || utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}

func appendBytes(dst, b []byte) []byte {
	return appendString(dst, base64.StdEncoding.EncodeToString(b))
}

// appendNumber writes a string if a faulty server sent an invalid number, so that the output stays valid.
func appendNumber(dst []byte, n string) []byte {
	if isPlainNumber(n) || json.Valid([]byte(n)) && n != "" && (n[0] == '-' || n[0] >= '0' && n[0] <= '9') {
		return append(dst, n...)
	}
	return appendString(dst, n)
}

func isPlainNumber(n string) bool {
	whole, decimals, hasPoint := strings.Cut(strings.TrimPrefix(n, "-"), ".")
	return isDigits(whole) && (whole[0] != '0' || whole == "0") && (!hasPoint || isDigits(decimals))
}

// AppendValueJSON appends v as plain JSON; see Item.MarshalJSON.
func AppendValueJSON(dst []byte, v types.AttributeValue) []byte {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return appendString(dst, v.Value)
	case *Masked:
		return appendString(dst, v.Value)
	case *types.AttributeValueMemberN:
		return appendNumber(dst, v.Value)
	case *types.AttributeValueMemberB:
		return appendBytes(dst, v.Value)
	case *types.AttributeValueMemberBOOL:
		return strconv.AppendBool(dst, v.Value)
	case *types.AttributeValueMemberM:
		return appendMap(dst, v.Value, AppendValueJSON)
	case *types.AttributeValueMemberL:
		return appendList(dst, v.Value, AppendValueJSON)
	case *types.AttributeValueMemberSS:
		return appendList(dst, v.Value, appendString)
	case *types.AttributeValueMemberNS:
		return appendList(dst, v.Value, appendNumber)
	case *types.AttributeValueMemberBS:
		return appendList(dst, v.Value, appendBytes)
	default:
		return append(dst, "null"...)
	}
}

// AppendTypedJSON appends v in DynamoDB's typed JSON. It writes null if v is nil.
func AppendTypedJSON(dst []byte, v types.AttributeValue) []byte {
	t := ValueType(v)
	if t == "" {
		return append(dst, "null"...)
	}
	dst = append(append(append(dst, `{"`...), t...), `":`...)
	switch v := v.(type) {
	case *types.AttributeValueMemberN:
		dst = appendString(dst, v.Value)
	case *types.AttributeValueMemberNULL:
		dst = strconv.AppendBool(dst, v.Value)
	case *types.AttributeValueMemberM:
		dst = appendMap(dst, v.Value, AppendTypedJSON)
	case *types.AttributeValueMemberL:
		dst = appendList(dst, v.Value, AppendTypedJSON)
	case *types.AttributeValueMemberNS:
		dst = appendList(dst, v.Value, appendString)
	default:
		dst = AppendValueJSON(dst, v)
	}
	return append(dst, '}')
}

// ParseKeyJSON reads a primary key of S, N and B attributes in DynamoDB's typed JSON, as AppendDynamoDBJSON writes it.
// The caller must check the names, because the table is not an argument. The error names the attribute and, for a
// number or a binary, quotes the value.
func ParseKeyJSON(text []byte) (Item, error) {
	var typed map[string]map[Type]string
	if err := json.Unmarshal(text, &typed); err != nil {
		return nil, fmt.Errorf("read key JSON: %w", err)
	}
	it := make(Item, len(typed))
	for name, v := range typed {
		if len(v) != 1 {
			return nil, fmt.Errorf("key attribute %s: needs exactly one type with its value", Printable(name))
		}
		for t, s := range v {
			value, err := ScalarValue(t, s)
			if t != TypeS && t != TypeN && t != TypeB {
				err = fmt.Errorf("%q is not a key type; use S, N or B", Printable(string(t)))
			}
			if err != nil {
				return nil, fmt.Errorf("key attribute %s: %w", Printable(name), err)
			}
			it[name] = value
		}
	}
	return it, nil
}

// ParseItem reads an item in DynamoDB JSON, such as {"PK": {"S": "USER#1"}}. Numbers keep their digits. The error names
// the attribute and never quotes its value. Sets must not be empty, because DynamoDB does not support empty sets.
// Binary is base64 with padding. Booleans may be strings, and numbers may be unquoted, because people write them that
// way.
func ParseItem(text []byte) (Item, error) {
	var raw map[string]any
	switch err := DecodeJSON(string(text), &raw); {
	case errors.Is(err, errMoreText):
		return nil, errors.New("text follows the item")
	case errors.As(err, new(*FaultError)):
		return nil, err
	case err != nil:
		return nil, errors.New("the text is not an item in DynamoDB JSON")
	}
	return TypedItem(raw)
}

var errMoreText = errors.New("text follows the JSON")

// A FaultError is the error of valid JSON that does not have one meaning; see JSONFault.
type FaultError struct{ Fault string }

func (e *FaultError) Error() string { return "the JSON " + e.Fault }

// DecodeJSON decodes a text with one JSON value and nothing else. It decodes numbers as json.Number, with all digits.
// It returns a *FaultError for a text with a fault that encoding/json repairs.
func DecodeJSON(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errMoreText
	}
	if fault := JSONFault([]byte(text)); fault != "" {
		return &FaultError{fault}
	}
	return nil
}

// TypedItem converts decoded DynamoDB JSON, whose numbers may be json.Number, to an item. It returns the same errors as
// ParseItem, and neither changes nor keeps raw.
func TypedItem(raw map[string]any) (Item, error) {
	it := make(Item, len(raw))
	for name, v := range raw {
		value, err := typedValue(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", Printable(name), err)
		}
		it[name] = value
	}
	return it, nil
}

func typedValue(raw any) (types.AttributeValue, error) {
	typed, ok := raw.(map[string]any)
	if !ok || len(typed) != 1 {
		return nil, errors.New(`needs exactly one type with its value, such as {"S": "text"}`)
	}
	for t, v := range typed {
		switch t := Type(t); t {
		case TypeM:
			fields, ok := v.(map[string]any)
			if !ok {
				return nil, errors.New("type M needs an object")
			}
			m, err := TypedItem(fields)
			return &types.AttributeValueMemberM{Value: m}, err
		case TypeL:
			list, ok := v.([]any)
			if !ok {
				return nil, errors.New("type L needs a list")
			}
			out := make([]types.AttributeValue, len(list))
			for i, element := range list {
				var err error
				if out[i], err = typedValue(element); err != nil {
					return nil, fmt.Errorf("element %d: %w", i, err)
				}
			}
			return &types.AttributeValueMemberL{Value: out}, nil
		case TypeSS, TypeNS, TypeBS:
			return typedSet(t, v)
		case TypeBOOL, TypeNULL:
			value, ok := v.(bool)
			if text, isText := v.(string); isText { // as in Python and in hand-written files
				value, ok = strings.EqualFold(text, "true"), strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
			}
			if !ok {
				return nil, fmt.Errorf("type %s needs true or false", t)
			}
			if t == TypeNULL {
				return &types.AttributeValueMemberNULL{Value: true}, nil
			}
			return &types.AttributeValueMemberBOOL{Value: value}, nil
		case TypeS, TypeN, TypeB:
			return typedScalar(t, v)
		default:
			return nil, fmt.Errorf("unknown type %q", Printable(string(t)))
		}
	}
	return nil, nil // unreachable, because there is one type
}

func typedScalar(t Type, raw any) (types.AttributeValue, error) {
	text, ok := raw.(string)
	if n, isNumber := raw.(json.Number); isNumber && t == TypeN {
		text, ok = n.String(), true
	}
	if !ok {
		return nil, fmt.Errorf("type %s needs a string in quotes", t)
	}
	if t == TypeB {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, errors.New("type B needs base64")
		}
		return &types.AttributeValueMemberB{Value: b}, nil
	}
	v, err := ScalarValue(t, text)
	if err != nil { // The error quotes the text, which may be personal data.
		return nil, fmt.Errorf("type %s needs a number", t)
	}
	return v, nil
}

func typedSet(t Type, raw any) (types.AttributeValue, error) {
	list, ok := raw.([]any)
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("type %s needs a list with at least one value", t)
	}
	element, elements := Type(strings.TrimSuffix(string(t), "S")), make([]types.AttributeValue, len(list))
	for i, v := range list {
		var err error
		if elements[i], err = typedScalar(element, v); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	set, _ := Collection(t, elements)
	return set, nil
}

// PlainValue converts decoded plain JSON, whose numbers are json.Number, to a value. Arrays become lists and objects
// become maps. Numbers get the form of CanonicalNumber, unless DynamoDB cannot store them.
func PlainValue(v any) types.AttributeValue {
	switch v := v.(type) {
	case types.AttributeValue:
		return v
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case json.Number:
		text := v.String()
		if canonical, err := CanonicalNumber(text); err == nil {
			text = canonical
		}
		return &types.AttributeValueMemberN{Value: text}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []any:
		return &types.AttributeValueMemberL{Value: MapSlice(v, PlainValue)}
	case map[string]any:
		return &types.AttributeValueMemberM{Value: PlainItem(v)}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

// PlainItem converts a decoded object of plain JSON to an item; see PlainValue.
func PlainItem(object map[string]any) Item {
	it := make(Item, len(object))
	for name, v := range object {
		it[name] = PlainValue(v)
	}
	return it
}

// ValueOf parses text as a value of type t: a scalar as in ScalarValue, a document or a set as plain JSON.
func ValueOf(t Type, text string) (types.AttributeValue, error) {
	switch t {
	case TypeNULL:
		if text != "" && text != "null" {
			return nil, fmt.Errorf("%q is not null; write null, or nothing", Printable(text))
		}
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case TypeM, TypeL, TypeSS, TypeNS, TypeBS:
	default:
		return ScalarValue(t, text)
	}
	var plain any
	if err := DecodeJSON(text, &plain); errors.As(err, new(*FaultError)) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("not JSON, which type %s needs", t)
	}
	v, err := PlainValue(plain), error(nil)
	if t != TypeM && t != TypeL {
		v, err = typedSet(t, plain)
	}
	switch fault := ValueFault(v); {
	case err != nil:
		return nil, err
	case ValueType(v) != t:
		return nil, fmt.Errorf("not of type %s", t)
	case fault != "":
		return nil, errors.New("the value " + fault)
	}
	return v, nil
}

// TypedLike returns v, which was read from plain JSON, with the types of the value that it replaces wherever the JSON
// is ambiguous: a list may be a set, and a text may be binary.
func TypedLike(v, old types.AttributeValue) types.AttributeValue {
	text := func(v types.AttributeValue) string { return string(AppendValueJSON(nil, v)) }
	if old == nil || text(v) == text(old) {
		return cmp.Or(old, v)
	}
	switch old := old.(type) {
	case *types.AttributeValueMemberSS, *types.AttributeValueMemberNS, *types.AttributeValueMemberBS, *types.AttributeValueMemberB:
		plain := text(v)
		if s, ok := v.(*types.AttributeValueMemberS); ok {
			plain = s.Value
		}
		if typed, err := ValueOf(ValueType(old), plain); err == nil {
			return typed
		}
	case *types.AttributeValueMemberM:
		if m, ok := v.(*types.AttributeValueMemberM); ok {
			out := Item(m.Value).Clone()
			for name, part := range out {
				out[name] = TypedLike(part, old.Value[name])
			}
			return &types.AttributeValueMemberM{Value: out}
		}
	case *types.AttributeValueMemberL:
		if l, ok := v.(*types.AttributeValueMemberL); ok {
			out := slices.Clone(l.Value)
			for i, part := range out {
				same := func(old types.AttributeValue) bool { return text(old) == text(part) }
				if at := slices.IndexFunc(old.Value, same); at >= 0 {
					out[i] = old.Value[at]
				} else if i < len(old.Value) {
					out[i] = TypedLike(part, old.Value[i])
				}
			}
			return &types.AttributeValueMemberL{Value: out}
		}
	}
	return v
}
