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
	"github.com/ddbdesk/ddbdesk/profiles"
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
				t.Errorf("progress: %d of %d items at call %d", done, all, calls)
			}
		})
		if err != nil || len(list) != len(source.Profile.Tables) {
			t.Fatal(list, err)
		}
		sum, err := compare.New(source.Workspace, copied.Workspace).Find(t.Context(), compare.Options{}, func(d compare.Difference) error {
			t.Errorf("unexpected difference: %s %s", d.Kind, d.Table.KeyText(d.Key))
			return nil
		})
		if err != nil || sum.Equal != calls || calls == 0 {
			t.Errorf("got %+v for %d items, %v", sum, calls, err)
		}
		sampled := 0
		tables, err := items.SampleExports(dir, 1_000_000)
		for _, list := range tables {
			sampled += len(list)
		}
		if err != nil || sampled != calls || len(tables) != len(source.Profile.Tables) {
			t.Errorf("the sample has %d of %d items and %d tables, %v", sampled, calls, len(tables), err)
		}
	}
}

// If an export is incomplete, damaged or from another table, loading it creates no table and writes no item.
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
		damage func(dir string)
		want   error
		text   string
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
			tt.damage(dir)
			into := fixture.Connect(t, fixture.Database(t))
			_, err := items.LoadExports(t.Context(), into, source.Profile, dir, nil)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.text)
			}
			if names, err := into.Reader().Tables(t.Context()); err != nil || len(names) > 0 {
				t.Errorf("got tables %v, %v, want none", names, err)
			}
		})
	}
	if _, err := items.LoadExports(t.Context(), fixture.Connect(t, fixture.Database(t)), source.Profile, filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, items.ErrInput) {
		t.Errorf("a missing folder: got %v", err)
	}
}

// Loading fails if a file's item count differs from its manifest, or if a file contains an item twice.
func TestExportCountsAreVerified(t *testing.T) {
	t.Parallel()
	source := fixture.New(t, "authbridge", session.Support)
	table, it := source.Profile.Tables[0], source.Samples(t)[0].Item
	dir := fixture.Export(t, t.TempDir(), table.Name, []models.Item{it, it})
	if _, err := items.LoadExports(t.Context(), fixture.Connect(t, fixture.Database(t)), source.Profile, dir, nil); !errors.Is(err, items.ErrDamaged) {
		t.Errorf("an export with one item twice: got %v, want ErrDamaged", err)
	}
	if list, err := items.LoadExports(t.Context(), fixture.Connect(t, fixture.Database(t)), source.Profile,
		fixture.Export(t, t.TempDir(), table.Name, nil), nil); err != nil || len(list) != 1 {
		t.Errorf("an empty table: got %v, %v, want 1 export", list, err)
	}
}

// Loading a folder puts the items of each export into the table of the export, and notices a missing or damaged file.
func TestFolderOfExportsIsReadByTable(t *testing.T) {
	t.Parallel()
	p, err := profiles.Load("p.yaml", []byte(`name: p
tables:
  first: {name: first, partition_key: PK}
  second: {name: second, partition_key: PK}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := func(keys ...string) (list []models.Item) {
		for _, key := range keys {
			list = append(list, models.Item{"PK": models.StringValue(key)})
		}
		return list
	}
	read := func(dir string) (string, error) {
		found := ""
		err := items.Read(dir, items.ReadOptions{Profile: p}, func(r items.Record) error {
			key, _ := r.Item.Text("PK")
			found += r.Table.Name + " " + key + "; "
			return nil
		})
		return found, err
	}
	dir := t.TempDir()
	first := fixture.Export(t, filepath.Join(dir, "1"), "first", rows("a", "b", "c"))
	fixture.Export(t, filepath.Join(dir, "2"), "second", rows("d"))
	if got, err := read(dir); err != nil || got != "first a; first b; first c; second d; " {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := read(filepath.Join(first, "data")); err == nil || !strings.Contains(err.Error(), "does not match any table") {
		t.Errorf("data files without a table: %q, %v", got, err)
	}
	part := filepath.Join(first, "data", "part2.json.gz")
	text, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	for want, damage := range map[string]func() error{
		"incomplete: it has no data file part2.json.gz": func() error { return os.Remove(part) },
		"part2.json.gz does not match its checksum":     func() error { return os.WriteFile(part, append(text, 0), 0o600) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if got, err := read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

// Data files may be decompressed after the export, and partitions without items have empty files.
func TestDataFilesMayBePlainOrEmpty(t *testing.T) {
	t.Parallel()
	source := fixture.New(t, "authbridge", session.Support)
	dir := fixture.Export(t, t.TempDir(), source.Profile.Tables[0].Name, []models.Item{source.Samples(t)[0].Item})
	plain, empty := filepath.Join(dir, "data", "part0.json"), filepath.Join(dir, "data", "part9.json")
	for path, text := range map[string]string{
		plain: `{"Item":` + string(source.Samples(t)[0].Item.AppendDynamoDBJSON(nil)) + "}\n", empty: "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(plain + ".gz"); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, filepath.Join(dir, "data")} {
		n := 0
		err := items.Read(at, items.ReadOptions{Profile: source.Profile}, func(items.Record) error { n++; return nil })
		if err != nil || n != 1 {
			t.Errorf("%s: %d items, %v", at, n, err)
		}
	}
}
