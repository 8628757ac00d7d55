package compare

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

func withoutVolatile(e *models.Entity, it models.Item) models.Item {
	if e == nil {
		return it
	}
	out := it
	for _, a := range e.Attributes {
		if a.Volatile && out[a.Name] != nil {
			if len(out) == len(it) {
				out = it.Clone()
			}
			delete(out, a.Name)
		}
	}
	return out
}

// A digest represents the values of an item: the first half of a SHA-256.
type digest [sha256.Size / 2]byte

func digestOf(it models.Item) digest {
	sum := sha256.Sum256(canonical(it).AppendDynamoDBJSON(nil))
	return digest(sum[:len(digest{})])
}

func canonical(it models.Item) models.Item {
	out := make(models.Item, len(it))
	for name, v := range it {
		out[name] = canonicalValue(v)
	}
	return out
}

func number(text string) string {
	if short, err := models.CanonicalNumber(text); err == nil {
		return short
	}
	return text
}

func canonicalValue(v types.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: number(v.Value)}
	case *types.AttributeValueMemberSS:
		return &types.AttributeValueMemberSS{Value: slices.Sorted(slices.Values(v.Value))}
	case *types.AttributeValueMemberNS:
		list := make([]string, len(v.Value))
		for i, n := range v.Value {
			list[i] = number(n)
		}
		slices.Sort(list)
		return &types.AttributeValueMemberNS{Value: list}
	case *types.AttributeValueMemberBS:
		return &types.AttributeValueMemberBS{Value: slices.SortedFunc(slices.Values(v.Value), bytes.Compare)}
	case *types.AttributeValueMemberL:
		list := make([]types.AttributeValue, len(v.Value))
		for i, e := range v.Value {
			list[i] = canonicalValue(e)
		}
		return &types.AttributeValueMemberL{Value: list}
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: canonical(v.Value)}
	default:
		return v
	}
}
