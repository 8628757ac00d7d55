// Stored items consist of a count, followed by the name and value of each attribute. Strings have length prefixes, so
// that decoding copies the row once and slices the copy.

package attribute

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// errCorrupt is the error for a row that EncodeItem did not write. The client gets an InternalServerError.
var errCorrupt = errors.New("stored item is damaged")

// EncodeItem returns the stored form of an item. The order of attributes is random, so two encodings of one item may
// differ. Compare items, not bytes.
func EncodeItem(it Item) []byte {
	return appendFields(make([]byte, 0, 16+32*len(it)), it)
}

func appendFields(dst []byte, it Item) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(it)))
	for name, v := range it {
		dst = appendText(dst, name)
		dst = appendStored(dst, v)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func appendStored(dst []byte, v Value) []byte {
	dst = append(dst, byte(v.Kind))
	switch v.Kind {
	case S, N, B:
		return appendText(dst, v.Str)
	case BOOL:
		if v.Truth {
			return append(dst, 1)
		}
		return append(dst, 0)
	case NULL:
		return dst
	case L:
		dst = binary.AppendUvarint(dst, uint64(len(v.List)))
		for i := range v.List {
			dst = appendStored(dst, v.List[i])
		}
		return dst
	case M:
		return appendFields(dst, v.Fields)
	default:
		dst = binary.AppendUvarint(dst, uint64(len(v.Set)))
		for _, s := range v.Set {
			dst = appendText(dst, s)
		}
		return dst
	}
}

// DecodeItem decodes a stored item. It copies data, because the database owns the bytes. The error of a damaged row
// contains its length but not its content.
func DecodeItem(data []byte) (Item, error) {
	r := rowReader{rest: string(data)}
	it := r.fields(0)
	if r.err != nil || r.rest != "" {
		return nil, fmt.Errorf("decode %d bytes: %w", len(data), errCorrupt)
	}
	return it, nil
}

// Lookup decodes one attribute of a stored item and skips the others. It returns the zero Value, whose Kind is 0, if
// the item lacks the attribute. It costs a fraction of DecodeItem, so use it for filters and indexes that need only one
// attribute of each row.
func Lookup(data []byte, name string) (Value, error) {
	r := rowReader{rest: string(data)}
	var v Value
	for n := r.count(); n > 0 && r.err == nil && v.Kind == 0; n-- {
		if r.text() == name {
			v = r.value(1)
		} else {
			r.skip(1)
		}
	}
	if r.err != nil {
		return Value{}, fmt.Errorf("decode %d bytes: %w", len(data), errCorrupt)
	}
	return v, nil
}

// rowReader consumes a row from the front. After an error it returns zero values.
type rowReader struct {
	rest string
	err  error
}

func (r *rowReader) fail() { r.err, r.rest = errCorrupt, "" }

// count checks a length against the remaining bytes, so that a damaged row cannot cause a huge allocation.
func (r *rowReader) count() int {
	var n uint64
	for shift := 0; shift < 35 && r.rest != ""; shift += 7 {
		b := r.rest[0]
		r.rest = r.rest[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if n > uint64(len(r.rest)) { // every element has at least one byte
				break
			}
			return int(n)
		}
	}
	r.fail()
	return 0
}

func (r *rowReader) text() string {
	n := r.count()
	if r.err != nil {
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *rowReader) fields(depth int) Item {
	n := r.count()
	it := make(Item, n)
	for i := 0; i < n && r.err == nil; i++ {
		name := r.text()
		it[name] = r.value(depth + 1)
	}
	return it
}

func (r *rowReader) kind(depth int) Kind {
	if r.err != nil || r.rest == "" || depth > 2*MaxNesting {
		r.fail()
		return 0
	}
	k := Kind(r.rest[0])
	r.rest = r.rest[1:]
	if k < S || k > M {
		r.fail()
	}
	return k
}

func (r *rowReader) flag() bool {
	if r.rest == "" {
		r.fail()
		return false
	}
	set := r.rest[0] == 1
	r.rest = r.rest[1:]
	return set
}

func (r *rowReader) value(depth int) Value {
	v := Value{Kind: r.kind(depth)}
	if r.err != nil {
		return Value{}
	}
	switch v.Kind {
	case S, N, B:
		v.Str = r.text()
	case BOOL:
		v.Truth = r.flag()
	case NULL:
	case L:
		v.List = make([]Value, r.count())
		for i := range v.List {
			v.List[i] = r.value(depth + 1)
		}
	case M:
		v.Fields = r.fields(depth)
	default:
		v.Set = make([]string, r.count())
		for i := range v.Set {
			v.Set[i] = r.text()
		}
	}
	return v
}

func (r *rowReader) skip(depth int) {
	k := r.kind(depth)
	if r.err != nil {
		return
	}
	switch k {
	case S, N, B:
		r.text()
	case BOOL:
		r.flag()
	case NULL:
	default:
		for n := r.count(); n > 0 && r.err == nil; n-- {
			if k != L {
				r.text() // name of a member, or element of a set
			}
			if k == M || k == L {
				r.skip(depth + 1)
			}
		}
	}
}

// Encoded key values sort like the values. An encoding is never a prefix of another one, so that a value also defines a
// range.

const (
	negativeNumber = 0x01
	zeroNumber     = 0x02
	positiveNumber = 0x03

	textEscape = 0x00 // encodes a zero byte as 00 ff
	textZero   = 0xff
	textEnd    = 0x01 // 00 01 ends a text and sorts before any longer text
)

// AppendKeyPart appends the order-preserving encoding of a key value, which must be of kind S, N or B. Files contain
// the encoding, so it must not change.
func AppendKeyPart(dst []byte, v Value) []byte {
	if v.Kind == N {
		return appendKeyNumber(dst, mustDecimal(v.Str))
	}
	return append(AppendKeyPrefix(dst, v.Str), textEscape, textEnd)
}

// AppendKeyPrefix appends a text without its end, which is a prefix of all keys whose text starts with s.
func AppendKeyPrefix(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = append(dst, s[i])
		if s[i] == textEscape {
			dst = append(dst, textZero)
		}
	}
	return dst
}

// KeyPartSize returns the size of the encoded key value of kind k at the start of data, or -1 if the encoding is
// incomplete.
func KeyPartSize(k Kind, data []byte) int {
	if k == N {
		return keyNumberSize(data)
	}
	for i := 0; i+1 < len(data); i++ {
		at := bytes.IndexByte(data[i:], textEscape)
		if at < 0 {
			break
		}
		if i += at + 1; i < len(data) && data[i] == textEnd {
			return i + 1
		}
	}
	return -1
}

func keyNumberSize(data []byte) int {
	if len(data) == 0 {
		return -1
	}
	last := byte(0)
	switch data[0] {
	case zeroNumber:
		return 1
	case negativeNumber:
		last = 0xff
	}
	const digits = 2 // after the sign and the exponent
	if len(data) < digits {
		return -1
	}
	if at := bytes.IndexByte(data[digits:], last); at >= 0 {
		return digits + at + 1
	}
	return -1
}

// appendKeyNumber appends the sign, the exponent and pairs of digits. Each pair is a byte from 1 to 100, so that 0 can
// end a number and sorts first. The bytes of a negative number are complements, which reverses the order.
func appendKeyNumber(dst []byte, d decimal) []byte {
	if d.digits == "" {
		return append(dst, zeroNumber)
	}
	mask := byte(0)
	if d.negative {
		dst = append(dst, negativeNumber)
		mask = 0xff
	} else {
		dst = append(dst, positiveNumber)
	}
	dst = append(dst, byte(d.exp-minExponent)^mask)
	for i := 0; i < len(d.digits); i += 2 {
		pair := (d.digits[i] - '0') * 10
		if i+1 < len(d.digits) {
			pair += d.digits[i+1] - '0'
		}
		dst = append(dst, (pair+1)^mask)
	}
	return append(dst, 0^mask)
}
