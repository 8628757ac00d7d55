// Package pagefile reads bbolt files below bbolt's interface: their headers, and the owner of each page. bbolt itself
// would silently use an older header, or end the process. Package [github.com/ddbdesk/ddbdesk/internal/embedded]
// handles the content of the pages.
package pagefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// A bbolt file has two headers, at the start of its first two pages. Each commit writes one of them, and bbolt uses the
// valid header with the later transaction.
// Source: https://github.com/etcd-io/bbolt/blob/v1.5.0/internal/common/meta.go
const (
	headerOffset   = 16 // bytes of the page before the header
	headerChecked  = 56 // bytes that the checksum covers
	headerChecksum = 8
)

// A Header contains the state of the file after a transaction.
type Header struct {
	Root, FreeList uint64 // page numbers
	Pages          uint64 // number of pages in use or free
	Transaction    uint64 // number of the last transaction
}

// ErrDamaged is the error for a file that differs from the written data.
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

// LatestHeader returns the header of the last transaction. It returns an error if either header is damaged, because
// bbolt would use the other one and silently lose the last transaction. A power loss does not damage a header, because
// it is smaller than a disk sector.
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

// These constants describe the pages of a bbolt file.
// Source: https://github.com/etcd-io/bbolt/blob/v1.5.0/internal/common/page.go
const (
	pageHeader  = 16 // page number, type, number of elements, number of overflow pages
	pageElement = 16 // an element of a tree

	branchPage   = 0x01
	leafPage     = 0x02
	freeListPage = 0x10

	bucketElement = 0x01 // an element of a leaf that is a bucket

	freeCountFollows = 0xffff // number of elements of a free list that starts with the number of free pages
)

// pageMap records the owned pages of a file. It replaces bbolt's own check, which runs in a goroutine and therefore
// ends the process at some kinds of damage.
type pageMap struct {
	file  io.ReaderAt
	size  int // page size in bytes
	owned []bool
}

// Check returns an error unless each page in use belongs exactly once to a tree or to the list of free pages. A wrong
// list would let later writes overwrite data. It reads every page in use once, and allocates one byte for each page of
// the file.
func Check(file io.ReaderAt, pageSize int) error {
	h, err := LatestHeader(file, pageSize)
	if err != nil {
		return err
	}
	m := &pageMap{file: file, size: pageSize, owned: make([]bool, h.Pages)}
	m.owned[0], m.owned[1] = true, true // the headers
	if err := m.claimTree(h.Root); err != nil {
		return err
	}
	if err := m.claimFreeList(h.FreeList); err != nil {
		return err
	}
	for id, owned := range m.owned {
		if !owned {
			return fmt.Errorf("page %d is neither in use nor free: %w", id, ErrDamaged)
		}
	}
	return nil
}

func (m *pageMap) claim(first, count uint64) error {
	if first < 2 || count > uint64(len(m.owned)) || first > uint64(len(m.owned))-count {
		return fmt.Errorf("pages %d to %d are out of range (%d pages): %w", first, first+count-1, len(m.owned), ErrDamaged)
	}
	for id := first; id < first+count; id++ {
		if m.owned[id] {
			return fmt.Errorf("page %d is used twice: %w", id, ErrDamaged)
		}
		m.owned[id] = true
	}
	return nil
}

func (m *pageMap) read(id uint64) (kind uint16, count int, content []byte, err error) {
	var header [pageHeader]byte
	if id >= uint64(len(m.owned)) {
		return 0, 0, nil, fmt.Errorf("page %d is out of range (%d pages): %w", id, len(m.owned), ErrDamaged)
	}
	if _, err := m.file.ReadAt(header[:], int64(id)*int64(m.size)); err != nil {
		return 0, 0, nil, err
	}
	if binary.NativeEndian.Uint64(header[:]) != id {
		return 0, 0, nil, fmt.Errorf("page %d has the wrong number: %w", id, ErrDamaged)
	}
	kind, count = binary.NativeEndian.Uint16(header[8:]), int(binary.NativeEndian.Uint16(header[10:]))
	pages := uint64(binary.NativeEndian.Uint32(header[12:])) + 1
	if err := m.claim(id, pages); err != nil {
		return 0, 0, nil, err
	}
	content = make([]byte, int(pages)*m.size)
	_, err = m.file.ReadAt(content, int64(id)*int64(m.size))
	return kind, count, content, err
}

func (m *pageMap) claimTree(id uint64) error {
	kind, count, content, err := m.read(id)
	if err != nil {
		return err
	}
	if kind != branchPage && kind != leafPage || count > (len(content)-pageHeader)/pageElement {
		return fmt.Errorf("page %d is not a tree page: %w", id, ErrDamaged)
	}
	for i := range count {
		at := pageHeader + i*pageElement
		element := content[at : at+pageElement]
		child := uint64(0)
		if kind == branchPage {
			child = binary.NativeEndian.Uint64(element[8:])
		} else if binary.NativeEndian.Uint32(element)&bucketElement != 0 {
			value := uint64(at) + uint64(binary.NativeEndian.Uint32(element[4:])) + uint64(binary.NativeEndian.Uint32(element[8:]))
			if value+8 > uint64(len(content)) {
				return fmt.Errorf("bucket in page %d extends past the page: %w", id, ErrDamaged)
			}
			if child = binary.NativeEndian.Uint64(content[value:]); child == 0 {
				continue // a small bucket is part of the page
			}
		} else {
			continue
		}
		if err := m.claimTree(child); err != nil {
			return err
		}
	}
	return nil
}

func (m *pageMap) claimFreeList(id uint64) error {
	kind, count, content, err := m.read(id)
	if err != nil {
		return err
	}
	if kind != freeListPage {
		return fmt.Errorf("page %d is not a free list: %w", id, ErrDamaged)
	}
	list := content[pageHeader:]
	if count == freeCountFollows {
		if free := binary.NativeEndian.Uint64(list); free < uint64(len(list))/8 {
			count, list = int(free), list[8:]
		}
	}
	if count > len(list)/8 {
		return fmt.Errorf("free list extends past its page: %w", ErrDamaged)
	}
	for i := range count {
		if err := m.claim(binary.NativeEndian.Uint64(list[i*8:]), 1); err != nil {
			return fmt.Errorf("free pages: %w", err)
		}
	}
	return nil
}
