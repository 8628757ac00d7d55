// Buckets have checksums, because bbolt has no checksums for its pages: a damaged page would change, hide or move
// entries without an error.
//
// Each value starts with a checksum of the bucket, the previous key, its own key and the value. The keys of a bucket
// form a ring that starts and ends with headKey. A verified entry therefore has its original content, and no entry
// before it is missing. The next entry proves that a key is absent.

package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/ddbdesk/ddbdesk/internal/embedded/pagefile"
)

var (
	// headKey sorts before every other key.
	headKey = []byte{0}
	// firstKey is the lower bound of all other keys.
	firstKey = []byte{0, 0}
	// errDamaged is the error for data that differs from the written data. The client gets an InternalServerError.
	errDamaged = pagefile.ErrDamaged
	// errNewer is the error for a file format of a later version.
	errNewer = errors.New("the file was written by a newer version of ddbdesk")
	// errOlder is the error for a file format that no release wrote.
	errOlder = errors.New("the file was written by a build of ddbdesk before its first release")
)

// checksumBytes is the length of the checksum before a value.
const checksumBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// entry is a key with its stored value, valid until the transaction ends.
type entry struct{ key, stored []byte }

func (e entry) value() []byte { return e.stored[checksumBytes:] }

func (e entry) isHead() bool { return bytes.Equal(e.key, headKey) }

type bucket struct {
	title   string // used in errors, such as "table orders"
	seed    uint32 // seed of its checksums, which detects entries of other buckets
	entries *bbolt.Bucket
	cursor  *bbolt.Cursor // reused, because a new one allocates its stack; every use starts with a search
}

// damagedError returns an error without item data.
func (b *bucket) damagedError(reason string) error {
	return fmt.Errorf("%s: %s: %w", b.title, reason, errDamaged)
}

func (b *bucket) mismatchError() error { return b.damagedError("entries do not match their checksum") }

func (b *bucket) withChecksum(before, key, value []byte) []byte {
	out := binary.BigEndian.AppendUint32(make([]byte, 0, checksumBytes+len(value)), b.checksum(before, key, value))
	return append(out, value...)
}

func (b *bucket) checksum(before, key, value []byte) uint32 {
	var lengths [8]byte
	binary.BigEndian.PutUint32(lengths[:], uint32(len(before)))
	binary.BigEndian.PutUint32(lengths[4:], uint32(len(key)))
	sum := b.seed
	for _, part := range [][]byte{lengths[:], before, key, value} {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return sum
}

func (b *bucket) verify(before []byte, e entry) error {
	if len(e.stored) < checksumBytes || binary.BigEndian.Uint32(e.stored) != b.checksum(before, e.key, e.value()) {
		return b.mismatchError()
	}
	return nil
}

func (b *bucket) head() entry { return entry{headKey, b.entries.Get(headKey)} }

// find returns the entry with the key or the next one, and the entry before it, where it leaves the cursor.
func (b *bucket) find(c *bbolt.Cursor, key []byte) (at, before entry, err error) {
	at.key, at.stored = c.Seek(key)
	if at.key == nil {
		at = b.head()
		before.key, before.stored = c.Last()
	} else {
		before = previous(c)
	}
	if err := b.verify(before.key, at); err != nil {
		return at, before, err
	}
	if bytes.Compare(before.key, key) >= 0 || !at.isHead() && bytes.Compare(at.key, key) < 0 {
		return at, before, b.mismatchError() // a damaged page misdirected the search
	}
	return at, before, nil
}

// previous skips pages that the transaction has emptied, because they stop bbolt's cursors.
func previous(c *bbolt.Cursor) (e entry) {
	const maximum = 1 << 16 // pages; no transaction empties as many
	for range maximum {
		if e.key, e.stored = c.Prev(); e.key != nil {
			return e
		}
	}
	return e
}

func (b *bucket) next(c *bbolt.Cursor) (e entry) {
	if e.key, e.stored = c.Next(); e.key == nil {
		return b.head()
	}
	return e
}

func (b *bucket) ownCursor() *bbolt.Cursor {
	if b.cursor == nil {
		b.cursor = b.entries.Cursor()
	}
	return b.cursor
}

func (b *bucket) get(key []byte) ([]byte, error) {
	at, _, err := b.find(b.ownCursor(), key)
	if err != nil || !bytes.Equal(at.key, key) {
		return nil, err
	}
	return at.value(), nil
}

func (b *bucket) walk(r keyRange, backward bool, visit func(key, value []byte) (bool, error)) error {
	if backward {
		return b.walkBack(r, visit)
	}
	from := r.from
	if from == nil {
		from = firstKey
	}
	c := b.entries.Cursor()
	at, _, err := b.find(c, from)
	if err != nil {
		return err
	}
	c.Next() // moves on from the previous entry
	for !at.isHead() && (r.to == nil || bytes.Compare(at.key, r.to) < 0) {
		if more, err := visit(at.key, at.value()); !more || err != nil {
			return err
		}
		before := at.key
		at = b.next(c)
		if err := b.verify(before, at); err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) walkBack(r keyRange, visit func(key, value []byte) (bool, error)) error {
	c := b.entries.Cursor()
	var at entry
	if r.to == nil {
		at.key, at.stored = c.Last()
		if err := b.verify(at.key, b.head()); err != nil {
			return err
		}
	} else {
		var err error
		if _, at, err = b.find(c, r.to); err != nil {
			return err
		}
	}
	for !at.isHead() && bytes.Compare(at.key, r.from) >= 0 {
		before := previous(c)
		if err := b.verify(before.key, at); err != nil {
			return err
		}
		if more, err := visit(at.key, at.value()); !more || err != nil {
			return err
		}
		at = before
	}
	return nil
}

// put keeps a reference to value, which must not change before the transaction ends. It rejects a damaged entry.
func (b *bucket) put(key, value []byte) error {
	at, before, err := b.find(b.ownCursor(), key)
	if err != nil {
		return err
	}
	if err := b.entries.Put(key, b.withChecksum(before.key, key, value)); err != nil || bytes.Equal(at.key, key) {
		return err
	}
	return b.entries.Put(at.key, b.withChecksum(key, at.key, at.value()))
}

func (b *bucket) delete(key []byte) error {
	c := b.ownCursor()
	at, before, err := b.find(c, key)
	if err != nil || !bytes.Equal(at.key, key) {
		return err
	}
	c.Next() // moves on from the previous entry
	after := b.next(c)
	if err := b.verify(key, after); err != nil {
		return err
	}
	if err := b.entries.Delete(key); err != nil {
		return err
	}
	return b.entries.Put(after.key, b.withChecksum(before.key, after.key, after.value()))
}

func (t *tx) system(name []byte) (*bucket, error) { return t.bucket(nil, name, string(name)) }

func (t *tx) rows(tb *table) (*bucket, error) {
	return t.bucket(bucketRows, bucketName(tb, nil), "table "+tb.Name)
}

func (t *tx) entries(tb *table, ix *index) (*bucket, error) {
	return t.bucket(bucketIndexes, bucketName(tb, ix), "index "+ix.Name+" of table "+tb.Name)
}

func (t *tx) bucket(parent, name []byte, title string) (*bucket, error) {
	id := string(bucketID(parent, name))
	if b, ok := t.buckets[id]; ok {
		return b, nil
	}
	entries := t.bolt.Bucket(name)
	if parent != nil {
		entries = nil
		if outer := t.bolt.Bucket(parent); outer != nil {
			entries = outer.Bucket(name)
		}
	}
	b := newBucket(id, title, entries)
	if entries == nil {
		return nil, b.damagedError("data is missing")
	}
	if t.buckets == nil {
		t.buckets = map[string]*bucket{}
	}
	t.buckets[id] = b
	return b, nil
}

func newBucket(id, title string, entries *bbolt.Bucket) *bucket {
	return &bucket{title: title, seed: crc32.Checksum([]byte(id), castagnoli), entries: entries}
}

func bucketID(parent, name []byte) []byte {
	if parent == nil {
		return name
	}
	return fmt.Appendf(nil, "%s/%s", parent, name)
}

func (t *tx) createBucket(parent, name []byte) error {
	create := t.bolt.CreateBucket
	if parent != nil {
		create = t.bolt.Bucket(parent).CreateBucket
	}
	entries, err := create(name)
	if errors.Is(err, bolterrors.ErrBucketExists) {
		return nil
	}
	if err != nil {
		return err
	}
	b := newBucket(string(bucketID(parent, name)), "", entries)
	return entries.Put(headKey, b.withChecksum(headKey, headKey, nil))
}

func (t *tx) dropBucket(parent, name []byte) error {
	delete(t.buckets, string(bucketID(parent, name)))
	if err := t.bolt.Bucket(parent).DeleteBucket(name); err != nil {
		return err
	}
	counts, err := t.system(bucketCounts)
	if err != nil {
		return err
	}
	return counts.delete(name)
}
