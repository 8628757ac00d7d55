// Package journal implements an append-only log of changes, refusals and reveals on this machine. A file contains one
// JSON object per line, each with the hash of the previous line. A change has two entries: an intent before ddbdesk
// sends it, and an outcome afterward. The journal seals a full file, and the next file continues the chain.
//
// Verify detects changed, removed, inserted and moved lines, and a truncated end. The hashes do not use a key, so a
// user who can write both the journal and its head can forge them. The journal shows users their own actions. For
// evidence against a user, see CloudTrail and the audit trail in the tables.
package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// ErrDamaged means that someone modified the end of a journal. Append does not continue a damaged journal, because a
// new entry would hide the damage.
var ErrDamaged = errors.New("journal is damaged")

// lockRetry is the interval at which Append retries a lock that another process holds.
const lockRetry = 5 * time.Millisecond

// A Journal appends entries to one journal. It is safe for concurrent use, even by several processes. Each call opens
// the file, so there is no Close.
type Journal struct {
	path        string
	turn        chan struct{} // mutex with a context, because a file lock does not exclude goroutines of the same process
	lock        *flock.Flock
	now         func() time.Time
	maxFileSize int64 // file size in bytes at which the journal seals a file

	fault   func(step string) error // see Intercept
	shipper *Shipper                // see SetShipper
}

// DefaultPath returns the default path of the journal. The path is in the state folder instead of the configuration
// folder, because users must not copy the journal to another machine.
func DefaultPath() string { return filepath.Join(appdir.State(), "journal.jsonl") }

// Open returns the journal at path. It creates missing folders and the file, with mode 0600, so that an unwritable
// journal fails before the first change. It does not read the journal, so it is fast even for a large one. Append
// detects damage at the end, and Verify detects all damage.
func Open(path string) (*Journal, error) {
	if err := appdir.Make(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	f, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	lock, err := appdir.NewLock(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	return &Journal{
		path: path,
		turn: make(chan struct{}, 1),
		lock: lock,
		now:  time.Now, maxFileSize: segmentSize, fault: func(string) error { return nil },
	}, nil
}

// Path returns the path of the journal's file. The paths of its segments and its other files begin with this path.
func (j *Journal) Path() string { return j.path }

// Intercept makes the journal call fault before each step of a write, and fail with its error. The steps are "write",
// which first writes half of the line, then "sync", "head" and "head folder", and "remove", which removes the remains
// of a failed write. Tests use it to simulate a full or broken disk. Call it before using the journal.
func (j *Journal) Intercept(fault func(step string) error) { j.fault = fault }

// Append writes e and returns it with its sequence number, time, ID and hashes. If it returns no error, the entry is on
// disk. Append waits for other writers until ctx ends; ctx does not interrupt the write itself. If the write fails,
// Append removes the partial entry. It returns the entry with the error if that removal fails, or if a required sink
// did not accept the entry. After any error, the caller must not perform the operation that the entry announces.
func (j *Journal) Append(ctx context.Context, e Entry) (Entry, error) {
	var written Entry
	err := j.withLock(ctx, func() (err error) {
		if written, err = j.appendLocked(e); err == nil {
			err = j.shipper.ship(j.path, written)
		}
		return err
	})
	if errors.Is(err, ErrDamaged) {
		return Entry{}, fmt.Errorf("write journal %s: %w; %s", j.path, err, Remedy(j.path))
	}
	if err != nil {
		return written, fmt.Errorf("write journal %s: %w", j.path, err)
	}
	return written, nil
}

// Remedy returns instructions about a damaged journal at path, for appending to an error.
func Remedy(path string) string {
	return "verify it, then move all files " + filepath.Base(path) + "* and " + appdir.KeyFile + " away to start a new one"
}

// withLock calls do while no other writer is active. It waits for other writers until ctx ends.
func (j *Journal) withLock(ctx context.Context, do func() error) (err error) {
	select {
	case j.turn <- struct{}{}:
		defer func() { <-j.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, err := j.lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	defer func() { err = errors.Join(err, j.lock.Unlock()) }()
	return do()
}

// appendLocked appends e. The caller must hold the lock.
func (j *Journal) appendLocked(e Entry) (written Entry, err error) {
	f, last, h, err := j.openEnd()
	if err != nil {
		return Entry{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	e, err = e.prepare(last.Seq+1, last.Hash, j.now())
	if err != nil {
		return Entry{}, err
	}
	e, line, err := encodeEntry(e)
	if err != nil {
		return Entry{}, err
	}
	err = j.write(f, line, position{e.Seq, e.Hash})
	if err == nil {
		err = recordBeginning(j.path, e)
	}
	if err == nil {
		return e, nil
	}
	if removeErr := j.removeWritten(f, last, h); removeErr != nil {
		return e, fmt.Errorf("%w; the entry could not be removed: %w", err, removeErr)
	}
	return Entry{}, err
}

func (j *Journal) write(f *os.File, line []byte, h position) error {
	if err := j.fault("write"); err != nil {
		_, writeErr := f.Write(line[:len(line)/2])
		return errors.Join(err, writeErr)
	}
	if _, err := f.Write(line); err != nil {
		return err
	}
	err := j.fault("sync")
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = j.fault("head")
	}
	if err == nil {
		err = h.write(j.path)
	}
	if err == nil {
		err = j.fault("head folder")
	}
	return err
}

// removeWritten removes a failed write, so that no intent stays open although ddbdesk sends nothing. It restores the
// head first, because a journal may be one entry ahead of its head.
func (j *Journal) removeWritten(f *os.File, last tail, h position) error {
	if err := j.fault("remove"); err != nil {
		return err
	}
	if now, err := readHead(j.path); err != nil || now != h {
		if err := h.write(j.path); err != nil {
			return err
		}
	}
	if err := f.Truncate(last.size); err != nil {
		return err
	}
	return f.Sync()
}

// openEnd opens the end of the journal. It removes an incomplete last line, which Append never reported as written.
func (j *Journal) openEnd() (f *os.File, last tail, h position, err error) {
	f, err = openFile(j.path)
	if err != nil {
		return nil, tail{}, position{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeFile(f))
		}
	}()
	if last, err = readTail(j.path, f); err != nil {
		return f, last, h, err
	}
	if h, err = readHead(j.path); err != nil {
		return f, last, h, err
	}
	if err = last.checkHead(h); err != nil {
		return f, last, h, err
	}
	if problem := MissingReason(j.path); last.Seq == 0 && problem != "" {
		return f, last, h, fmt.Errorf("%w: %s", ErrDamaged, problem)
	}
	if last.torn {
		if err = f.Truncate(last.size); err != nil {
			return f, last, h, err
		}
	}
	if h.Seq < last.Seq {
		if h, err = j.writeMissingHead(f, last.position); err != nil {
			return f, last, h, err
		}
	}
	if last.size >= j.maxFileSize {
		last.size = 0
		f, err = j.rotate(f)
	}
	return f, last, h, err
}

// writeMissingHead writes an omitted head: a journal two entries ahead of its head would count as truncated.
func (j *Journal) writeMissingHead(f *os.File, end position) (position, error) {
	if err := f.Sync(); err != nil { // The failed write may not have synced this line.
		return position{}, err
	}
	if err := j.fault("head"); err != nil {
		return position{}, err
	}
	return end, end.write(j.path)
}

func (j *Journal) rotate(f *os.File) (*os.File, error) {
	next, err := nextSegment(j.path)
	if err != nil {
		return f, err
	}
	if err := f.Close(); err != nil { // Windows cannot rename an open file.
		return nil, err
	}
	if err := os.Rename(j.path, next); err != nil {
		return nil, err
	}
	if err := os.Chmod(next, 0o400); err != nil {
		return nil, err
	}
	if err := appdir.SyncDir(filepath.Dir(j.path)); err != nil {
		return nil, err
	}
	return openFile(j.path)
}

// openFile opens or creates a file that only its owner can read.
func openFile(path string) (*os.File, error) {
	return appdir.OpenPrivate(path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
}
