package explore

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// bookmarkSign is the prefix of a bookmark's name in place of a pattern ID.
const bookmarkSign = "@"

func bookmarkSession(p *profiles.Profile) *workspace.Workspace {
	return workspace.New(session.Options{Profile: p, BookmarkPath: bookmarks.DefaultPath(p)})
}

// bookmarkedQueries returns nil if it cannot read the file.
func bookmarkedQueries(p *profiles.Profile) []string {
	list, err := bookmarkSession(p).Bookmarks.Read()
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

// resolveBookmark returns the query of bookmark @NAME; inputs take precedence. It returns nil for a pattern ID.
func resolveBookmark(p *profiles.Profile, id string, inputs map[string]string) (*accesspatterns.Pattern, map[string]string, error) {
	name, isBookmark := strings.CutPrefix(id, bookmarkSign)
	if !isBookmark {
		return nil, inputs, nil
	}
	b, err := bookmarkSession(p).Bookmarks.Find(name)
	faults, invalid := errors.AsType[profiles.Errors](err)
	switch {
	case invalid:
		return nil, nil, session.InputErrorf("%s: %s", op.Short(id), faults[0])
	case err != nil:
		return nil, nil, err
	case b.Problem != "":
		return nil, nil, session.InputErrorf("%s: %s", op.Short(id), b.Problem)
	case !b.IsQuery():
		return nil, nil, session.InputErrorf("%s is a bookmarked item; run accepts only bookmarked queries", op.Short(id))
	}
	args := maps.Clone(b.Args)
	maps.Copy(args, inputs)
	return b.Pattern, args, nil
}

// InSchema completes an argument that follows a schema argument.
func InSchema(schema *string, list func(p *profiles.Profile, word string) []string) func(op.Host, string) []string {
	return func(h op.Host, word string) []string {
		p, err := h.Profile(*schema)
		if err != nil {
			return nil
		}
		return list(p, word)
	}
}

// CompletePattern returns read patterns and bookmarks, or the parameters after a pattern.
func CompletePattern(p *profiles.Profile, args []string, word string) []string {
	if len(args) == 0 {
		var ids []string
		for _, q := range p.Patterns {
			if q.IsRead() {
				ids = append(ids, q.ID+"\t"+q.Title)
			}
		}
		return append(ids, bookmarkedQueries(p)...)
	}
	q, _, err := resolveBookmark(p, args[0], nil)
	if q == nil {
		q = p.Pattern(args[0])
	}
	if err != nil || q == nil {
		return nil
	}
	return CompleteValues(q.Params, word)
}

// CompleteValues returns the values of the parameter that word begins with, or else the parameter names.
func CompleteValues(params []*accesspatterns.Param, word string) []string {
	name, _, begun := strings.Cut(word, "=")
	i := slices.IndexFunc(params, func(par *accesspatterns.Param) bool { return par.Name == name })
	if !begun || i < 0 {
		return models.MapSlice(params, func(par *accesspatterns.Param) string { return par.Name + "=" })
	}
	return models.MapSlice(params[i].Enum, func(v string) string {
		if label := params[i].Labels[v]; label != "" {
			return name + "=" + v + "\t" + label
		}
		return name + "=" + v
	})
}

// CompleteEntities returns the entities of a schema.
func CompleteEntities(p *profiles.Profile) []string {
	return models.MapSlice(p.Entities, func(e *models.Entity) string { return e.Name + "\t" + e.Title })
}
