// Package appdir answers where ddbdesk keeps its files. It is the only place that knows: the journal, the
// configuration file, the embedded store and caches all ask here.
//
// The folders follow the XDG base directory specification and its counterparts on macOS and Windows
// (github.com/adrg/xdg). An environment variable moves each of them, for tests and for installations that keep
// everything in one place.
package appdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// Environment variables that move a folder. The value is the folder itself, without a "ddbdesk" below it;
// an empty value counts as unset.
const (
	ConfigEnv = "DDBDESK_CONFIG_DIR"
	StateEnv  = "DDBDESK_STATE_DIR"
	CacheEnv  = "DDBDESK_CACHE_DIR"
)

// app is the name of ddbdesk's folder below the user's folders.
const app = "ddbdesk"

// Config returns the folder of files that the user writes: contexts, keys, own profiles.
func Config() string { return dir(ConfigEnv, xdg.ConfigHome) }

// State returns the folder of what ddbdesk has to remember: the journal, embedded stores.
func State() string { return dir(StateEnv, xdg.StateHome) }

// Cache returns the folder of what can be lost without harm.
func Cache() string { return dir(CacheEnv, xdg.CacheHome) }

// Make creates a folder and its missing parents, readable by its owner alone. A folder that exists keeps its mode.
func Make(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	return nil
}

// Replace writes a file of the given mode in one step: readers see the old content or the new one, never a
// part, and a crash leaves one of the two.
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
	if err == nil && mode != 0o600 { // which is how CreateTemp makes it
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

// dir returns the folder that env names, made absolute, or ddbdesk's folder below base.
func dir(env, base string) string {
	path := os.Getenv(env)
	if path == "" {
		return filepath.Join(base, app)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path // There is no working directory: opening the file will say so.
}
