package items

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Record is an item from a file. The caller owns the item.
type Record struct {
	Table  *models.Table
	Item   models.Item
	Place  string // file and item number, for messages
	Number int    // number of the item within its file, from 1
}

// ReadOptions adds information that a file lacks. Profile is required. Without Table and Entity, the keys and the
// matching entity of each item determine its table.
type ReadOptions struct {
	Profile *profiles.Profile
	Table   string // ID or real name of the table; "" if the file or the items' keys identify it
	Entity  string // entity for items without keys; its templates form the keys
}

// ErrInput means that the content of a file is invalid. Commands then exit with the code for bad input. The text names
// the file and the number of the item.
var ErrInput = errors.New("invalid file")

func inputErrorf(format string, args ...any) error {
	return &inputError{fmt.Sprintf(format, args...)}
}

type inputError struct{ text string }

func (e *inputError) Error() string        { return e.text }
func (e *inputError) Is(target error) bool { return target == ErrInput }

// Read calls each for every item in a file or in the folder of an export, in order, until each returns an error, which
// it returns unchanged. Errors about the content name the place but never contain values; each has then already
// received the preceding items. Read keeps one item in memory at a time. It detects gzip compression from the content.
func Read(path string, o ReadOptions, each func(Record) error) error {
	r, err := newReader(o, each)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return r.file(path)
	}
	return r.export(path)
}

// ReadFrom is like Read for an open file, which messages call name.
func ReadFrom(f io.Reader, name string, o ReadOptions, each func(Record) error) error {
	r, err := newReader(o, each)
	if err != nil {
		return err
	}
	in, err := uncompressed(f, name)
	if err != nil {
		return err
	}
	return r.content(in, name)
}

func newReader(o ReadOptions, each func(Record) error) (*reader, error) {
	r := &reader{o: o, each: each}
	if o.Table != "" {
		i := slices.IndexFunc(o.Profile.Tables, func(t *models.Table) bool { return t.ID == o.Table || t.Name == o.Table })
		if i < 0 {
			return nil, inputErrorf("--table: unknown table %q; tables: %s", models.Printable(o.Table),
				strings.Join(models.MapSlice(o.Profile.Tables, func(t *models.Table) string { return t.Name }), ", "))
		}
		r.table = o.Profile.Tables[i]
	}
	if o.Entity != "" {
		if r.entity = o.Profile.Entity(o.Entity); r.entity == nil {
			return nil, inputErrorf("--entity: unknown entity %q; entities: %s", models.Printable(o.Entity),
				strings.Join(models.MapSlice(o.Profile.Entities, func(e *models.Entity) string { return e.Name }), ", "))
		}
		r.table = r.entity.Table
	}
	return r, nil
}

type reader struct {
	o      ReadOptions
	each   func(Record) error
	table  *models.Table     // nil if each item identifies its table
	entity *models.Entity    // nil if items contain their keys
	cells  map[string]string // texts of the current CSV record, nil for JSON
	name   string            // name of the file
	n      int               // number of the item within the file
	isPart bool              // the file is one of several data files, so it may be empty
}

// export reads S3 exports, or only their data files if the folder contains no manifest. Source:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
func (r *reader) export(dir string) error {
	chosen, found := r.table, false
	err := summariesIn(dir, func(s summary, at string) error {
		found = true
		x, err := openExport(s, at)
		if err != nil {
			return err
		}
		if r.table = chosen; chosen == nil {
			r.table = s.tableIn(r.o.Profile)
		}
		for _, f := range x.files {
			if err := f.verify(); err != nil {
				return err
			}
			if err := r.exported(f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || found {
		return err
	}
	return r.dataFiles(dir)
}

func (r *reader) dataFiles(dir string) error {
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name := filepath.Base(path)
		inDataFolder := filepath.Base(filepath.Dir(path)) == "data" && strings.HasSuffix(name, ".json")
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(name, ".ion.gz"):
			return inputErrorf("%s is in Amazon Ion; export the table in DynamoDB JSON", models.Printable(path))
		case !e.IsDir() && (inDataFolder || strings.HasSuffix(name, ".json.gz")):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return inputErrorf("folder %s contains no data files of an export (*.json.gz)", models.Printable(dir))
	}
	r.isPart = true
	for _, path := range files {
		if err := r.file(path); err != nil {
			return err
		}
	}
	return nil
}

func openFile(path string) (in *bufio.Reader, end func() error, err error) {
	f, err := appdir.OpenFile(path)
	if err != nil {
		return nil, nil, err
	}
	if in, err = uncompressed(f, filepath.Base(path)); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return in, f.Close, nil
}

func uncompressed(f io.Reader, name string) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(f, 1<<16)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, inputErrorf("%s is not a gzip file", name)
	}
	return bufio.NewReaderSize(z, 1<<16), nil
}

func (r *reader) file(path string) (err error) {
	in, end, err := openFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return r.content(in, filepath.Base(path))
}

func (r *reader) content(in *bufio.Reader, name string) error {
	r.name, r.n, r.cells = name, 0, nil
	in = newTextReader(in)
	for {
		c, err := in.ReadByte()
		if err == io.EOF && r.isPart {
			return nil
		}
		if err == io.EOF {
			return inputErrorf("%s is empty", models.Printable(r.name))
		}
		if err != nil {
			return r.explain(err)
		}
		if c == ' ' || c == '\n' || c == '\r' || c == '\t' {
			continue
		}
		if err := in.UnreadByte(); err != nil {
			return err
		}
		if c == '{' || c == '[' {
			return r.documents(in)
		}
		return r.csv(in)
	}
}

// newTextReader reads UTF-8, and the UTF-16 of PowerShell and spreadsheets. It rejects any other encoding.
func newTextReader(in *bufio.Reader) *bufio.Reader {
	text := encoding.UTF8Validator
	if begin, _ := in.Peek(2); len(begin) == 2 && (begin[0] == 0 || begin[1] == 0) {
		text = unicode.UTF16(unicode.Endianness(begin[1] == 0), unicode.IgnoreBOM).NewDecoder()
	}
	return bufio.NewReaderSize(transform.NewReader(in, unicode.BOMOverride(text)), 1<<16)
}

func (r *reader) explain(err error) error {
	if errors.Is(err, encoding.ErrInvalidUTF8) {
		return inputErrorf("%s is not UTF-8 at item %d; save it as UTF-8", models.Printable(r.name), r.n+1)
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return inputErrorf("%s is incomplete or damaged at item %d", models.Printable(r.name), r.n+1)
	}
	return err
}

func (r *reader) documents(in io.Reader) error {
	d := json.NewDecoder(in)
	for {
		var text json.RawMessage
		err := d.Decode(&text)
		var syntaxErr *json.SyntaxError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &syntaxErr):
			return inputErrorf("%s: not JSON at item %d", models.Printable(r.name), r.n+1)
		case err != nil:
			return r.explain(err)
		}
		if err := r.document(text); err != nil {
			return err
		}
	}
}

func (r *reader) document(text []byte) error {
	if fault := models.JSONFault(text); fault != "" {
		return inputErrorf("%s: the JSON at item %d %s", models.Printable(r.name), r.n+1, fault)
	}
	v, err := decodeJSON(text)
	if err != nil {
		return r.errorf("is not JSON")
	}
	if list, ok := v.([]any); ok {
		return r.list(list)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return r.errorf("is not an object")
	}
	if r.isItem(m) { // It may have an attribute with the name of a result's list.
		return r.item(m)
	}
	if inner, ok := m["Item"].(map[string]any); ok && isTypedObject(inner) {
		return r.item(inner)
	}
	for _, key := range []string{"Items", "items"} {
		list, ok := m[key].([]any)
		if !ok {
			continue
		}
		if m["truncated"] == true {
			return inputErrorf("%s contains only a part of a result, because an error ended the read after %s; %s",
				models.Printable(r.name),
				english.Plural(len(list), "item", ""), continuation(m))
		}
		return r.list(list)
	}
	if isBatchWrite(m) {
		return r.batch(m)
	}
	return r.item(m)
}

// isItem reports whether an object has the attributes of a key. A result that contains items has none.
func (r *reader) isItem(m map[string]any) bool {
	has := func(names []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { _, ok := m[name]; return !ok })
	}
	if r.entity != nil {
		var names []string
		for _, k := range r.table.PrimaryKeys() {
			t, _ := r.entity.KeyTemplate(k.Name)
			names = append(names, t.Placeholders()...)
		}
		return len(names) > 0 && has(names)
	}
	tables := r.o.Profile.Tables
	if r.table != nil {
		tables = []*models.Table{r.table}
	}
	return slices.ContainsFunc(tables, func(t *models.Table) bool {
		return has(models.MapSlice(t.PrimaryKeys(), func(k models.Key) string { return k.Name }))
	})
}

// continuation returns advice for a document that is a part of a result.
func continuation(m map[string]any) string {
	if token, _ := m["next"].(string); token == "" {
		return "export the items again"
	}
	return "export the items again, or read the rest with --next and the token in .next, then load the .items of both files as JSON Lines"
}

func decodeJSON(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v)
}

func (r *reader) list(list []any) error {
	for _, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			return r.errorf("is not an object")
		}
		if err := r.item(m); err != nil {
			return err
		}
	}
	return nil
}

func isBatchWrite(m map[string]any) bool {
	for _, v := range m {
		list, ok := v.([]any)
		if !ok {
			return false
		}
		for _, element := range list {
			put, _ := element.(map[string]any)
			if _, ok := put["PutRequest"].(map[string]any); !ok {
				return false
			}
		}
	}
	return len(m) > 0
}

func (r *reader) batch(m map[string]any) error {
	outerTable := r.table
	defer func() { r.table = outerTable }()
	for _, name := range slices.Sorted(maps.Keys(m)) {
		r.table = models.First(r.o.Profile.Tables, func(t *models.Table) bool { return t.Name == name })
		if r.table == nil {
			return r.errorf("is for table %s, which is not in the schema", models.Printable(name))
		}
		list, _ := m[name].([]any)
		for _, element := range list {
			put, _ := element.(map[string]any)["PutRequest"].(map[string]any)
			inner, ok := put["Item"].(map[string]any)
			if !ok {
				return r.errorf("has no Item")
			}
			if err := r.item(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) errorf(format string, args ...any) error {
	return inputErrorf("%s: item %d %s", models.Printable(r.name), r.n+1, fmt.Sprintf(format, args...))
}

func (r *reader) item(m map[string]any) error {
	var it models.Item
	var err error
	if isTypedObject(m) {
		it, err = models.TypedItem(m)
	} else {
		it, err = r.plain(m)
	}
	if err != nil {
		return r.errorf("is not readable: %v", err)
	}
	t := r.table
	if r.entity != nil {
		if it, err = r.entity.Build(it, nil); err != nil {
			return r.errorf("has no key: %v", err)
		}
	}
	if t == nil {
		if t = r.tableOf(it); t == nil {
			return r.errorf("does not match any table; add --table TABLE or --entity ENTITY")
		}
	}
	if _, ok := t.PrimaryKey(it); !ok {
		return r.errorf("lacks a key attribute of table %s; add it", t.Name)
	}
	r.n++
	return r.each(Record{Table: t, Item: it, Place: fmt.Sprintf("%s: item %d", models.Printable(r.name), r.n), Number: r.n})
}

func (r *reader) tableOf(it models.Item) *models.Table {
	var candidates []*models.Table
	for _, t := range r.o.Profile.Tables {
		if _, ok := t.PrimaryKey(it); !ok {
			continue
		}
		if _, ok := models.Recognize(r.o.Profile.Entities, t, it); ok {
			return t
		}
		candidates = append(candidates, t)
	}
	if len(candidates) == 1 {
		return candidates[0]
	}
	return nil
}
