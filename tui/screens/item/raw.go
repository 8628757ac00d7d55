package item

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A textTab shows lines that it builds for a given width.
type textTab struct {
	base
	titleText, noteText func() string        // return the title and the note
	lines               func(w int) []string // returns lines of at most w cells
	onEnter             func() command       // handles enter; may be nil
	pager               *widget.Pager
	w, h                int
}

func (t *textTab) title() string { return t.titleText() }

func (t *textTab) note() string { return t.noteText() }

func (t *textTab) remake() { t.pager.Invalidate() }

func (t *textTab) setStyles(st *widget.Styles) { t.pager.SetStyles(st) }

// textMargin is the number of blank columns, one on each side.
const textMargin = 2

func (t *textTab) setSize(w, h int) {
	t.w, t.h = w, h
	w -= textMargin
	t.pager.SetSize(w, h)
	if w > 1 {
		t.pager.Make(nil, w-1, t.lines) // The last column contains the scroll bar.
	}
}

func (t *textTab) view() string { return widget.Indent(t.pager.View(), t.w, t.h) }

func (t *textTab) mouse() widget.Clickable { return t.pager }

func (t *textTab) update(msg tea.Msg) (tea.Cmd, bool) { return nil, t.pager.Update(msg) }

func (t *textTab) enter() command {
	if t.onEnter == nil {
		return t.base.enter()
	}
	return t.onEnter()
}

func newRawTab(s *itemData) *textTab {
	t := &textTab{base: base{s}, pager: widget.NewPager(s.env.Styles)}
	format, other, word := items.DynamoDB, items.JSON, "plain JSON"
	t.titleText = func() string {
		if s.plain {
			return ""
		}
		return "Raw"
	}
	t.noteText = func() string { return "enter show " + word }
	t.lines = func(w int) []string {
		lines := strings.Split(strings.TrimRight(format.Item(s.facts.masked), "\n"), "\n")
		return present.JSONLines(s.env.Styles, joinShortObjects(lines), w)
	}
	t.onEnter = func() command {
		return command{word: word, run: func() tea.Cmd {
			if format, other = other, format; other == items.JSON {
				word = "plain JSON"
			} else {
				word = "DynamoDB JSON"
			}
			t.pager.Invalidate()
			t.setSize(t.w, t.h)
			return nil
		}}
	}
	return t
}

func joinShortObjects(lines []string) []string {
	out := lines[:0]
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if i+2 < len(lines) && strings.HasSuffix(line, "{") && strings.HasPrefix(strings.TrimSpace(lines[i+2]), "}") {
			line += strings.TrimSpace(lines[i+1]) + strings.TrimSpace(lines[i+2])
			i += 2
		}
		out = append(out, line)
	}
	return out
}
