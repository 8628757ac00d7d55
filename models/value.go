package models

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Type is DynamoDB's type descriptor in JSON. "" means that the type is not known. Source: Amazon DynamoDB API
// Reference, "AttributeValue".
type Type string

// These are DynamoDB's data types.
const (
	TypeS    Type = "S"
	TypeN    Type = "N"
	TypeB    Type = "B"
	TypeBOOL Type = "BOOL"
	TypeNULL Type = "NULL"
	TypeM    Type = "M"
	TypeL    Type = "L"
	TypeSS   Type = "SS"
	TypeNS   Type = "NS"
	TypeBS   Type = "BS"
)

// Types lists every type descriptor.
func Types() []Type {
	return []Type{TypeS, TypeN, TypeB, TypeBOOL, TypeNULL, TypeM, TypeL, TypeSS, TypeNS, TypeBS}
}

// ValueType returns the type descriptor of v, or "" if v is nil. A masked value has the type S.
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

// StringValue returns text as a DynamoDB string.
func StringValue(text string) types.AttributeValue {
	return &types.AttributeValueMemberS{Value: text}
}

// ScalarValue returns the value of type S, N, B or BOOL for text in the form that ValueText writes. It writes numbers
// in the form of CanonicalNumber. It returns an error for other types, which have no text form. An empty type means S.
// Empty text is valid for S and B: DynamoDB rejects empty keys only.
func ScalarValue(t Type, text string) (types.AttributeValue, error) {
	switch t {
	case TypeS, "":
		return StringValue(text), nil
	case TypeN:
		number, err := CanonicalNumber(text)
		if err != nil {
			return nil, err
		}
		return &types.AttributeValueMemberN{Value: number}, nil
	case TypeB:
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			reason := "write the bytes as in AQI="
			if _, err := base64.RawStdEncoding.DecodeString(text); err == nil {
				reason = "add = at the end until its length is a multiple of 4"
			}
			return nil, fmt.Errorf("%q is not base64; %s", Printable(text), reason)
		}
		return &types.AttributeValueMemberB{Value: b}, nil
	case TypeBOOL:
		value, ok := ReadBool(text)
		if !ok {
			return nil, fmt.Errorf("%q is not a boolean; use true or false", Printable(text))
		}
		return &types.AttributeValueMemberBOOL{Value: value}, nil
	default:
		return nil, fmt.Errorf("type %s has no text form", t)
	}
}

// ReadBool reads a boolean as people, spreadsheets and programs spell it, in any case.
func ReadBool(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "t", "y", "on", "1":
		return true, true
	case "false", "no", "f", "n", "off", "0":
		return false, true
	}
	return false, false
}

// ValueText returns the text of a scalar: a string, the digits of a number, true or false, or the base64 of binary. ok
// is false for documents, sets and NULL. Do not use the text to compare values, because the string "1" and the number 1
// have the same text; see EqualValues.
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

// EqualValues reports whether DynamoDB treats a and b as equal: numbers by value, sets in any order, lists in order. A
// masked value equals only masked values with the same text. nil equals only nil. Use it for display and plans;
// DynamoDB evaluates the condition of a write itself.
func EqualValues(a, b types.AttributeValue) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case *types.AttributeValueMemberM:
		b, ok := b.(*types.AttributeValueMemberM)
		return ok && EqualItems(a.Value, b.Value)
	case *types.AttributeValueMemberL:
		b, ok := b.(*types.AttributeValueMemberL)
		return ok && slices.EqualFunc(a.Value, b.Value, EqualValues)
	case *types.AttributeValueMemberN:
		b, ok := b.(*types.AttributeValueMemberN)
		return ok && (a.Value == b.Value || CompareNumbers(a.Value, b.Value) == 0)
	case *types.AttributeValueMemberNULL:
		return ValueType(b) == TypeNULL
	}
	if list, isSet := Elements(a); isSet {
		other, _ := Elements(b)
		return ValueType(a) == ValueType(b) && len(list) == len(other) && !slices.ContainsFunc(list, func(x types.AttributeValue) bool {
			return !slices.ContainsFunc(other, func(y types.AttributeValue) bool { return EqualValues(x, y) })
		})
	}
	_, maskedA := a.(*Masked)
	_, maskedB := b.(*Masked)
	x, okx := ValueText(a)
	y, oky := ValueText(b)
	return okx && oky && x == y && ValueType(a) == ValueType(b) && maskedA == maskedB
}

// Elements returns a new list of the elements of a list or a set. ok is false for other values.
func Elements(v types.AttributeValue) (list []types.AttributeValue, ok bool) {
	switch v := v.(type) {
	case *types.AttributeValueMemberL:
		return slices.Clone(v.Value), true
	case *types.AttributeValueMemberSS:
		for _, text := range v.Value {
			list = append(list, StringValue(text))
		}
	case *types.AttributeValueMemberNS:
		for _, text := range v.Value {
			list = append(list, &types.AttributeValueMemberN{Value: text})
		}
	case *types.AttributeValueMemberBS:
		for _, b := range v.Value {
			list = append(list, &types.AttributeValueMemberB{Value: b})
		}
	default:
		return nil, false
	}
	return list, true
}

// Collection returns the list or set of type t with the elements, and ignores elements of other types than those of the
// set. ok is false if t has no elements.
func Collection(t Type, elements []types.AttributeValue) (v types.AttributeValue, ok bool) {
	switch t {
	case TypeL:
		return &types.AttributeValueMemberL{Value: elements}, true
	case TypeSS, TypeNS:
		texts := make([]string, len(elements))
		for i, v := range elements {
			texts[i], _ = ValueText(v)
		}
		if t == TypeNS {
			return &types.AttributeValueMemberNS{Value: texts}, true
		}
		return &types.AttributeValueMemberSS{Value: texts}, true
	case TypeBS:
		set := &types.AttributeValueMemberBS{}
		for _, v := range elements {
			if b, ok := v.(*types.AttributeValueMemberB); ok {
				set.Value = append(set.Value, b.Value)
			}
		}
		return set, true
	default:
		return nil, false
	}
}

func valueSize(v types.AttributeValue) int {
	const document, element = 3, 1 // overhead of a list or map, and of each element
	n := 0
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *Masked:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberSS:
		for _, s := range v.Value {
			n += len(s)
		}
	case *types.AttributeValueMemberNS:
		for _, s := range v.Value {
			n += numberSize(s)
		}
	case *types.AttributeValueMemberBS:
		for _, s := range v.Value {
			n += len(s)
		}
	case *types.AttributeValueMemberL:
		n = document
		for _, inner := range v.Value {
			n += element + valueSize(inner)
		}
	case *types.AttributeValueMemberM:
		n = document + Item(v.Value).Size() + element*len(v.Value)
	default:
		return 1
	}
	return n
}
