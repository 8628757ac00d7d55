package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/embedded/pagefile"
)

const (
	formatVersion = 1
	pageSize      = 4 << 10
	openWait      = 2 * time.Second // maximum wait for a process that has the file open, such as a backup
	maxContent    = 4 << 20         // in bytes; above it, the store removes half of the lists
	maxPending    = 10_000          // maximum number of changes to keep while the file is not writable
)

// The file has one bucket for its format, and one that contains each list as JSON.
var (
	metaBucket  = []byte("meta")
	formatKey   = []byte("format")
	listsBucket = []byte("lists")
)

// errDamaged means that a file has invalid content.
var errDamaged = errors.New("file is corrupt")

// DefaultPath returns the path of ddbdesk's local store.
func DefaultPath() string { return filepath.Join(appdir.State(), "local.db") }

// Open returns the store at path. The first change creates the file. Open renames a corrupt file. If the file is
// unusable, the store keeps everything in RAM. It never modifies a file of a newer ddbdesk version. Notice reports
// these three cases.
func Open(path string) *Store {
	s := New()
	s.path = path
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return s
	}
	if all, err := s.merge(nil); err != nil {
		s.handleFailure(nil, err)
	} else {
		s.lists = all
	}
	return s
}

// startWriting starts the writer, unless it is running. The caller must hold s.mu.
func (s *Store) startWriting() {
	if s.writer != nil {
		return
	}
	s.writer = make(chan struct{})
	done := s.writer
	crash.Go("write the local store", func() { s.write(done) })
}

// write writes pending changes. If that fails, it keeps them for the next attempt.
func (s *Store) write(done chan struct{}) {
	defer close(done)
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pending) > 0 {
		batch := s.pending
		s.pending = nil
		s.mu.Unlock()
		merged, err := s.merge(batch)
		s.mu.Lock()
		if err != nil {
			s.handleFailure(batch, err)
			break
		}
		s.replaceLists(merged)
	}
	s.writer = nil
}

// handleFailure handles an unsuccessful write. The caller must hold s.mu.
func (s *Store) handleFailure(batch []change, err error) {
	s.notice = fmt.Sprintf("history will not be saved: %s: %v", s.path, err)
	if errors.Is(err, appdir.ErrNewer) {
		s.path, s.pending = "", nil
		return
	}
	s.pending = append(batch, s.pending...)
	s.pending = s.pending[max(len(s.pending)-maxPending, 0):]
}

// replaceLists uses the lists of the file, plus entries that exist only in RAM. The caller must hold s.mu.
func (s *Store) replaceLists(merged lists) {
	for name, list := range s.lists {
		for _, e := range slices.Backward(list) {
			if e.private {
				merged.apply(change{list: name, entry: e})
			}
		}
	}
	for _, c := range s.pending {
		merged.apply(c)
	}
	s.lists = merged
}

// merge writes changes to the file and returns its new content. While a process has the file open, it locks another
// file, so that it can rename a corrupt file, and no process waits for an idle console.
func (s *Store) merge(batch []change) (all lists, err error) {
	// No caller could cancel the wait.
	unlock, err := appdir.Lock(context.Background(), s.path+".lock")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	all, err = update(s.path, batch)
	if errors.Is(err, errDamaged) {
		if err = s.renameCorrupt(); err == nil {
			all, err = update(s.path, batch)
		}
	}
	if err == nil && slices.ContainsFunc(batch, func(c change) bool { return c.drop }) {
		err = rewrite(s.path, all)
	}
	return all, err
}

// renameCorrupt renames a corrupt file. The caller must hold the file's lock.
func (s *Store) renameCorrupt() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	damagedPath := s.path + ".damaged-" + s.now().UTC().Format("20060102T150405.000")
	if err := os.Rename(s.path, damagedPath); err != nil {
		return err
	}
	s.notice = "the history file is corrupt and was renamed to " + damagedPath
	return nil
}

// rewrite replaces the file with one without free pages, because free pages still contain removed data.
func rewrite(path string, all lists) error {
	newPath := path + ".new"
	if err := os.Remove(newPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := transact(newPath, true, func(tx *bbolt.Tx) error { return put(tx, nil, all) }); err != nil {
		return err
	}
	if err := os.Rename(newPath, path); err != nil {
		return err
	}
	return appdir.SyncDir(filepath.Dir(path))
}

// update merges changes into the file and returns its lists.
func update(path string, batch []change) (all lists, err error) {
	if err := check(path); err != nil {
		return nil, err
	}
	return all, transact(path, len(batch) > 0, func(tx *bbolt.Tx) error {
		stored, err := get(tx)
		if err != nil {
			return err
		}
		all = lists{}
		for name, text := range stored {
			var list []Entry
			if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
				return fmt.Errorf("%w: list %q", errDamaged, name)
			}
			all[name] = list
		}
		for _, c := range batch {
			all.apply(c)
		}
		if len(batch) == 0 {
			return nil
		}
		return put(tx, stored, all)
	})
}

func check(path string) error {
	f, err := appdir.OpenRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = pagefile.Check(f, pageSize)
	if fault := (*fs.PathError)(nil); err != nil && !errors.As(err, &fault) {
		err = fmt.Errorf("%w: %w", errDamaged, err)
	}
	return errors.Join(err, f.Close())
}

// transact runs one transaction. It recovers from panics, because bbolt panics on damage that the check did not find.
func transact(path string, writes bool, do func(*bbolt.Tx) error) (err error) {
	var file *os.File
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(fmt.Errorf("%w: %v", errDamaged, p), file.Close())
		}
	}()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: openWait, PageSize: pageSize,
		OpenFile: func(name string, flag int, _ os.FileMode) (_ *os.File, err error) {
			file, err = appdir.OpenPrivate(name, flag)
			return file, err
		},
	})
	if err != nil {
		return err
	}
	run := db.View
	if writes {
		run = db.Update
	}
	return errors.Join(run(do), db.Close())
}

func get(tx *bbolt.Tx) (map[string][]byte, error) {
	stored := map[string][]byte{}
	meta, all := tx.Bucket(metaBucket), tx.Bucket(listsBucket)
	if meta == nil {
		return stored, nil
	}
	found, err := strconv.Atoi(string(meta.Get(formatKey)))
	if err != nil || found < 1 {
		return nil, fmt.Errorf("%w: the format version is missing", errDamaged)
	}
	if err := appdir.CheckFormat(found, formatVersion); err != nil {
		return nil, err
	}
	return stored, all.ForEach(func(name, text []byte) error {
		stored[string(name)] = text
		return nil
	})
}

func put(tx *bbolt.Tx, stored map[string][]byte, all lists) error {
	texts, err := all.encode()
	if err != nil {
		return err
	}
	meta, err := tx.CreateBucketIfNotExists(metaBucket)
	if err == nil {
		err = meta.Put(formatKey, strconv.AppendInt(nil, formatVersion, 10))
	}
	if err != nil {
		return err
	}
	bucket, err := tx.CreateBucketIfNotExists(listsBucket)
	if err != nil {
		return err
	}
	for name := range stored {
		if _, exists := texts[name]; !exists {
			if err := bucket.Delete([]byte(name)); err != nil {
				return err
			}
		}
	}
	for name, text := range texts {
		if bytes.Equal(text, stored[name]) {
			continue
		}
		if err := bucket.Put([]byte(name), text); err != nil {
			return err
		}
	}
	return nil
}

// encode returns the lists as JSON. If they are too large, it removes the oldest lists.
func (l lists) encode() (map[string][]byte, error) {
	for {
		texts, size := map[string][]byte{}, 0
		for name, list := range l {
			text, err := json.Marshal(list)
			if err != nil {
				return nil, err
			}
			texts[name] = text
			size += len(text)
		}
		if size <= maxContent {
			return texts, nil
		}
		l.trim(len(l) / 2)
	}
}

// Close blocks until all changes are in the file, or until ctx ends.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	if len(s.pending) > 0 {
		s.startWriting()
	}
	writer := s.writer
	s.mu.Unlock()
	if writer == nil {
		return nil
	}
	select {
	case <-writer:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) > 0 {
		return fmt.Errorf("history not saved: %d changes could not be written to %s", len(s.pending), s.path)
	}
	return nil
}
