package models

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// MarshalJSON writes the item as plain JSON: numbers with every digit, sets as
// arrays, binary as base64, names in byte order. The error is always nil. Numbers are written
// with all their digits, so a reader that parses them as float64 loses some;
// Item.AppendDynamoDBJSON has them as strings.
func (it Item) MarshalJSON() ([]byte, error) {
	return it.AppendJSON(nil), nil
}

// AppendJSON appends the JSON of MarshalJSON to dst.
func (it Item) AppendJSON(dst []byte) []byte {
	return appendMap(dst, it, AppendValueJSON)
}

// AppendDynamoDBJSON appends the item in DynamoDB's typed JSON:
// {"status":{"S":"created"}}. The AWS CLI and ParseItem read this form. Masked values are
// strings in it, and the reader cannot tell that they were masked.
func (it Item) AppendDynamoDBJSON(dst []byte) []byte {
	return appendMap(dst, it, AppendTypedJSON)
}

func appendMap(dst []byte, it Item, value func([]byte, types.AttributeValue) []byte) []byte {
	var room [24]string // Most items have fewer attributes, so that their names need no allocation.
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

// needsNoEscape reports whether s is its own JSON. JSON for JavaScript escapes two line breaks of Unicode.
func needsNoEscape(s string) bool {
	if PlainJSON(s, 0) < len(s) {
		return false
	}
	return PrintableASCII(s, 0) == len(s) || utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}

func appendBytes(dst, b []byte) []byte {
	return appendString(dst, base64.StdEncoding.EncodeToString(b))
}

// appendNumber writes a string where a faulty server sent no number, so that the output stays valid.
func appendNumber(dst []byte, n string) []byte {
	if plainNumber(n) || json.Valid([]byte(n)) && n != "" && (n[0] == '-' || n[0] >= '0' && n[0] <= '9') {
		return append(dst, n...)
	}
	return appendString(dst, n)
}

func plainNumber(n string) bool {
	whole, decimals, point := strings.Cut(strings.TrimPrefix(n, "-"), ".")
	return isDigits(whole) && (whole[0] != '0' || whole == "0") && (!point || isDigits(decimals))
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

// AppendTypedJSON appends v in DynamoDB's typed JSON, null for nil.
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

// ParseKeyJSON reads a primary key of S, N and B attributes in DynamoDB's typed
// JSON, as AppendDynamoDBJSON writes it. It does not know the table, so the caller checks the
// names. The error names the attribute and, for a number or a binary, quotes the value.
func ParseKeyJSON(text []byte) (Item, error) {
	var typed map[string]map[Type]string
	if err := json.Unmarshal(text, &typed); err != nil {
		return nil, fmt.Errorf("reading key JSON: %w", err)
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
