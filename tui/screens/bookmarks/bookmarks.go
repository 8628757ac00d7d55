// Package bookmarks is the screen that shows the saved items and requests.
package bookmarks

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/history"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// bookmarksScreen shows the bookmarks of the session's profile.
type bookmarksScreen struct {
	screen.Base
	overlay.Host
	env    *screen.Env
	list   *widget.List
	text   *widget.Pager
	marks  []bookmarks.Bookmark
	loaded bool
	err    error // what is wrong with the file

	goTo string // name to select when the file was read

	wide    int    // width that the text was made for
	shown   string // and the bookmark
	w, h    int
	actions widget.Actions
	edits   bookmarkChanges
}

// bookmarksReadMsg is the content of the file.
type bookmarksReadMsg struct {
	list []bookmarks.Bookmark
	err  error
}

// bookmarkChangedMsg says how changing the file went.
type bookmarkChangedMsg struct {
	err     error
	said    string              // for the person
	name    string              // to select
	removed *bookmarks.Bookmark // that can be brought back
	at      int
	back    bool // what was removed is there again
}

// New returns the screen of bookmarks.
func New(env *screen.Env, _ screen.Bookmarks) screen.Screen {
	s := &bookmarksScreen{Base: screen.Base{Name: "Bookmarks", Kind: "bookmarks", About: guide}, env: env, list: widget.NewList(env.Styles), text: widget.NewPager(env.Styles)}
	s.edits.s = s
	s.list.SetPlaceholder("filter")
	s.list.SetEmpty("No results")
	s.actions = env.Keys.Rebind("bookmarks", s.makeActions())
	return s
}

// Init reads the file.
func (s *bookmarksScreen) Init() tea.Cmd { return s.read() }

// Watch reads the file again when the screen comes back into view: somebody may
// have written it meanwhile.
func (s *bookmarksScreen) Watch(on bool) tea.Cmd {
	if !on {
		return nil
	}
	return s.read()
}

// Close gives up what lies over the screen.
func (s *bookmarksScreen) Close() { s.CloseBox() }

// Typing reports whether letters are text.
func (s *bookmarksScreen) Typing() bool { return s.Box != nil || s.list.Typing() }

// Cancel closes what lies on top, or clears the filter.
func (s *bookmarksScreen) Cancel() bool {
	switch {
	case s.Box != nil:
		s.CancelBox()
	case s.list.Typing() || s.list.Filter() != "":
		s.list.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
		s.list.SetFilter("")
		s.refresh()
	default:
		return false
	}
	return true
}

// Status is how many bookmarks there are.
func (s *bookmarksScreen) Status() string {
	switch {
	case !s.loaded:
		return "reading the bookmarks"
	case s.err != nil && len(s.marks) == 0:
		return "✗ the bookmarks cannot be read"
	case s.err != nil:
		return "✗ the file has faults · " + present.Plural(len(s.marks), "bookmark")
	}
	return present.Plural(len(s.marks), "bookmark")
}

// SetStyles changes the theme.
func (s *bookmarksScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.list.SetStyles(st)
	s.text.SetStyles(st)
	s.StyleBox(st)
	s.wide = 0
	s.refresh()
}

func (s *bookmarksScreen) read() tea.Cmd {
	from := s.env.Workspace
	return func() tea.Msg {
		list, err := from.Bookmarks.Read()
		return bookmarksReadMsg{list, err}
	}
}

func (s *bookmarksScreen) Took(msg bookmarksReadMsg) {
	s.loaded, s.marks, s.err = true, msg.list, msg.err
	items := make([]widget.ListItem, len(s.marks))
	for i := range s.marks {
		b := &s.marks[i]
		items[i] = widget.ListItem{
			ID: b.Name, Lead: bookmarkKind(b), Title: b.Name, Badge: bookmarkWhat(s.env, b), BadgeRole: widget.RoleMuted,
			Search: b.Note + " " + bookmarkWhat(s.env, b), Faint: b.Problem != "",
		}
		switch {
		case b.Problem != "":
			items[i].Badge = "⊘ " + b.Problem
		case items[i].Badge == b.Name:
			items[i].Badge = "" // The name says it.
		}
	}
	s.list.SetItems(items)
	if s.goTo != "" {
		s.list.Select(s.goTo)
		s.goTo = ""
	}
	s.wide = 0
	s.refresh()
}

// selected is the bookmark under the cursor, nil for none.
func (s *bookmarksScreen) selected() *bookmarks.Bookmark {
	it, ok := s.list.Selected()
	if !ok {
		return nil
	}
	for i := range s.marks {
		if s.marks[i].Name == it.ID {
			return &s.marks[i]
		}
	}
	return nil
}

// bookmarkKind is a word for what it is.
func bookmarkKind(b *bookmarks.Bookmark) string {
	switch {
	case b.IsQuery():
		return "query"
	case b.Table != nil:
		return "item"
	}
	return "?"
}

// bookmarkWhat is what a bookmark leads to, without what the masker hides.
func bookmarkWhat(env *screen.Env, b *bookmarks.Bookmark) string {
	switch {
	case b.Problem != "":
		return ""
	case b.IsQuery():
		return present.QueryTitle(env, b.Pattern, b.Args)
	}
	v := history.Visit{Table: b.Table, Key: b.Key}
	if r, ok := env.Session.Recognize(b.Table, b.Key); ok {
		v.Entity = r.Entity
	}
	if v.Entity == nil {
		return models.PrintableCell(b.Table.KeyText(env.Session.Masker().Item(b.Table, b.Key)), 60)
	}
	_, title := present.VisitTitle(env, v)
	return title
}

// openBookmark goes to what a bookmark is of.
func openBookmark(b *bookmarks.Bookmark) tea.Cmd {
	if b.IsQuery() {
		return screen.Open(screen.Patterns{Pattern: b.Pattern, Args: b.Args, Run: true})
	}
	return screen.Open(screen.Item{Table: b.Table, Item: b.Key})
}

// BookmarkCommands are the bookmarks as they were read last, for a palette.
func BookmarkCommands(env *screen.Env, section string) []screen.Command {
	marks := env.Bookmarks.Cached()
	list := make([]screen.Command, 0, len(marks))
	for i := range marks {
		b := &marks[i]
		what := bookmarkWhat(env, b)
		if what == b.Name {
			what = bookmarkKind(b)
		}
		list = append(list, screen.Command{
			Section: section, Kind: "saved", Title: models.Printable(b.Name), Note: what, Why: b.Problem,
			Words: "bookmark " + bookmarkKind(b) + " " + b.Note,
			Run:   func() tea.Cmd { return openBookmark(b) },
		})
	}
	return list
}

// lines tell all about the chosen bookmark.
func (s *bookmarksScreen) Lines(w int) []string {
	st := s.env.Styles
	b := s.selected()
	if b == nil {
		return nil
	}
	lines := widget.Wrap(st, widget.RoleTitle, b.Name, w)
	if b.Note != "" {
		lines = append(lines, widget.Wrap(st, widget.RoleText, b.Note, w)...)
	}
	lines = append(lines, "")
	room := 10
	if b.IsQuery() {
		for _, q := range b.Pattern.Params {
			room = min(max(room, ansi.StringWidth(q.Name)+4), max(w/2, 10))
		}
	}
	fact := func(label, text string) {
		for i, line := range widget.Wrap(st, widget.RoleText, text, max(w-room, 8)) {
			if i > 0 {
				label = ""
			}
			lines = append(lines, st.PaintCell(widget.RoleMuted, widget.SurfacePlain, label, room, widget.AlignLeft)+line)
		}
	}
	switch {
	case b.Problem != "":
		lines = append(lines, widget.Wrap(st, widget.RoleWarn, "⊘ "+b.Problem, w)...)
		lines = append(lines, widget.Wrap(st, widget.RoleMuted, "It stays in the file until somebody mends or removes it.", w)...)
	case b.IsQuery():
		fact("asks", b.Pattern.Title)
		masker := s.env.Session.Masker()
		for _, q := range b.Pattern.Params {
			text, ok := b.Args[q.Name]
			switch {
			case ok:
				fact("  "+q.Name, masker.MaskText(text, q.Sensitive, q.Format))
			case q.Required:
				fact("  "+q.Name, "is asked when it is opened")
			}
		}
		fact("command", "ddbdesk run "+s.env.Session.Profile().Name+" "+shellWord("@"+b.Name))
	default:
		fact("opens", bookmarkWhat(s.env, b))
		fact("key", b.Table.KeyText(s.env.Session.Masker().Item(b.Table, b.Key)))
	}
	return lines
}

// shellWord quotes a word for a shell where it has to be.
func shellWord(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !present.IsWord(r) && !strings.ContainsRune("@-_.", r) }) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// bookmarkChanges renames, removes and moves bookmarks.
type bookmarkChanges struct {
	s *bookmarksScreen

	busy      bool                // the file is being changed
	removed   *bookmarks.Bookmark // what u brings back
	removedAt int
}
