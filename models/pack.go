package models

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxPackedNames is the maximum number of names that a Packer remembers, so that IDs and other data used as map keys do
// not fill the memory.
const maxPackedNames = 1 << 14

// A Packer packs items into short text and unpacks them. A map takes five times the memory of its data. The Packer
// remembers attribute names, which are the same in most items. The zero value is ready to use.
//
// A copy of a Packer unpacks everything packed before the copy was made, even while another goroutine packs with the
// original.
type Packer struct {
	names []string
	ids   map[string]uint64
	order []string // names of the item being packed
}

// These are the kinds of packed values.
const (
	packS byte = iota
	packN
	packB
	packTrue
	packFalse
	packNull
	packM
	packCollection // the position of its type in Types follows
	packNotNull    // NULL with the value false, which only a faulty server sends
)

// Len returns the number of names that the Packer remembers. If two copies differ, the one with more names unpacks
// everything that the other does.
func (p *Packer) Len() int { return len(p.names) }

// AppendPacked appends the item as text for Unpack. ok is false if a value is masked or of an unknown type: rejecting
// masked values ensures that unpacking never turns them into data. Only a Packer with the same names can unpack the
// text, so it is not a file format.
//
// AppendPacked orders attributes by name, so that items of the same entity become similar texts, which compress well.
func (p *Packer) AppendPacked(b []byte, it Item) ([]byte, bool) {
	b = binary.AppendUvarint(b, uint64(len(it)))
	from := len(p.order)
	for name := range it {
		p.order = append(p.order, name)
	}
	slices.Sort(p.order[from:])
	ok := true
	for i := from; ok && i < from+len(it); i++ {
		name := p.order[i]
		b, ok = p.appendValue(p.appendName(b, name), it[name])
	}
	p.order = p.order[:from]
	return b, ok
}

func (p *Packer) appendName(b []byte, name string) []byte {
	id, known := p.ids[name]
	if !known && len(p.names) < maxPackedNames {
		if p.ids == nil {
			p.ids = map[string]uint64{}
		}
		p.names = append(p.names, strings.Clone(name))
		id, known = uint64(len(p.names)), true
		p.ids[p.names[id-1]] = id
	}
	if known {
		return binary.AppendUvarint(b, id)
	}
	return appendPacked(append(b, 0), name)
}

func appendPacked(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func (p *Packer) appendValue(b []byte, v types.AttributeValue) ([]byte, bool) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return appendPacked(append(b, packS), v.Value), true
	case *types.AttributeValueMemberN:
		return appendPacked(append(b, packN), v.Value), true
	case *types.AttributeValueMemberB:
		return appendPacked(append(b, packB), string(v.Value)), true
	case *types.AttributeValueMemberBOOL:
		if v.Value {
			return append(b, packTrue), true
		}
		return append(b, packFalse), true
	case *types.AttributeValueMemberNULL:
		if v.Value {
			return append(b, packNull), true
		}
		return append(b, packNotNull), true
	case *types.AttributeValueMemberM:
		return p.AppendPacked(append(b, packM), v.Value)
	}
	elements, ok := Elements(v)
	b = append(b, packCollection, byte(slices.Index(Types(), ValueType(v))))
	b = binary.AppendUvarint(b, uint64(len(elements)))
	for i := 0; ok && i < len(elements); i++ {
		b, ok = p.appendValue(b, elements[i])
	}
	return b, ok
}

// Unpack returns the item that was packed. Its strings share the memory of packed. Unpack panics if the text is not
// from AppendPacked, or is from a Packer with other names.
func (p *Packer) Unpack(packed string) Item {
	r := unpacker{p.names, packed}
	return r.items()
}

// An unpacker reads packed text from its start.
type unpacker struct {
	names []string
	rest  string
}

func (r *unpacker) number() int {
	var n uint64
	for i := range len(r.rest) {
		c := r.rest[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.rest = r.rest[i+1:]
			break
		}
	}
	return int(n)
}

func (r *unpacker) text() string {
	n := r.number()
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

func (r *unpacker) items() Item {
	n := r.number()
	it := make(Item, n)
	for range n {
		name := r.name()
		it[name] = r.value()
	}
	return it
}

func (r *unpacker) name() string {
	if id := r.number(); id > 0 {
		return r.names[id-1]
	}
	return r.text()
}

func (r *unpacker) value() types.AttributeValue {
	kind := r.rest[0]
	r.rest = r.rest[1:]
	switch kind {
	case packS:
		return &types.AttributeValueMemberS{Value: r.text()}
	case packN:
		return &types.AttributeValueMemberN{Value: r.text()}
	case packB:
		return &types.AttributeValueMemberB{Value: []byte(r.text())}
	case packTrue, packFalse:
		return &types.AttributeValueMemberBOOL{Value: kind == packTrue}
	case packNull, packNotNull:
		return &types.AttributeValueMemberNULL{Value: kind == packNull}
	case packM:
		return &types.AttributeValueMemberM{Value: r.items()}
	default:
		t := Types()[r.rest[0]]
		r.rest = r.rest[1:]
		elements := make([]types.AttributeValue, r.number())
		for i := range elements {
			elements[i] = r.value()
		}
		v, _ := Collection(t, elements)
		return v
	}
}

// unpackerSlab is the number of strings or numbers that an Unpacker allocates at once.
const unpackerSlab = 32

// An Unpacker unpacks items one at a time into the same memory. It is not safe for concurrent use.
type Unpacker struct {
	// Packer is a copy of the Packer that packed the items.
	Packer Packer

	item    Item
	texts   []*types.AttributeValueMemberS
	numbers []*types.AttributeValueMemberN
	s, n    int // number of texts and numbers in use
}

// Unpack is like Packer.Unpack, except that the next call overwrites the item and its values. Their strings stay valid.
// A caller that keeps an item beyond the next call must use Packer.Unpack.
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

// value reuses memory for strings and numbers only.
func (u *Unpacker) value(r *unpacker) types.AttributeValue {
	switch r.rest[0] {
	case packS:
		r.rest = r.rest[1:]
		if u.s == len(u.texts) {
			u.texts = allocateSlab(u.texts)
		}
		v := u.texts[u.s]
		u.s++
		v.Value = r.text()
		return v
	case packN:
		r.rest = r.rest[1:]
		if u.n == len(u.numbers) {
			u.numbers = allocateSlab(u.numbers)
		}
		v := u.numbers[u.n]
		u.n++
		v.Value = r.text()
		return v
	default:
		return r.value()
	}
}

func allocateSlab[T any](list []*T) []*T {
	slab := make([]T, unpackerSlab)
	for i := range slab {
		list = append(list, &slab[i])
	}
	return list
}
