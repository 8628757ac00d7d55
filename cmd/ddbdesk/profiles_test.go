package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestWatchReportsProfileEdits(t *testing.T) {
	t.Setenv(appdir.ConfigEnv, t.TempDir())
	team := t.TempDir()
	shop := filepath.Join(team, "shop.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	part := filepath.Join(team, "parts", "tables.yaml")
	if err := os.Mkdir(filepath.Dir(part), 0o700); err != nil {
		t.Fatal(err)
	}
	write(part, "tables: {t: {partition_key: id}}\n")
	write(shop, "name: shop\ninclude: parts/tables.yaml\n")
	a := &app{}
	a.reader = &profiles.Reader{ExtraPaths: func() ([]string, error) { return []string{team}, nil }}
	if _, err := a.reader.Open(shop, profiles.Values{}); err != nil {
		t.Fatal(err)
	}
	ended, tick := make(chan struct{}), make(chan time.Time)
	defer close(ended)
	edits := (&opener{app: a}).watchProfiles(ended, tick)
	for name, edit := range map[string]func(){
		"an included file": func() { write(part, "tables: {t: {partition_key: PK}}\n") },
		"another text":     func() { write(shop, "name: shop\ntitle: Shop\n") },
		"a new file":       func() { write(filepath.Join(team, "other.yaml"), "") },
		"a new time": func() {
			if err := os.Chtimes(shop, time.Time{}, time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		edit()
		for reported := false; !reported; {
			select {
			case tick <- time.Time{}:
			case <-edits:
				reported = true
			case <-t.Context().Done():
				t.Fatalf("%s: no report of the edit", name)
			}
		}
	}
}
