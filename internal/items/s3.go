package items

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// ErrDamaged means that a file does not match its checksum. The remedy is to copy the export again, because a partial
// load would leave a table that looks complete.
var ErrDamaged = errors.New("damaged file")

// A TableExport is a full export of a table to S3, copied to a local folder. Source:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
type TableExport struct {
	Table *models.Table
	Items int    // number of items according to the manifest
	Time  string // export time according to the manifest
	files []exportFile
}

// An exportFile is a data file of an export.
type exportFile struct {
	path, md5 string
	items     int
}

// These are the file names of the manifests.
const (
	summaryName = "manifest-summary.json"
	filesName   = "manifest-files.json"
)

// summariesIn calls each with every manifest in a folder. It returns an error if a table has two exports.
func summariesIn(dir string, each func(s summary, at string) error) error {
	previous := map[string]bool{}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != summaryName {
			return err
		}
		s, err := readSummary(path)
		if err != nil {
			return err
		}
		if previous[s.table()] {
			return inputErrorf("folder %s has several exports of table %s; use the folder of one of them",
				models.Printable(dir), models.Printable(s.table()))
		}
		previous[s.table()] = true
		return each(s, filepath.Dir(path))
	})
}

// openExports reads only the manifests, each for a different table. Its error wraps ErrInput or ErrDamaged.
func openExports(dir string, p *profiles.Profile) ([]*TableExport, error) {
	var list []*TableExport
	err := summariesIn(dir, func(s summary, at string) error {
		t := s.tableIn(p)
		if t == nil {
			names := models.MapSlice(p.Tables, func(t *models.Table) string { return t.Name })
			return inputErrorf("the export is of table %s, and %s has %s; for another environment, set its variables with --var",
				models.Printable(s.table()), p.Name, strings.Join(names, ", "))
		}
		x, err := openExport(s, at)
		if err != nil {
			return err
		}
		x.Table = t
		list = append(list, x)
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = inputErrorf("folder %s does not exist", models.Printable(dir))
	case err == nil && len(list) == 0:
		err = inputErrorf("folder %s contains no DynamoDB export to S3 (%s)", models.Printable(dir), summaryName)
	}
	return list, err
}

// LoadExports checks the exports in a folder, then creates the tables of a schema and writes the items. It writes
// nothing if an export is incomplete, damaged or from another table. It calls progress for each item with the number of
// items so far and in total; progress may be nil. After an error, the store is unusable.
func LoadExports(
	ctx context.Context, conn *store.Connection, p *profiles.Profile, dir string, progress func(done, all int),
) ([]*TableExport, error) {
	list, err := openExports(dir, p)
	if err != nil {
		return nil, err
	}
	all, done := 0, 0
	for _, x := range list {
		if err := x.verify(ctx); err != nil {
			return nil, err
		}
		all += x.Items
	}
	if _, err := tables.Create(ctx, p, conn); err != nil {
		return nil, err
	}
	l := NewLoader(p, conn)
	for _, x := range list {
		if err := x.read(p, func(r Record) error {
			if done++; progress != nil {
				progress(done, all)
			}
			return l.Add(ctx, r)
		}); err != nil {
			return nil, err
		}
	}
	if err := l.Flush(ctx); err != nil {
		return nil, err
	}
	if n := l.Done().Skipped; n > 0 {
		return nil, fmt.Errorf("%w: %d items of the export have duplicate keys; copy the export again", ErrDamaged, n)
	}
	return list, nil
}

// A summary is the manifest's description of an export.
type summary struct {
	TableARN string `json:"tableArn"`
	Type     string `json:"exportType"`
	Format   string `json:"outputFormat"`
	Items    int    `json:"itemCount"`
	Time     string `json:"exportTime"`
}

func readSummary(path string) (s summary, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	switch {
	case json.Unmarshal(text, &s) != nil:
		return s, inputErrorf("%s is not JSON", models.Printable(path))
	case s.Type == "INCREMENTAL_EXPORT":
		return s, inputErrorf("%s is an incremental export, which contains changes instead of items; use a full export",
			models.Printable(path))
	case s.Format == "ION":
		return s, inputErrorf("%s is an export in Amazon Ion; export the table in DynamoDB JSON", models.Printable(path))
	}
	return s, nil
}

func (s summary) table() string {
	_, name, _ := strings.Cut(s.TableARN, ":table/")
	return name
}

func (s summary) tableIn(p *profiles.Profile) *models.Table {
	return models.First(p.Tables, func(t *models.Table) bool { return t.Name == s.table() })
}

// openExport leaves the table to the caller.
func openExport(s summary, dir string) (*TableExport, error) {
	x, table := &TableExport{Items: s.Items, Time: s.Time}, models.Printable(s.table())
	text, err := checkedFile(dir, filesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, inputErrorf("the export of table %s is incomplete: it has no %s; copy its folder again", table, filesName)
	}
	if err != nil {
		return nil, err
	}
	total := 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var f struct {
			Items int    `json:"itemCount"`
			MD5   string `json:"md5Checksum"`
			Key   string `json:"dataFileS3Key"`
		}
		if json.Unmarshal(line, &f) != nil || f.Key == "" {
			return nil, inputErrorf("%s of table %s is not JSON lines with data files", filesName, table)
		}
		name := path.Base(f.Key)
		file := exportFile{filepath.Join(dir, "data", name), f.MD5, f.Items}
		if plain := strings.TrimSuffix(file.path, ".gz"); !isFile(file.path) && isFile(plain) {
			file.path, file.md5 = plain, "" // decompressed after the export
		}
		if !isFile(file.path) {
			return nil, inputErrorf("the export of table %s is incomplete: it has no data file %s; copy its folder again",
				table, models.Printable(name))
		}
		x.files = append(x.files, file)
		total += f.Items
	}
	if total != x.Items {
		return nil, inputErrorf("the export of table %s is incomplete: its files have %s of %s items; copy its folder again",
			table, humanize.Comma(int64(total)), humanize.Comma(int64(x.Items)))
	}
	return x, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func checkedFile(dir, name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	want, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(name, ".json")+".md5"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return text, nil
	case err != nil:
		return nil, err
	}
	if sum := md5.Sum(text); strings.TrimSpace(string(want)) != base64.StdEncoding.EncodeToString(sum[:]) {
		return nil, checksumError(name)
	}
	return text, nil
}

func checksumError(name string) error {
	return fmt.Errorf("%w: %s does not match its checksum; copy the export again", ErrDamaged, models.Printable(name))
}

// verify reads every file, which can take minutes. It checks ctx before each file and accepts files without a checksum.
func (x *TableExport) verify(ctx context.Context) error {
	for _, f := range x.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.verify(); err != nil {
			return err
		}
	}
	return nil
}

func (f exportFile) verify() (err error) {
	if f.md5 == "" {
		return nil
	}
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	sum := md5.New()
	if _, err := io.Copy(sum, bufio.NewReaderSize(in, 1<<20)); err != nil {
		return err
	}
	if base64.StdEncoding.EncodeToString(sum.Sum(nil)) != f.md5 {
		return checksumError(filepath.Base(f.path))
	}
	return nil
}

// read returns an error if the number of items in a file differs from the manifest. Call verify first, because each
// receives items before read has checked the whole file.
func (x *TableExport) read(p *profiles.Profile, each func(Record) error) error {
	r := &reader{o: ReadOptions{Profile: p}, table: x.Table, each: each}
	for _, f := range x.files {
		if err := r.exported(f); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) exported(f exportFile) error {
	if f.items == 0 {
		return nil // The file of an empty table is empty.
	}
	if err := r.file(f.path); err != nil {
		return err
	}
	if r.n != f.items {
		return inputErrorf("%s has %d items instead of the manifest's %d; copy the export again",
			models.Printable(r.name), r.n, f.items)
	}
	return nil
}

// SampleExports returns up to limit items from each export in a folder, by table name. It reads the same number from
// each data file, because a file covers only some partitions. Without an export, the result is empty.
func SampleExports(dir string, limit int) (map[string][]models.Item, error) {
	tables := map[string][]models.Item{}
	err := summariesIn(dir, func(s summary, at string) error {
		tables[s.table()] = []models.Item{}
		files, err := filepath.Glob(filepath.Join(at, "data", "*"))
		if err != nil {
			return err
		}
		for _, file := range files {
			list, err := firstItems(file, max(limit/len(files), 1))
			if err != nil {
				return err
			}
			tables[s.table()] = append(tables[s.table()], list...)
		}
		return nil
	})
	return tables, err
}

func firstItems(path string, n int) (list []models.Item, err error) {
	in, end, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	d := json.NewDecoder(in)
	d.UseNumber()
	for len(list) < n {
		var line struct{ Item map[string]any }
		if err := d.Decode(&line); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, checksumError(filepath.Base(path))
		}
		it, err := models.TypedItem(line.Item)
		if err != nil {
			return nil, inputErrorf("%s contains an item that is not DynamoDB JSON", models.Printable(filepath.Base(path)))
		}
		list = append(list, it)
	}
	return list, nil
}
