package item

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A historyTab shows the item's past states, with the time spent in each, and below them a sentence for each history
// entry.
type historyTab struct {
	base
	events
	list       *widget.Lines
	paths      []*lifecyclePath
	pathLines  []string // lines of the lifecycles
	drawnWidth int      // width of top; 0 before the first drawing
	h          int
	cells      eventCells
}

func newHistoryTab(s *itemData) *historyTab {
	t := &historyTab{base: base{s}, events: events{itemData: s}, list: widget.NewLines(s.env.Styles)}
	t.list.SetSource(t)
	return t
}

func (t *historyTab) title() string {
	e := t.s.facts.entity
	switch {
	case e == nil || len(e.Lifecycles) == 0 && len(t.env.Session.Profile().TrailsOf(e)) == 0:
		return ""
	case present.CannotReadTrails(t.s.env, e):
		return "History ✗"
	}
	return "History"
}

func (t *historyTab) note() string { return present.Zone(t.s.env.Now()) }

func (t *historyTab) setStyles(st *widget.Styles) {
	t.list.SetStyles(st)
	t.drawnWidth = 0
}

func (t *historyTab) mouse() widget.Clickable { return offsetClickable{t.list, len(t.pathLines)} }

func (t *historyTab) remake() {
	t.drawnWidth, t.paths, t.cells = 0, nil, eventCells{}
	for i := range t.pastEntries {
		t.cells.include(t.event(i), t.env.Now())
	}
	if e := t.s.facts.entity; e != nil {
		for _, l := range e.Lifecycles {
			t.paths = append(t.paths, newLifecyclePath(t.s, l))
		}
	}
}

func (t *historyTab) opened(byUser bool) tea.Cmd { return t.begin(byUser) }

func (t *historyTab) cancel() bool { return t.events.cancel() }

func (t *historyTab) loadMore() command { return t.loadOlder() }

func (t *historyTab) update(msg tea.Msg) (tea.Cmd, bool) {
	used := t.list.Update(msg)
	if at, ok := t.list.At(); ok && t.more && t.err == nil && !t.stopped && at == len(t.entries)-1 {
		return t.load(), used
	}
	return nil, used
}

func (t *historyTab) enter() command {
	at, ok := t.list.At()
	switch {
	case !ok || at >= len(t.entries):
		return command{word: "open", reason: "no entry to open"}
	case t.entries[at].Trail == nil:
		return command{word: "open", reason: "no audit entry describes this change"}
	}
	e := t.entries[at]
	return command{word: "open", run: func() tea.Cmd { return screen.Open(screen.Item{Table: e.Table, Item: e.Item}) }}
}

// entryRows is the minimum number of lines for the entries and the line below them.
const entryRows = 5

// rows returns the number of lines for the entries and, if they fit, for the details, which follow the entries.
func (t *historyTab) rows() (list, details int) {
	room := t.h - len(t.pathLines) - 1
	if free := room + 1 - entryRows; free >= 3 {
		list = min(max(len(t.pastEntries), 1), room-min(free/2+1, 9))
		return list, room - list
	}
	return room, 0
}

func (t *historyTab) setSize(w, h int) {
	if t.drawnWidth != w || t.h != h {
		t.drawnWidth, t.h = w, h
		t.pathLines = t.pathLines[:0]
		for _, path := range t.paths {
			t.pathLines = append(t.pathLines, path.lines(t.s.env.Styles, w, h/len(t.paths)-entryRows, t.s.env.Now())...)
		}
		if len(t.pathLines) > 0 {
			t.pathLines = append(t.pathLines, widget.Rule(t.s.env.Styles, "", "", w))
		}
	}
	rows, _ := t.rows()
	t.list.SetSize(w, max(rows, 0))
}

func (t *historyTab) view() string {
	w, h, st := t.drawnWidth, t.h, t.s.env.Styles
	blocks := []string{strings.Join(t.pathLines, "\n")}
	switch reason := t.emptyReason(); {
	case reason != "":
		blocks = append(blocks, strings.Join(present.IndentLines(widget.Wrap(st, widget.RoleMuted, reason, max(w-4, 1)), 2), "\n"))
	case t.err != nil && len(t.entries) == 0 && !t.loading.Running(): // There is room for the whole error.
		blocks = append(blocks, strings.Join(present.ErrorLines(st, t.err, max(w-4, 1), "n retry"), "\n"))
	default:
		rows, details := t.rows()
		blocks = append(blocks, widget.Place(t.list.View(), w, rows), widget.Place(t.stateLine(st, w), w, 1))
		if details > 0 {
			blocks = append(blocks, t.detail(w, details))
		}
	}
	return widget.Place(widget.Rows(blocks...), w, h)
}

func (t *historyTab) stateLine(st *widget.Styles, w int) string {
	switch {
	case t.loading.Running() && !t.stopped:
		return " " + t.busy().Render(st, max(w-1, 0))
	case t.err != nil:
		return st.PaintCell(widget.RoleBad, widget.SurfacePlain, " ✗ "+t.err.Error()+" · n retry", w, widget.AlignLeft)
	}
	return st.Paint(widget.RoleFaint, " "+t.progressText())
}

func (t *historyTab) detail(w, h int) string {
	st := t.s.env.Styles
	at, ok := t.list.At()
	if !ok || at >= len(t.pastEntries) {
		return widget.Place(widget.Rule(st, "", "", w), w, h)
	}
	e, room := t.pastEntries[at], max(w-4, 1)
	note, label := "", e.WhenText
	if e.Trail != nil {
		note = "enter open the entry"
	}
	if !e.When.IsZero() {
		label = present.When(e.When, t.env.Now())
	}
	lines := []string{widget.Rule(st, models.PrintableCell(label, w/2), note, w)}
	if e.Reason != "" {
		lines = append(lines, present.IndentLines(present.HangingIndent(st, widget.RoleText, "Reason: ",
			models.PrintableCell(e.Reason, 4*planner.MaxValueCells), room), 2)...)
	}
	lines = append(lines, present.IndentLines(planner.ChangeRows(t.s.env, t.s.facts.entity, e.Changes(), room), 2)...)
	return widget.Place(strings.Join(lines[:min(len(lines), h)], "\n"), w, h)
}

// These are the maximum widths, in cells, of the parts of an event. whenCells fits a time in another year.
const (
	whenCells = 18
	textCells = 40
	userCells = 24
)

// eventCells contains the widths of an event's parts in cells.
type eventCells struct{ when, text, user int }

func (c *eventCells) include(e Event, now time.Time) {
	c.when = max(c.when, min(ansi.StringWidth(e.moment(now)), whenCells))
	c.text = max(c.text, min(ansi.StringWidth(e.Text), textCells))
	c.user = max(c.user, min(ansi.StringWidth(e.Who), userCells))
}

func (t *historyTab) Len() int { return len(t.pastEntries) }

func (t *historyTab) Skip(int) bool { return false }

func (t *historyTab) Line(i int, on widget.Surface, w int) string {
	return t.eventLine(on, t.event(i), w)
}

func (t *historyTab) event(i int) Event {
	return eventOf(t.pastEntries[i], t.s.facts.entity, t.env.Session.Profile().ActionsOf(t.s.facts.entity), t.s.label)
}

func (t *historyTab) eventLine(on widget.Surface, e Event, w int) string {
	st, cells := t.env.Styles, t.cells
	line := widget.NewStrip(st, on, w)
	bar := " "
	if on != widget.SurfacePlain {
		bar = "▌"
	}
	line.Put(widget.RoleAccent, bar)
	line.Cell(widget.RoleMuted, models.PrintableCell(e.moment(t.env.Now()), cells.when), cells.when+1, widget.AlignLeft)
	text, user := cells.text+2, cells.user
	if text+user >= line.Room() { // In a narrow pane, users are at the right edge.
		user = min(ansi.StringWidth(e.Who), userCells)
		text = max(line.Room()-user-1, 12)
	}
	line.Cell(widget.RoleText, models.PrintableCell(e.Text, text-1), text, widget.AlignLeft)
	user = max(min(user, line.Room()), 0)
	line.Cell(widget.RoleMuted, models.PrintableCell(e.Who, user), user, widget.AlignLeft)
	if room := line.Room() - 4; e.Reason != "" && room >= 8 {
		line.Put(widget.RoleFaint, "  “"+models.PrintableCell(e.Reason, room)+"”")
	}
	return line.String()
}

// An offsetClickable sends the mouse to a widget below some inactive lines.
type offsetClickable struct {
	widget.Clickable
	lines int
}

func (b offsetClickable) Click(x, y int) (second, ok bool) {
	if y < b.lines {
		return false, false
	}
	return b.Clickable.Click(x, y-b.lines)
}
