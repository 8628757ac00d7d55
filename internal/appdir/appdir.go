// Package appdir returns the folders of ddbdesk's files: the configuration, the state
// (journal, embedded store, crash reports) and caches. What the files contain belongs
// to the packages that use them.
//
// The folders follow the XDG Base Directory Specification and its counterparts on macOS
// and Windows. An environment variable moves each of them, for tests and for
// installations in one place.
package appdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// Environment variables that set a folder. The value is the folder itself, not its
// parent; an empty value has no effect.
const (
	ConfigEnv = "DDBDESK_CONFIG_DIR"
	StateEnv  = "DDBDESK_STATE_DIR"
	CacheEnv  = "DDBDESK_CACHE_DIR"
)

// app is the name of ddbdesk's folder in the user's folders.
const app = "ddbdesk"

// Config returns the folder of files that the user edits.
func Config() string { return dir(ConfigEnv, xdg.ConfigHome) }

// State returns the folder of data that must not be lost, such as the journal.
func State() string { return dir(StateEnv, xdg.StateHome) }

// Cache returns the folder of data that may be deleted at any time.
func Cache() string { return dir(CacheEnv, xdg.CacheHome) }

// Make creates a folder and its missing parents with mode 0700. An existing folder
// keeps its mode.
func Make(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	return nil
}

// Replace writes a file atomically: readers see either the old or the new content, and
// so does the next run after a crash.
func Replace(path string, text []byte, mode fs.FileMode) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(text)
	if err == nil && mode != 0o600 { // the mode of CreateTemp
		err = temp.Chmod(mode)
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// dir returns the absolute path of the folder that env names, else ddbdesk's folder in
// base.
func dir(env, base string) string {
	path := os.Getenv(env)
	if path == "" {
		return filepath.Join(base, app)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path // without a working directory, opening the file reports the error
}
