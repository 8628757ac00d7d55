// Package documents makes the documents of the command contract from search results and changes. Scripts and agents rely
// on the names of their fields, so these are types of their own. A field with omitempty is absent when it does not apply; a
// pointer is null then, where the contract requires the field. Lists are never null. What the role may not see is masked
// before it gets here or while it is described.
package documents

import "math"

// OrNull returns a pointer to text, nil for "", which is null in JSON.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Capacity removes the rounding error that the sum of the capacity units of many requests has.
// The result has three decimals: the smallest unit that DynamoDB reports is 0.5.
func Capacity(units float64) float64 { return math.Round(units*1000) / 1000 }

// each describes every element of list, for a JSON field that is never null.
func each[T, J any](list []T, describe func(T) J) []J {
	out := make([]J, len(list))
	for i, x := range list {
		out[i] = describe(x)
	}
	return out
}
