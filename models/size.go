package models

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Size returns the item's size in bytes, as DynamoDB counts it for its limits
// and for capacity units: the UTF-8 length of each attribute name plus the size
// of its value. The guide calls the size of a number approximate. The embedded
// store counts the same way; a test compares both.
// Source: Amazon DynamoDB Developer Guide, "DynamoDB item sizes and formats".
func (it Item) Size() int {
	n := 0
	for name, v := range it {
		n += len(name) + valueSize(v)
	}
	return n
}

func valueSize(v types.AttributeValue) int {
	const overhead, element = 3, 1 // of a document, and of each thing in it
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
		n = overhead
		for _, inner := range v.Value {
			n += element + valueSize(inner)
		}
	case *types.AttributeValueMemberM:
		n = overhead + Item(v.Value).Size() + element*len(v.Value)
	default:
		return 1
	}
	return n
}

// numberSize is one byte for every two significant digits, plus one byte. Leading
// and trailing zeros are not significant; the sign and the exponent are free.
func numberSize(text string) int {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimRight(strings.TrimLeft(text, "+-0."), "0.")
	digits := len(text) - strings.Count(text, ".")
	return (digits+1)/2 + 1
}
