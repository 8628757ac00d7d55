// Package bookmarks keeps named items and named queries, in a YAML file that a team can share beside the file
// of its schema. It changes that file line by line, so that comments, order and spelling stay as they were
// written, and writes no personal data into it.
package bookmarks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	session "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/models"
)

// longestBookmark is the most characters of a bookmark's name.
const longestBookmark = 80

// ErrBookmark is wrapped when a bookmark cannot be written as it was asked for:
// its name is taken, somebody else took it away, the file has faults.
var ErrBookmark = errors.New("bookmarks unchanged")

type bookmarkError struct{ msg string }

func (e *bookmarkError) Error() string        { return e.msg }
func (e *bookmarkError) Is(target error) bool { return target == ErrBookmark }

func bookmarkErrorf(format string, args ...any) error {
	return &bookmarkError{fmt.Sprintf(format, args...)}
}

// A Bookmark is an item, or a question with its parameters, that has a name.
type Bookmark struct {
	Name string
	Note string

	// Of a named query. Relative values are still relative: -7d.
	Pattern *accesspatterns.Pattern
	Args    map[string]string

	// Of an item.
	Table *models.Table
	Key   models.Item

	// Problem says why it cannot be opened: the profile has no such pattern any
	// more. "" when it can.
	Problem string

	text string // as it stands in the file, comments above it included
}

// A List is the bookmarks of one session's schema. It is safe for concurrent use.
type List struct {
	s *session.Session

	mu      sync.Mutex // guards marks
	marks   []Bookmark // as they were read last
	marking sync.Mutex // held while bookmarks without a file change
}

// New returns the bookmarks of the session. It does no I/O.
func New(s *session.Session) *List { return &List{s: s} }

// IsQuery reports whether it is a named query and no item.
func (b *Bookmark) IsQuery() bool { return b.Pattern != nil }

// QueryBookmark returns the named query of a pattern with what was entered. What
// is sensitive is left out, and asked again when it is opened; left names those
// parameters.
func (l *List) QueryBookmark(name string, p *accesspatterns.Pattern, args map[string]string) (b Bookmark, left []string) {
	b = Bookmark{Name: name, Pattern: p, Args: map[string]string{}}
	for _, q := range p.Params {
		text, given := args[q.Name]
		switch {
		case !given || text == "" || q.Type == accesspatterns.Token || text == q.Default:
		case l.s.Sensitivity(q) != models.Open || strings.Contains(text, "@"):
			left = append(left, q.Name)
		default:
			b.Args[q.Name] = text
		}
	}
	return b, left
}

// ItemBookmark returns the bookmark of an item. It is refused for an item whose
// key holds personal data: it would be written down.
func (l *List) ItemBookmark(name string, t *models.Table, it models.Item) (Bookmark, error) {
	key, ok := t.PrimaryKey(it)
	switch {
	case !ok:
		return Bookmark{}, bookmarkErrorf("item has no complete primary key")
	case l.s.HidesKey(t, it):
		return Bookmark{}, &session.Refusal{
			Why:  "the item's key contains personal data, which a bookmark would store",
			Next: "bookmark a query instead and enter the value when you open it",
		}
	}
	return Bookmark{Name: name, Table: t, Key: key}, nil
}

// CheckBookmarkName says why a name cannot be a bookmark's, nil when it can.
func CheckBookmarkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return bookmarkErrorf("bookmark name is empty")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return bookmarkErrorf("bookmark name contains control characters")
	case utf8.RuneCountInString(name) > longestBookmark:
		return bookmarkErrorf("bookmark name is longer than %d characters", longestBookmark)
	}
	return nil
}

// Bookmarks reads the bookmarks, in the order of their file. What is wrong with
// the file comes back in the error, each fault with its place; the rest is there.
func (l *List) Bookmarks() ([]Bookmark, error) {
	text, err := l.bookmarkText()
	if err != nil {
		return nil, err
	}
	f := l.parseBookmarks(text)
	l.mu.Lock()
	l.marks = f.marks
	l.mu.Unlock()
	if len(f.faults) > 0 {
		return f.marks, f.faults
	}
	return f.marks, nil
}

// Marked returns the bookmarks as Bookmarks read them last, without reading.
func (l *List) Marked() []Bookmark {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.marks)
}

// Bookmark returns the bookmark of a name, whatever its case.
func (l *List) Bookmark(name string) (Bookmark, error) {
	list, err := l.Bookmarks()
	for _, b := range list {
		if strings.EqualFold(b.Name, name) {
			return b, nil
		}
	}
	if err != nil {
		return Bookmark{}, err
	}
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = b.Name
	}
	return Bookmark{}, session.InputErrorf("no bookmark %q%s", models.Printable(name), models.DidYouMean(name, names))
}

// AddBookmark writes a bookmark behind all others. The name must be free.
func (l *List) AddBookmark(b Bookmark) error { return l.InsertBookmark(b, -1) }

// InsertBookmark writes a bookmark at a place counted from 0; -1, and any place
// behind the last one, is the end. One that RemoveBookmark returned comes back
// with its comments.
func (l *List) InsertBookmark(b Bookmark, at int) error {
	b.Name = strings.TrimSpace(b.Name)
	if err := CheckBookmarkName(b.Name); err != nil {
		return err
	}
	return l.editBookmarks(func(f *file) error {
		if f.index(b.Name) >= 0 {
			return bookmarkErrorf("bookmark %q already exists", models.Printable(b.Name))
		}
		return f.insert(b, at)
	})
}

// RemoveBookmark takes a bookmark out of the file and returns it with its place,
// so that it can be inserted again.
func (l *List) RemoveBookmark(name string) (b Bookmark, at int, err error) {
	err = l.editBookmarks(func(f *file) error {
		if at = f.index(name); at < 0 {
			return goneError(name)
		}
		b = f.marks[at]
		return f.remove(at)
	})
	return b, at, err
}

// RenameBookmark gives a bookmark another name.
func (l *List) RenameBookmark(name, to string) error {
	to = strings.TrimSpace(to)
	if err := CheckBookmarkName(to); err != nil {
		return err
	}
	return l.editBookmarks(func(f *file) error {
		at, taken := f.index(name), f.index(to)
		switch {
		case at < 0:
			return goneError(name)
		case taken >= 0 && taken != at:
			return bookmarkErrorf("bookmark %q already exists", models.Printable(to))
		}
		return f.rename(at, to)
	})
}

// MoveBookmark moves a bookmark by a number of places, towards the end when by is
// positive. It stops at the first and the last place.
func (l *List) MoveBookmark(name string, by int) error {
	return l.editBookmarks(func(f *file) error {
		at := f.index(name)
		if at < 0 {
			return goneError(name)
		}
		to := min(max(at+by, 0), len(f.marks)-1)
		if to == at {
			return nil
		}
		b := f.marks[at]
		if err := f.remove(at); err != nil {
			return err
		}
		return f.insert(b, to)
	})
}

func goneError(name string) error {
	return bookmarkErrorf("bookmark %q no longer exists", models.Printable(name))
}
