package embedded

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sort"
)

// A checksum describes the entries of a block: their size in bytes, then the digest of each in ascending order. With a
// digest for each entry, a read of one entry need not read the others. Both are eight bytes, most significant first.
type checksum []byte

const checksumUnit = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func emptyChecksum() checksum { return make(checksum, checksumUnit) }

// entryDigest has the digest of the key in its upper half. It depends on the key, on the value, and on where one ends
// and the other begins.
func entryDigest(key, value []byte) uint64 {
	sum := crc32.Checksum(key, castagnoli)
	return uint64(sum)<<32 | uint64(crc32.Update(sum, castagnoli, value))
}

func checksumOf(entries []entry) checksum {
	digests := make([]uint64, len(entries))
	size := 0
	for i, e := range entries {
		digests[i] = entryDigest(e.key, e.value)
		size += len(e.key) + len(e.value)
	}
	slices.Sort(digests)
	out := binary.BigEndian.AppendUint64(make(checksum, 0, checksumUnit*(len(entries)+1)), uint64(size))
	for _, d := range digests {
		out = binary.BigEndian.AppendUint64(out, d)
	}
	return out
}

func (s checksum) valid() bool { return len(s) >= checksumUnit && len(s)%checksumUnit == 0 }

func (s checksum) size() uint64 { return binary.BigEndian.Uint64(s) }

func (s checksum) count() int { return len(s)/checksumUnit - 1 }

func (s checksum) digest(i int) uint64 { return binary.BigEndian.Uint64(s[(i+1)*checksumUnit:]) }

func (s checksum) search(d uint64) int {
	return sort.Search(s.count(), func(i int) bool { return s.digest(i) >= d })
}

func (s checksum) has(key, value []byte) bool {
	d := entryDigest(key, value)
	at := s.search(d)
	return at < s.count() && s.digest(at) == d
}

func (s checksum) mayHave(key []byte) bool {
	d := uint64(crc32.Checksum(key, castagnoli)) << 32
	at := s.search(d)
	return at < s.count() && s.digest(at)>>32 == d>>32
}

func (s checksum) with(key, value []byte) checksum {
	d := entryDigest(key, value)
	at := (s.search(d) + 1) * checksumUnit
	out := make(checksum, 0, len(s)+checksumUnit)
	out = binary.BigEndian.AppendUint64(append(out, s[:at]...), d)
	out = append(out, s[at:]...)
	binary.BigEndian.PutUint64(out, s.size()+uint64(len(key)+len(value)))
	return out
}

func (s checksum) without(key, value []byte) checksum {
	at := (s.search(entryDigest(key, value)) + 1) * checksumUnit
	out := append(append(make(checksum, 0, len(s)), s[:at]...), s[at+checksumUnit:]...)
	binary.BigEndian.PutUint64(out, s.size()-uint64(len(key)+len(value)))
	return out
}

// total is the number, the size and the sum of the digests of entries.
type total struct{ count, bytes, digest uint64 }

func (t *total) add(key, value []byte) {
	t.count++
	t.bytes += uint64(len(key) + len(value))
	t.digest += entryDigest(key, value)
}

func (s checksum) total() total {
	t := total{count: uint64(s.count()), bytes: s.size()}
	for i := range s.count() {
		t.digest += s.digest(i)
	}
	return t
}
