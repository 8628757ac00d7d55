// This file lets a command take a named query of the console: run SCHEMA @name.

package main

import (
	"errors"
	"maps"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// bookmarkSign is before the name of a bookmark where a pattern's id may stand.
const bookmarkSign = "@"

// bookmarks reads the bookmarks of a profile.
func bookmarks(p *profiles.Profile) *session.Session {
	return session.New(session.Options{Profile: p, BookmarkPath: session.BookmarkPath(p)})
}

// namedQueries are the named queries for the completion of a shell; none of a
// file that cannot be read.
func namedQueries(p *profiles.Profile) []string {
	list, err := bookmarks(p).Bookmarks()
	if err != nil {
		return nil
	}
	var names []string
	for _, b := range list {
		if b.IsQuery() && b.Problem == "" {
			names = append(names, bookmarkSign+b.Name+"\t"+b.Pattern.Title)
		}
	}
	return names
}

// asked returns the id of the pattern that is to be run, and its parameters: for
// @name those of the bookmark, of which the ones that were given take the place.
func asked(p *profiles.Profile, id string, given map[string]string) (string, map[string]string, error) {
	name, isName := strings.CutPrefix(id, bookmarkSign)
	if !isName {
		return id, given, nil
	}
	b, err := bookmarks(p).Bookmark(name)
	var faults profiles.Errors
	switch {
	case errors.As(err, &faults):
		return "", nil, usageErrorf("%s: %s", id, faults[0])
	case err != nil:
		return "", nil, err
	case b.Problem != "":
		return "", nil, usageErrorf("%s: %s", models.Printable(id), b.Problem)
	case !b.IsQuery():
		return "", nil, usageErrorf("%s is the bookmark of an item: run takes named queries", models.Printable(id))
	}
	args := maps.Clone(b.Args)
	maps.Copy(args, given)
	return b.Pattern.ID, args, nil
}
