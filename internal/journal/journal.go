// Package journal is an append-only log of changes, refusals and reveals on this machine. A file contains one JSON
// object a line, each with the hash of the line before. A change has two entries: an intent before it is sent, and an
// outcome afterwards. A full file is sealed, and the next file continues the chain.
//
// Verify detects lines that were changed, removed, inserted or moved, and a truncated end. The hashes have no key, so a
// user who can write both the journal and its head can forge them. The journal shows users their own actions; evidence
// against a user is in CloudTrail and in the audit trail of the tables.
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

// ErrDamaged is wrapped by errors about a journal whose end was modified. Append does not continue a damaged journal,
// because a new entry would hide the damage.
var ErrDamaged = errors.New("journal is damaged")

// lockRetry is the interval at which Append retries a lock that another process holds.
const lockRetry = 5 * time.Millisecond

// Journal appends to one journal. It is safe for concurrent use, even by several processes. Each call opens the file,
// so there is no Close.
type Journal struct {
	path string
	turn chan struct{} // a mutex with a context: a file lock does not exclude goroutines of the same process
	lock *flock.Flock
	now  func() time.Time
	full int64 // size in bytes from which a file is sealed

	fault   func(step string) error // see Intercept
	shipper *Shipper                // see ShipTo
}

// DefaultPath returns the default path of the journal. It is in the folder for state, not for the configuration,
// because the journal must not be copied to another machine.
func DefaultPath() string { return filepath.Join(appdir.State(), "journal.jsonl") }

// Open returns the journal at path. It creates missing folders and the file, with mode 0600, so that a journal that
// cannot be written fails before the first change. It does not read the journal, so it is fast even for a large one;
// Append finds damage at the end, and Verify finds all damage.
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
		now:  time.Now, full: segmentSize, fault: func(string) error { return nil },
	}, nil
}

// Path returns the path of the journal's file. The paths of the segments and the journal's other files begin with it.
func (j *Journal) Path() string { return j.path }

// Intercept makes the journal call fault before each step of a write, and fail with its error. The steps are "write",
// which first writes half of the line, then "sync", "head" and "head folder", and "remove", which removes the remains
// of a failed write. Tests simulate a full or broken disk. Call it before the journal is used.
func (j *Journal) Intercept(fault func(step string) error) { j.fault = fault }

// Append writes e and returns it with its sequence number, time, ID and hashes. Without an error, the entry is on the
// disk. Append waits for other writers until ctx ends; ctx does not interrupt the write itself. If the write fails,
// Append removes the partial entry. It returns the entry with the error if that removal fails, or if a required sink
// did not accept the entry. After any error the caller must not perform the operation that the entry announces.
func (j *Journal) Append(ctx context.Context, e Entry) (Entry, error) {
	var written Entry
	err := j.exclusively(ctx, func() (err error) {
		if written, err = j.appendAlone(e); err == nil {
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

// Remedy returns instructions for a damaged journal at path, to append to an error.
func Remedy(path string) string {
	return "verify it, then move all files " + filepath.Base(path) + "* and " + appdir.KeyFile + " away to start a new one"
}

// exclusively calls do while it excludes other writers. It waits for them until ctx ends.
func (j *Journal) exclusively(ctx context.Context, do func() error) (err error) {
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

// appendAlone requires the lock.
func (j *Journal) appendAlone(e Entry) (written Entry, err error) {
	f, last, h, err := j.openEnd()
	if err != nil {
		return Entry{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	e, err = e.prepare(last.Seq+1, last.Hash, j.now())
	if err != nil {
		return Entry{}, err
	}
	e, line, err := seal(e)
	if err != nil {
		return Entry{}, err
	}
	err = j.write(f, line, chain{e.Seq, e.Hash})
	if err == nil {
		err = remember(j.path, e)
	}
	if err == nil {
		return e, nil
	}
	if removeErr := j.removeWritten(f, last, h); removeErr != nil {
		return e, fmt.Errorf("%w; the entry could not be removed: %w", err, removeErr)
	}
	return Entry{}, err
}

func (j *Journal) write(f *os.File, line []byte, h chain) error {
	if err := j.fault("write"); err != nil {
		_, half := f.Write(line[:len(line)/2])
		return errors.Join(err, half)
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

// removeWritten removes a failed write, so that no intent stays open although nothing is sent. It restores the head
// first, because a journal that is ahead of its head is valid.
func (j *Journal) removeWritten(f *os.File, last tail, h chain) error {
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

// openEnd removes an incomplete last line, because Append never reported that line as written.
func (j *Journal) openEnd() (f *os.File, last tail, h chain, err error) {
	f, err = openFile(j.path)
	if err != nil {
		return nil, tail{}, chain{}, err
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
	if err = last.follows(h); err != nil {
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
		if h, err = j.catchUp(f, last.chain); err != nil {
			return f, last, h, err
		}
	}
	if last.size >= j.full {
		last.size = 0
		f, err = j.rotate(f)
	}
	return f, last, h, err
}

// catchUp writes the head that a failed write omitted: two entries ahead of it, the journal would count as truncated.
func (j *Journal) catchUp(f *os.File, end chain) (chain, error) {
	if err := f.Sync(); err != nil { // The failed write may not have synced the line.
		return chain{}, err
	}
	if err := j.fault("head"); err != nil {
		return chain{}, err
	}
	return end, end.write(j.path)
}

func (j *Journal) rotate(f *os.File) (*os.File, error) {
	next, err := nextSegment(j.path)
	if err != nil {
		return f, err
	}
	if err := f.Close(); err != nil { // Windows cannot rename open files.
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

// openFile creates a file that only its owner may read.
func openFile(path string) (*os.File, error) {
	return appdir.OpenPrivate(path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
}
