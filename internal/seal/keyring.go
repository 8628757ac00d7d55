package seal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// ErrErased is the error of a record whose key is not in the keyring: it was erased, or the file was removed.
var ErrErased = errors.New("its key was erased")

// A Keyring has a key for each sealed record, so that a record can be made unreadable for ever although the file with it
// cannot be changed. The keys are themselves sealed with the key of the machine. Each names the subjects of its record by
// digests that only this machine can compute. It is safe for several processes.
type Keyring struct {
	s    Sealer
	path string
}

// Keyring returns the keyring in the file at path, which Seal creates.
func (s Sealer) Keyring(path string) Keyring { return Keyring{s, path} }

// keyPurpose is the purpose of the keys in a keyring, and subjectPurpose that of the digests of subjects.
const (
	keyPurpose     = "ddbdesk record key 1"
	subjectPurpose = "ddbdesk record subject 1"
)

// ringKey is a line of the file.
type ringKey struct {
	ID    string   `json:"id"`
	Key   []byte   `json:"key"` // sealed
	About []string `json:"about"`
}

// Seal encrypts the record with an ID with a new key, which is on the disk when Seal returns. Subjects are what the record
// is about. The error is one of the key, of the file, or of ctx, which ends waiting for another
// process. Without a sealed record, the caller must not do what the record is for.
func (k Keyring) Seal(ctx context.Context, id string, record []byte, purpose string, subjects []string) (sealed []byte, err error) {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never returns an error; see crypto/rand
	gcm, err := gcmOf(key)
	if err != nil {
		return nil, err
	}
	line := ringKey{ID: id}
	if line.Key, err = k.s.Seal(key, keyPurpose); err != nil {
		return nil, err
	}
	if line.About, err = k.digests(subjects); err != nil {
		return nil, err
	}
	text, err := json.Marshal(line)
	if err != nil {
		return nil, err
	}
	unlock, err := appdir.Lock(ctx, k.path+".lock")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := k.add(text); err != nil {
		return nil, fmt.Errorf("write %s: %w", k.path, err)
	}
	return gcm.Seal(nil, nil, record, []byte(purpose)), nil
}

// add appends a line, durably. The end of a line that an interruption left gets a newline first.
func (k Keyring) add(line []byte) (err error) {
	_, err = os.Lstat(k.path)
	created := errors.Is(err, fs.ErrNotExist)
	f, err := appdir.OpenPrivate(k.path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if info.Size() > 0 {
		if _, err := f.ReadAt(last, info.Size()-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if created {
		return appdir.SyncDir(filepath.Dir(k.path))
	}
	return nil
}

// Open decrypts the record with an ID. Its error is ErrErased if the key is gone, and otherwise
// as of Sealer.Open. It reads the file from its beginning, because a keyring is opened for an
// undo and not in a loop.
func (k Keyring) Open(id string, sealed []byte, purpose string) (record []byte, err error) {
	var line *ringKey
	err = k.each(func(l ringKey, _ []byte) {
		if l.ID == id {
			line = &l
		}
	})
	switch {
	case err != nil:
		return nil, err
	case line == nil:
		return nil, ErrErased
	}
	key, err := k.s.Open(line.Key, keyPurpose)
	if err != nil {
		return nil, err
	}
	gcm, err := gcmOf(key)
	if err != nil {
		return nil, err
	}
	if record, err = gcm.Open(nil, nil, sealed, []byte(purpose)); err != nil {
		return nil, ErrForeign
	}
	return record, nil
}

// Erase removes the keys of all records about one of the subjects and returns their number. The records are unreadable from
// then on, as far as no copy of the file exists elsewhere, such as in a backup. No such record
// is no error and returns 0. Records about other subjects stay readable, unless they are about
// one of these as well.
func (k Keyring) Erase(ctx context.Context, subjects []string) (erased int, err error) {
	about, err := k.digests(subjects)
	if err != nil {
		return 0, err
	}
	unlock, err := appdir.Lock(ctx, k.path+".lock")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	var kept []byte
	err = k.each(func(l ringKey, text []byte) {
		if slices.ContainsFunc(l.About, func(d string) bool { return slices.Contains(about, d) }) {
			erased++
			return
		}
		kept = append(append(kept, text...), '\n')
	})
	if err != nil || erased == 0 {
		return 0, err
	}
	if err := appdir.Replace(k.path, kept, 0o600); err != nil {
		return 0, fmt.Errorf("erase keys of %s: %w", k.path, err)
	}
	return erased, nil
}

// each calls a function with every key. Lines that are no keys, such as one whose write was interrupted, are skipped.
func (k Keyring) each(do func(l ringKey, text []byte)) error {
	f, err := appdir.OpenPrivate(k.path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // It was only read.
	for r := bufio.NewReader(f); ; {
		text, err := r.ReadBytes('\n')
		var l ringKey
		if json.Unmarshal(text, &l) == nil && l.ID != "" {
			do(l, bytes.TrimSuffix(text, []byte("\n")))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", k.path, err)
		}
	}
}

// digests returns the digests of subjects. Without the key of the machine, nobody can tell from one what it is about.
func (k Keyring) digests(subjects []string) ([]string, error) {
	list := make([]string, len(subjects))
	for i, s := range subjects {
		sum, err := k.s.MAC([]byte(s), subjectPurpose)
		if err != nil {
			return nil, err
		}
		list[i] = hex.EncodeToString(sum[:16])
	}
	return list, nil
}
