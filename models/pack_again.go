// This file unpacks items one after the other into the same memory, for who looks
// at very many of them.

package models

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

// unpackerSlab is how many texts and numbers an Unpacker makes room for at once.
const unpackerSlab = 32

// An Unpacker unpacks items one at a time: an item is there until the next is
// unpacked. It is not safe for concurrent use.
type Unpacker struct {
	// Packer is a copy of the one that packed the items.
	Packer Packer

	item    Item
	texts   []*types.AttributeValueMemberS
	numbers []*types.AttributeValueMemberN
	s, n    int // how many of them the item uses
}

// Unpack is Packer.Unpack, but the item and its values are those of the next call
// too. Its texts are parts of packed and stay.
func (u *Unpacker) Unpack(packed string) Item {
	if u.item == nil {
		u.item = make(Item, 16)
	}
	clear(u.item)
	u.s, u.n = 0, 0
	r := unpacker{u.Packer.names, packed}
	for range r.number() {
		name := r.name()
		u.item[name] = u.value(&r)
	}
	return u.item
}

// value reads a value; what is neither text nor a number is made anew.
func (u *Unpacker) value(r *unpacker) types.AttributeValue {
	switch r.rest[0] {
	case packS:
		r.rest = r.rest[1:]
		if u.s == len(u.texts) {
			u.texts = slab(u.texts)
		}
		v := u.texts[u.s]
		u.s++
		v.Value = r.text()
		return v
	case packN:
		r.rest = r.rest[1:]
		if u.n == len(u.numbers) {
			u.numbers = slab(u.numbers)
		}
		v := u.numbers[u.n]
		u.n++
		v.Value = r.text()
		return v
	default:
		return r.value()
	}
}

// slab adds values that lie beside each other.
func slab[T any](list []*T) []*T {
	room := make([]T, unpackerSlab)
	for i := range room {
		list = append(list, &room[i])
	}
	return list
}
