//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFoldersReportsUnusableFolders(t *testing.T) {
	dir := t.TempDir()
	folder := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		folder Folder
		state  State
		text   string
	}{
		{Folder{"state", folder("mine", 0o700), true}, OK, "mine"},
		{Folder{"state", folder("listed", 0o755), true}, Warning, "chmod 700"},
		{Folder{"config folder", folder("config", 0o755), false}, OK, "config"},
		{Folder{"config folder", folder("shared", 0o777), false}, Problem, "chmod go-w"},
		{Folder{"state", filepath.Join(dir, "none"), true}, OK, "does not exist yet"},
		{Folder{"state", file, true}, Problem, "is not a folder"},
	} {
		check(t, Folders(test.folder)[0], test.state, test.text)
	}
	if os.Getuid() > 0 { // root may write everywhere
		check(t, Folders(Folder{"state", folder("locked", 0o500), true})[0], Problem, "permission denied")
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(files) > 0 {
		t.Errorf("the check left the files %v", files)
	}
}
