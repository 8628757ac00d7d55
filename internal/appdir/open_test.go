package appdir

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOpenRegularRefusesLinksAndDevices(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip("requires symbolic links: ", err)
	}
	for path, want := range map[string]string{
		link: "is a symbolic link", dir: "is not a regular file", os.DevNull: "is not a regular file",
		filepath.Join(dir, "none"): "no such file",
	} {
		if runtime.GOOS == "windows" && path == os.DevNull {
			continue
		}
		for name, open := range map[string]func(string, int) (*os.File, error){"OpenRegular": OpenRegular, "OpenPrivate": OpenPrivate} {
			f, err := open(path, os.O_RDWR)
			if err == nil {
				_ = f.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %s: got %v, want %q", name, path, err, want)
			}
		}
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("the link's target has mode %v, %v, want 0644", info.Mode(), err)
	}
}

func TestOpenPrivateRemovesPermissionsOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not keep file modes")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for before, after := range map[os.FileMode]os.FileMode{0o666: 0o600, 0o600: 0o600, 0o444: 0o400} {
		if err := os.Chmod(file, before); err != nil {
			t.Fatal(err)
		}
		f, err := OpenPrivate(file, os.O_RDONLY)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != after {
			t.Errorf("mode %o became %v, %v, want %o", before, info.Mode(), err, after)
		}
	}
}
