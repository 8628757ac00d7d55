// The conversion of a stored row to JSON in one pass. Most pages return whole rows, and
// decoding them into items would cost more than the rest of a query.

package attribute

import (
	"fmt"
)

// AppendRow appends the row as JSON and returns the size of its item. The size is that of
// Item.Size, which decides where a page of 1 MB ends. dst is returned unchanged with an error.
func AppendRow(dst, row []byte) (out []byte, size int, err error) {
	r := rowReader{rest: string(row)}
	out, size = r.fieldsJSON(dst, 0)
	if r.err != nil || r.rest != "" {
		return dst, 0, fmt.Errorf("reading %d bytes: %w", len(row), errCorrupt)
	}
	return out, size, nil
}

func (r *rowReader) fieldsJSON(dst []byte, depth int) ([]byte, int) {
	dst = append(dst, '{')
	size := 0
	n := r.count()
	for i := 0; i < n && r.err == nil; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := r.text()
		dst = append(AppendQuoted(dst, name), ':')
		var bytes int
		dst, bytes = r.valueJSON(dst, depth+1)
		size += len(name) + bytes
		if depth > 0 {
			size++ // an element of a map has one byte of overhead
		}
	}
	return append(dst, '}'), size
}

func (r *rowReader) valueJSON(dst []byte, depth int) ([]byte, int) {
	k := r.kind(depth)
	if r.err != nil {
		return dst, 0
	}
	dst = append(append(append(dst, `{"`...), k.String()...), `":`...)
	size := 0
	switch k {
	case S, N, B:
		dst, size = r.scalarJSON(dst, k)
	case BOOL:
		dst, size = append(dst, boolJSON(r.flag())...), 1
	case NULL:
		dst, size = append(dst, "true"...), 1
	case M:
		dst, size = r.fieldsJSON(dst, depth)
		size += 3
	default:
		dst, size = r.elementsJSON(dst, k, depth)
	}
	return append(dst, '}'), size
}

func (r *rowReader) scalarJSON(dst []byte, k Kind) ([]byte, int) {
	s := r.text()
	size := len(s)
	if k == N {
		size = numberSize(s)
	}
	return appendElement(dst, k, s), size
}

func (r *rowReader) elementsJSON(dst []byte, k Kind, depth int) ([]byte, int) {
	size := 0
	if k == L {
		size = 3
	}
	dst = append(dst, '[')
	n := r.count()
	for i := 0; i < n && r.err == nil; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		var bytes int
		if k == L {
			dst, bytes = r.valueJSON(dst, depth+1)
			bytes++
		} else {
			dst, bytes = r.scalarJSON(dst, k.element())
		}
		size += bytes
	}
	return append(dst, ']'), size
}
