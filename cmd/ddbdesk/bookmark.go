package main

import (
	"errors"
	"maps"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// bookmarkSign starts the name of a bookmark where a pattern's ID is expected.
const bookmarkSign = "@"

// bookmarkSession returns a session that reads the bookmarks of a profile.
func bookmarkSession(p *profiles.Profile) *workspace.Workspace {
	return workspace.New(session.Options{Profile: p, BookmarkPath: bookmarks.DefaultPath(p)})
}

// bookmarkedQueries returns the bookmarks that run accepts, for shell completion,
// and none when the file cannot be read.
func bookmarkedQueries(p *profiles.Profile) completions {
	list, err := bookmarkSession(p).Bookmarks.Read()
	if err != nil {
		return nil
	}
	var names completions
	for _, b := range list {
		if b.IsQuery() && b.Problem == "" {
			names = append(names, bookmarkSign+b.Name+"\t"+b.Pattern.Title)
		}
	}
	return names
}

// resolveBookmark returns the ID of the pattern to run and its parameters. For
// @name they are those of the bookmark, of which the given ones replace some. Any
// other ID is returned as it is.
func resolveBookmark(p *profiles.Profile, id string, given map[string]string) (string, map[string]string, error) {
	name, isBookmark := strings.CutPrefix(id, bookmarkSign)
	if !isBookmark {
		return id, given, nil
	}
	b, err := bookmarkSession(p).Bookmarks.Find(name)
	faults, invalid := errors.AsType[profiles.Errors](err)
	switch {
	case invalid:
		return "", nil, cli.UsageErrorf("%s: %s", cli.Short(id), faults[0])
	case err != nil:
		return "", nil, err
	case b.Problem != "":
		return "", nil, cli.UsageErrorf("%s: %s", cli.Short(id), b.Problem)
	case !b.IsQuery():
		return "", nil, cli.UsageErrorf("%s is the bookmark of an item; run accepts bookmarked queries", cli.Short(id))
	}
	args := maps.Clone(b.Args)
	maps.Copy(args, given)
	return b.Pattern.ID, args, nil
}
