package items

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestFileAppearsOnlyWhenComplete(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	f, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("a,b\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file exists before Commit")
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, dir, "rows.csv")
	info, err := os.Stat(path)
	if err != nil || info.Size() != 4 || f.Size() != 4 {
		t.Errorf("got size %v, %v, want 4", info, err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, want 0600", info.Mode())
	}
}

func TestFileReplacesOnlyWithForce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	write(t, path, "old")
	if _, err := Create(path, false); !errors.Is(err, ErrExists) {
		t.Errorf("Create of an existing file: got %v, want ErrExists", err)
	}
	f, err := Create(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "new" {
		t.Errorf("the file contains %q, want \"new\"", got)
	}
	checkFiles(t, dir, "rows.csv")
}

// An export does not overwrite a file that another program created in the meantime.
func TestFileCreatedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	f, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "of somebody else")
	if err := f.Commit(); !errors.Is(err, ErrExists) {
		t.Errorf("Commit over a new file: got %v, want ErrExists", err)
	}
	if got := read(t, path); got != "of somebody else" {
		t.Errorf("the file contains %q, want the other program's text", got)
	}
	checkFiles(t, dir, "rows.csv")
}

func TestDiscardRemovesFile(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "rows.csv"), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Discard(); err != nil {
		t.Error(err)
	}
	checkFiles(t, dir)
}

func TestCreateRejectsUnwritablePaths(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "x")
	for path, want := range map[string]string{
		filepath.Join(dir, "gone", "rows.csv"): "folder " + filepath.Join(dir, "gone") + " does not exist",
		dir:                                    dir + " is a folder; add a file name",
		filepath.Join(dir, strings.Repeat("x", 300)): "the file name is too long",
	} {
		if _, err := Create(path, true); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Create(%s): got %v, want %s", path, err, want)
		}
	}
	if _, err := Create(filepath.Join(dir, "file", "rows.csv"), false); err == nil {
		t.Error("Create accepted a path inside a file")
	}
}

func TestFileErrorsNameFix(t *testing.T) {
	for err, want := range map[error]string{
		&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}:  "no space left for folder /data",
		&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}: "no permission to write to folder /data",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}:    "folder /data is read-only",
	} {
		if got := writeError(err, "/data/rows.csv"); !strings.HasPrefix(got.Error(), want) || !errors.Is(got, errors.Unwrap(err)) {
			t.Errorf("writeError(%v) = %q", err, got)
		}
	}
}

func TestPathExpandsHomeAndRejectsInvalidNames(t *testing.T) {
	t.Setenv("HOME", filepath.FromSlash("/home/kagiso"))
	t.Chdir(t.TempDir())
	workingDir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		" rows.csv ": filepath.Join(workingDir, "rows.csv"), "/tmp/rows.csv": "/tmp/rows.csv",
		"~/rows.csv": "/home/kagiso/rows.csv", "~kagiso": filepath.Join(workingDir, "~kagiso"),
	} {
		if got, err := Path(name); runtime.GOOS != "windows" && (err != nil || got != want) {
			t.Errorf("Path(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	for _, bad := range []string{"", "  ", "a\x00b"} {
		if _, err := Path(bad); err == nil {
			t.Errorf("Path accepted %q", bad)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkFiles fails unless the folder contains exactly these files.
func checkFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the folder contains %q, want %q", got, names)
	}
}
