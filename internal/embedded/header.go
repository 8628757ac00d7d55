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

// checkHeaders returns an error if one of the headers is damaged. bbolt would use the other one,
// and the last transaction would be lost without an error. A power loss does not damage a header,
// because it is smaller than a sector of the disk.
func checkHeaders(file io.ReaderAt, pageSize int) error {
	header := make([]byte, headerChecked+headerChecksum)
	for page := range 2 {
		if _, err := file.ReadAt(header, int64(page*pageSize+headerOffset)); err != nil {
			return err
		}
		sum := fnv.New64a()
		_, _ = sum.Write(header[:headerChecked]) // never fails
		if sum.Sum64() != binary.NativeEndian.Uint64(header[headerChecked:]) {
			return fmt.Errorf("header %d of the file: %w", page+1, errDamaged)
		}
	}
	return nil
}
