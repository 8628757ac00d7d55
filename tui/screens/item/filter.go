package item

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (o *overviewTab) active() bool { return o.input.Typing() || o.input.Text() != "" }

func (o *overviewTab) typing() bool { return o.input.Typing() }

// stopTyping keeps the text of a search.
func (o *overviewTab) stopTyping() {
	if o.input.Stop(); o.input.Text() == "" {
		o.endSearch()
	}
}

func (o *overviewTab) cancel() bool {
	active := o.active()
	if active {
		o.endSearch()
	}
	return active
}

func (o *overviewTab) startSearch() tea.Cmd {
	o.input.Start()
	o.changed()
	return nil
}

func (o *overviewTab) endSearch() {
	o.input.Clear()
	o.matches, o.match = 0, 0
	o.endFind()
}

func (o *overviewTab) changed() {
	o.match = 0
	o.again()
	o.show(0)
}

func (o *overviewTab) searchKey(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc":
			o.endSearch()
			return nil
		case "enter":
			o.stopTyping()
			return nil
		case "up", "ctrl+p":
			return o.toMatch(-1)
		case "down", "ctrl+n":
			return o.toMatch(1)
		}
	}
	cmd, changed := o.input.Update(msg)
	if changed {
		o.changed()
	}
	return cmd
}

func (o *overviewTab) toMatch(by int) tea.Cmd {
	if o.matches > 0 {
		o.match = (o.match + by + o.matches) % o.matches
		o.show(o.match)
	}
	return nil
}

func (o *overviewTab) more() command {
	switch {
	case !o.active():
		return command{why: "no search; press / to start one"}
	case o.matches == 0:
		return command{why: "no match for " + models.PrintableCell(o.input.Text(), 40)}
	}
	return command{run: func() tea.Cmd { return o.toMatch(1) }}
}

func (o *overviewTab) again() {
	if o.active() {
		o.matches = o.find(widget.Fold(o.input.Text()))
		o.match = min(o.match, max(o.matches-1, 0))
	}
}

func searchHints() widget.Actions {
	return widget.Actions{widget.Hint("enter", "keep"), widget.Hint("↑↓", "matches", "down", "up"), widget.Hint("esc", "leave")}
}

func (o *overviewTab) frame(w int) (title, note string, cursor int) {
	text, at := o.input.Shown(max(w-42, 12))
	if o.input.Text() == "" {
		return "/ search names and values", "esc close", 2
	}
	note = "no match · esc close"
	if o.matches > 0 {
		keys := "n next, esc close"
		if o.input.Typing() {
			keys = "enter keeps, esc close"
		}
		note = fmt.Sprintf("%d of %s · %s", o.match+1, present.Thousands(o.matches), keys)
	}
	return "/ " + text, note, 2 + at
}

func (o *overviewTab) cursor(w, y int) *tea.Cursor {
	title, _, cursor := o.frame(w)
	return widget.Caret(min(2+cursor, 2+ansi.StringWidth(title)), y)
}
