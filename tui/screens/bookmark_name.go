package screens

import (
	"strings"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// newNaming asks for a name that no other bookmark has; own may stay.
func newNaming(env *Env, title, yes, suggested, own string, save func(name string) tea.Cmd, text ...string) *question {
	q := newQuestion(title, "", yes, nil, text...)
	q.dialog.Danger, q.dialog.Buttons[1].Danger = false, false
	taken := map[string]bool{}
	for _, b := range env.Session.Marked() {
		taken[strings.ToLower(b.Name)] = !strings.EqualFold(b.Name, own)
	}
	q.ask(env.Styles, widget.FormField{Name: "name", Label: "Name", Required: true, Placeholder: "what it is for", Width: 44}, func(name string) string {
		if err := session.CheckBookmarkName(name); err != nil {
			return err.Error()
		}
		if taken[strings.ToLower(name)] {
			return "there is a bookmark of that name already"
		}
		return ""
	})
	q.form.SetValues(map[string]string{"name": suggested})
	q.yes = func() tea.Cmd { return save(q.value()) }
	return q
}

// saveBookmark writes a bookmark and says so.
func saveBookmark(s *session.Session, b session.Bookmark) tea.Cmd {
	return func() tea.Msg {
		if err := s.AddBookmark(b); err != nil {
			return NoticeMsg{Text: err.Error(), Bad: true}
		}
		return NoticeMsg{Text: "bookmarked as " + models.Printable(b.Name) + "; B lists the bookmarks"}
	}
}

// newUnmark asks before a bookmark is taken away again.
func newUnmark(env *Env, name string) *question {
	on := env.Session
	q := newQuestion("Remove the bookmark?", "", "Remove", func() tea.Cmd {
		return func() tea.Msg {
			if _, _, err := on.RemoveBookmark(name); err != nil {
				return NoticeMsg{Text: err.Error(), Bad: true}
			}
			return NoticeMsg{Text: "removed " + models.Printable(name)}
		}
	}, "This is bookmarked as "+models.Printable(name)+".")
	q.dialog.Danger, q.dialog.Buttons[1].Danger = false, false
	return q
}

// queryMarked is the name under which a question is bookmarked, "" for none.
func queryMarked(s *session.Session, p *accesspatterns.Pattern, args map[string]string) string {
	for _, b := range s.Marked() {
		if b.IsQuery() && b.Pattern.ID == p.ID && sameArgs(b.Args, args) {
			return b.Name
		}
	}
	return ""
}

func sameArgs(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return true
}

// itemMarked is the name under which an item is bookmarked, "" for none.
func itemMarked(s *session.Session, t *models.Table, it models.Item) string {
	key, ok := t.PrimaryKey(it)
	if !ok {
		return ""
	}
	want := string(key.AppendDynamoDBJSON(nil))
	for _, b := range s.Marked() {
		if b.Table == t && string(b.Key.AppendDynamoDBJSON(nil)) == want {
			return b.Name
		}
	}
	return ""
}

// bookmarkBox asks for the name of the workbench's question, or whether to take
// its bookmark away.
func (b *Workbench) bookmarkBox() box {
	p, s := b.job.pattern, b.env.Session
	mark, left := s.QueryBookmark("", p, b.job.args())
	if name := queryMarked(s, p, mark.Args); name != "" {
		return newUnmark(b.env, name)
	}
	about := p.Title
	if args := queryArgs(b.env, p, mark.Args); args != "" {
		about += ": " + args
	}
	text := []string{about + "."}
	if len(left) > 0 {
		text = append(text, strings.Join(left, ", ")+": not written down, it may be personal data. It is asked when the bookmark is opened.")
	}
	return newNaming(b.env, "Bookmark this question", "Bookmark", "", "", func(name string) tea.Cmd {
		mark.Name = name
		return saveBookmark(s, mark)
	}, text...)
}

// bookmark gives what is asked a name.
func (b *Workbench) bookmark() tea.Cmd {
	b.box = b.bookmarkBox()
	return nil
}

// cannotBookmark says why there is nothing to give a name to.
func (b *Workbench) cannotBookmark() string {
	if b.job == nil || !b.job.pattern.IsRead() {
		return "only what reads can be bookmarked"
	}
	return ""
}

// Pastes reports whether the form takes what is pasted.
func (b *Workbench) Pastes() bool {
	return b.focus == paneForm && b.job != nil && b.job.form.Len() > 0
}

// bookmark gives the item a name, or takes it away again.
func (s *itemScreen) bookmark() tea.Cmd {
	mark, err := s.env.Session.ItemBookmark("", s.table, s.item)
	if err != nil {
		return Send(NoticeMsg{Text: err.Error(), Bad: true})
	}
	if name := itemMarked(s.env.Session, s.table, s.item); name != "" {
		s.box = newUnmark(s.env, name)
		return nil
	}
	on := s.env.Session
	s.box = newNaming(s.env, "Bookmark this item", "Bookmark", strings.TrimSpace(s.facts.name+" "+s.facts.filed), "", func(name string) tea.Cmd {
		mark.Name = name
		return saveBookmark(on, mark)
	}, "The key is written down, nothing else of the item.")
	return nil
}

// cannotBookmark says why the item cannot be bookmarked.
func (s *itemScreen) cannotBookmark() string {
	if _, err := s.env.Session.ItemBookmark("", s.table, s.item); err != nil {
		return err.Error()
	}
	return ""
}
