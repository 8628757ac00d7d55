package bookmarks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const (
	bookmarksWord = "bookmarks" // key of the list, folder and file name suffix
	formatWord    = "format"    // optional key of the format
	formatVersion = 1
	maxAttempts   = 5 // attempts while another program writes the file
)

// DefaultPath returns the path of the bookmarks of a schema: next to the schema file, so that a team shares them, or in
// the configuration directory for a built-in schema and for a table without a schema. The file may not exist.
func DefaultPath(p *profiles.Profile) string {
	if strings.HasPrefix(p.File, "builtin:") {
		return filepath.Join(appdir.Config(), bookmarksWord, p.Name+".yaml")
	}
	if p.File == "" { // the description of a table
		return filepath.Join(appdir.Config(), bookmarksWord, "tables", p.Name+".yaml")
	}
	ext := filepath.Ext(p.File)
	return strings.TrimSuffix(p.File, ext) + "." + bookmarksWord + ".yaml"
}

// Path returns the path of the bookmarks, or "" if they are in the store instead of a file.
func (l *List) Path() string { return l.s.BookmarkPath() }

func (l *List) factName() string { return "bookmarks\x1f" + l.s.Profile().Name }

func (l *List) readText() (text []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read bookmarks: %w", err)
		}
	}()
	if l.Path() == "" {
		var text string
		if raw := l.local.Fact(l.factName()); raw != nil {
			err = json.Unmarshal(raw, &text)
		}
		return []byte(text), err
	}
	text, err = appdir.ReadFile(l.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

func (l *List) edit(ctx context.Context, change func(*file) (*file, error)) error {
	unlock, err := l.lock(ctx)
	if err != nil {
		return fmt.Errorf("bookmarks unchanged: %w", err)
	}
	return errors.Join(l.tryEdit(change), unlock())
}

// tryEdit reads the file again right before it replaces it, because editors ignore the lock, and retries on a change.
func (l *List) tryEdit(change func(*file) (*file, error)) error {
	for range maxAttempts {
		before, err := l.readText()
		if err != nil {
			return err
		}
		f := l.parse(before)
		if err := f.checkEditable(); err != nil {
			return err
		}
		if f, err = change(f); err != nil {
			return err
		}
		now, err := l.readText()
		if err != nil {
			return err
		}
		if string(now) != string(before) {
			continue
		}
		if f.text != string(before) {
			if err := l.writeText(f.text); err != nil {
				return fmt.Errorf("write bookmarks: %w", err)
			}
		}
		l.mu.Lock()
		l.bookmarks = f.bookmarks
		l.mu.Unlock()
		return nil
	}
	return bookmarkErrorf("bookmarks unchanged: another program keeps writing %s", l.Path())
}

// lock uses a lock file in the state directory, because the bookmarks may be in a repository.
func (l *List) lock(ctx context.Context) (unlock func() error, err error) {
	if l.Path() == "" {
		l.editMu.Lock()
		return func() error { l.editMu.Unlock(); return nil }, nil
	}
	path, err := filepath.Abs(l.Path())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(path))
	return appdir.Lock(ctx, filepath.Join(l.s.StateDir(), "locks", hex.EncodeToString(sum[:8])))
}

// writeText follows a symbolic link and writes to its target.
func (l *List) writeText(text string) error {
	path := l.Path()
	if path == "" {
		raw, err := json.Marshal(text)
		if err == nil {
			l.local.SetFact(l.factName(), raw)
		}
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if err := appdir.Make(filepath.Dir(path)); err != nil {
			return err
		}
	}
	return appdir.Replace(path, []byte(text), mode)
}
