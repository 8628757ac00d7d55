package embedded

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// kind is the type of an attribute value.
type kind byte

// The order matters: the kinds of keys come first, and the kind of a set is at the same distance
// from the kind of its members for all sets. The numbers are stored on disk.
const (
	kindS kind = iota + 1
	kindN
	kindB
	kindBOOL
	kindNULL
	kindSS
	kindNS
	kindBS
	kindL
	kindM
)

var kindNames = [...]string{"", "S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}

func (k kind) String() string { return kindNames[k] }

// kindOf returns the kind with a type descriptor such as S.
func kindOf(name string) (kind, bool) {
	i := slices.Index(kindNames[:], name)
	return kind(i), i > 0
}

func (k kind) isSet() bool { return k == kindSS || k == kindNS || k == kindBS }

// element returns the kind of a set's members.
func (k kind) element() kind { return k - kindSS + kindS }

// set returns the kind of a set with members of the kind, which is S, N or B.
func (k kind) set() kind { return k - kindS + kindSS }

// value is one attribute value. Numbers are normal decimal strings, binary is a
// string of raw bytes, sets are sorted and without duplicates.
type value struct {
	kind   kind
	truth  bool     // BOOL
	str    string   // S, N, B
	set    []string // SS, NS, BS
	list   []value  // L
	fields item     // M
}

// item is a row, or the content of a map. Items are immutable; updates work on a clone.
type item map[string]value

// equal reports whether two values are equal for a condition. Numbers are equal by value,
// because they are stored in normal form.
func (v value) equal(o value) bool {
	if v.kind != o.kind {
		return false
	}
	switch v.kind {
	case kindBOOL:
		return v.truth == o.truth
	case kindNULL:
		return true
	case kindSS, kindNS, kindBS:
		return slices.Equal(v.set, o.set)
	case kindL:
		return slices.EqualFunc(v.list, o.list, value.equal)
	case kindM:
		return v.fields.equal(o.fields)
	default:
		return v.str == o.str
	}
}

func (it item) equal(o item) bool {
	return maps.EqualFunc(it, o, value.equal)
}

// compare orders two values of the same kind S, N or B; ok is false for others.
func (v value) compare(o value) (order int, ok bool) {
	if v.kind != o.kind {
		return 0, false
	}
	switch v.kind {
	case kindS, kindB:
		return strings.Compare(v.str, o.str), true
	case kindN:
		return compareNumbers(v.str, o.str), true
	default:
		return 0, false
	}
}

// compareNumbers compares two numbers in normal form.
func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	return mustDecimal(a).compare(mustDecimal(b))
}

// setOf returns a set of a kind, with its members sorted and without duplicates.
func setOf(k kind, members []string) value {
	order := strings.Compare
	if k == kindNS {
		order = compareNumbers
	}
	return value{kind: k, set: slices.Compact(slices.SortedFunc(slices.Values(members), order))}
}

// clone copies the lists and maps of a value, which updates change in place.
func (v value) clone() value {
	switch v.kind {
	case kindL:
		list := make([]value, len(v.list))
		for i := range v.list {
			list[i] = v.list[i].clone()
		}
		v.list = list
	case kindM:
		v.fields = v.fields.clone()
	default: // other values are replaced, never changed in place
	}
	return v
}

// clone copies the parts that an update changes in place: maps and lists.
func (it item) clone() item {
	out := make(item, len(it))
	for name, v := range it {
		out[name] = v.clone()
	}
	return out
}

// depth returns the number of levels: 1 for a scalar, and one more than the deepest
// element for a list or map.
func (v value) depth() int {
	deepest := 0
	for i := range v.list {
		deepest = max(deepest, v.list[i].depth())
	}
	for _, field := range v.fields {
		deepest = max(deepest, field.depth())
	}
	return deepest + 1
}

// size returns the bytes that the service counts for its limits and capacity units. See
// "DynamoDB item sizes and formats":
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func (v value) size() int {
	switch v.kind {
	case kindS, kindB:
		return len(v.str)
	case kindN:
		return numberSize(v.str)
	case kindBOOL, kindNULL:
		return 1
	case kindSS, kindBS:
		return sumSizes(v.set, func(s string) int { return len(s) })
	case kindNS:
		return sumSizes(v.set, numberSize)
	case kindL:
		n := 3
		for i := range v.list {
			n += 1 + v.list[i].size()
		}
		return n
	default:
		n := 3 + len(v.fields)
		return n + v.fields.size()
	}
}

func sumSizes(set []string, size func(string) int) int {
	n := 0
	for _, s := range set {
		n += size(s)
	}
	return n
}

// numberSize is one byte for every two significant digits, plus one byte. Leading
// and trailing zeros are not significant; the sign is free.
func numberSize(s string) int {
	s = strings.TrimRight(strings.TrimLeft(s, "-0."), "0.")
	digits := len(s) - strings.Count(s, ".")
	return (digits+1)/2 + 1
}

// size returns the bytes of all names and values.
func (it item) size() int {
	n := 0
	for name, v := range it {
		n += len(name) + v.size()
	}
	return n
}

// utf16Length counts the UTF-16 code units of a text, as the service does.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// length returns the result of size(): UTF-16 code units, bytes or elements.
func (v value) length() (int, bool) {
	switch v.kind {
	case kindS:
		return utf16Length(v.str), true
	case kindB:
		return len(v.str), true
	case kindSS, kindNS, kindBS:
		return len(v.set), true
	case kindL:
		return len(v.list), true
	case kindM:
		return len(v.fields), true
	default:
		return 0, false
	}
}

// contains reports whether o is a substring, a member of a set or an element of a list.
func (v value) contains(o value) bool {
	switch {
	case v.kind == kindS || v.kind == kindB:
		return v.kind == o.kind && strings.Contains(v.str, o.str)
	case v.kind == kindL:
		return slices.ContainsFunc(v.list, o.equal)
	case v.kind.isSet():
		return v.kind.element() == o.kind && slices.Contains(v.set, o.str)
	}
	return false
}

// stringValue returns a value of type S.
func stringValue(s string) value { return value{kind: kindS, str: s} }

// keyAttribute is one attribute of a key. The attributes of the partition key come first,
// then those of the sort key.
type keyAttribute struct {
	Name string
	Kind kind
}
