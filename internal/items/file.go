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

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
)

// ErrExists means that a file already exists. The caller can ask the user and call Create again with replace.
var ErrExists = errors.New("the file already exists")

// A File is an export in progress. Until Commit, it is a temporary file in the target's folder, so that an interrupted
// export never looks complete. Only its owner can read it.
type File struct {
	path    string
	replace bool
	tmp     *os.File
	buffer  *bufio.Writer
	size    int64
}

// Path returns the absolute path for a file name that a user typed. It expands ~ to the home folder, and resolves a
// relative name against the working directory. The path need not exist.
func Path(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", errors.New("the file name is empty")
	}
	if strings.ContainsRune(name, 0) {
		return "", errors.New("the file name contains a NUL character")
	}
	path, err := filepath.Abs(appdir.ExpandHome(name))
	if err != nil {
		return "", fmt.Errorf("the working folder no longer exists: %w", err)
	}
	return path, nil
}

// CheckPath returns an error if ddbdesk cannot write a file at the path, as far as it can check that in advance. It
// returns ErrExists for a file that Create can replace. Create may still fail, so use the result only as a hint in a
// dialog.
func CheckPath(path string) error {
	dir, err := os.Stat(filepath.Dir(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("folder %s does not exist", printablePath(filepath.Dir(path)))
	case err != nil:
		return writeError(err, path)
	case !dir.IsDir():
		return fmt.Errorf("%s is not a folder", printablePath(filepath.Dir(path)))
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return writeError(err, path)
	case info.IsDir():
		return fmt.Errorf("%s is a folder; add a file name", printablePath(path))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", printablePath(path))
	}
	return ErrExists
}

// CheckNewFile returns an error if ddbdesk cannot save a new file at a path that a user typed.
func CheckNewFile(path string) error {
	if path == "" {
		return errors.New("empty file name")
	}
	err := CheckPath(path)
	if errors.Is(err, ErrExists) {
		return fmt.Errorf("%s already exists; use another name", printablePath(path))
	}
	return err
}

// Create starts a file. Unless replace is true, Create or Commit returns ErrExists if the file exists. The caller must
// call Commit, Keep or Discard exactly once. The temporary file is in the same folder, so that Commit can rename it
// within one file system.
func Create(path string, replace bool) (*File, error) {
	if err := CheckPath(path); err != nil && (!replace || !errors.Is(err, ErrExists)) {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".ddbdesk-*.part") // mode 0600
	if err != nil {
		return nil, writeError(err, path)
	}
	return &File{path: path, replace: replace, tmp: tmp, buffer: bufio.NewWriterSize(tmp, 1<<16)}, nil
}

// Save writes text to a file that only its owner can read. After an error, no new file remains.
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

// Write writes to the file. Its errors name the target path and are suitable for users.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.buffer.Write(p)
	f.size += int64(n)
	if err != nil {
		return n, writeError(err, f.path)
	}
	return n, nil
}

// Size returns the number of bytes written.
func (f *File) Size() int64 { return f.size }

// Commit moves the file to its path. It flushes the data to disk before it renames the file, so that a crash leaves
// either the old or the new file. After an error, no temporary file remains.
func (f *File) Commit() error {
	err := cmp.Or(f.buffer.Flush(), f.tmp.Sync(), f.tmp.Close())
	if err == nil {
		err = f.move()
	}
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, ErrExists):
		err = writeError(err, f.path)
	}
	return errors.Join(err, f.remove())
}

// move creates a hard link, which fails if the name is taken, unless it may replace the file.
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

// Keep moves a partial file to the path plus .part, and replaces an earlier partial file. After an error, no file
// remains.
func (f *File) Keep() (path string, err error) {
	path = f.path + ".part"
	if err := cmp.Or(f.buffer.Flush(), f.tmp.Close()); err != nil {
		return "", errors.Join(writeError(err, path), f.remove())
	}
	if err := os.Rename(f.tmp.Name(), path); err != nil {
		return "", errors.Join(writeError(err, path), f.remove())
	}
	return path, nil
}

// Discard deletes the temporary file.
func (f *File) Discard() error {
	err := f.tmp.Close()
	return errors.Join(err, f.remove())
}

func (f *File) remove() error {
	if err := os.Remove(f.tmp.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove temporary file %s: %w", printablePath(f.tmp.Name()), err)
	}
	return nil
}

func writeError(err error, path string) error {
	dir := printablePath(filepath.Dir(path))
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
	return fmt.Errorf("write %s: %w", printablePath(path), err)
}

func printablePath(path string) string { return models.Printable(path) }
