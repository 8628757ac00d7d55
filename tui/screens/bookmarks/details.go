package bookmarks

import (
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/history"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// kindOf returns a word for the kind of a bookmark; "?" if its target no longer
// exists.
func kindOf(b *bookmarks.Bookmark) string {
	switch {
	case b.IsQuery():
		return "query"
	case b.Table != nil:
		return "item"
	}
	return "?"
}

// targetText describes the target of a bookmark, masked; "" if the bookmark is
// invalid.
func targetText(env *screen.Env, b *bookmarks.Bookmark) string {
	switch {
	case b.Problem != "":
		return ""
	case b.IsQuery():
		return present.QueryTitle(env, b.Pattern, b.Args)
	}
	r, ok := env.Session.Recognize(b.Table, b.Key)
	if !ok || r.Entity == nil {
		return models.PrintableCell(b.Table.KeyText(env.Session.Masker().Item(b.Table, b.Key)), 60)
	}
	_, title := present.VisitTitle(env, history.Visit{Table: b.Table, Key: b.Key, Entity: r.Entity})
	return title
}

// openBookmark opens the target of a bookmark.
func openBookmark(b *bookmarks.Bookmark) tea.Cmd {
	if b.IsQuery() {
		return screen.Open(screen.Patterns{Pattern: b.Pattern, Args: b.Args, Run: true})
	}
	return screen.Open(screen.Item{Table: b.Table, Item: b.Key})
}

// BookmarkCommands returns the bookmarks as they were read last, for the palette.
func BookmarkCommands(env *screen.Env, section string) []screen.Command {
	marks := env.Bookmarks.Cached()
	list := make([]screen.Command, 0, len(marks))
	for i := range marks {
		b := &marks[i]
		note := targetText(env, b)
		if note == b.Name {
			note = kindOf(b)
		}
		list = append(list, screen.Command{
			Section: section, Kind: "saved", Title: models.Printable(b.Name), Note: note, Why: b.Problem,
			Words: "bookmark " + kindOf(b) + " " + b.Note,
			Run:   func() tea.Cmd { return openBookmark(b) },
		})
	}
	return list
}

// detailLines describes the selected bookmark and the errors of the file.
func (s *bookmarksScreen) detailLines(w int) []string {
	t := &present.Facts{Styles: s.env.Styles, Label: 10, Width: w}
	if b := s.selected(); b != nil {
		t.Paragraph(widget.RoleTitle, b.Name)
		if b.Note != "" {
			t.Paragraph(widget.RoleText, b.Note)
		}
		t.Blank()
		s.describe(t, b)
	}
	if s.err != nil {
		t.Blank()
		fileErrors(t, s.err)
	}
	if path := s.env.Bookmarks.Path(); path != "" && len(s.marks) > 0 {
		t.Blank()
		t.Paragraph(widget.RoleFaint, "stored in "+path)
	}
	return t.Lines
}

// describe adds the target of a bookmark and its parameters.
func (s *bookmarksScreen) describe(t *present.Facts, b *bookmarks.Bookmark) {
	masker := s.env.Session.Masker()
	switch {
	case b.Problem != "":
		t.Paragraph(widget.RoleWarn, "⊘ "+b.Problem)
		t.Paragraph(widget.RoleMuted, "It stays in the file until you fix or remove it.")
	case b.IsQuery():
		for _, q := range b.Pattern.Params {
			t.Label = min(max(t.Label, ansi.StringWidth(q.Name)+4), max(t.Width/2, 10))
		}
		t.Text("pattern", widget.RoleText, b.Pattern.Title)
		for _, q := range b.Pattern.Params {
			if text, ok := b.Args[q.Name]; ok {
				t.Text("  "+q.Name, widget.RoleText, masker.MaskText(text, q.Sensitive, q.Format))
			} else if q.Required {
				t.Text("  "+q.Name, widget.RoleText, "required when it is opened")
			}
		}
		t.Text("command", widget.RoleText, s.env.Session.Command("run", session.SchemaName(s.env.Session.Profile()), "@"+b.Name))
	default:
		t.Text("opens", widget.RoleText, targetText(s.env, b))
		t.Text("key", widget.RoleText, b.Table.KeyText(masker.Item(b.Table, b.Key)))
	}
}

// fileErrors adds what is wrong with the file, by line where that is known.
func fileErrors(t *present.Facts, err error) {
	var list profiles.Errors
	if !errors.As(err, &list) {
		t.Paragraph(widget.RoleBad, "✗ "+err.Error())
		return
	}
	t.Paragraph(widget.RoleBad, "✗ "+present.Plural(len(list), "error")+" in the file; fix the file to change bookmarks here")
	for _, e := range list {
		t.Paragraph(widget.RoleWarn, present.Join("line "+strconv.Itoa(e.Line)+": "+e.Message, e.Suggestion, "; "))
	}
}
