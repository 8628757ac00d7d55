package models

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxNesting is the maximum number of levels of maps and lists. Source: Amazon DynamoDB Developer Guide, "Quotas".
const maxNesting = 32

// ValueFault describes the first reason why DynamoDB cannot store a value, or returns "": a number out of range, an empty
// set, a set with equal elements, an attribute without a name, or too many levels.
func ValueFault(v types.AttributeValue) string { return valueFault(v, 1) }

func valueFault(v types.AttributeValue, depth int) string {
	if depth > maxNesting {
		return fmt.Sprintf("is nested more than %d levels deep", maxNesting)
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberN:
		return numberFault(v.Value)
	case *types.AttributeValueMemberNS:
		return cmp.Or(numberFault(v.Value...), setFault(v.Value))
	case *types.AttributeValueMemberSS:
		return setFault(v.Value)
	case *types.AttributeValueMemberBS:
		return setFault(MapSlice(v.Value, func(b []byte) string { return string(b) }))
	case *types.AttributeValueMemberL:
		return elementFault(slices.Values(v.Value), depth)
	case *types.AttributeValueMemberM:
		if _, unnamed := v.Value[""]; unnamed {
			return "contains an attribute without a name"
		}
		return elementFault(maps.Values(v.Value), depth)
	}
	return ""
}

func elementFault(parts iter.Seq[types.AttributeValue], depth int) string {
	for part := range parts {
		if fault := valueFault(part, depth+1); fault != "" {
			return fault
		}
	}
	return ""
}

func numberFault(list ...string) string {
	for _, text := range list {
		if _, err := CanonicalNumber(text); err != nil {
			return "has a number that DynamoDB cannot store"
		}
	}
	return ""
}

func setFault(list []string) string {
	switch sorted := slices.Sorted(slices.Values(list)); {
	case len(list) == 0:
		return "is an empty set"
	case len(slices.Compact(sorted)) < len(list):
		return "is a set with two equal values"
	}
	return ""
}
