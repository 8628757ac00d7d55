// This file compares values as DynamoDB does: numbers by their value, sets
// without order.

package models

import (
	"bytes"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// EqualValues reports whether a and b are the same value of the same type.
func EqualValues(a, b types.AttributeValue) bool {
	switch a := a.(type) {
	case *types.AttributeValueMemberM:
		b, ok := b.(*types.AttributeValueMemberM)
		return ok && EqualItems(a.Value, b.Value)
	case *types.AttributeValueMemberL:
		b, ok := b.(*types.AttributeValueMemberL)
		return ok && slices.EqualFunc(a.Value, b.Value, EqualValues)
	case *types.AttributeValueMemberN:
		b, ok := b.(*types.AttributeValueMemberN)
		return ok && (a.Value == b.Value || CompareNumbers(a.Value, b.Value) == 0)
	case *types.AttributeValueMemberSS:
		b, ok := b.(*types.AttributeValueMemberSS)
		return ok && sameSet(a.Value, b.Value, func(x, y string) bool { return x == y })
	case *types.AttributeValueMemberNS:
		b, ok := b.(*types.AttributeValueMemberNS)
		return ok && sameSet(a.Value, b.Value, func(x, y string) bool { return CompareNumbers(x, y) == 0 })
	case *types.AttributeValueMemberBS:
		b, ok := b.(*types.AttributeValueMemberBS)
		return ok && sameSet(a.Value, b.Value, bytes.Equal)
	case *types.AttributeValueMemberNULL:
		return ValueType(b) == TypeNULL
	case *Masked:
		b, ok := b.(*Masked)
		return ok && a.Value == b.Value
	case nil:
		return b == nil
	}
	if _, masked := b.(*Masked); masked {
		return false
	}
	x, xok := ValueText(a)
	y, yok := ValueText(b)
	return xok && yok && ValueType(a) == ValueType(b) && x == y
}

// EqualItems reports whether a and b have the same attributes with the same
// values.
func EqualItems(a, b Item) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		other, ok := b[name]
		if !ok || !EqualValues(v, other) {
			return false
		}
	}
	return true
}

func sameSet[T any](a, b []T, equal func(x, y T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y T) bool { return equal(x, y) }) {
			return false
		}
	}
	return true
}
