package appdir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MaxFile is the maximum number of bytes that ReadFile reads. Profiles, configurations, lists of bookmarks and plans of
// one transaction (4 MB) are smaller.
const MaxFile = 16 << 20

// ReadFile wraps these errors if it rejects a file.
var (
	ErrNotRegular = errors.New("not a regular file") // a device, a pipe or a folder
	ErrTooLarge   = fmt.Errorf("more than %d MB", MaxFile>>20)
)

// ReadFile returns the content of a file that a user names or edits. It rejects files of more than MaxFile bytes, and
// files that are not regular, because reading them could block or never end. The error is an *fs.PathError.
func ReadFile(path string) (text []byte, err error) {
	path = filepath.Clean(path)
	return readRegular(path, os.Stat, os.Open)
}

// ReadWithin returns the content of a file in a folder, as ReadFile does. It rejects links that lead out of the folder.
func ReadWithin(dir, name string) (text []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return readRegular(filepath.FromSlash(name), root.Stat, root.Open)
}

// OpenFile opens a regular file of any size, so that the caller can read it in parts.
func OpenFile(path string) (*os.File, error) {
	return openRegular(filepath.Clean(path), os.Stat, os.Open)
}

// openRegular checks the type first, because opening a pipe blocks.
func openRegular(path string, stat func(string) (os.FileInfo, error), open func(string) (*os.File, error)) (*os.File, error) {
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	return open(path)
}

func readRegular(path string, stat func(string) (os.FileInfo, error), open func(string) (*os.File, error)) (text []byte, err error) {
	f, err := openRegular(path, stat, open)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err = io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(text) > MaxFile {
		return nil, &os.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	return text, err
}
