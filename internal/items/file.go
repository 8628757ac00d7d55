package items

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ddbdesk/ddbdesk/models"
)

// ErrExists is wrapped by the errors about a file that already exists. The caller asks the
// user, and calls Create again with replace.
var ErrExists = errors.New("the file already exists")

// A File is an export that is being written. It is a temporary file in the folder
// of the target until Commit, so that an export that stops halfway never looks whole.
// Only its owner can read it.
type File struct {
	path    string
	replace bool
	tmp     *os.File
	buffer  *bufio.Writer
	size    int64
}

// Path returns the absolute path of a file name as a user types it: ~ is the
// home folder, and a relative name starts at the working folder. It does not look at the file
// system otherwise, and accepts a path that does not exist.
func Path(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", errors.New("the file name is empty")
	}
	if strings.ContainsRune(name, 0) {
		return "", errors.New("the file name contains a NUL character")
	}
	if name == "~" || strings.HasPrefix(name, "~/") || strings.HasPrefix(name, "~"+string(filepath.Separator)) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("the home folder is unknown; write the path without ~: %w", err)
		}
		name = filepath.Join(home, name[1:])
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("the working folder does not exist anymore: %w", err)
	}
	return path, nil
}

// CheckPath returns why a file cannot be written at the path, as far as that is known
// before writing. It is ErrExists for a file that Create can replace. A later Create may still
// fail: it is a hint for a dialog.
func CheckPath(path string) error {
	dir, err := os.Stat(filepath.Dir(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("folder %s does not exist", shown(filepath.Dir(path)))
	case err != nil:
		return plainly(err, path)
	case !dir.IsDir():
		return fmt.Errorf("%s is not a folder", shown(filepath.Dir(path)))
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return plainly(err, path)
	case info.IsDir():
		return fmt.Errorf("%s is a folder; add a file name", shown(path))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", shown(path))
	}
	return ErrExists
}

// CheckNewFile reports why a path that a user typed cannot be saved as a new file.
func CheckNewFile(path string) error {
	if path == "" {
		return errors.New("empty file name")
	}
	err := CheckPath(path)
	if errors.Is(err, ErrExists) {
		return fmt.Errorf("%s exists and is not overwritten; use another name", shown(path))
	}
	return err
}

// Create starts a file. Without replace, it or Commit returns ErrExists when the
// file exists. The caller must call Commit or Discard, exactly once. The temporary file is in
// the same folder, so that the last step is a rename within one file system.
func Create(path string, replace bool) (*File, error) {
	if err := CheckPath(path); err != nil && (!replace || !errors.Is(err, ErrExists)) {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".ddbdesk-*.part") // mode 0600
	if err != nil {
		return nil, plainly(err, path)
	}
	return &File{path: path, replace: replace, tmp: tmp, buffer: bufio.NewWriterSize(tmp, 1<<16)}, nil
}

// Save saves text in a file that only its owner can read: the whole text, or no file.
func Save(path string, text []byte, replace bool) error {
	f, err := Create(path, replace)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// Write writes to the file. Errors are about the path of the target and are written for users.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.buffer.Write(p)
	f.size += int64(n)
	if err != nil {
		return n, plainly(err, f.path)
	}
	return n, nil
}

// Size returns the number of bytes written.
func (f *File) Size() int64 { return f.size }

// Commit moves the file to its path. After an error nothing is left of it. The data is flushed
// to the disk before the file gets its name, so that a crash leaves the old file or the new
// one.
func (f *File) Commit() error {
	err := cmp.Or(f.buffer.Flush(), f.tmp.Sync(), f.tmp.Close())
	if err == nil {
		err = f.move()
	}
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, ErrExists):
		err = plainly(err, f.path)
	}
	return errors.Join(err, f.remove())
}

// move uses a hard link without replace, which fails when the name was taken meanwhile; a file system without links
// is checked again.
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
	if err := CheckPath(f.path); err != nil {
		return err
	}
	return os.Rename(f.tmp.Name(), f.path)
}

// Keep moves a part of a file to the path with .part after it, where an earlier part is replaced. After an error nothing is left.
func (f *File) Keep() (path string, err error) {
	path = f.path + ".part"
	if err := cmp.Or(f.buffer.Flush(), f.tmp.Close()); err != nil {
		return "", errors.Join(plainly(err, path), f.remove())
	}
	if err := os.Rename(f.tmp.Name(), path); err != nil {
		return "", errors.Join(plainly(err, path), f.remove())
	}
	return path, nil
}

// Discard removes the partial file.
func (f *File) Discard() error {
	err := f.tmp.Close()
	return errors.Join(err, f.remove())
}

func (f *File) remove() error {
	if err := os.Remove(f.tmp.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove temporary file %s: %w", shown(f.tmp.Name()), err)
	}
	return nil
}

func plainly(err error, path string) error {
	dir := shown(filepath.Dir(path))
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no space left for folder %s: %w", dir, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("folder %s is read-only: %w", dir, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission to write to folder %s: %w", dir, err)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("the file name is too long: %w", err)
	}
	return fmt.Errorf("write %s: %w", shown(path), err)
}

func shown(path string) string { return models.Printable(path) }
