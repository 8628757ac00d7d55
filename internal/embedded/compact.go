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

// compactSuffix is the suffix of the smaller file while Compact writes it.
const compactSuffix = ".compact"

// Compact rewrites the database of a directory without free space. It replaces the file only after the new file is
// complete and synced, so an error leaves the file unchanged. The database must be sound; see Check. Compact returns
// the error of Open if the database does not exist or another process uses it. It needs disk space for a second file,
// and locks the file to prevent any other use in the meantime.
func Compact(dir string) (*Compaction, error) {
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("compact the embedded database: %w", err)
	}
	st, err := openStorage(dir, false)
	if err != nil {
		return nil, fmt.Errorf("compact the embedded database: %w", err)
	}
	c, err := st.compact(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compact %s (file unchanged): %w", path, err), st.close())
	}
	return c, nil
}

func (st *storage) compact(path string) (*Compaction, error) {
	temporary := path + compactSuffix
	if err := os.RemoveAll(temporary); err != nil { // left over from a killed process
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

// On systems that can replace an open file, replaceBy keeps the old file locked until its name refers to the new one.
func (st *storage) replaceBy(temporary, path string) error {
	if runtime.GOOS == "windows" {
		return errors.Join(st.close(), os.Rename(temporary, path))
	}
	if err := errors.Join(os.Rename(temporary, path), syncDirectory(filepath.Dir(path))); err != nil {
		return err
	}
	return st.close()
}

// maxCopied is the maximum size in bytes of a copying transaction, because bbolt keeps a transaction in memory.
const maxCopied = 16 << 20

func (st *storage) copyTo(path string) error {
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistArrayType})
	if err != nil {
		return err
	}
	size := int64(0)
	err = recoverFaults(func() error { return bbolt.Compact(db, st.db, maxCopied) })
	if err == nil {
		err = db.View(func(b *bbolt.Tx) error { size = b.Size(); return nil })
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return truncateFile(path, size)
}

// truncateFile removes the space that bbolt has reserved, so that a compacted file has its real size.
func truncateFile(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, fileMode)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}
