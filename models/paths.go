// This file changes copies of items by attribute path.

package models

import (
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Clone returns a copy of the item that With and Without of the copy never
// reach the item through.
func (it Item) Clone() Item {
	out := maps.Clone(it)
	if out == nil {
		out = Item{}
	}
	return out
}

// With sets the value at path in the item. Maps on the way are copied, and made
// where there is none; what the item shares with others is left alone. An
// attribute whose own name is the path wins.
func (it Item) With(path string, v types.AttributeValue) {
	head, rest, nested := strings.Cut(path, ".")
	if _, whole := it[path]; whole || !nested {
		it[path] = v
		return
	}
	inner := Item{}
	if m, ok := it[head].(*types.AttributeValueMemberM); ok {
		inner = Item(m.Value).Clone()
	}
	inner.With(rest, v)
	it[head] = &types.AttributeValueMemberM{Value: inner}
}

// Without removes the value at path from the item; what is not there stays so.
func (it Item) Without(path string) {
	head, rest, nested := strings.Cut(path, ".")
	if _, whole := it[path]; whole || !nested {
		delete(it, path)
		return
	}
	m, ok := it[head].(*types.AttributeValueMemberM)
	if !ok {
		return
	}
	inner := Item(m.Value).Clone()
	inner.Without(rest)
	it[head] = &types.AttributeValueMemberM{Value: inner}
}
