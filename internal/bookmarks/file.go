package bookmarks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const (
	maxBookmarks  = 1 << 20 // bytes of the file
	bookmarkTries = 5       // when an editor writes the file at the same moment
	bookmarkWait  = 2 * time.Second
)

// DefaultPath returns the path of the bookmarks of a schema: beside its file, so that a team shares them, or in the
// configuration directory for a built-in schema.
func DefaultPath(p *profiles.Profile) string {
	if strings.HasPrefix(p.File, "builtin:") {
		return filepath.Join(appdir.Config(), bookmarksWord, p.Name+".yaml")
	}
	ext := filepath.Ext(p.File)
	return strings.TrimSuffix(p.File, ext) + "." + bookmarksWord + ".yaml"
}

// bookmarkName is what messages call the file.
func (l *List) bookmarkName() string {
	if l.s.BookmarkPath() == "" {
		return bookmarksWord
	}
	return l.s.BookmarkPath()
}

// Path returns the path of the bookmarks, "" when they are kept in memory only.
func (l *List) Path() string { return l.s.BookmarkPath() }

// bookmarkFact is the key of bookmarks without a file in the session's memory.
func (l *List) bookmarkFact() string { return "bookmarks\x1f" + l.s.Profile().Name }

// bookmarkText reads the file, which is empty when it does not exist.
func (l *List) bookmarkText() ([]byte, error) {
	if l.s.BookmarkPath() == "" {
		var text string
		if raw := l.s.Memory().Fact(l.bookmarkFact()); raw != nil {
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, fmt.Errorf("reading the bookmarks: %w", err)
			}
		}
		return []byte(text), nil
	}
	f, err := os.Open(l.s.BookmarkPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the bookmarks: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxBookmarks+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("reading the bookmarks: %w", err)
	}
	if len(text) > maxBookmarks {
		return nil, fmt.Errorf("reading the bookmarks: %s has more than %d bytes", l.s.BookmarkPath(), maxBookmarks)
	}
	return text, nil
}

// editBookmarks edits the current file, and tries again when another program changed it in the meantime.
func (l *List) editBookmarks(edit func(*file) error) error {
	unlock, err := l.lockBookmarks()
	if err != nil {
		return fmt.Errorf("bookmarks unchanged: %w", err)
	}
	err = l.tryEdit(edit)
	return errors.Join(err, unlock())
}

func (l *List) tryEdit(edit func(*file) error) error {
	for range bookmarkTries {
		before, err := l.bookmarkText()
		if err != nil {
			return err
		}
		f := l.parseBookmarks(before)
		if err := f.editable(); err != nil {
			return err
		}
		if err := edit(f); err != nil {
			return err
		}
		now, err := l.bookmarkText()
		if err != nil {
			return err
		}
		if !slices.Equal(before, now) {
			continue
		}
		text := strings.Join(f.lines, "")
		if text != string(before) {
			if err := l.writeBookmarks([]byte(text)); err != nil {
				return err
			}
		}
		l.mu.Lock()
		l.marks = f.marks
		l.mu.Unlock()
		return nil
	}
	return bookmarkErrorf("bookmarks unchanged: another program keeps writing %s", l.bookmarkName())
}

// lockBookmarks keeps other processes of this machine away. The lock file is in the state directory, because the
// bookmarks may be in a repository.
func (l *List) lockBookmarks() (unlock func() error, err error) {
	if l.s.BookmarkPath() == "" {
		l.marking.Lock()
		return func() error { l.marking.Unlock(); return nil }, nil
	}
	dir := filepath.Join(l.s.StateDir(), "locks")
	if err := appdir.Make(dir); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(l.s.BookmarkPath())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(path))
	lock := flock.New(filepath.Join(dir, hex.EncodeToString(sum[:8])), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), bookmarkWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("another ddbdesk is writing the bookmarks: %w", err)
	}
	return lock.Unlock, nil
}

// writeBookmarks replaces the file. A symbolic link stays a link.
func (l *List) writeBookmarks(text []byte) error {
	if l.s.BookmarkPath() == "" {
		raw, err := json.Marshal(string(text))
		if err != nil {
			return fmt.Errorf("writing the bookmarks: %w", err)
		}
		l.s.Memory().SetFact(l.bookmarkFact(), raw)
		return nil
	}
	path := l.s.BookmarkPath()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("writing the bookmarks: %w", err)
	default:
		if err := appdir.Make(filepath.Dir(path)); err != nil {
			return fmt.Errorf("writing the bookmarks: %w", err)
		}
	}
	if err := appdir.Replace(path, text, mode); err != nil {
		return fmt.Errorf("writing the bookmarks: %w", err)
	}
	return nil
}
