package models

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An ItemEncoder appends many items of one table as masked JSON. Its output equals that of AppendJSON or
// AppendDynamoDBJSON for Masker.Item, but it makes no masked copy: for each entity it remembers the attribute order and
// which attributes are never hidden. It is not safe for concurrent use.
type ItemEncoder struct {
	masker *Masker // nil hides nothing
	table  *Table
	// withEntity adds the entity name before the attributes; see WithEntityField.
	withEntity bool
	masked     bool // whether an appended item contained a hidden value
	value      func([]byte, types.AttributeValue) []byte
	fields     map[*Entity][]encodedField
}

// An encodedField is an attribute of an entity with its encoded name.
type encodedField struct {
	name  string
	head  string // the name as JSON, with its colon
	shown bool   // the value is never hidden
}

// maxFields is the maximum number of attributes that an encoder remembers for an entity, so that attribute names that
// are data do not fill the memory.
const maxFields = 256

// Encoder returns an encoder for plain JSON or, with typed, for DynamoDB JSON. The encoder of a nil Masker hides
// nothing.
func (m *Masker) Encoder(table *Table, typed bool) *ItemEncoder {
	enc := &ItemEncoder{masker: m, table: table, value: AppendValueJSON, fields: map[*Entity][]encodedField{}}
	if typed {
		enc.value = AppendTypedJSON
	}
	return enc
}

// EntityField is the name of the output member or column that contains the name of an item's entity. It is not an
// attribute of the item. If an item has an attribute with this name, JSON output keeps it too.
const EntityField = "_entity"

// WithEntityField makes the encoder begin each object with the member EntityField: the name of the item's entity, or
// null.
func (enc *ItemEncoder) WithEntityField() *ItemEncoder {
	enc.withEntity = true
	return enc
}

// Masked reports whether any appended item contained a hidden value.
func (enc *ItemEncoder) Masked() bool { return enc.masked }

// Append appends the masked JSON of an item to dst.
func (enc *ItemEncoder) Append(dst []byte, it Item) []byte {
	var e *Entity
	if enc.masker != nil {
		e = enc.masker.Entity(enc.table, it)
	}
	if _, exists := it[EntityField]; !enc.withEntity || exists || len(it) == 0 {
		return enc.appendItem(dst, e, it)
	}
	dst = append(append(dst, '{'), `"`+EntityField+`":`...)
	if e == nil {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, e.Name)
	}
	brace := len(dst)
	dst = enc.appendItem(dst, e, it)
	dst[brace] = ',' // the attributes follow in the same object
	return dst
}

func (enc *ItemEncoder) appendItem(dst []byte, e *Entity, it Item) []byte {
	if out, ok := enc.appendFields(dst, e, it); ok {
		return out
	}
	if enc.addFields(e, it) {
		if out, ok := enc.appendFields(dst, e, it); ok {
			return out
		}
	}
	if enc.masker != nil {
		it = enc.masker.itemOf(enc.table, e, it)
		enc.masked = enc.masked || it.Masked()
	}
	return appendMap(dst, it, enc.value)
}

func (enc *ItemEncoder) appendFields(dst []byte, e *Entity, it Item) ([]byte, bool) {
	fields := enc.fields[e]
	if len(fields) > 2*len(it)+16 {
		return nil, false // Sorting the few names of the item costs less.
	}
	remaining := len(it)
	dst = append(dst, '{')
	for i := range fields {
		f := &fields[i]
		v, ok := it[f.name]
		if !ok {
			continue
		}
		if remaining < len(it) {
			dst = append(dst, ',')
		}
		remaining--
		if !f.shown {
			v = enc.masker.maskValue(enc.table, e, f.name, v)
			enc.masked = enc.masked || IsMasked(v)
		}
		dst = enc.value(append(dst, f.head...), v)
	}
	return append(dst, '}'), remaining == 0
}

// addFields adds the item's attributes to the fields of its entity. It returns false if there would be too many fields,
// or if an attribute name is hidden.
func (enc *ItemEncoder) addFields(e *Entity, it Item) bool {
	fields := slices.Clone(enc.fields[e])
	for _, name := range it.Names() {
		at, known := slices.BinarySearchFunc(fields, name, func(f encodedField, name string) int { return strings.Compare(f.name, name) })
		switch {
		case known:
			continue
		case len(fields) == maxFields || enc.masker != nil && enc.masker.hidesName(enc.table, e, name):
			return false
		}
		name = strings.Clone(name)
		shown := enc.masker == nil || enc.masker.visible[e][name]
		fields = slices.Insert(fields, at, encodedField{name, string(append(appendString(nil, name), ':')), shown})
	}
	enc.fields[e] = fields
	return true
}

// A LazyItem masks values when they are read. Use it to read one attribute of many items, where masking whole items
// costs too much. It is not safe for concurrent use.
type LazyItem struct {
	// Entity is the entity that the item matches, or nil.
	Entity *Entity

	masker *Masker // nil hides nothing
	table  *Table
	raw    Item
	masked Item // nil until the whole item is read
}

// Lazy returns an item whose values are masked when they are read. A nil Masker hides nothing.
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
		return v.masker.maskValue(v.table, v.Entity, path, value), true
	}
	head, _, nested := strings.Cut(path, ".")
	value, ok := v.raw[head]
	if !ok || !nested {
		return nil, false
	}
	return Item{head: v.masker.maskValue(v.table, v.Entity, head, value)}.At(path)
}

// MaskedAt returns the value at a path of a masked item of e, which may be nil. If the masked item does not have the
// path, MaskedAt hides the value, and hides the path unless e declares it.
func (e *Entity) MaskedAt(masked Item, path string) (string, types.AttributeValue) {
	if v, ok := masked.At(path); ok {
		return path, v
	}
	if e == nil || e.Attribute(path) == nil {
		path = MaskedText
	}
	return path, HiddenValue() // The whole document is hidden.
}
