package compare

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

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

// canonicalValue returns the form that equal values share: the shortest form of numbers, and sorted sets.
func canonicalValue(v types.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberN:
		if short, err := models.CanonicalNumber(v.Value); err == nil {
			return &types.AttributeValueMemberN{Value: short}
		}
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: canonical(v.Value)}
	}
	elements, ok := models.Elements(v)
	if !ok {
		return v
	}
	elements = models.MapSlice(elements, canonicalValue)
	t := models.ValueType(v)
	if t != models.TypeL {
		text := func(v types.AttributeValue) string { return string(models.AppendTypedJSON(nil, v)) }
		slices.SortFunc(elements, func(a, b types.AttributeValue) int { return strings.Compare(text(a), text(b)) })
	}
	whole, _ := models.Collection(t, elements)
	return whole
}
