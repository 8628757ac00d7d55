// Package appdir returns the folders of ddbdesk's configuration and state (journal, embedded database, crash reports),
// and writes files so that several processes can share them. The packages that use the files define their content.
//
// The folders follow the XDG Base Directory Specification and its counterparts on macOS and Windows. Environment
// variables can move each folder, for tests and for installations in a single folder.
package appdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/adrg/xdg"
)

// These environment variables set a folder. The value is the folder itself, not its parent. An empty value has no
// effect.
const (
	ConfigEnv = "DDBDESK_CONFIG_DIR"
	StateEnv  = "DDBDESK_STATE_DIR"
)

// KeyFile is the name of the file with the key that encrypts data outside the state folder. The key consists of KeySize
// random bytes. An optional suffix that starts with KeyMark identifies the journal in the same folder.
const (
	KeyFile = "token.key"
	KeySize = 32
	KeyMark = '\n'
)

// app is the name of ddbdesk's folder in the user's folders.
const app = "ddbdesk"

// Config returns the folder of files that the user edits.
func Config() string { return dir(ConfigEnv, xdg.ConfigHome) }

// State returns the folder of data that users must not lose, such as the journal.
func State() string { return dir(StateEnv, xdg.StateHome) }

// EmbeddedStore returns the default folder of the embedded database.
func EmbeddedStore() string { return filepath.Join(State(), "embedded") }

// ExpandHome replaces ~ at the start of a path by the home folder, because no shell does that in --embedded=~/db.
func ExpandHome(path string) string {
	rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~/")
	if home, err := os.UserHomeDir(); ok && err == nil {
		return filepath.Join(home, rest)
	}
	return path
}

// RealPath resolves symbolic links and ~, so that it returns the same absolute path for every path of a folder.
func RealPath(dir string) string {
	dir = ExpandHome(dir)
	if p, err := filepath.EvalSymlinks(dir); err == nil {
		dir = p
	}
	if p, err := filepath.Abs(dir); err == nil {
		dir = p
	}
	return dir
}

// ErrExposed is the error of CheckPermissions for a path that other users of the machine can write to.
var ErrExposed = errors.New("other users of this machine can write to it")

// CheckPermissions returns an error for the first path that other users of this machine can write to. The error
// contains the command that changes this. The group may write if it has the user's name. CheckPermissions ignores
// missing paths, and checks nothing on Windows, which does not have such a mode.
func CheckPermissions(paths ...string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && (info.Mode().Perm()&0o002 != 0 || info.Mode().Perm()&0o020 != 0 && !isOwnGroup(info)) {
			return fmt.Errorf("%s: %w; run chmod go-w %[1]s", path, ErrExposed)
		}
	}
	return nil
}

// Make durably creates a folder and its missing parents with mode 0700. An existing folder keeps its mode.
func Make(path string) error {
	var missing []string
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) || p == filepath.Dir(p) {
			break // it exists, or creating it reports the reason
		}
		missing = append(missing, p)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	// Without a sync, a power loss may remove the folder even if a file in it was synced.
	for _, p := range missing {
		if err := syncDir(filepath.Dir(p)); err != nil {
			return fmt.Errorf("create folder: %w", err)
		}
	}
	return nil
}

// These are the times that Lock waits for another process, and between two attempts.
const (
	lockWait  = 2 * time.Second
	lockRetry = 10 * time.Millisecond
)

// Lock locks the file at path for this process, and creates the file and its folder if they are missing. It waits up to
// two seconds for another process, or until ctx is done.
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
