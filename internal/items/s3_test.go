package items_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
)

// exportFolder exports all tables of a fixture and returns the folder.
func exportFolder(t *testing.T, f *fixture.Fixture) string {
	t.Helper()
	dir := t.TempDir()
	for _, table := range f.Profile.Tables {
		var rows []models.Item
		for _, s := range f.Samples(t) {
			if s.Entity.Table == table {
				rows = append(rows, s.Item)
			}
		}
		fixture.Export(t, filepath.Join(dir, table.ID), table.Name, rows)
	}
	return dir
}

func TestLoadedExportEqualsItsSource(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"authbridge", "zentriqvision"} {
		source := fixture.New(t, name, session.Admin)
		copied := fixture.NewOn(t, source.Profile, fixture.Connect(t, fixture.Database(t)))
		calls := 0
		dir := exportFolder(t, source)
		list, err := items.LoadExports(t.Context(), copied.Conn, source.Profile, dir, func(done, all int) {
			if calls++; done != calls || all < done {
				t.Errorf("%d of %d items at call %d", done, all, calls)
			}
		})
		if err != nil || len(list) != len(source.Profile.Tables) {
			t.Fatal(list, err)
		}
		sum, err := compare.New(source.Workspace, copied.Workspace).Find(t.Context(), compare.Options{}, func(d compare.Difference) error {
			t.Errorf("%s %s", d.Kind, d.Table.KeyText(d.Key))
			return nil
		})
		if err != nil || sum.Equal != calls || calls == 0 {
			t.Errorf("%+v of %d items, %v", sum, calls, err)
		}
		sampled := 0
		tables, err := items.SampleExports(dir, 1_000_000)
		for _, list := range tables {
			sampled += len(list)
		}
		if err != nil || sampled != calls || len(tables) != len(source.Profile.Tables) {
			t.Errorf("a sample of all has %d of %d items of %d tables, %v", sampled, calls, len(tables), err)
		}
	}
}

// If an export is incomplete, damaged or of another table, loading it creates no table and writes no item.
func TestBadExportWritesNothing(t *testing.T) {
	t.Parallel()
	source := fixture.New(t, "authbridge", session.Support)
	table := source.Profile.Tables[0]
	var rows []models.Item
	for _, s := range source.Samples(t) {
		rows = append(rows, s.Item)
	}
	replace := func(name, from, to string) func(dir string) {
		return func(dir string) {
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(text, []byte(from)) {
				t.Fatal(name, from, err)
			}
			if err := os.WriteFile(path, bytes.Replace(text, []byte(from), []byte(to), 1), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(name string) func(dir string) {
		return func(dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	both := func(list ...func(dir string)) func(string) {
		return func(dir string) {
			for _, f := range list {
				f(dir)
			}
		}
	}
	for name, tt := range map[string]struct {
		spoil func(dir string)
		want  error
		text  string
	}{
		"another table":    {replace("manifest-summary.json", table.Name, "orders"), items.ErrInput, "the export is of table orders"},
		"incremental":      {replace("manifest-summary.json", "FULL_EXPORT", "INCREMENTAL_EXPORT"), items.ErrInput, "incremental"},
		"Ion":              {replace("manifest-summary.json", "DYNAMODB_JSON", "ION"), items.ErrInput, "Amazon Ion"},
		"summary":          {replace("manifest-summary.json", "{", "["), items.ErrInput, "not JSON"},
		"no summary":       {remove("manifest-summary.json"), items.ErrInput, "contains no DynamoDB export"},
		"no manifest":      {remove("manifest-files.json"), items.ErrInput, "incomplete: it has no manifest-files.json"},
		"edited manifest":  {replace("manifest-files.json", "part0", "part9"), items.ErrDamaged, "manifest-files.json"},
		"no data file":     {remove("data/part2.json.gz"), items.ErrInput, "incomplete: it has no data file part2.json.gz"},
		"edited data file": {replace("data/part2.json.gz", "\x1f\x8b", "\x1f\x8c"), items.ErrDamaged, "part2.json.gz"},
		"fewer items": {
			both(remove("manifest-files.md5"), replace("manifest-files.json", `"itemCount":2`, `"itemCount":1`)), items.ErrInput, "files have",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fixture.Export(t, t.TempDir(), table.Name, rows)
			tt.spoil(dir)
			into := fixture.Connect(t, fixture.Database(t))
			_, err := items.LoadExports(t.Context(), into, source.Profile, dir, nil)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%v, want %v with %q", err, tt.want, tt.text)
			}
			if names, err := into.Reader().Tables(t.Context()); err != nil || len(names) > 0 {
				t.Errorf("tables %v, %v", names, err)
			}
		})
	}
	if _, err := items.LoadExports(t.Context(), fixture.Connect(t, fixture.Database(t)), source.Profile, filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, items.ErrInput) {
		t.Errorf("no folder: %v", err)
	}
}

// Loading fails if a file has another number of items than its manifest, or contains an item twice.
func TestExportCountsAreVerified(t *testing.T) {
	t.Parallel()
	source := fixture.New(t, "authbridge", session.Support)
	table, it := source.Profile.Tables[0], source.Samples(t)[0].Item
	dir := fixture.Export(t, t.TempDir(), table.Name, []models.Item{it, it})
	if _, err := items.LoadExports(t.Context(), fixture.Connect(t, fixture.Database(t)), source.Profile, dir, nil); !errors.Is(err, items.ErrDamaged) {
		t.Errorf("one item twice: %v", err)
	}
	if list, err := items.LoadExports(t.Context(), fixture.Connect(t, fixture.Database(t)), source.Profile,
		fixture.Export(t, t.TempDir(), table.Name, nil), nil); err != nil || len(list) != 1 {
		t.Errorf("an empty table: %v, %v", list, err)
	}
}
