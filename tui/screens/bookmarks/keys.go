package bookmarks

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/bookmark"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (s *bookmarksScreen) makeActions() widget.Actions {
	return widget.Actions{
		{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "open", Long: "run the query, or open the item",
			Disabled: s.cannotOpen, Run: s.open,
		},
		{
			Name: "rename", Binding: widget.Bind("e", "e", "f2"), Desc: "rename", Long: "rename the bookmark",
			Disabled: s.edits.cannotChange, Run: s.edits.rename,
		},
		{Name: "remove", Binding: widget.Bind(
			"d", "d", "delete",
		), Desc: "remove", Long: "remove the bookmark from the file; u restores it", Disabled: s.edits.cannotChange, Run: s.edits.remove},
		{
			Name: "undo", Binding: widget.Bind("u", "u"), Desc: "bring back",
			Long: "restore the bookmark that was removed last", Disabled: s.edits.cannotUndo, Run: s.edits.undo,
		},
		{
			Name: "up", Binding: widget.Bind("-", "-", "alt+up"), Desc: "up", Long: "move the bookmark up",
			Disabled: s.edits.cannotChange, Run: func() tea.Cmd { return s.edits.move(-1) },
		},
		{
			Name: "down", Binding: widget.Bind("+", "+", "alt+down"), Desc: "down", Long: "move the bookmark down",
			Disabled: s.edits.cannotChange, Run: func() tea.Cmd { return s.edits.move(1) },
		},
		{Name: "reload", Binding: widget.Bind("r", "r", "ctrl+r", "f5"), Desc: "reload", Long: "reload the file", Run: s.read},
		{Name: "filter", Binding: widget.Bind("/", "/"), Long: "find a bookmark by name"},
	}
}

// Actions are the keys of the screen.
func (s *bookmarksScreen) Actions() widget.Actions { return s.actions }

// Hints are the keys of the bottom line.
func (s *bookmarksScreen) Hints() widget.Actions {
	if s.Box != nil {
		return nil
	}
	return s.actions
}

func (s *bookmarksScreen) cannotOpen() string {
	switch b := s.selected(); {
	case b == nil:
		return "no bookmark is chosen"
	case b.Problem != "":
		return b.Problem
	}
	return ""
}

func (ed *bookmarkChanges) cannotChange() string {
	switch {
	case ed.busy:
		return "the file is being written"
	case ed.s.selected() == nil:
		return "no bookmark is chosen"
	}
	return ""
}

func (ed *bookmarkChanges) cannotUndo() string {
	switch {
	case ed.busy:
		return "the file is being written"
	case ed.removed == nil:
		return "no bookmark was removed here"
	}
	return ""
}

func (s *bookmarksScreen) open() tea.Cmd { return openBookmark(s.selected()) }

// change writes the file off the screen's time.
func (ed *bookmarkChanges) change(write func(*workspace.Workspace) bookmarkChangedMsg) tea.Cmd {
	ed.busy = true
	on := ed.s.env.Workspace
	return func() tea.Msg { return write(on) }
}

func (ed *bookmarkChanges) rename() tea.Cmd {
	name := ed.s.selected().Name
	ed.s.Box = bookmark.NewNaming(ed.s.env, "Rename the bookmark", "Rename", name, name, func(to string) tea.Cmd {
		return ed.change(func(on *workspace.Workspace) bookmarkChangedMsg {
			return bookmarkChangedMsg{err: on.Bookmarks.Rename(ed.s.env.Context, name, to), name: to}
		})
	})
	return nil
}

func (ed *bookmarkChanges) remove() tea.Cmd {
	name := ed.s.selected().Name
	return ed.change(func(on *workspace.Workspace) bookmarkChangedMsg {
		b, at, err := on.Bookmarks.Remove(ed.s.env.Context, name)
		if err != nil {
			return bookmarkChangedMsg{err: err}
		}
		return bookmarkChangedMsg{said: "removed " + models.Printable(name) + "; u brings it back", removed: &b, at: at}
	})
}

func (ed *bookmarkChanges) undo() tea.Cmd {
	b, at := *ed.removed, ed.removedAt
	return ed.change(func(on *workspace.Workspace) bookmarkChangedMsg {
		return bookmarkChangedMsg{err: on.Bookmarks.Insert(ed.s.env.Context, b, at), name: b.Name, said: models.Printable(b.Name) + " is back", back: true}
	})
}

func (ed *bookmarkChanges) move(by int) tea.Cmd {
	name := ed.s.selected().Name
	return ed.change(func(on *workspace.Workspace) bookmarkChangedMsg {
		return bookmarkChangedMsg{err: on.Bookmarks.Move(ed.s.env.Context, name, by), name: name}
	})
}

// Update handles what the root does not take for itself.
func (s *bookmarksScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case bookmarksReadMsg:
		s.Took(msg)
		return nil
	case bookmarkChangedMsg:
		return s.edits.changed(msg)
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	if press, ok := msg.(tea.KeyPressMsg); ok && !s.list.Typing() {
		if cmd, used := screen.Press(s.actions, press); used {
			return cmd
		}
		switch press.String() {
		case "pgdown", "pgup":
			s.text.Update(press)
			return nil
		}
	}
	cmd, _ := s.list.Update(msg)
	s.refresh()
	return cmd
}

// changed reads the file again, whatever came of changing it.
func (ed *bookmarkChanges) changed(msg bookmarkChangedMsg) tea.Cmd {
	ed.busy = false
	if msg.err != nil {
		return tea.Batch(ed.s.read(), screen.Send(screen.NoticeMsg{Text: msg.err.Error(), Bad: true}))
	}
	ed.s.goTo = msg.name
	switch {
	case msg.removed != nil:
		ed.removed, ed.removedAt = msg.removed, msg.at
	case msg.back:
		ed.removed = nil
	}
	if msg.said == "" {
		return ed.s.read()
	}
	return tea.Batch(ed.s.read(), screen.Send(screen.NoticeMsg{Text: msg.said}))
}

// Click chooses a bookmark; a second click on it opens it.
func (s *bookmarksScreen) Click(x, y int) tea.Cmd {
	if s.Box != nil {
		return s.ClickBox(x, y)
	}
	if l := s.place().list; l.Has(x, y) {
		if again, _ := s.list.Click(x-l.X-1, y-l.Y-1); again && s.cannotOpen() == "" {
			return s.open()
		}
	}
	s.refresh()
	return nil
}

// Wheel scrolls what is under the mouse.
func (s *bookmarksScreen) Wheel(x, y int, up bool) tea.Cmd {
	switch {
	case s.Box != nil:
		s.WheelBox(up)
	case s.place().text.Has(x, y):
		s.text.Wheel(up)
	default:
		s.list.Wheel(up)
		s.refresh()
	}
	return nil
}

// guide introduces the screen in its help.
var guide = screen.Guide{
	Purpose: "Bookmarked items and queries. They are stored in a file that a team can share.",
	First:   "press enter to open a bookmark. Press b on an item or a query to add one.",
	Signs:   screen.MaskSigns,
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "bookmarks", Title: "Bookmarks",
		Does:    "Bookmarked items and queries.",
		Actions: (&bookmarksScreen{}).makeActions(), Pieces: screen.MovingKeys(),
	}
}
