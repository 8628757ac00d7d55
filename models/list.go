package models

import "slices"

// MapSlice returns a slice with the result of calling convert for each element.
func MapSlice[T, R any](list []T, convert func(T) R) []R {
	results := make([]R, len(list))
	for i, x := range list {
		results[i] = convert(x)
	}
	return results
}

// First returns the first element for which matches returns true, or the zero value.
func First[T any](list []T, matches func(T) bool) T {
	x, _ := Find(list, matches)
	return x
}

// Find works like First, and reports whether an element matches.
func Find[T any](list []T, matches func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, matches); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Filter returns the elements for which keep returns true, or nil.
func Filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// AppendOnce appends x to a list that does not contain it yet.
func AppendOnce[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
