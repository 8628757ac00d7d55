// The storage layer uses bbolt. The file contains these buckets:
//
//	meta    format -> version of this layout
//	tables  table name -> definition (JSON)
//	rows    table id -> { row key -> item }
//	indexes table id/index -> { entry key -> nothing }
//	counts  table id, table id/index -> number of items, bytes
//	        table id/stream/label -> last sequence number, 0
//	tokens  client request token -> expiry, digest of the request
//	streams table name/stream/label -> definition (JSON)
//	records table id/stream/label -> { sequence number -> change of an item }

package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/ddbdesk/ddbdesk/internal/embedded/pagefile"
)

const (
	fileName      = "dynamodb.db"
	fileMode      = 0o600
	formatVersion = 5
	// lockWait is the time that Open waits for another process that has the file open.
	lockWait = time.Second
)

var (
	bucketMeta    = []byte("meta")
	bucketTables  = []byte("tables")
	bucketRows    = []byte("rows")
	bucketIndexes = []byte("indexes")
	bucketCounts  = []byte("counts")
	bucketTokens  = []byte("tokens")
	bucketStreams = []byte("streams")
	bucketRecords = []byte("records")

	// systemBuckets lists the top-level buckets with checksums.
	systemBuckets = [][]byte{bucketTables, bucketCounts, bucketTokens, bucketStreams}

	keyFormat = []byte("format")
)

// storage is the open database file.
type storage struct {
	db      *bbolt.DB
	commits commits
	clock   func() time.Time
}

// openStorage never replaces an unreadable file.
func openStorage(dir string, noSync bool) (*storage, error) {
	file := filepath.Join(dir, fileName)
	if !noSync {
		if err := createFile(file); err != nil {
			return nil, fmt.Errorf("create %s: %w", file, err)
		}
	}
	db, err := openFile(file, noSync)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, inUseError(dir)
	case err != nil:
		return nil, fmt.Errorf("%s is not a readable database (file unchanged): %w", file, err)
	}
	st := &storage{db: db, commits: commits{arrived: make(chan struct{}, 1)}, clock: time.Now}
	if err := recoverFaults(func() error { return st.db.Update(initialize) }); err != nil && !errors.Is(err, errNothingWritten) {
		return nil, errors.Join(fmt.Errorf("prepare %s: %w", file, err), db.Close())
	}
	return st, nil
}

func inUseError(dir string) error {
	return fmt.Errorf("folder %s is in use by another process; close it there, or use another folder", dir)
}

// recoverFaults converts bbolt's panics on invalid pages, and faults after the end of the mapped file, to errors.
func recoverFaults(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("database file or disk is damaged: %v", p)
		}
	}()
	return f()
}

func openFile(file string, noSync bool) (db *bbolt.DB, err error) {
	var handle *os.File
	open := func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		handle, err = os.OpenFile(name, flag, mode)
		return handle, err
	}
	err = recoverFaults(func() error {
		// The free list is an array, because every commit writes it in order and would sort a map.
		db, err = bbolt.Open(file, fileMode, &bbolt.Options{
			Timeout: lockWait, NoSync: noSync, FreelistType: bbolt.FreelistArrayType, OpenFile: open,
		})
		return err
	})
	if err != nil {
		if handle != nil {
			_ = release(handle) // bbolt closes the file if it returns an error, but not if it panics
		}
		return nil, err
	}
	info, err := handle.Stat()
	if now, statErr := os.Stat(file); err == nil && (statErr != nil || !os.SameFile(info, now)) {
		err = bolterrors.ErrTimeout // Compact has replaced the opened file
	}
	if err == nil {
		_, err = pagefile.LatestHeader(handle, db.Info().PageSize)
	}
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

// restrict removes the permissions of other users, which a copied file may have.
func restrict(f *os.File, info os.FileInfo) error {
	if runtime.GOOS == "windows" || info.Mode().Perm()&^fileMode == 0 {
		return nil
	}
	return f.Chmod(fileMode)
}

func initialize(b *bbolt.Tx) error {
	meta := b.Bucket(bucketMeta)
	if meta == nil {
		if first, _ := b.Cursor().First(); first != nil {
			return fmt.Errorf("format is missing: %w", errDamaged)
		}
		return create(b)
	}
	found := string(meta.Get(keyFormat))
	switch n, err := strconv.Atoi(found); {
	case err != nil || n < 1:
		return fmt.Errorf("invalid format version %q: %w", found, errDamaged)
	case n > formatVersion:
		return fmt.Errorf("%w: it has format \"%d\", and this version reads up to \"%d\"; install the newer version",
			errNewer, n, formatVersion)
	case n < formatVersion:
		return fmt.Errorf("%w: it has format \"%d\", and this version reads \"%d\"; rename it to begin with an empty database",
			errOlder, n, formatVersion)
	}
	return errNothingWritten
}

func create(b *bbolt.Tx) error {
	for _, name := range [][]byte{bucketMeta, bucketRows, bucketIndexes, bucketRecords} {
		if _, err := b.CreateBucket(name); err != nil {
			return err
		}
	}
	t := &tx{bolt: b}
	for _, name := range systemBuckets {
		if err := t.createBucket(nil, name); err != nil {
			return err
		}
	}
	return b.Bucket(bucketMeta).Put(keyFormat, []byte(strconv.Itoa(formatVersion)))
}

func (st *storage) close() error { return st.db.Close() }

// tx is a transaction. It provides a consistent view, and an update is atomic.
type tx struct {
	bolt    *bbolt.Tx
	clock   func() time.Time // clock for records, in an update
	deltas  map[string]count
	written bool // set before the first change
	buckets map[string]*bucket
}

// view runs f on a consistent view of the file. Views do not block writers.
func (st *storage) view(f func(*tx) error) error {
	return recoverFaults(func() error {
		return st.db.View(func(b *bbolt.Tx) error { return f(&tx{bolt: b}) })
	})
}

func (t *tx) tables() ([]*table, error) {
	definitions, err := t.system(bucketTables)
	if err != nil {
		return nil, err
	}
	var out []*table
	err = definitions.walk(keyRange{}, false, func(name, definition []byte) (bool, error) {
		tb := &table{}
		if err := json.Unmarshal(definition, tb); err != nil {
			return false, fmt.Errorf("table %s: definition: %w", name, errDamaged)
		}
		out = append(out, tb.prepare())
		return true, nil
	})
	return out, err
}

func (t *tx) saveTable(tb *table) error {
	t.written = true
	definition, err := json.Marshal(tb)
	if err != nil {
		return err
	}
	definitions, err := t.system(bucketTables)
	if err != nil {
		return err
	}
	if err := definitions.put([]byte(tb.Name), definition); err != nil {
		return err
	}
	if err := t.createBucket(bucketRows, bucketName(tb, nil)); err != nil {
		return err
	}
	for _, ix := range tb.Indexes {
		if err := t.createBucket(bucketIndexes, bucketName(tb, ix)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) dropTable(tb *table) error {
	t.written = true
	for _, ix := range tb.Indexes {
		if err := t.dropIndex(tb, ix); err != nil {
			return err
		}
	}
	if err := t.dropBucket(bucketRows, bucketName(tb, nil)); err != nil {
		return err
	}
	definitions, err := t.system(bucketTables)
	if err != nil {
		return err
	}
	return definitions.delete([]byte(tb.Name))
}

func (t *tx) dropIndex(tb *table, ix *index) error {
	t.written = true
	return t.dropBucket(bucketIndexes, bucketName(tb, ix))
}

// createFile names the file only after it is complete, because a full disk or a power loss would leave a broken file.
func createFile(file string) (err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(temp.Name())) }()
	if err := temp.Close(); err != nil {
		return err
	}
	db, err := bbolt.Open(temp.Name(), fileMode, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	if err := db.Close(); err != nil {
		return err
	}
	err = os.Link(temp.Name(), file) // unlike a rename, fails if another process was faster
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return nil // without links, bbolt creates the file
	}
	return err
}

func (o *Options) directorySync() func(dir string) error {
	switch {
	case o.syncDir != nil:
		return o.syncDir
	case o.NoSync:
		return func(string) error { return nil }
	}
	return syncDirectory
}

// syncDirectory makes names durable. After a power loss, a synced file in an unsynced directory may have no name.
func syncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync a directory
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDirectories is like os.MkdirAll with mode 0700, but also syncs the parent of each directory that it creates.
func makeDirectories(dir string, sync func(dir string) error) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDirectories(parent, sync); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sync(parent)
}
