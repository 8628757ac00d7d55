package overlay

import (
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// NewNameDialog returns a dialog that asks for a name. It rejects the names of other bookmarks, but accepts current.
func NewNameDialog(env *screen.Env, title, yes, suggested, current string, save func(name string) tea.Cmd, text ...string) *Question {
	q := NewHarmlessQuestion(title, "", yes, nil, text...)
	isTaken := map[string]bool{}
	for _, b := range env.Bookmarks.Cached() {
		isTaken[strings.ToLower(b.Name)] = !strings.EqualFold(b.Name, current)
	}
	q.Prompt(env.Styles, widget.FormField{
		Name: "name", Label: "Name", Required: true, Placeholder: "such as open cases of client_a", Width: 44,
	}, func(name string) string {
		if err := bookmarks.CheckName(name); err != nil {
			return err.Error()
		}
		if isTaken[strings.ToLower(name)] {
			return "a bookmark with this name already exists"
		}
		return ""
	})
	q.Form.SetValues(map[string]string{"name": suggested})
	q.Dialog.Focus("yes") // Enter in the field saves.
	q.Yes = func() tea.Cmd { return save(q.Value()) }
	return q
}

// SaveBookmark saves a bookmark and shows a notice.
func SaveBookmark(env *screen.Env, b bookmarks.Bookmark) tea.Cmd {
	ctx, list := env.Context, env.Bookmarks
	return func() tea.Msg {
		if err := list.Add(ctx, b); err != nil {
			return screen.NoticeMsg{Text: err.Error(), Bad: true}
		}
		return screen.NoticeMsg{Text: "bookmarked as " + models.Printable(b.Name) + "; press o L to list the bookmarks"}
	}
}

// NewRemoveBookmark returns a dialog that asks for confirmation and removes a bookmark.
func NewRemoveBookmark(env *screen.Env, name string) *Question {
	ctx, list := env.Context, env.Bookmarks
	q := NewHarmlessQuestion("Remove the bookmark?", "", "Remove", func() tea.Cmd {
		return func() tea.Msg {
			if _, _, err := list.Remove(ctx, name); err != nil {
				return screen.NoticeMsg{Text: err.Error(), Bad: true}
			}
			return screen.NoticeMsg{Text: "removed " + models.Printable(name)}
		}
	}, "This is bookmarked as "+models.Printable(name)+".")
	return q
}

// QueryBookmark returns the name of the query's bookmark, or "" if it has none.
func QueryBookmark(s *workspace.Workspace, p *accesspatterns.Pattern, args map[string]string) string {
	for _, b := range s.Bookmarks.Cached() {
		if b.IsQuery() && (b.Pattern == p || b.Pattern.HasSameCustomQuery(p)) && maps.Equal(b.Args, args) {
			return b.Name
		}
	}
	return ""
}

// ItemBookmark returns the name of the item's bookmark, or "" if it has none.
func ItemBookmark(s *workspace.Workspace, t *models.Table, it models.Item) string {
	key, ok := t.PrimaryKey(it)
	if !ok {
		return ""
	}
	keyJSON := string(key.AppendDynamoDBJSON(nil))
	for _, b := range s.Bookmarks.Cached() {
		if b.Table == t && string(b.Key.AppendDynamoDBJSON(nil)) == keyJSON {
			return b.Name
		}
	}
	return ""
}
