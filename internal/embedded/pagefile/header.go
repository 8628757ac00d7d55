// Package pagefile reads the files of bbolt below its interface: their headers, and to what each page belongs. bbolt itself
// would use an older header without a word, or end the process. What is stored in the pages belongs in
// [github.com/ddbdesk/ddbdesk/internal/embedded].
package pagefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The two headers of a bbolt file, at the start of its first two pages. Each commit writes one of
// them, and bbolt uses the one with the later transaction that is valid.
// Source: https://github.com/etcd-io/bbolt/blob/v1.5.0/internal/common/meta.go
const (
	headerOffset   = 16 // bytes of the page before the header
	headerChecked  = 56 // bytes that the checksum covers
	headerChecksum = 8
)

// A Header is what one of the two headers refers to.
type Header struct {
	Root, FreeList uint64 // page numbers
	Pages          uint64 // in use or free
	Transaction    uint64 // the number of the last one
}

// ErrDamaged is the error of a file that is not as it was written.
var ErrDamaged = errors.New("stored data is damaged")

func readHeader(file io.ReaderAt, page, pageSize int) (Header, error) {
	data := make([]byte, headerChecked+headerChecksum)
	if _, err := file.ReadAt(data, int64(page*pageSize+headerOffset)); err != nil {
		return Header{}, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write(data[:headerChecked]) // never fails
	if sum.Sum64() != binary.NativeEndian.Uint64(data[headerChecked:]) {
		return Header{}, fmt.Errorf("header %d of the file: %w", page+1, ErrDamaged)
	}
	field := func(at int) uint64 { return binary.NativeEndian.Uint64(data[at:]) }
	return Header{Root: field(16), FreeList: field(32), Pages: field(40), Transaction: field(48)}, nil
}

// LatestHeader returns the header of the last transaction. It returns an error if one of the headers
// is damaged: bbolt would use the other one, and the last transaction would be lost without an error.
// A power loss does not damage a header, because it is smaller than a sector of the disk.
func LatestHeader(file io.ReaderAt, pageSize int) (Header, error) {
	first, err := readHeader(file, 0, pageSize)
	if err != nil {
		return Header{}, err
	}
	second, err := readHeader(file, 1, pageSize)
	if second.Transaction > first.Transaction {
		return second, err
	}
	return first, err
}
