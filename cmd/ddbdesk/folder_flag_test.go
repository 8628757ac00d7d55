package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolderBehindABlank(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"table", "check", "authbridge", "--embedded", dir},
		{"--embedded", dir, "authbridge"},
		{"decode", "authbridge", "CASE#1", "--embedded", dir},
		{"serve", "--embedded", "./not-there-yet"},
	} {
		code, out, errs := desk(t, args...)
		if code != exitUsage || out != "" || !strings.Contains(errs, "--embedded takes its folder behind a =: --embedded=") {
			t.Errorf("%v: exit %d, %q, %s", args, code, out, errs)
		}
	}
	file := filepath.Join(dir, "desk.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		nil,
		{"run", "--embedded"},
		{"schema", "show", "--embedded", "authbridge"},
		{"schema", "show", "--embedded", file},
		{"decode", "authbridge", "--embedded", "CASE#1/META"},
		{"run", "authbridge", "--", "--embedded", dir},
	} {
		if err := misplacedFolder(args); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}
