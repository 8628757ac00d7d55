package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// createFile gives the file its name once it is complete and on the disk. A full disk or a power loss in the middle
// of its first pages would leave a file that never opens again.
func createFile(file string) (err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(temp.Name())) }()
	if err := temp.Close(); err != nil {
		return err
	}
	db, err := bbolt.Open(temp.Name(), fileMode, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return fmt.Errorf("creating the database: %w", err)
	}
	if err := db.Close(); err != nil {
		return err
	}
	err = os.Link(temp.Name(), file) // Unlike a rename, it fails if the name exists: another process was faster.
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return nil // Without links, bbolt creates the file in its place.
	}
	return err
}
