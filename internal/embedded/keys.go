// Stored keys. A stored key is hash(partition key) + partition key + sort key. Each key has one
// attribute, or up to four in a global index. The hash distributes partitions as the
// service does: a scan is not sorted, and a parallel scan splits the hash space. Within a
// partition, bytes sort like sort keys.

package embedded

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

const hashBytes = 4

func partition(it attribute.Item, keys []attribute.Key) []byte {
	key := make([]byte, hashBytes, 64)
	for _, k := range keys {
		key = attribute.AppendKeyPart(key, it[k.Name])
	}
	binary.BigEndian.PutUint32(key, crc32.ChecksumIEEE(key[hashBytes:]))
	return key
}

// after returns the first key after all keys with this prefix; nil is the end of the keyspace.
func after(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

// keyRange is the half-open range of stored keys [from, to); nil is unbounded.
type keyRange struct{ from, to []byte }

func prefixRange(prefix []byte) keyRange { return keyRange{from: prefix, to: after(prefix)} }

func segmentRange(segment, total int) keyRange {
	bound := func(n int) []byte {
		b := uint64(n) << 32 / uint64(total)
		if b == 0 || b >= 1<<32 {
			return nil
		}
		return binary.BigEndian.AppendUint32(nil, uint32(b))
	}
	return keyRange{from: bound(segment), to: bound(segment + 1)}
}
