package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestWatchReportsSchemaEdits(t *testing.T) {
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

// The commands of a document and of a message about a folder work as they are.
func TestSchemasInFoldersAreNamedByPath(t *testing.T) {
	isolate(t)
	t.Chdir(t.TempDir())
	file := filepath.Join("schemas", "our-shop.yaml")
	if err := os.Mkdir("schemas", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("name: shop\ntables: {t: {partition_key: id}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := ddbdesk(t, "schema", "docs", file); code != cli.ExitOK || !strings.Contains(out, "`ddbdesk schema docs our-shop.yaml`") {
		t.Errorf("exit %d: %s%s", code, errs, out)
	}
	if code, _, errs := ddbdesk(t, "schema", "lint", "schemas"); code != cli.ExitUsage || !strings.Contains(errs, `"schemas" is a folder`) {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// A schema without the entity or the action of a change explains how to undo it.
func TestUndoAfterSchemaChange(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	at := []string{"--role", "admin", "--embedded=" + filepath.Join(dir, "db")}
	file := func(name string, renamed ...string) string {
		text := strings.NewReplacer(renamed...).Replace("name: shop\ntables: {orders: {partition_key: id}}\nentities:\n  Order: {table: orders, attributes: {id: {type: S}}}\n" +
			"actions:\n  make: {entity: Order, kind: put}\n")
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := file("first.yaml")
	for _, args := range [][]string{{"table", "create", first}, {"change", first, "make", "id=1", "--yes"}} {
		if code, _, errs := ddbdesk(t, append(args, at...)...); code != cli.ExitOK {
			t.Fatalf("%q: exit %d: %s", args, code, errs)
		}
	}
	for schema, want := range map[string]string{
		file("entity.yaml", "Order", "Sale"):  `the schema no longer has entity "Order"; undo the change with its former schema`,
		file("action.yaml", "make", "create"): `the schema no longer has action "make"; undo the change with its former schema, or list a renamed action under aliases:`,
	} {
		if code, _, errs := ddbdesk(t, append([]string{"undo", schema, "--dry-run"}, at...)...); code != cli.ExitRefused || !strings.Contains(errs, want) {
			t.Errorf("exit %d, want %s: %s", code, want, errs)
		}
	}
	if code, _, errs := ddbdesk(t, append([]string{"undo", file("alias.yaml", "make: {", "create: {aliases: [make], "), "--dry-run"}, at...)...); code != cli.ExitOK {
		t.Errorf("with an alias: exit %d: %s", code, errs)
	}
}
