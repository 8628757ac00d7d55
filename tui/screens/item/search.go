package item

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// itemSearch is the text that is searched for in the overview, and what was found.
type itemSearch struct {
	find  *widget.Find
	in    *overviewTab
	found int // number of matches
	at    int // the match under the cursor
}

func (f *itemSearch) active() bool { return f.find.Typing() || f.find.Text() != "" }

func (f *itemSearch) of(t tab) bool { return f.active() && t == tab(f.in) }

func (f *itemSearch) typing(t tab) bool { return f.find.Typing() && f.of(t) }

// leave keeps the text of a search that another tab than t has.
func (f *itemSearch) leave(t tab) {
	switch {
	case f.of(t) || !f.active():
	case f.find.Text() == "":
		f.end()
	default:
		f.find.Stop()
	}
}

func (f *itemSearch) start() tea.Cmd {
	f.find.Start()
	f.changed()
	return nil
}

func (f *itemSearch) end() {
	f.find.Clear()
	f.found, f.at = 0, 0
	f.in.endFind()
}

func (f *itemSearch) changed() {
	f.at = 0
	f.again()
	f.in.show(0)
}

func (f *itemSearch) update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc":
			f.end()
			return nil
		case "enter":
			if f.find.Stop(); f.find.Text() == "" {
				f.end()
			}
			return nil
		case "up", "ctrl+p":
			return f.move(-1)
		case "down", "ctrl+n":
			return f.move(1)
		}
	}
	cmd, changed := f.find.Update(msg)
	if changed {
		f.changed()
	}
	return cmd
}

func (f *itemSearch) move(by int) tea.Cmd {
	if f.found > 0 {
		f.at = (f.at + by + f.found) % f.found
		f.in.show(f.at)
	}
	return nil
}

func (f *itemSearch) next() command {
	switch {
	case !f.active():
		return command{why: "no search; press / to start one"}
	case f.found == 0:
		return command{why: "no match for " + models.PrintableCell(f.find.Text(), 40)}
	}
	return command{run: func() tea.Cmd { return f.move(1) }}
}

func (f *itemSearch) again() {
	if f.active() {
		f.found = f.in.find(f.find.Needle())
		f.at = min(f.at, max(f.found-1, 0))
	}
}

func searchHints() widget.Actions {
	hint := func(desc, help string, keys ...string) widget.Action {
		return widget.Action{Binding: widget.Bind(help, keys...), Desc: desc}
	}
	return widget.Actions{hint("keep", "enter", "enter"), hint("matches", "↑↓", "down", "up"), hint("leave", "esc", "esc")}
}

func (f *itemSearch) frame(w int) (title, note string, cursor int) {
	text, at := f.find.Shown(max(w-42, 12))
	if f.find.Text() == "" {
		return "/ search names and values", "esc close", 2
	}
	note = "no match · esc close"
	if f.found > 0 {
		keys := "n next, esc close"
		if f.find.Typing() {
			keys = "enter keeps, esc close"
		}
		note = fmt.Sprintf("%d of %s · %s", f.at+1, present.Thousands(f.found), keys)
	}
	return "/ " + text, note, 2 + at
}

func (f *itemSearch) cursor(w, y int) *tea.Cursor {
	title, _, cursor := f.frame(w)
	return widget.Caret(min(2+cursor, 2+ansi.StringWidth(title)), y)
}
