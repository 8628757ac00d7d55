package embedded

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestNewDatabaseSyncsItsDirectories(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "new", "store")
	var synced []string
	o := Options{Path: dir, syncDir: func(dir string) error {
		if _, err := os.Stat(filepath.Join(dir, fileName)); err == nil {
			dir = filepath.Join(dir, fileName) // the file is in the directory when it is synced
		}
		synced = append(synced, dir)
		return nil
	}}
	for _, want := range [][]string{{root, filepath.Join(root, "new"), filepath.Join(dir, fileName)}, {filepath.Join(dir, fileName)}} {
		synced = nil
		s, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(synced, want) {
			t.Errorf("synced %q, want %q", synced, want)
		}
	}
}

func TestOpenRestrictsTheFileToItsOwner(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes are not kept on Windows")
	}
	dir := t.TempDir()
	s := openStore(t, Options{Path: dir})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, fileName)
	for before, want := range map[os.FileMode]os.FileMode{0o666: 0o600, 0o640: 0o600, 0o600: 0o600} {
		if err := os.Chmod(file, before); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, Options{Path: dir})
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("a file with mode %o has %v after it was opened: %v", before, info.Mode().Perm(), err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
