// Package attribute implements attribute values: their types, numbers, order, sizes, JSON and stored form. It does not
// depend on tables or expressions.
package attribute

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// Kind is the type of an attribute value.
type Kind byte

// The order matters: the kinds of keys come first, and the distance from a member's kind to its set's kind is constant.
// Files contain the numbers.
const (
	S Kind = iota + 1
	N
	B
	BOOL
	NULL
	SS
	NS
	BS
	L
	M
)

var kindNames = [...]string{"", "S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}

func (k Kind) String() string { return kindNames[k] }

// KindOf returns the kind with the given type descriptor, such as S.
func KindOf(name string) (Kind, bool) {
	i := slices.Index(kindNames[:], name)
	return Kind(i), i > 0
}

// IsSet reports whether the kind is a set.
func (k Kind) IsSet() bool { return k == SS || k == NS || k == BS }

func (k Kind) element() Kind { return k - SS + S }

// Set returns the set kind with members of kind k, which must be S, N or B.
func (k Kind) Set() Kind { return k - S + SS }

// Value is one attribute value. Numbers are decimal strings in normal form, binary values are strings of raw bytes, and
// sets are sorted without duplicates. The zero Value has no kind and represents a missing value. Text may be invalid
// UTF-8.
type Value struct {
	Kind   Kind
	Truth  bool     // BOOL
	Str    string   // S, N, B
	Set    []string // SS, NS, BS
	List   []Value  // L
	Fields Item     // M
}

// Item is an item or the content of a map. Items are immutable; updates work on a clone.
type Item map[string]Value

// Equal reports whether two values are equal for a condition. Numbers in normal form are equal by value.
func (v Value) Equal(o Value) bool {
	if v.Kind != o.Kind {
		return false
	}
	switch v.Kind {
	case BOOL:
		return v.Truth == o.Truth
	case NULL:
		return true
	case SS, NS, BS:
		return slices.Equal(v.Set, o.Set)
	case L:
		return slices.EqualFunc(v.List, o.List, Value.Equal)
	case M:
		return v.Fields.Equal(o.Fields)
	default:
		return v.Str == o.Str
	}
}

// Equal reports whether two items have equal attributes.
func (it Item) Equal(o Item) bool {
	return maps.EqualFunc(it, o, Value.Equal)
}

// Compare orders two values of the same kind S, N or B; ok is false for other values. It compares text and binary
// values by bytes, as DynamoDB orders UTF-8, and numbers by value.
func (v Value) Compare(o Value) (order int, ok bool) {
	if v.Kind != o.Kind {
		return 0, false
	}
	switch v.Kind {
	case S, B:
		return strings.Compare(v.Str, o.Str), true
	case N:
		return compareNumbers(v.Str, o.Str), true
	default:
		return 0, false
	}
}

func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	return mustDecimal(a).compare(mustDecimal(b))
}

// SetOf returns a set of kind k with sorted members and without duplicates. Members of a number set must be in normal
// form.
func SetOf(k Kind, members []string) Value {
	order := strings.Compare
	if k == NS {
		order = compareNumbers
	}
	return Value{Kind: k, Set: slices.Compact(slices.SortedFunc(slices.Values(members), order))}
}

// Clone copies a value's lists and maps, which updates change in place.
func (v Value) Clone() Value {
	switch v.Kind {
	case L:
		list := make([]Value, len(v.List))
		for i := range v.List {
			list[i] = v.List[i].Clone()
		}
		v.List = list
	case M:
		v.Fields = v.Fields.Clone()
	default: // updates replace other values and never change them in place
	}
	return v
}

// Clone copies the parts that an update changes in place: maps and lists.
func (it Item) Clone() Item {
	out := make(Item, len(it))
	for name, v := range it {
		out[name] = v.Clone()
	}
	return out
}

// Depth returns the number of levels: 1 for a scalar, and for a list or map one more than for its deepest element.
// Decoding a request rejects values with more than MaxNesting levels.
func (v Value) Depth() int {
	deepest := 0
	for i := range v.List {
		deepest = max(deepest, v.List[i].Depth())
	}
	for _, field := range v.Fields {
		deepest = max(deepest, field.Depth())
	}
	return deepest + 1
}

// size returns the number of bytes that count toward DynamoDB's limits and capacity units.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func (v Value) size() int {
	switch v.Kind {
	case S, B:
		return len(v.Str)
	case N:
		return numberSize(v.Str)
	case BOOL, NULL:
		return 1
	case SS, BS:
		return sumSizes(v.Set, func(s string) int { return len(s) })
	case NS:
		return sumSizes(v.Set, numberSize)
	case L:
		n := 3
		for i := range v.List {
			n += 1 + v.List[i].size()
		}
		return n
	default:
		n := 3 + len(v.Fields)
		return n + v.Fields.Size()
	}
}

func sumSizes(set []string, size func(string) int) int {
	n := 0
	for _, s := range set {
		n += size(s)
	}
	return n
}

// numberSize counts one byte for every two significant digits, plus one. Outer zeros and the sign are free.
func numberSize(s string) int {
	s = strings.TrimRight(strings.TrimLeft(s, "-0."), "0.")
	digits := len(s) - strings.Count(s, ".")
	return (digits+1)/2 + 1
}

// Size returns the number of bytes of all names and values. DynamoDB limits this size to 400 KB. It does not include
// the overhead of 100 bytes for each item that DynamoDB bills as storage.
func (it Item) Size() int {
	n := 0
	for name, v := range it {
		n += len(name) + v.size()
	}
	return n
}

// UTF16Length returns the number of UTF-16 code units in a text, as DynamoDB counts them.
func UTF16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// Length returns the result of size(): UTF-16 code units, bytes or elements.
func (v Value) Length() (int, bool) {
	switch v.Kind {
	case S:
		return UTF16Length(v.Str), true
	case B:
		return len(v.Str), true
	case SS, NS, BS:
		return len(v.Set), true
	case L:
		return len(v.List), true
	case M:
		return len(v.Fields), true
	default:
		return 0, false
	}
}

// Contains reports whether o is a substring, a member of a set or an element of a list.
func (v Value) Contains(o Value) bool {
	switch {
	case v.Kind == S || v.Kind == B:
		return v.Kind == o.Kind && strings.Contains(v.Str, o.Str)
	case v.Kind == L:
		return slices.ContainsFunc(v.List, o.Equal)
	case v.Kind.IsSet():
		return v.Kind.element() == o.Kind && slices.Contains(v.Set, o.Str)
	}
	return false
}

// String returns a value of type S.
func String(s string) Value { return Value{Kind: S, Str: s} }

// Key is one attribute of a key. Lists of keys start with the attributes of the partition key, followed by the sort
// key.
type Key struct {
	Name string
	Kind Kind
}
