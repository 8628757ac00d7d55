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

// Compact rewrites the database of a directory without free space, and replaces the file when the new one is complete and
// synced; on an error the file is unchanged. The database must be sound; see Check. The error is that of Open if there is no
// database, or another process uses it. It needs room on the disk for a second file. Nothing may use the database meanwhile;
// the lock of the file sees to that.
func Compact(dir string) (*Compaction, error) {
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("compacting the embedded database: %w", err)
	}
	st, err := openStorage(dir, false)
	if err != nil {
		return nil, fmt.Errorf("compacting the embedded database: %w", err)
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

// maxCopied is the size in bytes of a transaction that copies: bbolt keeps one in memory.
const maxCopied = 16 << 20

func (st *storage) copyTo(path string) error {
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistArrayType})
	if err != nil {
		return err
	}
	size := int64(0)
	err = guarded(func() error { return bbolt.Compact(db, st.db, maxCopied) })
	if err == nil {
		err = db.View(func(b *bbolt.Tx) error { size = b.Size(); return nil })
	}
	if err := errors.Join(err, db.Close()); err != nil {
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
