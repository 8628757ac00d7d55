package attribute

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// sdkValue converts a value to the type of the SDK.
func sdkValue(v Value) types.AttributeValue {
	switch v.Kind {
	case N:
		return &types.AttributeValueMemberN{Value: v.Str}
	case B:
		return &types.AttributeValueMemberB{Value: []byte(v.Str)}
	case BOOL:
		return &types.AttributeValueMemberBOOL{Value: v.Truth}
	case NULL:
		return &types.AttributeValueMemberNULL{Value: true}
	case SS:
		return &types.AttributeValueMemberSS{Value: v.Set}
	case NS:
		return &types.AttributeValueMemberNS{Value: v.Set}
	case BS:
		var set [][]byte
		for _, s := range v.Set {
			set = append(set, []byte(s))
		}
		return &types.AttributeValueMemberBS{Value: set}
	case L:
		list := make([]types.AttributeValue, len(v.List))
		for i, element := range v.List {
			list[i] = sdkValue(element)
		}
		return &types.AttributeValueMemberL{Value: list}
	case M:
		return &types.AttributeValueMemberM{Value: sdkItem(v.Fields)}
	default:
		return models.StringValue(v.Str)
	}
}

func sdkItem(it Item) models.Item {
	out := make(models.Item, len(it))
	for name, v := range it {
		out[name] = sdkValue(v)
	}
	return out
}

func TestItemSizeEqualsTheSizeOfModels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := Item(rapid.MapOfN(rapid.String(), anyValue(3), 0, 5).Draw(rt, "item"))
		if got, want := sdkItem(it).Size(), it.Size(); got != want {
			rt.Fatalf("models counts %d bytes, the store %d: %v", got, want, it)
		}
	})
}

func TestNumberSizeDoesNotDependOnTheSpelling(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spelled := anyNumber().Draw(rt, "number")
		normal, err := NormalNumber(spelled)
		if err != nil {
			rt.Skip("out of range")
		}
		it := models.Item{"": &types.AttributeValueMemberN{Value: spelled}}
		if got, want := it.Size(), numberSize(normal); got != want {
			rt.Fatalf("%s has %d bytes, %s has %d", spelled, got, normal, want)
		}
	})
}
