package item

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rawTab shows the item as JSON. It is the source of its lines.
type rawTab struct {
	base
	found  *itemSearch
	scroll *widget.Lines
	format *items.Format
	w, h   int
	made   int // width that the lines were made for, 0: none
	text   []string
	lines  []rawLine
	needle string // folded text that is highlighted, "" for none
	hits   []int  // lines of the JSON that contain it
	at     int    // line of the JSON of the match that is shown, -1 for none
}

// rawLine is a line of the JSON, or a part of one that is too long for the tab.
type rawLine struct {
	of   int // line of the JSON
	text string
}

func newRawTab(s *subject, found *itemSearch) *rawTab {
	return &rawTab{base: base{s}, found: found, scroll: widget.NewScroll(s.env.Styles), format: items.DynamoDB, at: -1}
}

func (t *rawTab) title() string {
	if t.s.plain {
		return ""
	}
	return "Raw"
}

func (t *rawTab) other() string {
	if t.format == items.JSON {
		return "DynamoDB JSON"
	}
	return "plain JSON"
}

func (t *rawTab) note() string { return "enter shows " + t.other() }

func (t *rawTab) setStyles(st *widget.Styles) { t.scroll.SetStyles(st) }

func (t *rawTab) view() string { return t.scroll.View() }

func (t *rawTab) mouse() widget.Clickable { return t.scroll }

func (t *rawTab) update(msg tea.Msg) (tea.Cmd, bool) { return nil, t.scroll.Update(msg) }

func (t *rawTab) search() command { return t.found.in(t) }

func (t *rawTab) more() command { return t.found.next(t) }

func (t *rawTab) enter() command {
	return command{word: t.other(), run: func() tea.Cmd {
		if t.format = items.JSON; t.other() == "plain JSON" {
			t.format = items.DynamoDB
		}
		t.made = 0
		t.setSize(t.w, t.h)
		return nil
	}}
}

func (t *rawTab) remake() { t.made = 0 }

func (t *rawTab) setSize(w, h int) {
	t.w, t.h = w, h
	if w != t.made && w > 1 {
		t.made, t.lines = w, t.lines[:0]
		t.text = compact(strings.Split(strings.TrimRight(t.format.Item(t.s.facts.masked), "\n"), "\n"))
		for i, line := range t.text {
			for rest := line; ; {
				var part string
				part, rest = present.CutCells(rest, max(w-3, 16))
				if t.lines = append(t.lines, rawLine{i, part}); rest == "" {
					break
				}
			}
		}
		t.found.again(t)
		t.scroll.SetSource(t)
	}
	t.scroll.SetSize(w, h)
	if t.found.of(t) {
		t.show(t.found.at)
	}
}

func compact(lines []string) []string {
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

func (t *rawTab) find(needle string) int {
	t.needle, t.hits, t.at = needle, t.hits[:0], -1
	for i, line := range t.text {
		if needle != "" && strings.Contains(widget.Fold(line), needle) {
			t.hits = append(t.hits, i)
		}
	}
	return len(t.hits)
}

func (t *rawTab) endFind() { t.find("") }

func (t *rawTab) show(n int) {
	if n < len(t.hits) {
		t.at = t.hits[n]
		t.scroll.Go(slices.IndexFunc(t.lines, func(l rawLine) bool { return l.of == t.at }))
	}
}

// Len is how many lines there are.
func (t *rawTab) Len() int { return len(t.lines) }

// Skip reports no line: the text has no cursor.
func (t *rawTab) Skip(int) bool { return false }

// Line draws a line; that of the current match looks like one under a cursor.
func (t *rawTab) Line(i int, on widget.Surface, w int) string {
	l := t.lines[i]
	if t.needle != "" && l.of == t.at {
		on = widget.SurfaceCursor
	}
	line := widget.NewStrip(t.s.env.Styles, on, w)
	line.Put(widget.RoleText, " ")
	name, value, ok := strings.Cut(l.text, `": `)
	if !ok || i > 0 && t.lines[i-1].of == l.of || models.Truncate(name, w) != name {
		line.Highlight(widget.RoleText, l.text, t.needle, w)
		return line.String()
	}
	line.Highlight(widget.RoleKey, name+`"`, t.needle, w)
	line.Put(widget.RoleFaint, ": ")
	line.Highlight(widget.RoleText, value, t.needle, w)
	return line.String()
}
