// This file compares two states of an item.

package models

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Change is one attribute, or one nested attribute, that differs between two
// states of an item.
type Change struct {
	Path    string
	Before  types.AttributeValue // nil: it was not there
	After   types.AttributeValue // nil: it is not there
	Derived bool                 // follows from other attributes: a key, a repeated time
}

// Diff returns what differs, by path in byte order. Maps that are on both sides
// are compared inside; everything else is compared as a whole. A path whose
// name holds a dot is compared as a whole as well, one level up.
func Diff(before, after Item) []Change {
	return diff(nil, "", before, after)
}

func diff(list []Change, prefix string, before, after Item) []Change {
	names := slices.Sorted(maps.Keys(before))
	for n := range after {
		if _, both := before[n]; !both {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		b, a := before[n], after[n]
		if b != nil && a != nil && EqualValues(b, a) {
			continue
		}
		bm, bok := b.(*types.AttributeValueMemberM)
		am, aok := a.(*types.AttributeValueMemberM)
		if bok && aok && !dotted(n) && !dottedKeys(bm.Value) && !dottedKeys(am.Value) {
			list = diff(list, prefix+n+".", bm.Value, am.Value)
			continue
		}
		list = append(list, Change{Path: prefix + n, Before: b, After: a})
	}
	return list
}

func dotted(name string) bool {
	for i := range len(name) {
		if name[i] == '.' {
			return true
		}
	}
	return false
}

func dottedKeys(m map[string]types.AttributeValue) bool {
	for n, v := range m {
		if dotted(n) {
			return true
		}
		if inner, ok := v.(*types.AttributeValueMemberM); ok && dottedKeys(inner.Value) {
			return true
		}
	}
	return false
}
