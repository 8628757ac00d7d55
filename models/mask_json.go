package models

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An ItemEncoder appends very many items of one table as JSON, masked. It writes what
// AppendJSON or AppendDynamoDBJSON writes for Masker.Item, without the masked copy: it
// remembers for each entity the order of the attributes and which of them are never
// hidden. It is not safe for concurrent use.
type ItemEncoder struct {
	masker *Masker // nil hides nothing
	table  *Table
	// named puts the name of the entity before the attributes; see Named.
	named  bool
	masked bool // a value that was appended is hidden
	value  func([]byte, types.AttributeValue) []byte
	fields map[*Entity][]encodedField
}

// An encodedField is an attribute of an entity's items.
type encodedField struct {
	name  string
	head  string // the name as JSON, with its colon
	shown bool   // no value is hidden
}

// maxFields is the most attributes that an encoder remembers for an entity, so that names
// that are data do not fill the memory.
const maxFields = 256

// Encoder returns an encoder of plain JSON, or with typed of DynamoDB's. The encoder of a
// nil Masker hides nothing.
func (m *Masker) Encoder(table *Table, typed bool) *ItemEncoder {
	enc := &ItemEncoder{masker: m, table: table, value: AppendValueJSON, fields: map[*Entity][]encodedField{}}
	if typed {
		enc.value = AppendTypedJSON
	}
	return enc
}

// EntityField is the name under which an output has the entity of an item: a member of a JSON object, or a column. It is
// no attribute of the item; an item that has an attribute of this name keeps it in JSON.
const EntityField = "_entity"

// Named makes the encoder begin each object with the member EntityField: the name of the item's entity, or null.
func (enc *ItemEncoder) Named() *ItemEncoder {
	enc.named = true
	return enc
}

// Masked reports whether a value of the items so far is hidden.
func (enc *ItemEncoder) Masked() bool { return enc.masked }

// Append appends an item to dst.
func (enc *ItemEncoder) Append(dst []byte, it Item) []byte {
	var e *Entity
	if enc.masker != nil {
		e = enc.masker.Entity(enc.table, it)
	}
	if _, own := it[EntityField]; !enc.named || own || len(it) == 0 {
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
	if enc.learn(e, it) {
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
	left := len(it)
	dst = append(dst, '{')
	for i := range fields {
		f := &fields[i]
		v, ok := it[f.name]
		if !ok {
			continue
		}
		if left < len(it) {
			dst = append(dst, ',')
		}
		left--
		if !f.shown {
			v = enc.masker.value(enc.table, e, f.name, v)
			enc.masked = enc.masked || IsMasked(v)
		}
		dst = enc.value(append(dst, f.head...), v)
	}
	return append(dst, '}'), left == 0
}

// learn returns false if there are too many attributes, or if a name is hidden, because the item then has
// another name in its place.
func (enc *ItemEncoder) learn(e *Entity, it Item) bool {
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
		shown := enc.masker == nil || enc.masker.open[e][name]
		fields = slices.Insert(fields, at, encodedField{name, string(append(appendString(nil, name), ':')), shown})
	}
	enc.fields[e] = fields
	return true
}
