package appdir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

func TestFoldersFollowXDG(t *testing.T) {
	base := t.TempDir()
	for name, env := range map[string]string{
		"XDG_CONFIG_HOME": ConfigEnv,
		"XDG_STATE_HOME":  StateEnv,
	} {
		t.Setenv(name, filepath.Join(base, name))
		t.Setenv(env, "")
	}
	xdg.Reload()
	t.Cleanup(xdg.Reload)

	for want, got := range map[string]string{
		"XDG_CONFIG_HOME": Config(),
		"XDG_STATE_HOME":  State(),
	} {
		if want := filepath.Join(base, want, "ddbdesk"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestEnvironmentVariablesSelectFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	workingDir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(StateEnv, "state")
	if got, want := State(), filepath.Join(workingDir, "state"); got != want {
		t.Errorf("State() = %s, want the absolute %s", got, want)
	}
	t.Setenv(ConfigEnv, filepath.Join(workingDir, "etc"))
	if got, want := Config(), filepath.Join(workingDir, "etc"); got != want {
		t.Errorf("Config() = %s, want %s", got, want)
	}
}

func TestMakeRestrictsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	if err := Make(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the folder has mode %o, want no access by others", info.Mode().Perm())
	}
}

func TestReplaceWritesTextAndMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, want := range []struct {
		text string
		mode os.FileMode
	}{{"old", 0o600}, {"new", 0o644}} {
		if err := Replace(path, []byte(want.text), want.mode); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil || string(text) != want.text {
			t.Errorf("the file contains %q, %v, want %q", text, err, want.text)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want.mode {
			t.Errorf("the file has mode %v, %v, want %v", info.Mode(), err, want.mode)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(filepath.Join(dir, "folder"), []byte("x"), 0o600); err == nil {
		t.Error("Replace accepted a folder")
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Errorf("got files %v, %v, want 2", files, err)
	}
}

func TestLockWaitsUntilContextEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locks", "one")
	unlock, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v from the second Lock, want context.Canceled", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = Lock(t.Context(), path)
	if err != nil {
		t.Fatalf("locking after the unlock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// A group may write only if it is the user's own. Only root can give a folder to any other group.
func TestFoldersThatOthersCanWriteAreRejected(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has access control lists, not file modes")
	}
	const foreign = 12345
	for mode, want := range map[os.FileMode]bool{0o700: true, 0o755: true, 0o757: false, 0o775: false, 0o770: false} {
		dir := t.TempDir()
		if err := os.Chown(dir, -1, foreign); err != nil && mode&0o020 != 0 {
			t.Logf("mode %o is not tested: %v", mode, err)
			continue
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		err := CheckPermissions(filepath.Join(dir, "missing"), dir)
		if (err == nil) != want || err != nil && (!errors.Is(err, ErrExposed) || !strings.Contains(err.Error(), "chmod go-w "+dir)) {
			t.Errorf("mode %o: got %v", mode, err)
		}
	}
}

func TestRealPathExpandsHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for in, want := range map[string]string{"~/db": filepath.Join(home, "db"), "/a/~/b": "/a/~/b", "/~a": "/~a"} {
		if got := RealPath(in); got != want {
			t.Errorf("RealPath(%q) = %q, want %q", in, got, want)
		}
	}
}
