package models

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An Item is an item as DynamoDB returns it. Numbers stay decimal text, because a number has up to 38 digits and a
// float64 about 16. Methods do not change the item unless their comment describes a change, so several goroutines may
// call them at once. All methods except SetNames treat a nil Item as empty.
type Item map[string]types.AttributeValue

// At returns the value at path: an attribute, or a.b.c into maps. An attribute whose name equals the path, or its
// longest beginning, takes precedence.
func (it Item) At(path string) (types.AttributeValue, bool) {
	if v, ok := it[path]; ok {
		return v, true
	}
	for i := strings.LastIndexByte(path, '.'); i >= 0; i = strings.LastIndexByte(path[:i], '.') {
		if m, ok := it[path[:i]].(*types.AttributeValueMemberM); ok {
			if v, ok := Item(m.Value).At(path[i+1:]); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// Text returns the text of the scalar at path; see At and ValueText. It returns false if there is no value, or if the
// value is a document, a set or NULL.
func (it Item) Text(path string) (string, bool) {
	v, _ := it.At(path)
	return ValueText(v)
}

// Names returns the item's attribute names in byte order.
func (it Item) Names() []string {
	return it.appendNames(make([]string, 0, len(it)))
}

func (it Item) appendNames(names []string) []string {
	for n := range it {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Clone returns a copy of the item, which is never nil. Calling Set or Remove on the copy does not change the
// original.
func (it Item) Clone() Item {
	if it == nil {
		return Item{}
	}
	return maps.Clone(it)
}

// Remove removes the value at path, if there is one; see At. It copies maps along the path, so values shared with other
// items do not change.
func (it Item) Remove(path string) {
	if _, whole := it[path]; whole {
		delete(it, path)
		return
	}
	for i := strings.LastIndexByte(path, '.'); i >= 0; i = strings.LastIndexByte(path[:i], '.') {
		m, _ := it[path[:i]].(*types.AttributeValueMemberM)
		if m == nil {
			continue
		}
		if _, ok := Item(m.Value).At(path[i+1:]); ok {
			inner := Item(m.Value).Clone()
			inner.Remove(path[i+1:])
			it[path[:i]] = &types.AttributeValueMemberM{Value: inner}
			return
		}
	}
}

// EqualItems reports whether a and b have the same attributes with equal values; see EqualValues. Use it instead
// of reflect.DeepEqual: a set has no order, and 1.0 and 1 are the same number.
func EqualItems(a, b Item) bool {
	return maps.EqualFunc(a, b, EqualValues)
}

// Size returns the item's size in bytes, as DynamoDB counts it for its limits and for capacity units: the UTF-8 length
// of each attribute name plus the size of its value. The guide calls number sizes approximate. The embedded store
// counts the same way. Source: Amazon DynamoDB Developer Guide, "DynamoDB item sizes and formats". DynamoDB rejects
// items of more than 400 KB (409,600 bytes) and bills reads in units of 4 KB and writes in units of 1 KB, each rounded
// up.
func (it Item) Size() int {
	n := 0
	for name, v := range it {
		n += len(name) + valueSize(v)
	}
	return n
}

// A Change is one attribute, at the top level or nested, that differs between two states of an item.
type Change struct {
	Path    string
	Before  types.AttributeValue // nil for an added attribute
	After   types.AttributeValue // nil for a removed attribute
	Derived bool                 // computed from other attributes: a key or a repeated time
}

// WithoutKeys returns the changes for role support, which omit key attributes. e is the item's entity and may be nil.
func WithoutKeys(e *Entity, list []Change) []Change {
	if e == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(c Change) bool {
		_, key := e.PlainName(c.Path)
		return key
	})
}

// PlainChanges is like WithoutKeys, but replaces states with their titles and Unix times with readable ones.
func PlainChanges(e *Entity, list []Change) []Change {
	list = WithoutKeys(e, list)
	for i, c := range list {
		if e == nil {
			break
		}
		f := e.FormatOf(c.Path)
		_, unix := f.epoch()
		if l := e.Lifecycle(c.Path); l != nil {
			list[i].Before, list[i].After = replaceText(c.Before, l.Title), replaceText(c.After, l.Title)
		} else if unix {
			list[i].Before, list[i].After = replaceText(c.Before, f.ReadableText), replaceText(c.After, f.ReadableText)
		}
	}
	return list
}

func replaceText(v types.AttributeValue, replace func(string) string) types.AttributeValue {
	if text, ok := ValueText(v); ok && !IsMasked(v) {
		return StringValue(replace(text))
	}
	return v
}

// NewType describes how the value's type changes. It returns "" if the type does not change or one value is unknown.
func (c Change) NewType() string {
	oldType, newType := ValueType(c.Before), ValueType(c.After)
	if oldType == "" || newType == "" || oldType == newType || IsMasked(c.Before) || IsMasked(c.After) {
		return ""
	}
	return string("   type " + oldType + " → " + newType)
}

// MarshalJSON implements json.Marshaler. It writes values as plain JSON, and a missing value as null.
func (c Change) MarshalJSON() ([]byte, error) {
	var path bytes.Buffer
	e := json.NewEncoder(&path)
	e.SetEscapeHTML(false) // The document's encoder decides whether to escape HTML.
	if err := e.Encode(c.Path); err != nil {
		return nil, err
	}
	text := append([]byte(`{"path":`), bytes.TrimSpace(path.Bytes())...)
	for i, v := range []types.AttributeValue{c.Before, c.After} {
		if text = append(text, []string{`,"before":`, `,"after":`}[i]...); v == nil {
			text = append(text, "null"...)
		} else {
			text = AppendValueJSON(text, v)
		}
	}
	return append(text, '}'), nil
}

// Diff returns the changes from before to after, by path in byte order. It compares maps on both sides attribute by
// attribute, and compares other values, and maps with a name that contains a dot, as a whole. The result shares its
// values with the items, and is nil if the items are equal; see EqualItems.
func Diff(before, after Item) []Change {
	return diff(nil, "", before, after)
}

func diff(list []Change, prefix string, before, after Item) []Change {
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		b, a := before[n], after[n]
		if EqualValues(b, a) {
			continue
		}
		bm, bok := b.(*types.AttributeValueMemberM)
		am, aok := a.(*types.AttributeValueMemberM)
		if bok && aok && !strings.Contains(n, ".") && !hasDottedName(bm.Value) && !hasDottedName(am.Value) {
			list = diff(list, prefix+n+".", bm.Value, am.Value)
			continue
		}
		list = append(list, Change{Path: prefix + n, Before: b, After: a})
	}
	return list
}

func hasDottedName(m map[string]types.AttributeValue) bool {
	for n, v := range m {
		if strings.Contains(n, ".") {
			return true
		}
		if inner, ok := v.(*types.AttributeValueMemberM); ok && hasDottedName(inner.Value) {
			return true
		}
	}
	return false
}
