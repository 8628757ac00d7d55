// Package appdir returns the folders of ddbdesk's files: the configuration, the state
// (journal, embedded database, crash reports), and writes files so that several processes
// can share them. What the files contain belongs to the packages that use them.
//
// The folders follow the XDG Base Directory Specification and its counterparts on macOS
// and Windows. An environment variable moves each of them, for tests and for
// installations in one place.
package appdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/adrg/xdg"
)

// Environment variables that set a folder. The value is the folder itself, not its
// parent; an empty value has no effect.
const (
	ConfigEnv = "DDBDESK_CONFIG_DIR"
	StateEnv  = "DDBDESK_STATE_DIR"
)

// KeyFile is the file of the key that encrypts what leaves the state folder, which is KeySize random bytes. The text
// from KeyMark on, if any, records the journal beside it.
const (
	KeyFile = "token.key"
	KeySize = 32
	KeyMark = '\n'
)

// app is the name of ddbdesk's folder in the user's folders.
const app = "ddbdesk"

// Config returns the folder of files that the user edits.
func Config() string { return dir(ConfigEnv, xdg.ConfigHome) }

// State returns the folder of data that must not be lost, such as the journal.
func State() string { return dir(StateEnv, xdg.StateHome) }

// EmbeddedStore returns the default folder of the embedded database.
func EmbeddedStore() string { return filepath.Join(State(), "embedded") }

// RealPath returns one absolute path for a folder that has several, through symbolic links.
func RealPath(dir string) string {
	if p, err := filepath.EvalSymlinks(dir); err == nil {
		dir = p
	}
	if p, err := filepath.Abs(dir); err == nil {
		dir = p
	}
	return dir
}

// ErrExposed matches the error of CheckOwn.
var ErrExposed = errors.New("every user of this machine can write to it")

// CheckOwn returns an error for the first of the paths that every user of this machine may write, with the command that
// changes that. A missing one is fine. Windows has no such mode.
func CheckOwn(paths ...string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o002 != 0 {
			return fmt.Errorf("%s: %w; run chmod go-w %[1]s", path, ErrExposed)
		}
	}
	return nil
}

// Make creates a folder and its missing parents with mode 0700, durably. An existing
// folder keeps its mode.
func Make(path string) error {
	var missing []string
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) || p == filepath.Dir(p) {
			break // it exists, or creating it reports why not
		}
		missing = append(missing, p)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	// Without this, the folder may be missing after a power loss although a file in it was synced.
	for _, p := range missing {
		if err := syncDir(filepath.Dir(p)); err != nil {
			return fmt.Errorf("create folder: %w", err)
		}
	}
	return nil
}

// How long Lock waits for another process, and between two attempts.
const (
	lockWait  = 2 * time.Second
	lockRetry = 10 * time.Millisecond
)

// Lock locks the file at path for this process, and creates the file and its folder
// when they are missing. It waits up to two seconds for another process; ctx ends the
// wait earlier.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	if err := Make(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock, err := NewLock(path)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("another ddbdesk process holds the lock %s: %w", path, err)
	}
	return lock.Unlock, nil
}

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
