package models

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
)

// JSONFault describes the first fault that encoding/json silently repairs in a valid document, or returns "". The
// faults are a repeated name in an object, of which it drops a value, and half of a surrogate pair, which it replaces.
func JSONFault(text []byte) string {
	var open []map[string]bool // names in each open object, nil for an array
	isName := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			open, isName = append(open, map[string]bool{}), true
		case '[':
			open, isName = append(open, nil), false
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			isName = open[len(open)-1] != nil
		case ':':
			isName = false
		case '"':
			end, escaped := stringEnd(text, i)
			s := string(text[i+1 : end])
			if escaped {
				if hasHalfPair(s) {
					return "has text that is not valid Unicode (half of a surrogate pair)"
				}
				if err := json.Unmarshal(text[i:end+1], &s); err != nil {
					return "is not JSON"
				}
			}
			if i = end; !isName {
				continue
			}
			names := open[len(open)-1]
			if names[s] {
				return fmt.Sprintf("has %q twice in one object", Printable(s))
			}
			names[s] = true
		}
	}
	return ""
}

func stringEnd(text []byte, begin int) (end int, escaped bool) {
	for end = begin + 1; text[end] != '"'; end++ {
		if text[end] == '\\' {
			escaped = true
			end++
		}
	}
	return end, escaped
}

func hasHalfPair(s string) bool {
	unit := func(i int) rune {
		if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
			return 0
		}
		n, _ := strconv.ParseUint(s[i+2:i+6], 16, 16)
		return rune(n)
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		switch r := unit(i); {
		case !utf16.IsSurrogate(r):
			i++
		case utf16.DecodeRune(r, unit(i+6)) == '\ufffd':
			return true
		default:
			i += 11
		}
	}
	return false
}
