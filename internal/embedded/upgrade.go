package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// The formats before this one. Format 1 had no checksums. Format 2 had them in another bucket, and a sum of the digests of
// each block instead of the digests. In both, an entry of an index has the key of its item as its value; format 3 derives it
// from the key of the entry (see table.rowKeyOf), and reads both. Format 3 had no streams: it kept the setting of a table only.
const (
	format1 = "1"
	format2 = "2"
	format3 = "3"
)

// bucketSums has the checksums of format 2.
var bucketSums = []byte("blocks")

// keepEarlier copies a file before it is upgraded, because the program that wrote it cannot read the new one.
func keepEarlier(b *bbolt.Tx, file string) error {
	meta := b.Bucket(bucketMeta)
	if meta == nil {
		return nil
	}
	format := string(meta.Get(keyFormat))
	if !slices.Contains([]string{format1, format2, format3}, format) {
		return nil
	}
	kept := file + ".format-" + format
	f, err := os.OpenFile(kept+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = b.WriteTo(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), kept)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDirectory(filepath.Dir(kept))
}

func upgrade(b *bbolt.Tx, format string, now time.Time) error {
	if format != format3 {
		if err := addChecksums(b, format); err != nil {
			return err
		}
	}
	if err := addStreams(b, now); err != nil {
		return err
	}
	return b.Bucket(bucketMeta).Put(keyFormat, []byte(formatVersion))
}

func addStreams(b *bbolt.Tx, now time.Time) error {
	for _, name := range [][]byte{bucketStreams, bucketRecords} {
		if _, err := b.CreateBucket(name); err != nil {
			return err
		}
	}
	t := &tx{bolt: b, deltas: map[string]count{}}
	if err := t.createBucket(nil, bucketStreams); err != nil {
		return err
	}
	tables, err := t.tables()
	if err != nil {
		return err
	}
	for _, tb := range tables {
		if tb.Stream == nil {
			continue
		}
		if err := t.openStream(tb, now); err != nil {
			return err
		}
		if err := t.saveTable(tb); err != nil {
			return err
		}
	}
	return t.finish()
}

// addChecksums reads all of the file once, and compares it with the checksums of format 2.
func addChecksums(b *bbolt.Tx, format string) error {
	if _, err := b.CreateBucketIfNotExists(bucketChecksums); err != nil {
		return err
	}
	u := &upgrading{tx: &tx{bolt: b}, hasSums: format == format2}
	for _, name := range [][]byte{bucketTables, bucketCounts, bucketTokens} {
		if err := u.seal(nil, name); err != nil {
			return err
		}
	}
	tables, err := u.tables()
	if err != nil {
		return err
	}
	for _, tb := range tables {
		if err := u.seal(bucketRows, place(tb, nil)); err != nil {
			return err
		}
		for _, ix := range tb.Indexes {
			if err := u.seal(bucketIndexes, place(tb, ix)); err != nil {
				return err
			}
		}
	}
	if u.hasSums {
		return b.DeleteBucket(bucketSums)
	}
	return nil
}

// upgrading is an upgrade in progress.
type upgrading struct {
	*tx
	hasSums bool
}

func (u *upgrading) seal(parent, name []byte) error {
	id := blocksName(parent, name)
	if _, err := u.bolt.Bucket(bucketChecksums).CreateBucket(id); err != nil {
		return err
	}
	b, err := u.bucket(parent, name, string(name))
	if err != nil {
		return err
	}
	s := &sealing{to: b.blocks, start: firstBlock}
	if !u.hasSums {
		err := b.entries.ForEach(func(key, value []byte) error { return s.add(entry{key, value}) })
		if err != nil {
			return err
		}
		return s.flush(nil)
	}
	sums := child(u.bolt.Bucket(bucketSums), id)
	if sums == nil {
		return b.damaged("data is missing")
	}
	return s.verified(b.entries, sums)
}

// sealing writes the checksums of consecutive entries.
type sealing struct {
	to    *bbolt.Bucket
	start []byte // of the block in progress; nil after the last one
	held  []entry
	size  int
}

func (s *sealing) add(e entry) error {
	size := len(e.key) + len(e.value)
	if len(s.held) == maxBlockEntries || len(s.held) > 0 && s.size+size > maxBlockBytes {
		if err := s.flush(e.key); err != nil {
			return err
		}
	}
	s.held = append(s.held, e)
	s.size += size
	return nil
}

func (s *sealing) flush(next []byte) error {
	if s.start == nil || bytes.Equal(s.start, next) {
		return nil
	}
	err := s.to.Put(s.start, checksumOf(s.held))
	s.start, s.held, s.size = next, s.held[:0], 0
	return err
}

// verified adds no checksum for a block that does not match its sum, so that reading it is still an error.
func (s *sealing) verified(entries, sums *bbolt.Bucket) error {
	at := entries.Cursor()
	key, value := at.First()
	next := sums.Cursor()
	for start, sum := next.First(); start != nil; {
		end, following := next.Next()
		var held []entry
		var found total
		for ; key != nil && (end == nil || bytes.Compare(key, end) < 0); key, value = at.Next() {
			held = append(held, entry{key, value})
			found.add(key, value)
		}
		if err := s.block(start, end, held, bytes.Equal(found.sum(), sum)); err != nil {
			return err
		}
		start, sum = end, following
	}
	return s.flush(nil)
}

func (s *sealing) block(start, end []byte, held []entry, sound bool) error {
	if !sound {
		if err := s.flush(start); err != nil {
			return err
		}
		s.start = end
		return s.to.Put(start, nil)
	}
	for _, e := range held {
		if err := s.add(e); err != nil {
			return err
		}
	}
	return nil
}

func (t *total) sum() []byte {
	data := binary.BigEndian.AppendUint64(nil, t.count)
	data = binary.BigEndian.AppendUint64(data, t.bytes)
	return binary.BigEndian.AppendUint64(data, t.digest)
}
