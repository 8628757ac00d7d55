package appdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace writes a file atomically: readers see either the old or the new content, even after a crash. If it returns
// nil, the new content is on the disk.
func Replace(path string, text []byte, mode fs.FileMode) (err error) {
	temp, err := writeTemp(path, text, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(filepath.Dir(path))
}

// Create writes a new file with mode 0600 atomically and durably, like Replace. The error is fs.ErrExist if the file
// exists. If another process creates the file at the same time, its content is complete.
func Create(path string, text []byte) (err error) {
	temp, err := writeTemp(path, text, 0o600)
	if err != nil {
		return err
	}
	err = os.Link(temp, path) // Unlike a rename, it fails if the name exists.
	if err = errors.Join(err, os.Remove(temp)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func writeTemp(path string, text []byte, mode fs.FileMode) (name string, err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(text)
	if err == nil && mode != 0o600 { // the mode of CreateTemp
		err = temp.Chmod(mode)
	}
	if err == nil {
		err = syncFile(temp)
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp.Name()))
	}
	return temp.Name(), nil
}

// These functions make files and folders durable. Tests replace them to observe or fail the calls.
var (
	syncFile = (*os.File).Sync
	syncDir  = SyncDir
)

// SyncDir makes new, renamed and removed files of a folder durable. It does nothing on Windows, which does not need it.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
