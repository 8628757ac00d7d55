package embedded

import (
	"encoding/binary"
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

// header is what a header refers to.
type header struct {
	root, freeList uint64 // page numbers
	pages          uint64 // in use or free
	transaction    uint64
}

// readHeader returns a header, or an error if it is damaged.
func readHeader(file io.ReaderAt, page, pageSize int) (header, error) {
	data := make([]byte, headerChecked+headerChecksum)
	if _, err := file.ReadAt(data, int64(page*pageSize+headerOffset)); err != nil {
		return header{}, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write(data[:headerChecked]) // never fails
	if sum.Sum64() != binary.NativeEndian.Uint64(data[headerChecked:]) {
		return header{}, fmt.Errorf("header %d of the file: %w", page+1, errDamaged)
	}
	field := func(at int) uint64 { return binary.NativeEndian.Uint64(data[at:]) }
	return header{root: field(16), freeList: field(32), pages: field(40), transaction: field(48)}, nil
}

// latestHeader returns the header of the last transaction. It returns an error if one of the headers
// is damaged: bbolt would use the other one, and the last transaction would be lost without an error.
// A power loss does not damage a header, because it is smaller than a sector of the disk.
func latestHeader(file io.ReaderAt, pageSize int) (header, error) {
	first, err := readHeader(file, 0, pageSize)
	if err != nil {
		return header{}, err
	}
	second, err := readHeader(file, 1, pageSize)
	if second.transaction > first.transaction {
		return second, err
	}
	return first, err
}
