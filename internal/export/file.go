// This file writes a file beside its place and moves it there once it is whole:
// an export that stops half way leaves nothing behind.

package export

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ddbdesk/ddbdesk/models"
)

// ErrExists is wrapped by the error about a file that is there already.
var ErrExists = errors.New("there is a file of that name")

// A File is an export on its way to the disk. Only its owner can read it.
type File struct {
	path    string
	replace bool
	tmp     *os.File
	buffer  *bufio.Writer
	size    int64
}

// Path makes an absolute path of a file name as a person types it: ~ is the
// home folder, and names without a folder are of the folder the program runs
// in.
func Path(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", errors.New("the file needs a name")
	}
	if strings.ContainsRune(name, 0) {
		return "", errors.New("the name of the file holds a NUL")
	}
	if name == "~" || strings.HasPrefix(name, "~/") || strings.HasPrefix(name, "~"+string(filepath.Separator)) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("~ is not known here: %w", err)
		}
		name = filepath.Join(home, name[1:])
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("the folder the program runs in is gone: %w", err)
	}
	return path, nil
}

// Check says why a file cannot be written at the path, as far as that can be
// told before: ErrExists for a file that is there, which Create replaces when
// it is told to.
func Check(path string) error {
	dir, err := os.Stat(filepath.Dir(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s", shown(filepath.Dir(path)))
	case err != nil:
		return plainly(err, path)
	case !dir.IsDir():
		return fmt.Errorf("%s is no folder", shown(filepath.Dir(path)))
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return plainly(err, path)
	case info.IsDir():
		return fmt.Errorf("%s is a folder: give a name in it", shown(path))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no ordinary file", shown(path))
	}
	return ErrExists
}

// Create begins a file. Without replace a file that is there is ErrExists, now
// or at Commit.
func Create(path string, replace bool) (*File, error) {
	if err := Check(path); err != nil && (!replace || !errors.Is(err, ErrExists)) {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".ddbdesk-*.part") // mode 0600
	if err != nil {
		return nil, plainly(err, path)
	}
	return &File{path: path, replace: replace, tmp: tmp, buffer: bufio.NewWriterSize(tmp, 1<<16)}, nil
}

// Write writes to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.buffer.Write(p)
	f.size += int64(n)
	if err != nil {
		return n, plainly(err, f.path)
	}
	return n, nil
}

// Size returns how many bytes were written.
func (f *File) Size() int64 { return f.size }

// Commit puts the file in its place. After an error nothing of it is left.
func (f *File) Commit() error {
	err := f.buffer.Flush()
	if err == nil {
		err = f.tmp.Sync()
	}
	if closed := f.tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = f.move()
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrExists) {
		return errors.Join(err, f.remove())
	}
	return errors.Join(plainly(err, f.path), f.remove())
}

// move gives the file its name. Without replace a link does it, which fails when
// the name was taken meanwhile; where there are no links it is looked at once
// more.
func (f *File) move() error {
	if f.replace {
		return os.Rename(f.tmp.Name(), f.path)
	}
	err := os.Link(f.tmp.Name(), f.path)
	switch {
	case err == nil:
		return f.remove()
	case errors.Is(err, fs.ErrExist):
		return ErrExists
	}
	if err := Check(f.path); err != nil {
		return err
	}
	return os.Rename(f.tmp.Name(), f.path)
}

// Discard gives the file up and removes what was written.
func (f *File) Discard() error {
	err := f.tmp.Close()
	return errors.Join(err, f.remove())
}

func (f *File) remove() error {
	if err := os.Remove(f.tmp.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is left behind: %w", shown(f.tmp.Name()), err)
	}
	return nil
}

// plainly says what a person can do about an error of the file system.
func plainly(err error, path string) error {
	dir := shown(filepath.Dir(path))
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("the disk of %s is full: %w", dir, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s is read-only: %w", dir, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission to write in %s: %w", dir, err)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("the name of the file is too long: %w", err)
	}
	return fmt.Errorf("%s cannot be written: %w", shown(path), err)
}

func shown(path string) string { return models.Printable(path) }
