package models

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A LazyItem masks values when they are read. Use it where one attribute of very
// many items is looked at: masking whole items costs too much there. It is not
// safe for concurrent use.
type LazyItem struct {
	// Entity is the entity that the item matches, or nil.
	Entity *Entity

	masker *Masker // nil hides nothing
	table  *Table
	raw    Item
	masked Item // nil until the whole item was read
}

// Lazy returns an item whose values are masked when they are read. That of a nil Masker
// hides nothing.
func (m *Masker) Lazy(table *Table, it Item) LazyItem {
	if m == nil {
		return LazyItem{raw: it, masked: it}
	}
	return LazyItem{Entity: m.Entity(table, it), masker: m, table: table, raw: it}
}

// Item returns the masked item; see Masker.Item.
func (v *LazyItem) Item() Item {
	if v.masked == nil && v.raw != nil {
		v.masked = v.masker.itemOf(v.table, v.Entity, v.raw)
	}
	return v.masked
}

// At returns the masked value at a path; see Item.At.
func (v *LazyItem) At(path string) (types.AttributeValue, bool) {
	if v.masked != nil {
		return v.masked.At(path)
	}
	if value, ok := v.raw[path]; ok {
		return v.masker.value(v.table, v.Entity, path, value), true
	}
	head, _, nested := strings.Cut(path, ".")
	value, ok := v.raw[head]
	if !ok || !nested {
		return nil, false
	}
	return Item{head: v.masker.value(v.table, v.Entity, head, value)}.At(path)
}

// MaskedAt returns the value at a path of a masked item of e, which may be nil. If the masked item does not have the path, the
// value is hidden, and so is the path unless e declares it.
func (e *Entity) MaskedAt(masked Item, path string) (string, types.AttributeValue) {
	if v, ok := masked.At(path); ok {
		return path, v
	}
	if e == nil || e.Attribute(path) == nil {
		path = MaskedText
	}
	return path, HiddenValue() // in a document that is hidden as a whole
}
