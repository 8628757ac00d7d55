package appdir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

func TestReadFileRejectsEndlessFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size int64) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(write("small", 1), link); err != nil {
		t.Skip("requires symbolic links: ", err)
	}
	for path, want := range map[string]string{
		link:                                  "",
		write("largest", appdir.MaxFile):      "",
		write("too large", appdir.MaxFile+1):  "more than 16 MB",
		dir:                                   "not a regular file",
		os.DevNull:                            "not a regular file",
		filepath.Join(dir, "missing"):         "no such file",
		filepath.Join(dir, "small", "inside"): "not a directory",
	} {
		text, err := appdir.ReadFile(path)
		if want == "" {
			if err != nil || len(text) == 0 {
				t.Errorf("%s: got %d bytes, %v", path, len(text), err)
			}
			continue
		}
		if _, ok := errors.AsType[*fs.PathError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", path, err, want)
		}
	}
}
