package appdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// OpenRegular opens a file of a folder of ddbdesk; flag is that of os.OpenFile, and a new file has mode 0600. It
// refuses links, so that a write never changes a file elsewhere, and anything but a regular file: a pipe or a device
// may never end.
func OpenRegular(path string, flag int) (*os.File, error) {
	// The look before makes the same error on systems without O_NOFOLLOW, and never opens a pipe, which could block.
	if info, err := os.Lstat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, flag|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenPrivate is OpenRegular for a file that only its owner may read. It removes the permissions of other users, and
// the error is that it cannot.
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

// NewLock returns a lock on a file, which gets mode 0600 when it is locked. It refuses links and anything but a regular
// file, as OpenRegular does.
func NewLock(path string) (*flock.Flock, error) {
	if info, err := os.Lstat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	return flock.New(path, flock.SetPermissions(0o600)), nil
}

func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link; replace it with the file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	}
	return nil
}
