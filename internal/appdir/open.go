package appdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// OpenRegular opens a file in a folder of ddbdesk. flag has the meaning of os.OpenFile, and a new file gets mode 0600.
// It rejects links, so that a write never changes a file elsewhere, and other files that are not regular, because
// reading a pipe or a device may never end.
func OpenRegular(path string, flag int) (*os.File, error) {
	// Lstat produces the same error on systems without O_NOFOLLOW, and avoids opening a pipe, which could block.
	if info, err := os.Lstat(path); err == nil {
		if err := checkRegular(path, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, flag|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenPrivate is like OpenRegular, but for a file that only its owner may read. It removes the permissions of other
// users, and returns an error if it cannot.
func OpenPrivate(path string, flag int) (*os.File, error) {
	f, err := OpenRegular(path, flag)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(info.Mode().Perm() &^ 0o077)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// NewLock returns a lock on a file. Locking creates a missing file with mode 0600. Like OpenRegular, NewLock rejects
// links and files that are not regular.
func NewLock(path string) (*flock.Flock, error) {
	if info, err := os.Lstat(path); err == nil {
		if err := checkRegular(path, info); err != nil {
			return nil, err
		}
	}
	return flock.New(path, flock.SetPermissions(0o600)), nil
}

func checkRegular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link; replace it with the file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	}
	return nil
}
