// Package bookmarks keeps named items and named queries in a YAML file, which a team can share next to its schema file.
// Edits keep the file's comments, order and spelling, and never write personal data to the file.
package bookmarks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// maxNameLength is the maximum length of a bookmark's name, in characters.
const maxNameLength = 80

// ErrBookmark matches errors that prevent a change to bookmarks: the name is taken, the bookmark no longer exists, or
// the file has faults.
var ErrBookmark = errors.New("bookmarks unchanged")

// A bookmarkError is a message about the bookmarks that wraps ErrBookmark.
type bookmarkError struct{ msg string }

func (e *bookmarkError) Error() string        { return e.msg }
func (e *bookmarkError) Is(target error) bool { return target == ErrBookmark }

func bookmarkErrorf(format string, args ...any) error {
	return &bookmarkError{fmt.Sprintf(format, args...)}
}

// A Bookmark is a named item, or a named query: a pattern with its arguments. Key and Args contain stored, unmasked
// values. NewItem and NewQuery exclude sensitive values, but a person may write any value to the file.
type Bookmark struct {
	Name string
	Note string

	// These are the fields of a named query. Relative times such as -7d stay relative.
	Pattern *accesspatterns.Pattern
	Args    map[string]string

	// These are the fields of an item.
	Table *models.Table
	Key   models.Item

	// Problem explains why ddbdesk cannot open the bookmark, for example because of a missing pattern. It is ""
	// otherwise.
	Problem string

	text string // text in the file, including the comments above it
}

// A List contains the bookmarks of one session's schema. It is safe for concurrent use. Several processes may edit one
// file; each edit reads the current content first.
type List struct {
	s     *session.Viewer
	local *local.Store

	mu        sync.Mutex // guards bookmarks
	bookmarks []Bookmark // bookmarks of the last Read or change
	editMu    sync.Mutex // held during changes of bookmarks without a file
}

// New returns the bookmarks of the session. If the session has no bookmark file, they are in the store. New does no
// I/O.
func New(s *session.Viewer, store *local.Store) *List { return &List{s: s, local: store} }

// IsQuery reports whether the bookmark is a named query, not an item.
func (b *Bookmark) IsQuery() bool { return b.Pattern != nil }

// IsItem reports whether the bookmark is an item that ddbdesk can open. If its table or pattern is missing from the
// schema, the bookmark is neither an item nor a query, and Problem explains why.
func (b *Bookmark) IsItem() bool { return b.Table != nil && b.Problem == "" }

// NewQuery returns the named query of a pattern with its arguments. It omits sensitive values, which the user must
// enter to open the query; omitted contains their parameter names. Text with an @ counts as sensitive, because it may
// be an e-mail address. It also omits default values, so that the query follows a later default.
func (l *List) NewQuery(name string, p *accesspatterns.Pattern, args map[string]string) (b Bookmark, omitted []string) {
	b = Bookmark{Name: name, Pattern: p, Args: map[string]string{}}
	for _, q := range p.Params {
		text, isSet := args[q.Name]
		switch {
		case !isSet || text == "" || q.Type == accesspatterns.Token || text == q.Default:
		case l.s.Sensitivity(q) != models.NotSensitive || strings.Contains(text, "@"):
			omitted = append(omitted, q.Name)
		default:
			b.Args[q.Name] = text
		}
	}
	return b, omitted
}

// NewItem returns the bookmark of an item, which stores only its key attributes. The error is a *session.Refusal if the
// key contains personal data, because the bookmark would store it, and wraps ErrBookmark if the key is incomplete.
func (l *List) NewItem(name string, t *models.Table, it models.Item) (Bookmark, error) {
	key, ok := t.PrimaryKey(it)
	switch {
	case !ok:
		return Bookmark{}, bookmarkErrorf("item has no complete primary key")
	case l.s.HidesKey(t, it):
		return Bookmark{}, &session.Refusal{
			Reason: "the item's key contains personal data, which a bookmark would store",
			Advice: "bookmark a query instead and enter the value when you open it",
		}
	}
	return Bookmark{Name: name, Table: t, Key: key}, nil
}

// CheckName returns an error that wraps ErrBookmark if a name is invalid. Names may have up to 80 characters. Insert
// checks whether the name is free.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return bookmarkErrorf("bookmark name is empty")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return bookmarkErrorf("bookmark name contains control characters")
	case utf8.RuneCountInString(name) > maxNameLength:
		return bookmarkErrorf("bookmark name is longer than %d characters", maxNameLength)
	}
	return nil
}

// Read reads the bookmarks in the order of their file. It returns faults of the file as profiles.Errors with their
// positions, together with the bookmarks that it could read.
func (l *List) Read() ([]Bookmark, error) {
	text, err := l.readText()
	if err != nil {
		return nil, err
	}
	f := l.parse(text)
	l.mu.Lock()
	l.bookmarks = f.bookmarks
	l.mu.Unlock()
	if len(f.faults) > 0 {
		return f.bookmarks, f.faults
	}
	return f.bookmarks, nil
}

// Cached returns the bookmarks of the last Read or change, without I/O. It is nil before the first Read.
func (l *List) Cached() []Bookmark {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.bookmarks)
}

// Find returns the bookmark with a name, ignoring case. The error wraps session.ErrInput. If the file has faults, Find
// still returns a bookmark that it could read.
func (l *List) Find(name string) (Bookmark, error) {
	list, err := l.Read()
	for _, b := range list {
		if strings.EqualFold(b.Name, name) {
			return b, nil
		}
	}
	if err != nil {
		return Bookmark{}, err
	}
	names := models.MapSlice(list, func(b Bookmark) string { return b.Name })
	return Bookmark{}, session.InputErrorf("no bookmark %q%s", models.Printable(name),
		cmp.Or(models.DidYouMean(name, names), "; add bookmarks in the console"))
}

// Add appends a bookmark. Its name must be free. Like every change, Add waits up to two seconds for another ddbdesk
// process that is writing the file, or until ctx is done.
func (l *List) Add(ctx context.Context, b Bookmark) error { return l.Insert(ctx, b, -1) }

// Insert writes a bookmark at a position counted from 0; -1 or a position after the last one appends it. A bookmark
// from Remove keeps its comments. The error wraps ErrBookmark if the name is taken or the file cannot be edited.
func (l *List) Insert(ctx context.Context, b Bookmark, at int) error {
	b.Name = strings.TrimSpace(b.Name)
	if err := CheckName(b.Name); err != nil {
		return err
	}
	return l.edit(ctx, func(f *file) (*file, error) {
		if f.index(b.Name) >= 0 {
			return nil, nameTakenError(b.Name)
		}
		return f.insert(b, at)
	})
}

// Remove removes a bookmark and returns it with its position, for Insert. The error wraps ErrBookmark if the bookmark
// does not exist.
func (l *List) Remove(ctx context.Context, name string) (b Bookmark, at int, err error) {
	err = l.edit(ctx, func(f *file) (*file, error) {
		if at = f.index(name); at < 0 {
			return nil, notFoundError(name)
		}
		b = f.bookmarks[at]
		return f.remove(at)
	})
	return b, at, err
}

// Rename changes only the name of a bookmark in the file. Names that differ only in case identify the same bookmark.
func (l *List) Rename(ctx context.Context, name, to string) error {
	to = strings.TrimSpace(to)
	if err := CheckName(to); err != nil {
		return err
	}
	return l.edit(ctx, func(f *file) (*file, error) {
		at, taken := f.index(name), f.index(to)
		switch {
		case at < 0:
			return nil, notFoundError(name)
		case taken >= 0 && taken != at:
			return nil, nameTakenError(to)
		}
		return f.rename(at, to)
	})
}

// Move moves a bookmark by a number of positions, towards the end if offset is positive. It stops at the first and
// last positions.
func (l *List) Move(ctx context.Context, name string, offset int) error {
	return l.edit(ctx, func(f *file) (*file, error) {
		at := f.index(name)
		if at < 0 {
			return nil, notFoundError(name)
		}
		to := min(max(at+offset, 0), len(f.bookmarks)-1)
		if to == at {
			return f, nil
		}
		return f.move(at, to)
	})
}

func notFoundError(name string) error {
	return bookmarkErrorf("bookmark %q no longer exists", models.Printable(name))
}

func nameTakenError(name string) error {
	return bookmarkErrorf("bookmark %q already exists", models.Printable(name))
}
