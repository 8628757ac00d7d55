// Package bookmarks is the screen that shows the saved items and queries.
package bookmarks

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/bookmark"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// bookmarksScreen shows the bookmarks of the session's profile: a list, and the
// details of the selected one.
type bookmarksScreen struct {
	screen.Base
	overlay.Split
	env     *screen.Env
	list    *widget.List
	actions widget.Actions

	marks []bookmarks.Bookmark
	reads int   // how often the file was read, 0 before the first time
	err   error // what is wrong with the file
	edits editor
}

// move is a move of a bookmark by some places, negative ones up.
type move struct {
	name string
	by   int
}

// removal is a bookmark that was removed and its position in the file.
type removal struct {
	mark bookmarks.Bookmark
	at   int
}

// readMsg is the content of the file.
type readMsg struct {
	list []bookmarks.Bookmark
	err  error
}

// writtenMsg is the result of a change of the file.
type writtenMsg struct {
	err      error
	notice   string   // "" shows none
	name     string   // the bookmark to select
	removed  *removal // set by a removal
	restored bool     // the last removal was reverted
}

// New returns the screen of the bookmarks.
func New(env *screen.Env, _ screen.Bookmarks) screen.Screen {
	s := &bookmarksScreen{
		Base: screen.Base{Name: "Bookmarks", Kind: "bookmarks", About: screen.Guide{
			Purpose: "Bookmarked items and queries. They are stored in a file that a team can share.",
			First:   "press enter to open a bookmark. Press b on an item or a query to add one.",
			Signs:   screen.MaskSigns,
		}},
		env: env, list: widget.NewList(env.Styles),
	}
	s.edits.s = s
	s.list.SetStill(true)
	s.list.SetPlaceholder("filter")
	s.list.SetEmpty("No bookmark matches")
	s.actions = env.Keys.Rebind("bookmarks", s.makeActions())
	s.Begin(env, []overlay.Entries{s.list}, func() overlay.Entries { return s.list }, s.cannotOpen, s.open)
	return s
}

// makeActions returns the table of keys, the most important first.
func (s *bookmarksScreen) makeActions() widget.Actions {
	return append(widget.Actions{
		widget.NewAction("enter", "enter", "open", "run the query, or open the item", s.cannotOpen, s.open),
		widget.NewAction("rename", "e f2", "rename", "rename the bookmark", s.edits.cannotChange, s.edits.rename),
		widget.NewAction("remove", "d delete", "remove", "remove the bookmark from the file; u restores it",
			s.edits.cannotChange, s.edits.remove),
		widget.NewAction("undo", "u", "restore", "restore the bookmark that was removed last",
			s.edits.cannotRestore, s.edits.restore),
		widget.NewAction("up", "- alt+up", "up", "move the bookmark up",
			s.edits.cannotMove, func() tea.Cmd { return s.edits.move(-1) }),
		widget.NewAction("down", "+ alt+down", "down", "move the bookmark down",
			s.edits.cannotMove, func() tea.Cmd { return s.edits.move(1) }),
		widget.NewAction("reload", "r ctrl+r f5", "reload", "reload the file", nil, s.read),
		widget.NewAction("filter", "/", "", "find a bookmark by name", nil, s.Filter),
		widget.NewAction("pane", "tab shift+tab", "", "switch between the bookmarks and the details",
			nil, s.SwitchPane),
	}, overlay.PaneKeys("bookmarks", nil, s.FocusDetails)...)
}

// Actions returns the keys of the screen.
func (s *bookmarksScreen) Actions() widget.Actions { return s.actions }

// Init reads the file.
func (s *bookmarksScreen) Init() tea.Cmd { return s.read() }

// Watch reads the file again when the screen comes back into view: it may have been
// edited meanwhile.
func (s *bookmarksScreen) Watch(on bool) tea.Cmd {
	if !on {
		return nil
	}
	return s.read()
}

// Close closes the dialog.
func (s *bookmarksScreen) Close() { s.CloseBox() }

// Status returns the number of bookmarks and whether the file is valid.
func (s *bookmarksScreen) Status() string {
	count := present.Plural(len(s.marks), "bookmark")
	switch {
	case s.reads == 0:
		return "reading the bookmarks"
	case s.err != nil && len(s.marks) == 0:
		return "✗ the bookmarks cannot be read"
	case s.err != nil:
		return "✗ the file has errors · " + count
	}
	return count
}

func (s *bookmarksScreen) read() tea.Cmd {
	file := s.env.Bookmarks
	return func() tea.Msg {
		list, err := file.Read()
		return readMsg{list, err}
	}
}

func (s *bookmarksScreen) show(msg readMsg) {
	s.reads++
	s.marks, s.err = msg.list, msg.err
	items := make([]widget.ListItem, len(s.marks))
	for i := range s.marks {
		b := &s.marks[i]
		target := targetText(s.env, b)
		items[i] = widget.ListItem{
			ID: b.Name, Lead: kindOf(b), Title: b.Name, Badge: target, BadgeRole: widget.RoleMuted,
			Search: b.Note + " " + target, Faint: b.Problem != "",
		}
		switch {
		case b.Problem != "":
			items[i].Badge = "⊘ " + b.Problem
		case target == b.Name:
			items[i].Badge = ""
		}
	}
	s.list.SetItems(items)
	if s.edits.goTo != "" {
		s.list.Select(s.edits.goTo)
		s.edits.goTo = ""
	}
}

// selected returns the bookmark under the cursor, nil if there is none.
func (s *bookmarksScreen) selected() *bookmarks.Bookmark {
	it, ok := s.list.Selected()
	for i := range s.marks {
		if ok && s.marks[i].Name == it.ID {
			return &s.marks[i]
		}
	}
	return nil
}

func (s *bookmarksScreen) cannotOpen() string {
	if b := s.selected(); b != nil {
		return b.Problem
	}
	return "no bookmark is selected"
}

func (e *editor) cannotChange() string {
	switch {
	case e.busy:
		return "the file is being written"
	case e.s.selected() == nil:
		return "no bookmark is selected"
	}
	return ""
}

// cannotMove says why the bookmark cannot be moved. A move waits for the moves before it, so
// that each press of the key counts.
func (e *editor) cannotMove() string {
	if e.moving && e.s.selected() != nil {
		return ""
	}
	return e.cannotChange()
}

func (e *editor) cannotRestore() string {
	switch {
	case e.busy:
		return "the file is being written"
	case e.removed == nil:
		return "no bookmark was removed"
	}
	return ""
}

func (s *bookmarksScreen) open() tea.Cmd { return openBookmark(s.selected()) }

// write changes the file outside of Update.
func (e *editor) write(change func(context.Context, *workspace.Workspace) writtenMsg) tea.Cmd {
	e.busy = true
	ctx, on := e.s.env.Context, e.s.env.Workspace
	return func() tea.Msg { return change(ctx, on) }
}

func (e *editor) rename() tea.Cmd {
	name := e.s.selected().Name
	e.s.Box = bookmark.NewNaming(e.s.env, "Rename the bookmark", "Rename", name, name, func(to string) tea.Cmd {
		return e.write(func(ctx context.Context, on *workspace.Workspace) writtenMsg {
			return writtenMsg{err: on.Bookmarks.Rename(ctx, name, to), name: to}
		})
	})
	return nil
}

func (e *editor) remove() tea.Cmd {
	name := e.s.selected().Name
	return e.write(func(ctx context.Context, on *workspace.Workspace) writtenMsg {
		b, at, err := on.Bookmarks.Remove(ctx, name)
		return writtenMsg{err: err, notice: "removed " + models.Printable(name) + "; u restores it", removed: &removal{b, at}}
	})
}

func (e *editor) restore() tea.Cmd {
	r := *e.removed
	return e.write(func(ctx context.Context, on *workspace.Workspace) writtenMsg {
		err := on.Bookmarks.Insert(ctx, r.mark, r.at)
		return writtenMsg{err: err, name: r.mark.Name, notice: "restored " + models.Printable(r.mark.Name), restored: true}
	})
}

func (e *editor) move(by int) tea.Cmd {
	e.moves = append(e.moves, move{e.s.selected().Name, by})
	if e.moving {
		return nil
	}
	return e.nextMove()
}

// nextMove writes the first move that waits.
func (e *editor) nextMove() tea.Cmd {
	m := e.moves[0]
	e.moves, e.moving = e.moves[1:], true
	return e.write(func(ctx context.Context, on *workspace.Workspace) writtenMsg {
		return writtenMsg{err: on.Bookmarks.Move(ctx, m.name, m.by), name: m.name}
	})
}

// written reports the result of a change and reads the file again.
func (e *editor) written(msg writtenMsg) tea.Cmd {
	e.busy, e.moving = false, false
	notice := screen.NoticeMsg{Text: msg.notice}
	switch {
	case msg.err != nil:
		notice = screen.NoticeMsg{Text: msg.err.Error(), Bad: true}
	case msg.removed != nil:
		e.removed = msg.removed
	case msg.restored:
		e.removed = nil
	}
	if msg.err == nil {
		e.goTo = msg.name
	}
	then := e.s.read
	if len(e.moves) > 0 {
		then = e.nextMove
	}
	if notice.Text == "" {
		return then()
	}
	return tea.Batch(then(), screen.Send(notice))
}

// Update handles the messages that the root does not handle.
func (s *bookmarksScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case readMsg:
		s.show(msg)
		return nil
	case writtenMsg:
		return s.edits.written(msg)
	}
	return s.Feed(msg, s.Actions)
}

// SetSize sets the rectangle. The details are beside the list, or below it on a narrow
// screen.
func (s *bookmarksScreen) SetSize(w, h int) {
	if w >= present.NarrowBelow {
		s.Arrange(w, h, 0, w-w*3/5)
		return
	}
	s.Arrange(w, h, min(max(h, 0)/2, 11), 0)
}

// View draws the screen.
func (s *bookmarksScreen) View() string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	st := s.env.Styles
	content := s.list.View()
	if s.reads > 0 && len(s.marks) == 0 {
		content = s.viewEmpty()
	}
	list := widget.Panel{Title: "Bookmarks and named queries", Note: strconv.Itoa(len(s.marks)), Focused: !s.OnDetails}.
		Render(st, content, s.Rows.W, s.Rows.H)
	about := widget.Panel{Title: "Details", Focused: s.OnDetails}
	if s.err != nil {
		about.Role = widget.RoleWarn
	}
	it, _ := s.list.Selected()
	subject := struct {
		name   string
		reads  int
		masker *models.Masker
	}{it.ID, s.reads, s.env.Session.Masker()}
	text := s.ViewDetails(about, s.About, subject, s.detailLines)
	view := widget.Columns(list, text)
	if s.W < present.NarrowBelow {
		view = widget.Rows(list, text)
	}
	return s.DrawBox(st, widget.Place(view, s.W, s.H), s.W, s.H)
}

// viewEmpty explains how to add a bookmark.
func (s *bookmarksScreen) viewEmpty() string {
	r := s.Rows.Inner()
	where := "Bookmarks are kept until the program ends."
	if path := s.env.Bookmarks.Path(); path != "" {
		where = "Bookmarks are stored in " + path + ". You can edit the file and share it with the profile."
	}
	t := &present.Facts{Styles: s.env.Styles, Width: max(r.W-2, 8)}
	t.Blank()
	t.Paragraph(widget.RoleText, "No bookmarks. Press b on an item, or on a pattern with its parameters, to add one.")
	t.Blank()
	t.Paragraph(widget.RoleMuted, where)
	return widget.Indent(t.String(), r.W, r.H)
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "bookmarks", Title: "Bookmarks",
		Does:    "Bookmarked items and queries.",
		Actions: (&bookmarksScreen{}).makeActions(), Pieces: screen.MovingKeys(),
	}
}

// An editor changes the file of the bookmarks. One change is written at a time; moves that are
// pressed meanwhile wait.
type editor struct {
	s *bookmarksScreen

	busy    bool     // the file is being written
	moving  bool     // a bookmark is being moved: further moves wait
	moves   []move   // that wait, in the order of their keys
	goTo    string   // the bookmark to select after the next read, "" for none
	removed *removal // the last removal, which u reverts; nil for none
}
