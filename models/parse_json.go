package models

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ParseItem reads an item in DynamoDB JSON, such as {"PK": {"S": "USER#1"}}. Numbers keep their digits. The error names the
// attribute, and never has its value. A set must have an element, because DynamoDB has no empty
// sets. Binary is base64 with padding. true and false may be texts, and a number need not be
// quoted, as people write them.
func ParseItem(text []byte) (Item, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var raw map[string]any
	if err := d.Decode(&raw); err != nil {
		return nil, errors.New("not an item in DynamoDB JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows the item")
	}
	return TypedItem(raw)
}

// TypedItem returns the item of decoded DynamoDB JSON, whose numbers may be json.Number. The
// error is that of ParseItem. The input does not change and is not kept.
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
			on, ok := v.(bool)
			if text, is := v.(string); is { // Python's spelling, and that of hand-written files
				on, ok = strings.EqualFold(text, "true"), strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
			}
			if !ok {
				return nil, fmt.Errorf("type %s needs true or false", t)
			}
			if t == TypeNULL {
				return &types.AttributeValueMemberNULL{Value: true}, nil
			}
			return &types.AttributeValueMemberBOOL{Value: on}, nil
		case TypeS, TypeN, TypeB:
			return typedScalar(t, v)
		default:
			return nil, fmt.Errorf("unknown type %q", Printable(string(t)))
		}
	}
	return nil, nil // not reached: there is one type
}

func typedScalar(t Type, raw any) (types.AttributeValue, error) {
	text, ok := raw.(string)
	if n, is := raw.(json.Number); is && t == TypeN {
		text, ok = n.String(), true
	}
	if !ok {
		return nil, fmt.Errorf("type %s needs a text in quotes", t)
	}
	if t == TypeB {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, errors.New("type B needs base64")
		}
		return &types.AttributeValueMemberB{Value: b}, nil
	}
	v, err := ScalarValue(t, text)
	if err != nil { // It has the text, which may be personal data.
		return nil, fmt.Errorf("type %s needs a number", t)
	}
	return v, nil
}

func typedSet(t Type, raw any) (types.AttributeValue, error) {
	list, ok := raw.([]any)
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("type %s needs a list with at least one value", t)
	}
	element := Type(strings.TrimSuffix(string(t), "S"))
	var texts []string
	var blobs [][]byte
	for i, v := range list {
		value, err := typedScalar(element, v)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		if b, ok := value.(*types.AttributeValueMemberB); ok {
			blobs = append(blobs, b.Value)
			continue
		}
		text, _ := ValueText(value)
		texts = append(texts, text)
	}
	switch t {
	case TypeSS:
		return &types.AttributeValueMemberSS{Value: texts}, nil
	case TypeNS:
		return &types.AttributeValueMemberNS{Value: texts}, nil
	default:
		return &types.AttributeValueMemberBS{Value: blobs}, nil
	}
}
