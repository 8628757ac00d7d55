package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/local"
)

// useReleasedFiles copies the files of a released version into a new folder and uses them for the test.
func useReleasedFiles(t *testing.T, version string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "formats", version))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DDBDESK_STATE_DIR", filepath.Join(dir, "state"))
	t.Setenv("DDBDESK_CONFIG_DIR", filepath.Join(dir, "config"))
	t.Setenv("USER", "tester")
	t.Chdir(dir)
}

// replaceIn replaces text in a file.
func replaceIn(t *testing.T, file, old, becomes string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s does not contain %q: %v", file, old, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), old, becomes, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// This version reads and continues every kind of file that a released version wrote. testdata/formats/README.md
// explains how to add a folder for each release.
func TestReleasedVersionFiles(t *testing.T) {
	versions, err := os.ReadDir("testdata/formats")
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
		if !version.IsDir() {
			continue
		}
		t.Run(version.Name(), func(t *testing.T) {
			useReleasedFiles(t, version.Name())
			expect(t, cli.ExitOK, "6 entries verified", "journal", "verify")
			expect(t, cli.ExitOK, `"staging"`, "doctor", "-o", "json")
			expect(t, cli.ExitOK, `"count":1`, "run", "library.yaml", "@first loan", "--embedded=db", "-o", "json")
			expect(t, cli.ExitOK, "intact", "serve", "check", "db")
			m := local.Open(local.DefaultPath())
			const list = "queries\x1flibrary\x1f\x1fembedded\x1fenvironment=dev"
			if notice := m.Notice(); notice != "" || len(m.List(list)) != 1 {
				t.Errorf("the history contains %v with the notice %q, want 1 entry", m.List(list), notice)
			}
			// The plan is readable and its digest is correct, but it was made for a database in another folder.
			expect(t, cli.ExitRefused, "the plan was created for", "apply", "plan.json", "--yes", "--role", "admin", "--embedded=db")
			expect(t, cli.ExitOK, "committed", "change", "library.yaml", "give-back", "loanId=l_1", "--yes", "--role", "admin", "--embedded=db")
			expect(t, cli.ExitOK, "8 entries verified", "journal", "verify")
		})
	}
}

// This version rejects files of a newer version with an explanation and does not change them.
func TestNewerVersionFiles(t *testing.T) {
	useReleasedFiles(t, "0.1.0")
	newer := "written by a newer version of ddbdesk: it has format 2, and this version reads up to 1; install the newer version"

	replaceIn(t, "config/config.yaml", "format: 1", "format: 2\nword-of-2: yes")
	expect(t, cli.ExitConfig, "config.yaml:1:1: error: format: "+newer, "run", "authbridge", "get-verification", "verificationId=ver_1")
	expect(t, cli.ExitConfig, "config.yaml:1:1: error: format: "+newer, "--context", "staging", "schema", "list")
	replaceIn(t, "config/config.yaml", "format: 2\nword-of-2: yes", "format: 1")

	replaceIn(t, "library.bookmarks.yaml", "format: 1", "format: 2\nword-of-2: yes")
	expect(t, cli.ExitUsage, newer, "run", "library.yaml", "@first loan", "--embedded=db")

	replaceIn(t, "plan.json", "ddbdesk plan 4", "ddbdesk plan 5")
	replaceIn(t, "plan.json", `"actor"`, `"member-of-5"`)
	expect(t, cli.ExitUsage, "newer version of ddbdesk: it has format 5, and this version reads up to 4", "apply", "plan.json", "--yes", "--embedded=db")

	replaceIn(t, "state/local.db", "format1", "format2")
	m := local.Open(local.DefaultPath())
	m.Add("list", "id", 1, 5, false)
	if notice := m.Notice(); !strings.Contains(notice, newer) {
		t.Errorf("the history's notice is %q, want the newer version", notice)
	}
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
	replaceIn(t, "state/local.db", "format2", "format2")

	replaceIn(t, "state/journal.jsonl.head", `"format":1`, `"format":2`)
	for _, args := range [][]string{
		{"journal", "verify"},
		{"journal", "show"},
		{"journal", "show", "-o", "json"},
		{"undo", "library.yaml", "--yes", "--role", "admin", "--embedded=db"},
		{"change", "library.yaml", "give-back", "loanId=l_1", "--yes", "--role", "admin", "--embedded=db"},
	} {
		if code, _, errs := ddbdesk(t, args...); code == cli.ExitOK || !strings.Contains(errs, newer) {
			t.Errorf("%v: exit %d, want an error about the newer version:\n%s", args, code, errs)
		}
	}
	expect(t, cli.ExitOK, `"open"`, "run", "library.yaml", "get-loan", "loanId=l_1", "--embedded=db", "-o", "json")

	db, err := bbolt.Open("db/dynamodb.db", 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("format"), []byte("6")) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitConfig, `it has format "6", and this version reads up to "5"; install the newer version`,
		"run", "library.yaml", "get-loan", "loanId=l_1", "--embedded=db")
	// The file is not damaged, so nobody should restore a backup.
	expect(t, cli.ExitConfig, `it has format "6", and this version reads up to "5"; install the newer version`, "serve", "check", "db")
}
