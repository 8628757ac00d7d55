// Buckets with checksums. bbolt has none for its pages, so that a damaged page would change,
// hide or move entries without an error.
//
// The entries of a bucket are divided into blocks of consecutive keys. A second bucket has the
// checksum of each block, by the first key that belongs to it. Every read compares the two: damage
// of either bucket makes them disagree, be it in a value, in a key, or in a page that points to
// other pages. That an entry is absent is verified as well. A read of one entry compares it alone,
// a read of a range the whole blocks.

package embedded

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/ddbdesk/ddbdesk/internal/embedded/pagefile"
)

const (
	maxBlockEntries = 64
	maxBlockBytes   = 16 << 10 // unless a single entry is larger
)

var (
	// firstBlock is the key of the first block. It sorts before every key.
	firstBlock = []byte{0}
	// errDamaged is the error of data that is not what was written. The client sees an
	// InternalServerError.
	errDamaged = pagefile.ErrDamaged
	// errNewer is the error of a file in a format that a later version introduced.
	errNewer = errors.New("the file was written by a newer version of ddbdesk")
	// errOlder is the error of a file in a format that no release wrote.
	errOlder = errors.New("the file was written by a build of ddbdesk before its first release")
)

// entry is a key and a value of a bucket, valid until the transaction ends.
type entry struct{ key, value []byte }

// block is a range of keys [start, end) with the checksum of its entries. A nil end is unbounded.
type block struct {
	start, end []byte
	sum        checksum
}

func (b *block) holds(key []byte) bool {
	return b.start != nil && bytes.Compare(b.start, key) <= 0 && (b.end == nil || bytes.Compare(key, b.end) < 0)
}

// bucket is a bucket of the file with the checksums of its blocks.
type bucket struct {
	title   string // in errors, such as "table orders"
	entries *bbolt.Bucket
	blocks  *bbolt.Bucket
	// Cursors are kept, because a new one allocates its stack. Every use begins with a search.
	entryAt, blockAt *bbolt.Cursor
	emptied          func(start []byte) // records a block that is empty, in an update
	last             block              // that was read last, in a view
}

// damaged returns an error without item data.
func (b *bucket) damaged(why string) error { return fmt.Errorf("%s: %s: %w", b.title, why, errDamaged) }

func (b *bucket) mismatch() error { return b.damaged("entries do not match their checksum") }

func (b *bucket) entryCursor() *bbolt.Cursor {
	if b.entryAt == nil {
		b.entryAt = b.entries.Cursor()
	}
	return b.entryAt
}

func (b *bucket) blockCursor() *bbolt.Cursor {
	if b.blockAt == nil {
		b.blockAt = b.blocks.Cursor()
	}
	return b.blockAt
}

func (b *bucket) blockOf(key []byte) (block, error) {
	c := b.blockCursor()
	start, data := c.Seek(key)
	end := start
	switch {
	case start == nil:
		start, data = c.Last()
	case bytes.Equal(start, key):
		end, _ = c.Next()
	default:
		start, data = c.Prev()
	}
	return b.block(start, end, data, key)
}

func (b *bucket) blockBefore(key []byte) (block, error) {
	c := b.blockCursor()
	if key == nil {
		start, data := c.Last()
		return b.block(start, nil, data, start)
	}
	end, _ := c.Seek(key)
	start, data := c.Prev()
	if end == nil {
		start, data = c.Last()
	}
	if bytes.Compare(start, key) >= 0 {
		return block{}, b.damaged("checksums are out of order")
	}
	return b.block(start, end, data, start)
}

func (b *bucket) block(start, end, data, key []byte) (block, error) {
	bl := block{start: start, end: end, sum: checksum(data)}
	if !bl.holds(key) || !bl.sum.valid() {
		return block{}, b.damaged("checksum is missing")
	}
	return bl, nil
}

func (b *bucket) read(bl block, into []entry) ([]entry, error) {
	want := bl.sum.total()
	var found total
	var previous []byte
	c := b.entryCursor()
	for key, value := c.Seek(bl.start); key != nil && (bl.end == nil || bytes.Compare(key, bl.end) < 0); key, value = c.Next() {
		if found.count == want.count || bytes.Compare(key, previous) <= 0 {
			return nil, b.mismatch()
		}
		found.add(key, value)
		into = append(into, entry{key, value})
		previous = key
	}
	if found != want {
		return nil, b.mismatch()
	}
	return into, nil
}

func (b *bucket) get(key []byte) ([]byte, error) {
	if !b.last.holds(key) {
		bl, err := b.blockOf(key)
		if err != nil {
			return nil, err
		}
		b.last = bl
	}
	bl := b.last
	if b.emptied != nil {
		b.last = block{} // an update can change it
	}
	return b.lookUp(bl, key)
}

func (b *bucket) lookUp(bl block, key []byte) ([]byte, error) {
	found, value := b.entryCursor().Seek(key)
	if !bytes.Equal(found, key) {
		value = nil
	}
	if value == nil && !bl.sum.mayHave(key) || value != nil && bl.sum.has(key, value) {
		return value, nil
	}
	entries, err := b.read(bl, nil)
	if err != nil || value != nil {
		return nil, cmp.Or(err, b.mismatch())
	}
	// Another key has the same digest, or damage elsewhere leads the search for this one astray.
	for _, e := range entries {
		if bytes.Equal(e.key, key) {
			return e.value, nil
		}
	}
	return nil, nil
}

func (b *bucket) walk(r keyRange, backward bool, visit func(key, value []byte) (bool, error)) error {
	if backward {
		return b.walkBack(r, visit)
	}
	var entries []entry
	at := r.from
	if at == nil {
		at = firstBlock
	}
	for {
		bl, err := b.blockOf(at)
		if err != nil {
			return err
		}
		if entries, err = b.read(bl, entries[:0]); err != nil {
			return err
		}
		for _, e := range entries {
			if r.to != nil && bytes.Compare(e.key, r.to) >= 0 {
				return nil
			}
			if bytes.Compare(e.key, at) < 0 {
				continue
			}
			if more, err := visit(e.key, e.value); !more || err != nil {
				return err
			}
		}
		if bl.end == nil {
			return nil
		}
		at = bl.end
	}
}

func (b *bucket) walkBack(r keyRange, visit func(key, value []byte) (bool, error)) error {
	var entries []entry
	for before := r.to; ; {
		bl, err := b.blockBefore(before)
		if err != nil {
			return err
		}
		if entries, err = b.read(bl, entries[:0]); err != nil {
			return err
		}
		for _, e := range slices.Backward(entries) {
			if before != nil && bytes.Compare(e.key, before) >= 0 {
				continue
			}
			if bytes.Compare(e.key, r.from) < 0 {
				return nil
			}
			if more, err := visit(e.key, e.value); !more || err != nil {
				return err
			}
		}
		if bytes.Equal(bl.start, firstBlock) || bytes.Compare(bl.start, r.from) <= 0 {
			return nil
		}
		before = bl.start
	}
}

// put keeps value, which the caller must not change before the transaction ends. A damaged entry cannot be replaced.
func (b *bucket) put(key, value []byte) error {
	bl, err := b.blockOf(key)
	if err != nil {
		return err
	}
	old, err := b.lookUp(bl, key)
	if err != nil {
		return err
	}
	if old != nil {
		bl.sum = bl.sum.without(key, old)
	}
	bl.sum = bl.sum.with(key, value)
	if err := b.entries.Put(key, value); err != nil {
		return err
	}
	if n := bl.sum.count(); n > maxBlockEntries || n > 1 && bl.sum.size() > maxBlockBytes {
		return b.split(bl, key)
	}
	return b.blocks.Put(bl.start, bl.sum)
}

func (b *bucket) split(bl block, added []byte) error {
	entries, err := b.read(bl, nil)
	if err != nil {
		return err
	}
	at := max(1, len(entries)/2)
	if bytes.Equal(entries[len(entries)-1].key, added) {
		at = len(entries) - 1 // keys in ascending order fill their blocks
	}
	if err := b.blocks.Put(bl.start, checksumOf(entries[:at])); err != nil {
		return err
	}
	return b.blocks.Put(entries[at].key, checksumOf(entries[at:]))
}

func (b *bucket) delete(key []byte) error {
	bl, err := b.blockOf(key)
	if err != nil {
		return err
	}
	old, err := b.lookUp(bl, key)
	if old == nil || err != nil {
		return err
	}
	sum := bl.sum.without(key, old)
	if err := b.entries.Delete(key); err != nil {
		return err
	}
	if sum.count() == 0 && !bytes.Equal(bl.start, firstBlock) {
		b.emptied(slices.Clone(bl.start))
	}
	return b.blocks.Put(bl.start, sum)
}

// dropEmpty removes the checksum of an empty block at the end of the transaction, because bbolt's cursors stop at
// pages that a transaction has emptied.
func (b *bucket) dropEmpty(start []byte) error {
	if sum := checksum(b.blocks.Get(start)); !sum.valid() || sum.count() > 0 {
		return nil
	}
	return b.blocks.Delete(start)
}

func (t *tx) system(name []byte) (*bucket, error) { return t.bucket(nil, name, string(name)) }

func (t *tx) rows(tb *table) (*bucket, error) {
	return t.bucket(bucketRows, place(tb, nil), "table "+tb.Name)
}

func (t *tx) entries(tb *table, ix *index) (*bucket, error) {
	return t.bucket(bucketIndexes, place(tb, ix), "index "+ix.Name+" of table "+tb.Name)
}

func (t *tx) bucket(parent, name []byte, title string) (*bucket, error) {
	id := string(blocksName(parent, name))
	if b, ok := t.buckets[id]; ok {
		return b, nil
	}
	b := &bucket{title: title, entries: t.bolt.Bucket(name), blocks: child(t.bolt.Bucket(bucketChecksums), []byte(id))}
	if parent != nil {
		b.entries = child(t.bolt.Bucket(parent), name)
	}
	if b.entries == nil || b.blocks == nil {
		return nil, b.damaged("data is missing")
	}
	if t.bolt.Writable() {
		b.emptied = func(start []byte) {
			t.emptied = append(t.emptied, func() error { return b.dropEmpty(start) })
		}
	}
	if t.buckets == nil {
		t.buckets = map[string]*bucket{}
	}
	t.buckets[id] = b
	return b, nil
}

func blocksName(parent, name []byte) []byte {
	if parent == nil {
		return name
	}
	return fmt.Appendf(nil, "%s/%s", parent, name)
}

func child(parent *bbolt.Bucket, name []byte) *bbolt.Bucket {
	if parent == nil {
		return nil
	}
	return parent.Bucket(name)
}

func (t *tx) createBucket(parent, name []byte) error {
	if parent != nil {
		_, err := t.bolt.Bucket(parent).CreateBucket(name)
		if errors.Is(err, bolterrors.ErrBucketExists) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	blocks, err := t.bolt.Bucket(bucketChecksums).CreateBucket(blocksName(parent, name))
	if err != nil {
		return err
	}
	return blocks.Put(firstBlock, emptyChecksum())
}

func (t *tx) dropBucket(parent, name []byte) error {
	id := blocksName(parent, name)
	delete(t.buckets, string(id))
	if err := t.bolt.Bucket(parent).DeleteBucket(name); err != nil {
		return err
	}
	if err := t.bolt.Bucket(bucketChecksums).DeleteBucket(id); err != nil {
		return err
	}
	counts, err := t.system(bucketCounts)
	if err != nil {
		return err
	}
	return counts.delete(name)
}

func (t *tx) finish() error {
	if err := t.saveCounts(); err != nil {
		return err
	}
	for _, drop := range t.emptied {
		if err := drop(); err != nil {
			return err
		}
	}
	return nil
}

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
