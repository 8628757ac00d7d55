package models

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// HasVolatile reports whether the attribute or a part of it is volatile.
func (a *Attribute) HasVolatile() bool {
	return a.Volatile || slices.ContainsFunc(a.Attributes, (*Attribute).HasVolatile)
}

// WithoutVolatile returns the item without volatile attributes and parts. The entity may be nil.
func (e *Entity) WithoutVolatile(it Item) Item {
	if e == nil {
		return it
	}
	return withoutVolatileParts(e.Attributes, it)
}

func withoutVolatileParts(list []*Attribute, doc Item) Item {
	out, copied := doc, false
	for _, a := range list {
		v, ok := doc[a.Name]
		if !ok || !a.HasVolatile() {
			continue
		}
		if !copied {
			out, copied = maps.Clone(doc), true
		}
		if a.Volatile {
			delete(out, a.Name)
		} else {
			out[a.Name] = withoutVolatilePart(a, v)
		}
	}
	return out
}

func withoutVolatilePart(a *Attribute, v types.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: withoutVolatileParts(a.Attributes, v.Value)}
	case *types.AttributeValueMemberL:
		return &types.AttributeValueMemberL{Value: MapSlice(v.Value, func(element types.AttributeValue) types.AttributeValue {
			return withoutVolatilePart(a, element)
		})}
	}
	return v
}
