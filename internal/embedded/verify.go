package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/pagefile"
)

// Report is the result of Check. Problems describes problems that affect the file or several tables, without item data.
// A command writes the report as JSON, so its field names must not change.
type Report struct {
	Path     string        `json:"path"` // path of the file
	Format   string        `json:"format,omitempty"`
	Tables   []TableReport `json:"tables"`
	Problems []string      `json:"problems"`
	// The caller sets Compacted if it compacts a sound database.
	Compacted *Compaction `json:"compacted,omitempty"`
}

// TableReport contains the number of readable items in a table, and the problems of the table and its indexes, without
// item data.
type TableReport struct {
	Table    string   `json:"table"`
	Items    int64    `json:"items"`
	Indexes  int      `json:"indexes"`
	Problems []string `json:"problems"`
}

// Sound reports whether the check found no damage. It ignores Compacted.
func (r *Report) Sound() bool {
	n := len(r.Problems)
	for _, tb := range r.Tables {
		n += len(tb.Problems)
	}
	return n == 0
}

// Check verifies the whole database of a directory: checksums, the consistency of items and indexes, the counts, and
// the pages of the file. It locks the file and reads all of it, but does not change it. The error is nil for a damaged
// database. It is not nil if the file does not exist or is empty, has another format, or is in use by another process.
// The report on a damaged database may be incomplete, because Check cannot read past a damaged page.
func Check(dir string) (*Report, error) {
	r := &Report{Path: filepath.Join(dir, fileName), Tables: []TableReport{}, Problems: []string{}}
	info, err := os.Stat(r.Path)
	if err == nil && info.Size() == 0 {
		err = fmt.Errorf("file %s is empty", r.Path) // bbolt would write a new database to it.
	}
	if err != nil {
		return nil, fmt.Errorf("check the embedded database: %w", err)
	}
	db, err := openFile(r.Path, true)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, inUseError(dir)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("check the embedded database: %w", err)
	case err != nil:
		r.addProblem("not a readable database: %v", err)
		return r, nil
	}
	err = recoverFaults(func() error { return db.View(r.checkFile) })
	switch {
	case errors.Is(err, errNewer) || errors.Is(err, errOlder):
		return nil, errors.Join(fmt.Errorf("check %s: %w", r.Path, err), db.Close())
	case err != nil:
		r.addProblem("%v", err)
	}
	if r.Sound() { // a damaged tree hides pages
		if err := r.checkPages(db.Info().PageSize); err != nil {
			r.addProblem("page structure: %v", err)
		}
	}
	return r, db.Close()
}

func (r *Report) checkPages(pageSize int) error {
	file, err := os.Open(r.Path)
	if err != nil {
		return err
	}
	return errors.Join(pagefile.Check(file, pageSize), file.Close())
}

func (r *Report) addProblem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (r *TableReport) addProblem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (r *Report) checkFile(b *bbolt.Tx) error {
	if meta := b.Bucket(bucketMeta); meta != nil {
		r.Format = string(meta.Get(keyFormat))
	}
	switch err := initialize(b); {
	case errors.Is(err, bolterrors.ErrTxNotWritable): // the process that created the file ended before its first write
		return nil
	case err != nil && !errors.Is(err, errNothingWritten):
		return err
	}
	t := &tx{bolt: b}
	tables, err := t.tables()
	if err != nil {
		return err
	}
	for _, name := range systemBuckets {
		if _, err := t.checkEntries(nil, name, string(name), func(entry) error { return nil }); err != nil {
			r.addProblem("%v", err)
		}
	}
	known := map[string]bool{}
	for _, tb := range tables {
		known[tb.ID] = true
		tr := TableReport{Table: tb.Name, Indexes: len(tb.Indexes), Problems: []string{}}
		tr.check(t, tb)
		r.Tables = append(r.Tables, tr)
	}
	_ = b.Bucket(bucketRows).ForEachBucket(func(id []byte) error {
		if !known[string(id)] {
			r.addProblem("items of a table that has no definition")
		}
		return nil
	})
	r.checkStreams(t)
	return nil
}

func (r *Report) checkStreams(t *tx) {
	streams, err := t.streams()
	if err != nil {
		r.addProblem("%v", err)
		return
	}
	known := map[string]bool{}
	for _, st := range streams {
		known[string(st.recordBucketName())] = true
		if err := t.checkRecords(st); err != nil {
			r.addProblem("stream of table %s: %v", st.Table, err)
		}
	}
	_ = t.bolt.Bucket(bucketRecords).ForEachBucket(func(place []byte) error {
		if !known[string(place)] {
			r.addProblem("records of a stream that has no definition")
		}
		return nil
	})
}

func (t *tx) checkRecords(st *stream) error {
	last, err := t.lastNumber(st.recordBucketName())
	if err != nil {
		return err
	}
	_, err = t.checkEntries(bucketRecords, st.recordBucketName(), "records", func(e entry) error {
		if len(e.key) != sequenceBytes || binary.BigEndian.Uint64(e.key) > last {
			return fmt.Errorf("record has another sequence number: %w", errDamaged)
		}
		_, err := decodeRecord(e.value())
		return err
	})
	return err
}

// Unlike a read, checkEntries continues after damage. It ends with an error that counts the damaged entries.
func (t *tx) checkEntries(parent, name []byte, title string, visit func(entry) error) (entries int64, err error) {
	b, err := t.bucket(parent, name, title)
	if err != nil {
		return 0, err
	}
	var first error // first error of visit
	damaged, all := 0, 0
	before := headKey
	c := b.entries.Cursor()
	c.First()
	for at := b.next(c); ; at = b.next(c) {
		all++
		isValid := b.verify(before, at) == nil
		if isValid && !at.isHead() { // a read must also find it
			found, _, err := b.find(b.ownCursor(), at.key)
			isValid = err == nil && bytes.Equal(found.key, at.key)
		}
		switch {
		case !isValid:
			damaged++
		case !at.isHead():
			entries++
			if err := visit(at); err != nil && first == nil {
				first = err
			}
		}
		if before = at.key; at.isHead() {
			break
		}
	}
	if damaged > 0 {
		return entries, b.damagedError(fmt.Sprintf("%d of %d entries do not match their checksums", damaged, all))
	}
	return entries, first
}

// check counts items and index entries in one pass over the items, so memory use does not grow with the table.
func (r *TableReport) check(t *tx, tb *table) {
	counted, indexed := map[string]count{}, map[string]int64{}
	n, err := t.checkEntries(bucketRows, bucketName(tb, nil), "items", func(e entry) error {
		it, err := attribute.DecodeItem(e.value())
		if err != nil {
			return err
		}
		if !bytes.Equal(tb.rowKey(it), e.key) {
			return fmt.Errorf("item has another key: %w", errDamaged)
		}
		addItem(counted, bucketName(tb, nil), it.Size())
		for _, ix := range tb.Indexes {
			if _, isIn := tb.entryKey(ix, it); isIn {
				addItem(counted, bucketName(tb, ix), ix.view(it).Size())
				indexed[ix.Name]++
			}
		}
		return nil
	})
	r.Items = n
	if err != nil {
		r.addProblem("%v", err)
	}
	for _, ix := range tb.Indexes {
		found, indexErr := t.checkIndex(tb, ix)
		if indexErr != nil {
			r.addProblem("%v", indexErr)
		}
		if err == nil && indexErr == nil && found != indexed[ix.Name] {
			r.addProblem("index %s: %d entries for %d items", ix.Name, found, indexed[ix.Name])
		}
	}
	if len(r.Problems) > 0 {
		return // the counts cannot be compared
	}
	r.checkCount(t, tb, nil, counted)
	for _, ix := range tb.Indexes {
		r.checkCount(t, tb, ix, counted)
	}
}

func addItem(counted map[string]count, name []byte, size int) {
	c := counted[string(name)]
	counted[string(name)] = count{c.items + 1, c.bytes + int64(size)}
}

func (t *tx) checkIndex(tb *table, ix *index) (int64, error) {
	return t.checkEntries(bucketIndexes, bucketName(tb, ix), "index "+ix.Name, func(e entry) error {
		rowKey, err := tb.rowKeyOf(ix, e.key)
		if err != nil {
			return err
		}
		it, err := t.item(tb, rowKey)
		if err != nil {
			return err
		}
		if key, isIn := tb.entryKey(ix, it); !isIn || !bytes.Equal(key, e.key) {
			return fmt.Errorf("index %s: an entry has no item: %w", ix.Name, errDamaged)
		}
		return nil
	})
}

func (r *TableReport) checkCount(t *tx, tb *table, ix *index, counted map[string]count) {
	stored, err := t.size(tb, ix)
	found := counted[string(bucketName(tb, ix))]
	switch {
	case err != nil:
		r.addProblem("%v", err)
	case stored != found:
		r.addProblem("count is %d items, %d bytes; found %d items, %d bytes", stored.items, stored.bytes, found.items, found.bytes)
	}
}
