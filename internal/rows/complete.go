package rows

import "strings"

// Complete completes the last word of a filter, regardless of the cursor. tail is the text that all completions share.
// choices contains at most limit completions: fields or documented values in their order, but never values of the rows.
// Both are empty if there is nothing to complete.
func Complete(text string, s *Fields, limit int) (tail string, choices []string) {
	if strings.TrimSpace(text) == "" || strings.HasSuffix(text, " ") {
		return "", nil
	}
	last := text[strings.LastIndexByte(text, ' ')+1:]
	last = strings.TrimPrefix(last, "-")
	if strings.Contains(last, `"`) {
		return "", nil
	}
	if m := conditionSyntax().FindStringSubmatch(last); m != nil {
		f := s.field(m[1])
		if f == nil || m[2] == ">" || m[2] == "<" {
			return "", nil
		}
		typed := m[3][strings.LastIndexByte(m[3], ',')+1:]
		return continuation(typed, f.choices(), limit)
	}
	tail, choices = continuation(last, s.names(), limit)
	if len(choices) == 1 {
		tail += ":"
	}
	return tail, choices
}

func (f *field) choices() []string {
	switch {
	case len(f.values) > 0:
		return f.values
	case f.kind == boolField:
		return []string{"true", "false"}
	case f.kind == timeField:
		return []string{"today", "yesterday"}
	}
	return nil
}

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
		tail = tail[:commonPrefix(tail, rest)]
		if len(choices) < limit {
			choices = append(choices, v)
		}
	}
	return strings.ToValidUTF8(tail, ""), choices
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
