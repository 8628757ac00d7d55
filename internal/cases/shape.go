package cases

import (
	"fmt"
	"strings"
	"unicode"
)

// A slot is a character to replace with one of radix characters, which start at first.
type slot struct {
	at    int // index in the runes
	first rune
	radix int
}

// slots keeps zeros at the ends of a number, which affect its notation.
func slots(text []rune, number bool) (list []slot) {
	hasPoint := false
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
			end := i == 0 || text[0] == '-' && i == 1 || hasPoint && i == len(text)-1
			switch {
			case end && r == '0':
			case end:
				list = append(list, slot{i, '1', 9})
			default:
				list = append(list, slot{i, '0', 10})
			}
		case !number && (unicode.IsLetter(r) || r > unicode.MaxASCII):
			list = append(list, slot{i, 'a', 26})
		default:
			hasPoint = hasPoint || r == '.'
		}
	}
	return list
}

// shape replaces letters by letters of the same case and digits by digits.
func (m *pseudonymizer) shape(value string, number bool) string {
	text, low := []rune(value), []rune(strings.ToLower(value))
	list := slots(text, number)
	out := []rune(m.unique("shape "+fmt.Sprint(list), string(low), func() string {
		for _, s := range list {
			low[s.at] = s.first + rune(m.IntN(s.radix))
		}
		return string(low)
	}))
	for i, r := range text {
		if unicode.IsUpper(r) {
			out[i] = unicode.ToUpper(out[i])
		}
	}
	return string(out)
}
