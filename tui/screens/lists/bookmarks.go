package lists

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type savedBookmark = *bookmarks.Bookmark

// Bookmarks lists the saved items and queries.
var Bookmarks = listing.Open(func(*screen.Env, screen.Bookmarks) *listing.Spec[savedBookmark] {
	var removed atomic.Pointer[removedBookmark]
	return &listing.Spec[savedBookmark]{
		Name: "bookmarks", Title: "Bookmarks", Heading: "Bookmarks and named queries", Does: "Lists bookmarked items and queries.",
		Noun: "bookmark", Layout: listing.Beside,
		Guide: screen.Guide{
			Purpose: "Bookmarked items and queries: an item by its key, a query with its parameters.",
			First:   "press enter to open a bookmark. Press o B on an item or a query to add one.",
			Signs:   screen.MaskSigns,
		},
		ID:     func(b savedBookmark) string { return b.Name },
		Search: func(b savedBookmark) string { return b.Note },
		Empty: func(e *screen.Env) (string, string) {
			place := "They are kept until the program ends."
			if path := e.Bookmarks.Path(); path != "" {
				place = "They are stored in " + path + ", which you can edit and share with the schema."
			}
			return "No bookmarks", "Press o B on an item, or on a pattern with its parameters, to add one. " + place
		},
		Load: func(_ context.Context, e *screen.Env, _ *listing.Reading[savedBookmark]) (listing.Rows[savedBookmark], error) {
			list, err := e.Bookmarks.Read()
			var entryErrors profiles.Errors
			if !errors.As(err, &entryErrors) {
				return listing.Rows[savedBookmark]{List: pointers(list)}, err
			}
			rows := listing.Rows[savedBookmark]{List: pointers(list)}
			for _, w := range entryErrors {
				rows.Problems = append(rows.Problems, present.Join("line "+strconv.Itoa(w.Line)+": "+w.Message, w.Suggestion, "; "))
			}
			return rows, nil
		},
		Columns: []listing.Column[savedBookmark]{
			listing.Text("Kind", bookmarkKind),
			listing.Text("Name", func(b savedBookmark) string { return b.Name }),
			{Column: widget.Column{Title: "Opens", Max: 60, Weight: 1, Middle: true}, Cell: bookmarkCell},
		},
		Facts: bookmarkFacts,
		Actions: []listing.Action[savedBookmark]{
			{
				Name: "enter", Keys: "enter", Desc: "open", Long: "run the query, or open the item",
				Can: func(_ *screen.Env, b savedBookmark) error {
					if b.Problem != "" {
						return errors.New(b.Problem)
					}
					return nil
				},
				Open: openBookmark,
			},
			{Name: "rename", Keys: "o>e f2", Desc: "rename", Long: "rename the bookmark", Run: renameBookmark},
			{
				Name: "remove", Keys: "o>d delete", Desc: "remove", Long: "remove the bookmark from the file; press o u to restore it",
				Run: func(s *listing.Screen[savedBookmark], b savedBookmark) tea.Cmd {
					return editBookmarks(s, "", "removed "+b.Name+"; press o u to restore it",
						func(ctx context.Context, list *bookmarks.List) error {
							mark, at, err := list.Remove(ctx, b.Name)
							if err == nil {
								removed.Store(&removedBookmark{mark, at})
							}
							return err
						})
				},
			},
			{
				Name: "undo", Keys: "o>u", Desc: "restore", Long: "restore the bookmark that was removed last", Free: true,
				Can: listing.Require(func(savedBookmark) bool { return removed.Load() != nil }, "no bookmark was removed"),
				Run: func(s *listing.Screen[savedBookmark], _ savedBookmark) tea.Cmd {
					r := removed.Swap(nil)
					return editBookmarks(s, r.mark.Name, "restored "+r.mark.Name,
						func(ctx context.Context, list *bookmarks.List) error {
							return list.Insert(ctx, r.mark, r.at)
						})
				},
			},
			moveBookmark("up", "alt+up", "move up", -1),
			moveBookmark("down", "alt+down", "", 1), // The hint for up stands for both.
		},
	}
})

// A removedBookmark is a removed bookmark with its position in the file.
type removedBookmark struct {
	mark bookmarks.Bookmark
	at   int
}

func editBookmarks(s *listing.Screen[savedBookmark], to, message string, edit func(context.Context, *bookmarks.List) error) tea.Cmd {
	e := s.Env
	return func() tea.Msg {
		notice := screen.NoticeMsg{Text: models.Printable(message)}
		if err := edit(e.Context, e.Bookmarks); err != nil {
			notice = screen.NoticeMsg{Text: err.Error(), Bad: true}
		}
		return screen.Answer(func() tea.Cmd {
			cmd := s.ReloadAt(to)
			if notice.Text != "" {
				cmd = tea.Batch(cmd, screen.Send(notice))
			}
			return cmd
		})
	}
}

func renameBookmark(s *listing.Screen[savedBookmark], b savedBookmark) tea.Cmd {
	s.Box = overlay.NewNameDialog(s.Env, "Rename the bookmark", "Rename", b.Name, b.Name, func(to string) tea.Cmd {
		return editBookmarks(s, to, "", func(ctx context.Context, list *bookmarks.List) error {
			return list.Rename(ctx, b.Name, to)
		})
	})
	return nil
}

// moveBookmark moves by one position for each key press, so that the order of the writes does not matter.
func moveBookmark(place, keys, hint string, by int) listing.Action[savedBookmark] {
	return listing.Action[savedBookmark]{
		Name: place, Keys: keys, Desc: hint, Long: "move the bookmark " + place,
		Run: func(s *listing.Screen[savedBookmark], b savedBookmark) tea.Cmd {
			return editBookmarks(s, b.Name, "", func(ctx context.Context, list *bookmarks.List) error {
				return list.Move(ctx, b.Name, by)
			})
		},
	}
}

func bookmarkKind(b savedBookmark) string {
	switch {
	case b.IsQuery():
		return "query"
	case b.Table != nil:
		return "item"
	}
	return "?"
}

func bookmarkCell(e *screen.Env, b savedBookmark) widget.Cell {
	if b.Problem != "" {
		return widget.Cell{Text: "⊘ " + b.Problem, Role: widget.RoleFaint}
	}
	if text := bookmarkTarget(e, b); text != b.Name {
		return widget.Cell{Text: text, Role: widget.RoleMuted}
	}
	return widget.Cell{}
}

func bookmarkTarget(e *screen.Env, b savedBookmark) string {
	switch {
	case b.Problem != "":
		return ""
	case b.IsQuery():
		return present.QueryTitle(e, b.Pattern, b.Args)
	}
	r, ok := e.Session.Recognize(b.Table, b.Key)
	if !ok || r.Entity == nil {
		return models.PrintableCell(b.Table.KeyText(e.Session.Masker().Item(b.Table, b.Key)), 60)
	}
	_, title := present.VisitTitle(e, local.Visit{Table: b.Table, Key: b.Key, Entity: r.Entity})
	return title
}

func openBookmark(b savedBookmark) screen.Target {
	if b.IsQuery() {
		return screen.Patterns{Pattern: b.Pattern, Args: b.Args, Run: true}
	}
	return screen.Item{Table: b.Table, Item: b.Key}
}

// BookmarkCommands returns palette commands for the most recently read bookmarks.
func BookmarkCommands(env *screen.Env, section string) []screen.Command {
	marks := env.Bookmarks.Cached()
	list := make([]screen.Command, 0, len(marks))
	for i := range marks {
		b := &marks[i]
		note := bookmarkTarget(env, b)
		if note == b.Name {
			note = bookmarkKind(b)
		}
		list = append(list, screen.Command{
			Section: section, Kind: "saved", Title: models.Printable(b.Name), Note: note, Why: b.Problem,
			Words: "bookmark " + bookmarkKind(b) + " " + b.Note,
			Run:   func() tea.Cmd { return screen.Open(openBookmark(b)) },
		})
	}
	return list
}

func bookmarkFacts(e *screen.Env, b savedBookmark) []listing.Fact {
	list := []listing.Fact{{Text: b.Name, Role: widget.RoleTitle}, {Text: b.Note}, listing.Blank()}
	masker := e.Session.Masker()
	switch {
	case b.Problem != "":
		list = append(list, listing.Fact{Text: "⊘ " + b.Problem, Role: widget.RoleWarn},
			listing.Fact{Text: "It stays in the file until you fix or remove it.", Role: widget.RoleMuted})
	case b.IsQuery():
		list = append(list, listing.Fact{Label: "pattern", Text: b.Pattern.Title})
		for _, q := range b.Pattern.Params {
			if text, ok := b.Args[q.Name]; ok {
				list = append(list, listing.Fact{Label: "  " + q.Name, Text: masker.MaskText(text, q.Sensitive, q.Format)})
			} else if q.Required {
				list = append(list, listing.Fact{Label: "  " + q.Name, Text: "required when it is opened"})
			}
		}
		list = append(list, listing.Fact{
			Label: "command", Text: e.Session.Command("run", session.SchemaName(e.Session.Profile()), "@"+b.Name),
		})
	default:
		list = append(list, listing.Fact{Label: "opens", Text: bookmarkTarget(e, b)},
			listing.Fact{Label: "key", Text: b.Table.KeyText(masker.Item(b.Table, b.Key))})
	}
	if path := e.Bookmarks.Path(); path != "" {
		list = append(list, listing.Blank(), listing.Fact{Text: "stored in " + path, Role: widget.RoleFaint})
	}
	return list
}
