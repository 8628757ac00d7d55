// This file measures items as DynamoDB bills them.

package models

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Size returns the bytes that DynamoDB counts for the item: names and values.
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

// numberSize is one byte for two significant digits, and one more.
func numberSize(text string) int {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	digits = strings.Trim(digits, "0")
	return (len(digits)+1)/2 + 1
}
