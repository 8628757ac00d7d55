package embedded

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// sdkValue converts a value to the type of the SDK.
func sdkValue(v value) types.AttributeValue {
	switch v.kind {
	case kindN:
		return &types.AttributeValueMemberN{Value: v.str}
	case kindB:
		return &types.AttributeValueMemberB{Value: []byte(v.str)}
	case kindBOOL:
		return &types.AttributeValueMemberBOOL{Value: v.truth}
	case kindNULL:
		return &types.AttributeValueMemberNULL{Value: true}
	case kindSS:
		return &types.AttributeValueMemberSS{Value: v.set}
	case kindNS:
		return &types.AttributeValueMemberNS{Value: v.set}
	case kindBS:
		var set [][]byte
		for _, s := range v.set {
			set = append(set, []byte(s))
		}
		return &types.AttributeValueMemberBS{Value: set}
	case kindL:
		list := make([]types.AttributeValue, len(v.list))
		for i, element := range v.list {
			list[i] = sdkValue(element)
		}
		return &types.AttributeValueMemberL{Value: list}
	case kindM:
		return &types.AttributeValueMemberM{Value: sdkItem(v.fields)}
	default:
		return models.StringValue(v.str)
	}
}

func sdkItem(it item) models.Item {
	out := make(models.Item, len(it))
	for name, v := range it {
		out[name] = sdkValue(v)
	}
	return out
}

func TestItemSizeEqualsTheSizeOfModels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := item(rapid.MapOfN(rapid.String(), anyValue(3), 0, 5).Draw(rt, "item"))
		if got, want := sdkItem(it).Size(), it.size(); got != want {
			rt.Fatalf("models counts %d bytes, the store %d: %v", got, want, it)
		}
	})
}

func TestNumberSizeDoesNotDependOnTheSpelling(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spelled := anyNumber().Draw(rt, "number")
		normal, err := normalNumber(spelled)
		if err != nil {
			rt.Skip("out of range")
		}
		it := models.Item{"": &types.AttributeValueMemberN{Value: spelled}}
		if got, want := it.Size(), numberSize(normal); got != want {
			rt.Fatalf("%s has %d bytes, %s has %d", spelled, got, normal, want)
		}
	})
}
