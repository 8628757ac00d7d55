package embedded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// directorySync returns what makes the entries of a directory durable: nothing with NoSync.
func (o *Options) directorySync() func(dir string) error {
	switch {
	case o.syncDir != nil:
		return o.syncDir
	case o.NoSync:
		return func(string) error { return nil }
	}
	return appdir.SyncDir
}

// makeDirectories is os.MkdirAll with mode 0700. It also syncs the parent of each directory that
// it creates.
func makeDirectories(dir string, sync func(dir string) error) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDirectories(parent, sync); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sync(parent)
}
