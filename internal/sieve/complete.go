// This file completes what is being typed.

package sieve

import "strings"

// Complete says how the last word of a filter can go on: tail is what to append
// at once, choices are what there is to choose from, at most limit. Both are
// empty when there is nothing to complete.
func Complete(text string, s *Schema, limit int) (tail string, choices []string) {
	if strings.TrimSpace(text) == "" || IsQuery(text) || strings.HasSuffix(text, " ") {
		return "", nil
	}
	last := text[strings.LastIndexByte(text, ' ')+1:]
	last = strings.TrimPrefix(last, "-")
	if strings.Contains(last, `"`) {
		return "", nil
	}
	if m := fieldTerm.FindStringSubmatch(last); m != nil {
		f := s.Field(m[1])
		if f == nil || m[2] == ">" || m[2] == "<" {
			return "", nil
		}
		typed := m[3][strings.LastIndexByte(m[3], ',')+1:]
		return continuation(typed, f.choices(), limit)
	}
	tail, choices = continuation(last, s.Names(), limit)
	if len(choices) == 1 {
		tail += ":"
	}
	return tail, choices
}

// choices are the values of a field that are known.
func (f *Field) choices() []string {
	switch {
	case len(f.Values) > 0:
		return f.Values
	case f.Kind == Boolean:
		return []string{"true", "false"}
	case f.Kind == Moment:
		return []string{"today", "yesterday"}
	}
	return nil
}

// continuation is what all values that start with typed have in common behind
// it, and the values.
func continuation(typed string, values []string, limit int) (tail string, choices []string) {
	first := true
	for _, v := range values {
		if len(v) < len(typed) || !strings.EqualFold(v[:len(typed)], typed) {
			continue
		}
		rest := v[len(typed):]
		if first {
			tail, first = rest, false
		}
		tail = tail[:common(tail, rest)]
		if len(choices) < limit {
			choices = append(choices, v)
		}
	}
	return strings.ToValidUTF8(tail, ""), choices
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
