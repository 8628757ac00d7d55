// Package journal records what this console did: an append-only file of JSON lines, each with the hash of the
// line before. Every change is written as an intent before it is sent and as an outcome after it, every
// refusal and every reveal of personal data as it happens.
//
// What it proves and what it does not: Verify finds a line that was changed, removed, inserted or moved, and an
// end that was cut off. The hashes are not keyed, so somebody who may write the file and its head can forge
// both from the start. The journal is evidence for honest people about what their console did; evidence against
// its owner is the audit trail in the tables and CloudTrail.
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

// ErrDamaged is wrapped by the errors of a journal whose end is not the one that was written. Append refuses to
// continue such a journal, because a new line would hide the damage.
var ErrDamaged = errors.New("journal is damaged")

// lockRetry is how often a waiting Append asks again for the lock that another process holds.
const lockRetry = 5 * time.Millisecond

// Journal appends to one file. It is safe for use by many goroutines, and many processes may have the same file
// open. It holds no open file between calls and needs no Close.
type Journal struct {
	path string
	turn chan struct{} // One token: flock alone does not keep goroutines of one process apart.
	lock *flock.Flock
	now  func() time.Time
}

// DefaultPath returns where ddbdesk keeps its journal when nobody says otherwise.
func DefaultPath() string { return filepath.Join(appdir.State(), "journal.jsonl") }

// Open returns the journal at path. It creates the file, readable by its owner alone, and missing folders, so
// that a journal that cannot be written is known before the first change.
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

// Append writes e as the next line and returns it with its sequence number, time, ID and hashes. When it
// returns without an error the line is on the disk. Waiting for other writers ends with ctx; once the line is
// being written ctx no longer matters. After an error the caller must treat e as not recorded and must not go on
// with what it announces.
func (j *Journal) Append(ctx context.Context, e Entry) (Entry, error) {
	written, err := j.append(ctx, e)
	if errors.Is(err, ErrDamaged) {
		return Entry{}, fmt.Errorf("write journal %s: %w; verify it, then move it and its head file away to begin a new one", j.path, err)
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

// end returns where f ends after checking it against the head. A line whose writing was interrupted was never
// acknowledged to anybody; it is removed, or the next line would be glued to it.
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

// openFile opens the journal for appending, creates it when it is missing and takes it away from everybody but
// its owner.
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
