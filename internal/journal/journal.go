// Package journal is an append-only log of changes, refusals and reveals on this machine. The file has one JSON
// object a line, each with the hash of the line before. A change has two entries: an intent before it is sent, and
// an outcome afterwards.
//
// Verify detects lines that were changed, removed, inserted or moved, and a truncated end. The hashes have no key,
// so a user who can write both files, the journal and its head, can forge them. The journal shows users what they
// did; evidence against a user is in CloudTrail and in the audit trail of the tables.
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

// ErrDamaged is wrapped by errors about a journal whose end was modified. Append does not continue such a journal,
// because a new entry would hide the damage.
var ErrDamaged = errors.New("journal is damaged")

// lockRetry is the interval at which Append tries to get a lock that another process holds.
const lockRetry = 5 * time.Millisecond

// Journal appends to one file. It is safe for concurrent use, also by several processes. It opens the file for each
// call, so there is no Close.
type Journal struct {
	path string
	turn chan struct{} // a mutex with a context: a file lock does not exclude goroutines of the same process
	lock *flock.Flock
	now  func() time.Time
}

// DefaultPath returns the path of the journal if no other is configured.
func DefaultPath() string { return filepath.Join(appdir.State(), "journal.jsonl") }

// Open returns the journal at path. It creates missing folders and the file, with mode 0600, so that a journal that
// cannot be written is an error before the first change.
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
	return &Journal{
		path: path,
		turn: make(chan struct{}, 1),
		lock: flock.New(path+".lock", flock.SetPermissions(0o600)),
		now:  time.Now,
	}, nil
}

// Path returns the path of the journal's file.
func (j *Journal) Path() string { return j.path }

// Append writes e and returns it with its sequence number, time, ID and hashes. Without an error, the entry is on the
// disk. Append waits for other writers until ctx ends; ctx does not interrupt the write itself. After an error the
// entry may be missing, and the caller must not continue with what it announces.
func (j *Journal) Append(ctx context.Context, e Entry) (Entry, error) {
	written, err := j.append(ctx, e)
	if errors.Is(err, ErrDamaged) {
		return Entry{}, fmt.Errorf("write journal %s: %w; verify it, then move it and its head file away to start a new one", j.path, err)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("write journal %s: %w", j.path, err)
	}
	return written, nil
}

func (j *Journal) append(ctx context.Context, e Entry) (written Entry, err error) {
	select {
	case j.turn <- struct{}{}:
		defer func() { <-j.turn }()
	case <-ctx.Done():
		return Entry{}, ctx.Err()
	}
	if _, err := j.lock.TryLockContext(ctx, lockRetry); err != nil {
		return Entry{}, fmt.Errorf("lock: %w", err)
	}
	defer func() { err = errors.Join(err, j.lock.Unlock()) }()

	f, err := openFile(j.path)
	if err != nil {
		return Entry{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	last, err := j.end(f)
	if err != nil {
		return Entry{}, err
	}
	e, err = e.prepare(last.seq+1, last.hash, j.now())
	if err != nil {
		return Entry{}, err
	}
	e, line, err := seal(e)
	if err != nil {
		return Entry{}, err
	}
	if _, err := f.Write(line); err != nil {
		return Entry{}, err
	}
	if err := f.Sync(); err != nil {
		return Entry{}, err
	}
	return e, head{Seq: e.Seq, Hash: e.Hash}.write(j.path)
}

// end returns the end of f after it compared it with the head. It removes an incomplete last line: Append never
// reported it as written, and the next entry would be appended to it.
func (j *Journal) end(f *os.File) (tail, error) {
	last, err := readTail(f)
	if err != nil {
		return tail{}, err
	}
	h, err := readHead(j.path)
	if err != nil {
		return tail{}, err
	}
	if err := last.follows(h); err != nil {
		return tail{}, err
	}
	if last.torn {
		if err := f.Truncate(last.size); err != nil {
			return tail{}, err
		}
	}
	return last, nil
}

// openFile opens the journal for appending, creates it if it is missing, and removes the permissions of other users.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
