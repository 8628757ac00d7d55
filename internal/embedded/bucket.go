// Buckets with checksums. bbolt has none for its pages, so that a damaged page would change,
// hide or move entries without an error.
//
// The entries of a bucket are divided into blocks of consecutive keys. A second bucket has the
// number, the size and the digest of the entries of each block, by the first key that belongs to
// it. Every read compares the whole block with them: damage of either bucket makes the two
// disagree, be it in a value, in a key, or in a page that points to other pages. That an entry
// is absent is verified as well. A block is small, because a read of one entry reads it all.

package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"go.etcd.io/bbolt"
)

const (
	maxBlockEntries = 16
	maxBlockBytes   = 16 << 10 // unless a single entry is larger
)

var (
	// firstBlock is the key of the first block. It sorts before every key.
	firstBlock = []byte{0}
	// errDamaged is the error of data that is not what was written. The client sees an
	// InternalServerError.
	errDamaged = errors.New("stored data is damaged")

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// entry is a key and a value of a bucket, valid until the transaction ends.
type entry struct{ key, value []byte }

// blockSum describes the entries of a block. digest is the sum of those of its entries, so that
// a write need not read the others.
type blockSum struct{ count, bytes, digest uint64 }

// entryDigest depends on the key, on the value, and on where one ends and the other begins.
func entryDigest(key, value []byte) uint64 {
	sum := crc32.Checksum(key, castagnoli)
	return uint64(sum)<<32 | uint64(crc32.Update(sum, castagnoli, value))
}

func (s *blockSum) add(key, value []byte) {
	s.count++
	s.bytes += uint64(len(key) + len(value))
	s.digest += entryDigest(key, value)
}

func (s *blockSum) remove(key, value []byte) {
	s.count--
	s.bytes -= uint64(len(key) + len(value))
	s.digest -= entryDigest(key, value)
}

const blockSumSize = 24

func (s *blockSum) encode() []byte {
	data := binary.BigEndian.AppendUint64(make([]byte, 0, blockSumSize), s.count)
	data = binary.BigEndian.AppendUint64(data, s.bytes)
	return binary.BigEndian.AppendUint64(data, s.digest)
}

// block is a range of keys [start, end) with the sum of its entries. A nil end is unbounded.
type block struct {
	start, end []byte
	sum        blockSum
}

func (b *block) holds(key []byte) bool {
	return b.start != nil && bytes.Compare(b.start, key) <= 0 && (b.end == nil || bytes.Compare(key, b.end) < 0)
}

// bucket is a bucket of the file with the checksums of its blocks.
type bucket struct {
	title   string // in errors, such as "table orders"
	entries *bbolt.Bucket
	blocks  *bbolt.Bucket
	emptied func(start []byte) // records a block that is empty, in an update
	// last and held are the block that was read last, in a view.
	last block
	held []entry
}

// damaged is the error of this bucket. It has no item data.
func (b *bucket) damaged(why string) error { return fmt.Errorf("%s: %s: %w", b.title, why, errDamaged) }

// blockOf finds the block that holds the key.
func (b *bucket) blockOf(key []byte) (block, error) {
	c := b.blocks.Cursor()
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

// blockBefore finds the last block that starts before the key, or the last of all if key is nil.
func (b *bucket) blockBefore(key []byte) (block, error) {
	c := b.blocks.Cursor()
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

// block decodes a checksum, and checks that the block holds the key.
func (b *bucket) block(start, end, data, key []byte) (block, error) {
	bl := block{start: start, end: end}
	if !bl.holds(key) || len(data) != blockSumSize {
		return block{}, b.damaged("checksum is missing")
	}
	bl.sum.count = binary.BigEndian.Uint64(data)
	bl.sum.bytes = binary.BigEndian.Uint64(data[8:])
	bl.sum.digest = binary.BigEndian.Uint64(data[16:])
	return bl, nil
}

// read returns the entries of a block after it has compared them with the checksum.
func (b *bucket) read(bl block, into []entry) ([]entry, error) {
	var sum blockSum
	var previous []byte
	c := b.entries.Cursor()
	for key, value := c.Seek(bl.start); key != nil && (bl.end == nil || bytes.Compare(key, bl.end) < 0); key, value = c.Next() {
		if sum.count == bl.sum.count || bytes.Compare(key, previous) <= 0 {
			return nil, b.damaged("entries do not match their checksum")
		}
		sum.add(key, value)
		into = append(into, entry{key, value})
		previous = key
	}
	if sum != bl.sum {
		return nil, b.damaged("entries do not match their checksum")
	}
	return into, nil
}

// get returns the value of a key, or nil if there is none.
func (b *bucket) get(key []byte) ([]byte, error) {
	if !b.last.holds(key) {
		bl, err := b.blockOf(key)
		if err != nil {
			return nil, err
		}
		entries, err := b.read(bl, b.held[:0])
		if err != nil {
			return nil, err
		}
		b.held = entries
		if b.emptied == nil {
			b.last = bl
		}
	}
	at, found := slices.BinarySearchFunc(b.held, key, func(e entry, key []byte) int { return bytes.Compare(e.key, key) })
	if !found {
		return nil, nil
	}
	return b.held[at].value, nil
}

// walk visits the entries of a key range in order until visit returns false.
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

// walkBack is walk in descending order.
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

// put stores a value. The caller must not change it before the transaction ends. Damage of the
// block is not mended: its checksum continues to differ.
func (b *bucket) put(key, value []byte) error {
	bl, err := b.blockOf(key)
	if err != nil {
		return err
	}
	if old := b.entries.Get(key); old != nil {
		bl.sum.remove(key, old)
	}
	bl.sum.add(key, value)
	if err := b.entries.Put(key, value); err != nil {
		return err
	}
	if bl.sum.count > maxBlockEntries || bl.sum.bytes > maxBlockBytes && bl.sum.count > 1 {
		return b.split(bl, key)
	}
	return b.blocks.Put(bl.start, bl.sum.encode())
}

// split divides a block after an entry was put.
func (b *bucket) split(bl block, added []byte) error {
	entries, err := b.read(bl, nil)
	if err != nil {
		return err
	}
	at := max(1, len(entries)/2)
	if bytes.Equal(entries[len(entries)-1].key, added) {
		at = len(entries) - 1 // keys in ascending order fill their blocks
	}
	var left, right blockSum
	for i, e := range entries {
		if i < at {
			left.add(e.key, e.value)
		} else {
			right.add(e.key, e.value)
		}
	}
	if err := b.blocks.Put(bl.start, left.encode()); err != nil {
		return err
	}
	return b.blocks.Put(entries[at].key, right.encode())
}

// delete removes an entry if it exists.
func (b *bucket) delete(key []byte) error {
	old := b.entries.Get(key)
	if old == nil {
		return nil
	}
	bl, err := b.blockOf(key)
	if err != nil {
		return err
	}
	if bl.sum.count == 0 {
		return b.damaged("entries do not match their checksum")
	}
	bl.sum.remove(key, old)
	if err := b.entries.Delete(key); err != nil {
		return err
	}
	if bl.sum.count == 0 && !bytes.Equal(bl.start, firstBlock) {
		b.emptied(slices.Clone(bl.start))
	}
	return b.blocks.Put(bl.start, bl.sum.encode())
}

// dropEmpty removes the checksum of a block if it is still empty. It waits for the end of the
// transaction, because bbolt's cursors stop at pages that a transaction has emptied.
func (b *bucket) dropEmpty(start []byte) error {
	data := b.blocks.Get(start)
	if len(data) != blockSumSize || binary.BigEndian.Uint64(data) != 0 {
		return nil
	}
	return b.blocks.Delete(start)
}

// seal computes the checksums of the entries of a bucket that has none.
func (b *bucket) seal() error {
	bl := block{start: firstBlock}
	err := b.entries.ForEach(func(key, value []byte) error {
		full := bl.sum.bytes+uint64(len(key)+len(value)) > maxBlockBytes || bl.sum.count == maxBlockEntries
		if full && bl.sum.count > 0 {
			if err := b.blocks.Put(bl.start, bl.sum.encode()); err != nil {
				return err
			}
			bl = block{start: key}
		}
		bl.sum.add(key, value)
		return nil
	})
	if err != nil {
		return err
	}
	return b.blocks.Put(bl.start, bl.sum.encode())
}
