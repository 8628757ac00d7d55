package appdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordSyncs records synced paths, relative to dir, until the test ends. The sync of a path that begins with fail
// fails.
func recordSyncs(t *testing.T, dir, fail string) *[]string {
	t.Helper()
	var list []string
	note := func(path string) error {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Error(err)
		}
		list = append(list, name)
		if fail != "" && strings.HasPrefix(name, fail) {
			return errors.New("disk full")
		}
		return nil
	}
	syncFile = func(f *os.File) error { return note(f.Name()) }
	syncDir = note
	t.Cleanup(func() { syncFile, syncDir = (*os.File).Sync, SyncDir })
	return &list
}

func TestNewFilesAndFoldersAreDurable(t *testing.T) {
	dir := t.TempDir()
	list := recordSyncs(t, dir, "")
	if err := Make(filepath.Join(dir, "a", "b")); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "."}; !slices.Equal(*list, want) {
		t.Errorf("new folders: synced %v, want %v", *list, want)
	}
	for name, write := range map[string]func(string) error{
		"Create":  func(path string) error { return Create(path, []byte("x")) },
		"Replace": func(path string) error { return Replace(path, []byte("x"), 0o600) },
	} {
		*list = nil
		if err := write(filepath.Join(dir, "a", name)); err != nil {
			t.Fatal(err)
		}
		if len(*list) != 2 || !strings.HasPrefix((*list)[0], filepath.Join("a", name+".")) || (*list)[1] != "a" {
			t.Errorf("%s: synced %v, want the new file and its folder", name, *list)
		}
	}
	*list = nil
	if err := Make(filepath.Join(dir, "a", "b")); err != nil || len(*list) > 0 {
		t.Errorf("an existing folder: synced %v, %v, want nothing", *list, err)
	}
}

func TestCreateKeepsExistingFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	for i, want := range []error{nil, fs.ErrExist} {
		if err := Create(path, []byte{byte('a' + i)}); !errors.Is(err, want) {
			t.Errorf("call %d: got %v, want %v", i+1, err, want)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "a" {
		t.Errorf("the file contains %q, %v, want \"a\"", text, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("got files %v, %v, want 1", files, err)
	}
}

func TestFailedWritesLeaveNoFileBehind(t *testing.T) {
	dir := t.TempDir()
	recordSyncs(t, dir, "file.")
	for name, err := range map[string]error{
		"Create":  Create(filepath.Join(dir, "file"), nil),
		"Replace": Replace(filepath.Join(dir, "file"), nil, 0o600),
	} {
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("got files %v, %v, want none", files, err)
	}
}
