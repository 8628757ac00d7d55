package cases

import (
	"math/bits"
	"strings"
	"unicode"
)

// A slot is a character to replace with one of radix characters, which start at first.
type slot struct {
	at    int // index in the runes
	first rune
	radix uint64
	upper bool
}

// slots keeps zeros at the ends of a number, which affect its notation. known is false for a letter outside ASCII.
func slots(text []rune, number bool) (list []slot, known bool) {
	known = true
	point := false
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
			end := i == 0 || text[0] == '-' && i == 1 || point && i == len(text)-1
			switch {
			case end && r == '0':
			case end:
				list = append(list, slot{at: i, first: '1', radix: 9})
			default:
				list = append(list, slot{at: i, first: '0', radix: 10})
			}
		case number:
			point = point || r == '.'
		case unicode.IsLetter(r) || r > unicode.MaxASCII:
			low := unicode.ToLower(r)
			known = known && low >= 'a' && low <= 'z'
			list = append(list, slot{at: i, first: 'a', radix: 26, upper: low != r})
		default:
			point = point || r == '.'
		}
	}
	return list, known
}

// permuteShape permutes short texts, so they never share a pseudonym. For longer texts, a collision is improbable.
func (m *pseudonymizer) permuteShape(value string, number bool) string {
	text := []rune(value)
	list, known := slots(text, number)
	size, x := uint64(1), uint64(0)
	for _, s := range list {
		over, n := bits.Mul64(size, s.radix)
		if known = known && over == 0 && n < 1<<62; !known {
			break
		}
		size, x = n, x*s.radix+uint64(unicode.ToLower(text[s.at])-s.first)
	}
	out := []rune(strings.Clone(value))
	put := func(s slot, n uint64) {
		if out[s.at] = s.first + rune(n); s.upper {
			out[s.at] = unicode.ToUpper(out[s.at])
		}
	}
	if known {
		x = m.permute(size, x, "shape "+shapeOf(text, list))
		for i := len(list) - 1; i >= 0; i-- {
			put(list[i], x%list[i].radix)
			x /= list[i].radix
		}
		return string(out)
	}
	in := m.stream("shape", strings.ToLower(value))
	for _, s := range list {
		put(s, uint64(in.below(int(s.radix))))
	}
	return string(out)
}

func shapeOf(text []rune, list []slot) string {
	shape := []rune(strings.ToLower(string(text)))
	for _, s := range list {
		shape[s.at] = s.first
	}
	return string(shape)
}
