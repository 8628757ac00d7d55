// The format of items on disk: a count, then name and value of each attribute. Strings
// are length-prefixed, so that decoding copies the row once and slices the copy.

package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// errCorrupt is the error of a row that encodeItem did not write. The client sees an
// InternalServerError.
var errCorrupt = errors.New("stored item is damaged")

func encodeItem(it item) []byte {
	return appendFields(make([]byte, 0, 16+32*len(it)), it)
}

func appendFields(dst []byte, it item) []byte {
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

// appendStored appends a kind and the value of this kind.
func appendStored(dst []byte, v value) []byte {
	dst = append(dst, byte(v.kind))
	switch v.kind {
	case kindS, kindN, kindB:
		return appendText(dst, v.str)
	case kindBOOL:
		if v.truth {
			return append(dst, 1)
		}
		return append(dst, 0)
	case kindNULL:
		return dst
	case kindL:
		dst = binary.AppendUvarint(dst, uint64(len(v.list)))
		for i := range v.list {
			dst = appendStored(dst, v.list[i])
		}
		return dst
	case kindM:
		return appendFields(dst, v.fields)
	default:
		dst = binary.AppendUvarint(dst, uint64(len(v.set)))
		for _, s := range v.set {
			dst = appendText(dst, s)
		}
		return dst
	}
}

// decodeItem reads a stored item. It copies the bytes, because they belong to the
// database.
func decodeItem(data []byte) (item, error) {
	r := rowReader{rest: string(data)}
	it := r.fields(0)
	if r.err != nil || r.rest != "" {
		return nil, fmt.Errorf("decoding %d bytes: %w", len(data), errCorrupt)
	}
	return it, nil
}

// rowReader consumes a row from the front. After an error it returns zero values.
type rowReader struct {
	rest string
	err  error
}

func (r *rowReader) fail() { r.err, r.rest = errCorrupt, "" }

// count reads a length and checks it against the remaining bytes, so that a damaged
// row cannot cause a huge allocation.
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

// text reads a length and so many bytes.
func (r *rowReader) text() string {
	n := r.count()
	if r.err != nil {
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// fields reads the attributes of an item, or the members of a map.
func (r *rowReader) fields(depth int) item {
	n := r.count()
	it := make(item, n)
	for i := 0; i < n && r.err == nil; i++ {
		name := r.text()
		it[name] = r.value(depth + 1)
	}
	return it
}

// kind reads and validates the type of a value.
func (r *rowReader) kind(depth int) kind {
	if r.err != nil || r.rest == "" || depth > 2*maxNesting {
		r.fail()
		return 0
	}
	k := kind(r.rest[0])
	r.rest = r.rest[1:]
	if k < kindS || k > kindM {
		r.fail()
	}
	return k
}

// flag reads a Boolean.
func (r *rowReader) flag() bool {
	if r.rest == "" {
		r.fail()
		return false
	}
	set := r.rest[0] == 1
	r.rest = r.rest[1:]
	return set
}

// value reads a kind and the value of this kind.
func (r *rowReader) value(depth int) value {
	v := value{kind: r.kind(depth)}
	if r.err != nil {
		return value{}
	}
	switch v.kind {
	case kindS, kindN, kindB:
		v.str = r.text()
	case kindBOOL:
		v.truth = r.flag()
	case kindNULL:
	case kindL:
		v.list = make([]value, r.count())
		for i := range v.list {
			v.list[i] = r.value(depth + 1)
		}
	case kindM:
		v.fields = r.fields(depth)
	default:
		v.set = make([]string, r.count())
		for i := range v.set {
			v.set[i] = r.text()
		}
	}
	return v
}
