// The storage layer, and the only file that uses bbolt. Its buckets:
//
//	meta    format -> version of this layout
//	tables  table name -> definition (JSON)
//	rows    table id -> { row key -> item }
//	indexes table id/index -> { entry key -> row key }
//	counts  table id, table id/index -> number of items, bytes
//	tokens  client request token -> expiry, digest of the request

package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	fileName      = "dynamodb.db"
	fileMode      = 0o600
	formatVersion = "1"
	// lockWait is how long to wait for another process that has the file open.
	lockWait = time.Second
)

var (
	bucketMeta    = []byte("meta")
	bucketTables  = []byte("tables")
	bucketRows    = []byte("rows")
	bucketIndexes = []byte("indexes")
	bucketCounts  = []byte("counts")
	bucketTokens  = []byte("tokens")

	keyFormat = []byte("format")
)

// storage is the open database file.
type storage struct {
	db      *bbolt.DB
	commits commits
}

// openStorage opens or creates the file in dir. It never replaces a file that it cannot
// read.
func openStorage(dir string, noSync bool) (*storage, error) {
	file := filepath.Join(dir, fileName)
	db, err := openFile(file, noSync)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("directory %s is in use by another process; close it there, or use another directory", dir)
	case err != nil:
		return nil, fmt.Errorf("%s is not a readable database (file unchanged): %w", file, err)
	}
	st := &storage{db: db, commits: commits{arrived: make(chan struct{}, 1)}}
	if err := guarded(func() error { return st.db.Update(st.layOut) }); err != nil && !errors.Is(err, errNothing) {
		return nil, errors.Join(fmt.Errorf("preparing %s: %w", file, err), db.Close())
	}
	return st, nil
}

// guarded turns panics of bbolt into errors. bbolt panics on an invalid page, and faults
// on a page after the end of the mapped file.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("database file or disk is damaged: %v", p)
		}
	}()
	return f()
}

// openFile opens the database and checks that the file is not truncated.
func openFile(file string, noSync bool) (db *bbolt.DB, err error) {
	var handle *os.File
	open := func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		handle, err = os.OpenFile(name, flag, mode)
		return handle, err
	}
	err = guarded(func() error {
		db, err = bbolt.Open(file, fileMode, &bbolt.Options{
			Timeout: lockWait, NoSync: noSync, FreelistType: bbolt.FreelistMapType, OpenFile: open,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	info, err := handle.Stat()
	if err == nil {
		err = restrict(handle, info)
	}
	if err == nil {
		err = db.View(func(b *bbolt.Tx) error {
			if b.Size() > info.Size() {
				return fmt.Errorf("file has %d bytes, expected %d: %w", info.Size(), b.Size(), bolterrors.ErrInvalid)
			}
			return nil
		})
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// restrict removes the permissions of others, which the file has if it was copied or created
// by another program.
func restrict(f *os.File, info os.FileInfo) error {
	if runtime.GOOS == "windows" || info.Mode().Perm()&^fileMode == 0 {
		return nil
	}
	return f.Chmod(fileMode)
}

// layOut creates the buckets of a new file, and checks the format of an existing one
// without writing to it.
func (st *storage) layOut(b *bbolt.Tx) error {
	if meta := b.Bucket(bucketMeta); meta != nil && string(meta.Get(keyFormat)) == formatVersion {
		return errNothing
	}
	for _, name := range [][]byte{bucketMeta, bucketTables, bucketRows, bucketIndexes, bucketCounts, bucketTokens} {
		if _, err := b.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	meta := b.Bucket(bucketMeta)
	switch found := meta.Get(keyFormat); {
	case found == nil:
		return meta.Put(keyFormat, []byte(formatVersion))
	case string(found) != formatVersion:
		return fmt.Errorf("file has format %q; this program reads format %q", found, formatVersion)
	}
	return nil
}

func (st *storage) close() error { return st.db.Close() }

// tx is a transaction: a consistent view, atomic in an update.
type tx struct {
	bolt    *bbolt.Tx
	deltas  map[string]count
	written bool // set before the first change
}

// count is the number and size of the items in a table or index.
type count struct{ items, bytes int64 }

// view runs f on a consistent view of the file. Views do not block writers.
func (st *storage) view(f func(*tx) error) error {
	return guarded(func() error {
		return st.db.View(func(b *bbolt.Tx) error { return f(&tx{bolt: b}) })
	})
}

// tables reads all definitions.
func (t *tx) tables() ([]*table, error) {
	var out []*table
	err := t.bolt.Bucket(bucketTables).ForEach(func(name, definition []byte) error {
		tb := &table{}
		if err := json.Unmarshal(definition, tb); err != nil {
			return fmt.Errorf("table %s: definition is damaged: %w", name, err)
		}
		out = append(out, tb.prepare())
		return nil
	})
	return out, err
}

// saveTable stores a definition and creates missing buckets.
func (t *tx) saveTable(tb *table) error {
	t.written = true
	definition, err := json.Marshal(tb)
	if err != nil {
		return err
	}
	if err := t.bolt.Bucket(bucketTables).Put([]byte(tb.Name), definition); err != nil {
		return err
	}
	if _, err := t.bolt.Bucket(bucketRows).CreateBucketIfNotExists([]byte(tb.ID)); err != nil {
		return err
	}
	for _, ix := range tb.Indexes {
		if _, err := t.bolt.Bucket(bucketIndexes).CreateBucketIfNotExists(place(tb, ix)); err != nil {
			return err
		}
	}
	return nil
}

// dropTable removes a table with its rows, indexes and counts.
func (t *tx) dropTable(tb *table) error {
	t.written = true
	for _, ix := range tb.Indexes {
		if err := t.dropIndex(tb, ix); err != nil {
			return err
		}
	}
	if err := t.bolt.Bucket(bucketRows).DeleteBucket([]byte(tb.ID)); err != nil {
		return err
	}
	if err := t.bolt.Bucket(bucketCounts).Delete(place(tb, nil)); err != nil {
		return err
	}
	return t.bolt.Bucket(bucketTables).Delete([]byte(tb.Name))
}

// dropIndex removes the entries and counts of an index. The items stay.
func (t *tx) dropIndex(tb *table, ix *index) error {
	t.written = true
	if err := t.bolt.Bucket(bucketIndexes).DeleteBucket(place(tb, ix)); err != nil {
		return err
	}
	return t.bolt.Bucket(bucketCounts).Delete(place(tb, ix))
}

// place returns the name of the bucket and counter of an index, or of the table if ix is
// nil.
func place(tb *table, ix *index) []byte {
	if ix == nil {
		return []byte(tb.ID)
	}
	return []byte(tb.ID + "/" + ix.Name)
}

// rows has the items of a table by row key.
func (t *tx) rows(tb *table) *bbolt.Bucket { return t.bolt.Bucket(bucketRows).Bucket([]byte(tb.ID)) }

// entries has the row keys of a table by the keys of an index.
func (t *tx) entries(tb *table, ix *index) *bbolt.Bucket {
	return t.bolt.Bucket(bucketIndexes).Bucket(place(tb, ix))
}

// item reads a row; it returns nil if there is none.
func (t *tx) item(tb *table, key []byte) (item, error) {
	data := t.rows(tb).Get(key)
	if data == nil {
		return nil, nil
	}
	return decodeItem(data)
}

// write replaces before with after in the table and in every index. nil means no item.
func (t *tx) write(tb *table, key []byte, before, after item) error {
	t.written = true
	rows := t.rows(tb)
	t.count(tb, nil, before, after)
	if after == nil {
		if err := rows.Delete(key); err != nil {
			return err
		}
	} else if err := rows.Put(key, encodeItem(after)); err != nil {
		return err
	}
	for _, ix := range tb.Indexes {
		if err := t.writeEntry(tb, ix, key, before, after); err != nil {
			return err
		}
	}
	return nil
}

// writeEntry moves an item's entry in an index if its key has changed.
func (t *tx) writeEntry(tb *table, ix *index, key []byte, before, after item) error {
	t.written = true
	oldEntry, wasIn := tb.entryKey(ix, before)
	newEntry, isIn := tb.entryKey(ix, after)
	if !wasIn {
		before = nil
	}
	if !isIn {
		after = nil
	}
	t.count(tb, ix, before, after)
	if bytes.Equal(oldEntry, newEntry) {
		return nil
	}
	entries := t.entries(tb, ix)
	if wasIn {
		if err := entries.Delete(oldEntry); err != nil {
			return err
		}
	}
	if isIn {
		return entries.Put(newEntry, key)
	}
	return nil
}

// count records a change of the counts of an index, or of the table if ix is nil.
// saveCounts stores them.
func (t *tx) count(tb *table, ix *index, before, after item) {
	name := string(place(tb, ix))
	d := t.deltas[name]
	if before != nil {
		d.items--
		d.bytes -= int64(ix.view(before).size())
	}
	if after != nil {
		d.items++
		d.bytes += int64(ix.view(after).size())
	}
	t.deltas[name] = d
}

// saveCounts adds the recorded changes to the stored counts at the end of a transaction.
func (t *tx) saveCounts() error {
	counts := t.bolt.Bucket(bucketCounts)
	for name, d := range t.deltas {
		if d == (count{}) {
			continue
		}
		c := readCount(counts.Get([]byte(name)))
		data := binary.BigEndian.AppendUint64(nil, uint64(c.items+d.items))
		data = binary.BigEndian.AppendUint64(data, uint64(c.bytes+d.bytes))
		if err := counts.Put([]byte(name), data); err != nil {
			return err
		}
	}
	return nil
}

// readCount decodes a stored count; a missing one is zero.
func readCount(data []byte) count {
	if len(data) != 16 {
		return count{}
	}
	return count{
		items: int64(binary.BigEndian.Uint64(data)),
		bytes: int64(binary.BigEndian.Uint64(data[8:])),
	}
}

// size returns the counts of an index, or of the table if ix is nil.
func (t *tx) size(tb *table, ix *index) count {
	return readCount(t.bolt.Bucket(bucketCounts).Get(place(tb, ix)))
}

// fillIndex adds all rows of the table to a new index. The definition with the index must
// have been saved.
func (t *tx) fillIndex(tb *table, ix *index) error {
	return t.rows(tb).ForEach(func(key, data []byte) error {
		it, err := decodeItem(data)
		if err != nil {
			return err
		}
		return t.writeEntry(tb, ix, slices.Clone(key), nil, it)
	})
}

// walk visits the rows of a key range in order until visit returns false. A row is valid
// only until visit returns.
func (t *tx) walk(tb *table, ix *index, r keyRange, backward bool, visit func(row []byte) (bool, error)) error {
	rows := t.rows(tb)
	from := rows
	if ix != nil {
		from = t.entries(tb, ix)
	}
	c := from.Cursor()
	key, data := first(c, r, backward)
	for key != nil && inRange(key, r, backward) {
		if ix != nil {
			if data = rows.Get(data); data == nil {
				return fmt.Errorf("index %s of table %s: %w", ix.Name, tb.Name, errCorrupt)
			}
		}
		if more, err := visit(data); !more || err != nil {
			return err
		}
		if backward {
			key, data = c.Prev()
		} else {
			key, data = c.Next()
		}
	}
	return nil
}

// first moves the cursor to the first key of a range in the direction of reading.
func first(c *bbolt.Cursor, r keyRange, backward bool) (key, data []byte) {
	switch {
	case backward && r.to == nil:
		return c.Last()
	case backward:
		if key, _ := c.Seek(r.to); key == nil {
			return c.Last()
		}
		return c.Prev()
	case r.from == nil:
		return c.First()
	}
	return c.Seek(r.from)
}

// inRange checks the bound at the end of a range in the direction of reading.
func inRange(key []byte, r keyRange, backward bool) bool {
	if backward {
		return bytes.Compare(key, r.from) >= 0
	}
	return r.to == nil || bytes.Compare(key, r.to) < 0
}

// token returns the digest stored for an idempotency token, nil if it has expired.
func (t *tx) token(name string, now time.Time) []byte {
	data := t.bolt.Bucket(bucketTokens).Get([]byte(name))
	if len(data) < 8 || int64(binary.BigEndian.Uint64(data)) <= now.UnixNano() {
		return nil
	}
	return slices.Clone(data[8:])
}

// saveToken stores the digest of a request under its idempotency token.
func (t *tx) saveToken(name string, expires time.Time, digest []byte) error {
	t.written = true
	data := binary.BigEndian.AppendUint64(nil, uint64(expires.UnixNano()))
	return t.bolt.Bucket(bucketTokens).Put([]byte(name), append(data, digest...))
}

// dropTokens removes the expired idempotency tokens.
func (t *tx) dropTokens(now time.Time) error {
	tokens := t.bolt.Bucket(bucketTokens)
	var expired [][]byte // collected first: a bucket must not change during ForEach
	err := tokens.ForEach(func(name, _ []byte) error {
		if t.token(string(name), now) == nil {
			expired = append(expired, name)
		}
		return nil
	})
	for _, name := range expired {
		if err != nil {
			return err
		}
		t.written = true
		err = tokens.Delete(name)
	}
	return err
}
