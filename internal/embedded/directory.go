package embedded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

func (o *Options) directorySync() func(dir string) error {
	switch {
	case o.syncDir != nil:
		return o.syncDir
	case o.NoSync:
		return func(string) error { return nil }
	}
	return syncDirectory
}

// syncDirectory makes the names in a directory durable: after a power loss, a synced file in a directory that was not
// synced may have no name.
func syncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync a directory.
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDirectories is os.MkdirAll with mode 0700 that also syncs the parent of each directory that it creates.
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
