// This file tells the names of attributes that a programmer gave from those that
// are data themselves: a document by telephone number, an address as a name.

package models

import (
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What a name that a programmer gave does not exceed.
const (
	maxNameBytes  = 64
	maxNameDigits = 4 // in a row: a year, never a telephone number
)

// plainName reports whether an attribute's name is of the kind that stands in
// programs: ASCII letters, digits, and what joins words. Where nobody declares
// an attribute, any other name may be the value itself.
func plainName(name string) bool {
	digits := 0
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '-', c == '.', c == ':', c == '#', c == '$':
			digits = 0
		default:
			return false
		}
		if digits > maxNameDigits {
			return false
		}
	}
	return len(name) <= maxNameBytes
}

// hideNames adds what has such a name under names that tell nothing: how many
// there are is shown, and no more.
func hideNames(out map[string]types.AttributeValue, names []string, hidden types.AttributeValue) {
	slices.Sort(names)
	for i := range names {
		name := maskedText // no plain name, so nothing else is called that
		if i > 0 {
			name += " " + strconv.Itoa(i+1)
		}
		out[name] = hidden
	}
}
