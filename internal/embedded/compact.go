package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"
)

// Compaction is the result of Compact: the size of the file before and after, in bytes.
type Compaction struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// compactSuffix is added to the name of the file while a smaller one is written.
const compactSuffix = ".compact"

// Compact rewrites the database of a directory without free space. It verifies the checksums of all that it
// reads, and replaces the file when the new one is complete and synced; on an error the file is unchanged. The error is that
// of Open if there is no database, or another process uses it. It needs room on the disk for a
// second file. Nothing may use the database meanwhile; the lock of the file sees to that.
func Compact(dir string) (*Compaction, error) {
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("compacting the embedded store: %w", err)
	}
	st, err := openStorage(dir, false)
	if err != nil {
		return nil, fmt.Errorf("compacting the embedded store: %w", err)
	}
	c, err := st.compact(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compacting %s (file unchanged): %w", path, err), st.close())
	}
	return c, nil
}

func (st *storage) compact(path string) (*Compaction, error) {
	temporary := path + compactSuffix
	if err := os.RemoveAll(temporary); err != nil { // that a process left which was killed
		return nil, err
	}
	before, err := os.Stat(path)
	if err == nil {
		err = st.copyTo(temporary)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temporary))
	}
	after, err := os.Stat(temporary)
	if err == nil {
		err = st.replaceBy(temporary, path)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temporary))
	}
	return &Compaction{Before: before.Size(), After: after.Size()}, nil
}

// replaceBy keeps the old file locked until it has no name anymore, except where an open file cannot be replaced.
func (st *storage) replaceBy(temporary, path string) error {
	if runtime.GOOS == "windows" {
		return errors.Join(st.close(), os.Rename(temporary, path))
	}
	if err := errors.Join(os.Rename(temporary, path), syncDirectory(filepath.Dir(path))); err != nil {
		return err
	}
	return st.close()
}

func (st *storage) copyTo(path string) error {
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistArrayType})
	if err != nil {
		return err
	}
	c := &copying{db: db}
	err = guarded(func() error { return st.view(c.all) })
	size := int64(0)
	if err == nil {
		err = db.View(func(b *bbolt.Tx) error { size = b.Size(); return nil })
	}
	if err := errors.Join(err, c.abort(), db.Close()); err != nil {
		return err
	}
	return trim(path, size)
}

// trim cuts off the space that bbolt has reserved, so that a file that was just compacted shows its size.
func trim(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, fileMode)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}

// maxCopied is the size in bytes of a transaction that copies.
const maxCopied = 16 << 20

// copying writes entries in ascending order, so that they fill their pages and blocks. bbolt
// keeps a transaction in memory, so a database larger than memory needs several of them.
type copying struct {
	db  *bbolt.DB
	tx  *bbolt.Tx // nil between transactions
	new int       // bytes in the transaction

	parent, name []byte // of the bucket in progress
	entries      *bbolt.Bucket
	sealing
}

func (c *copying) all(from *tx) error {
	tables, err := from.tables()
	if err != nil {
		return err
	}
	if err := c.db.Update(create); err != nil {
		return err
	}
	for _, name := range systemBuckets {
		if err := c.bucket(from, nil, name); err != nil {
			return err
		}
	}
	for _, tb := range tables {
		if err := c.bucket(from, bucketRows, place(tb, nil)); err != nil {
			return err
		}
		for _, ix := range tb.Indexes {
			if err := c.bucket(from, bucketIndexes, place(tb, ix)); err != nil {
				return err
			}
		}
	}
	streams, err := from.streams()
	if err != nil {
		return err
	}
	for _, st := range streams {
		if err := c.bucket(from, bucketRecords, st.place()); err != nil {
			return err
		}
	}
	return c.commit()
}

func (c *copying) bucket(from *tx, parent, name []byte) error {
	source, err := from.bucket(parent, name, string(name))
	if err != nil {
		return err
	}
	if err := c.commit(); err != nil {
		return err
	}
	err = c.db.Update(func(b *bbolt.Tx) error {
		if parent == nil {
			return nil // made by create
		}
		return (&tx{bolt: b}).createBucket(parent, name)
	})
	if err != nil {
		return err
	}
	c.parent, c.name, c.sealing = parent, name, sealing{start: firstBlock}
	err = source.walk(keyRange{}, false, func(key, value []byte) (bool, error) { return true, c.entry(entry{key, value}) })
	if err != nil {
		return err
	}
	if err := c.begin(); err != nil {
		return err
	}
	return c.flush(nil)
}

// entry gets an entry that is valid as long as the transaction that it is read in.
func (c *copying) entry(e entry) error {
	if err := c.begin(); err != nil {
		return err
	}
	if err := c.add(e); err != nil {
		return err
	}
	if err := c.entries.Put(e.key, e.value); err != nil {
		return err
	}
	if c.new += len(e.key) + len(e.value); c.new < maxCopied {
		return nil
	}
	return c.commit()
}

func (c *copying) begin() (err error) {
	if c.tx != nil {
		return nil
	}
	if c.tx, err = c.db.Begin(true); err != nil {
		return err
	}
	b, err := (&tx{bolt: c.tx}).bucket(c.parent, c.name, string(c.name))
	if err != nil {
		return err
	}
	b.entries.FillPercent, b.blocks.FillPercent = 1, 1
	c.entries, c.to = b.entries, b.blocks
	return nil
}

func (c *copying) commit() error {
	if c.tx == nil {
		return nil
	}
	err := c.tx.Commit()
	c.tx, c.new = nil, 0
	return err
}

func (c *copying) abort() error {
	if c.tx == nil {
		return nil
	}
	return c.tx.Rollback()
}

// sealing writes the checksums of consecutive entries.
type sealing struct {
	to    *bbolt.Bucket
	start []byte // of the block in progress
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

// flush writes the block in progress. next is the start of the one after it, nil for the last one.
func (s *sealing) flush(next []byte) error {
	err := s.to.Put(s.start, checksumOf(s.held))
	s.start, s.held, s.size = next, s.held[:0], 0
	return err
}
