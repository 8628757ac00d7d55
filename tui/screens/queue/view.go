package queue

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// layout is the rectangles of the parts. panel includes its frame:
//
//	  tabs        one for each queue, if there are several
//	╭ panel ──────────────────────────── ↻ every 15 s ─╮
//	│ about       what the queue is, or the progress   │
//	│ rule        position of the cursor, marks        │
//	│ grid        the rows                             │
//	│ preview     more about the row                   │
//	╰──────────────────────────────────────────────────╯
type layout struct {
	tabs, panel, about, rule, grid, preview widget.Rect
}

// SetSize sets the size of the screen in cells.
func (s *queueScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.arrange()
}

func (s *queueScreen) arrange() {
	var l layout
	rest := widget.Rect{W: s.w, H: s.h}
	place := func(h int) widget.Rect {
		r := rest
		r.H = max(min(h, rest.H), 0)
		rest.Y, rest.H = rest.Y+r.H, rest.H-r.H
		return r
	}
	if len(s.jobs) > 1 {
		l.tabs = place(1)
	}
	l.panel = rest
	rest = rest.Inner()
	previewHeight := 0
	switch {
	case rest.H >= 26:
		previewHeight = 5
	case rest.H >= 15:
		previewHeight = 4
	}
	l.about, l.rule = place(1), place(1)
	l.grid = place(rest.H - previewHeight)
	l.preview = place(previewHeight)
	if j := s.job(); j != nil {
		j.rows.Grid.SetSize(l.grid.W, results.RowsHeight(l.grid.H, j.rows.Len(), j.err))
	}
	s.lay = l
}

// View draws the screen and the box over it.
func (s *queueScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	s.arrange()
	st, j, l := s.env.Styles, s.job(), s.lay
	if j == nil {
		text := "No queues. The document of this profile describes none."
		return widget.Panel{Title: "Queues", Focused: true}.Render(st, "\n "+st.Paint(widget.RoleMuted, text), s.w, s.h)
	}
	note := "enter opens"
	if row := j.selected(); row != nil && row.gone {
		note = "resolved · enter opens"
	}
	content := widget.Rows(
		widget.Place(" "+s.aboutLine(j), l.about.W, l.about.H),
		widget.Place(s.ruleLine(j), l.rule.W, l.rule.H),
		s.viewRows(j),
		j.rows.Preview(l.preview.W, l.preview.H, note, false),
	)
	screen := widget.Panel{Title: j.queue.Title, Note: s.auto.refreshNote(j), Focused: true}.Render(st, content, l.panel.W, l.panel.H)
	if l.tabs.H > 0 {
		screen = widget.Rows(s.tabs.Render(st, l.tabs.W), screen)
	}
	return s.DrawBox(st, screen, s.w, s.h)
}

func (r *refresher) refreshNote(j *queueJob) string {
	switch {
	case !j.ready:
		return ""
	case j.scan:
		return "ctrl+r refreshes"
	case r.clock.off:
		return "‖ paused, t resumes"
	}
	return fmt.Sprintf("↻ every %d s", int(interval.Seconds()))
}

func (s *queueScreen) aboutLine(j *queueJob) string {
	st, w := s.env.Styles, s.lay.about.W
	if j.task.Running() && j.task.Elapsed >= widget.BusyAfter {
		requests, capacity := j.task.Progress.Requests()
		figures := present.Spent(requests, "request", capacity)
		return widget.Busy{
			What: "reading " + j.queue.Pattern.Table.Name, Detail: present.Join(j.task.Progress.Retrying(), figures, " · "),
			Cancel: "esc cancels", Elapsed: j.task.Elapsed, Fraction: -1,
		}.Render(st, w-1)
	}
	text := present.Join(givenText(s.env, j), strings.TrimRight(j.queue.Description, "\n "), " · ")
	if !j.queue.Documented {
		text = present.Join(text, "derived: the document does not list this queue", " · ")
	}
	return st.Paint(widget.RoleMuted, text)
}

func (s *queueScreen) ruleLine(j *queueJob) string {
	title, note := "", ""
	if j.rows.Len() > 0 {
		title = j.rows.Grid.Position()
	}
	if j.rows.Marks.Len() > 0 {
		note = "actions apply to the marked rows"
	}
	return widget.Rule(s.env.Styles, title, note, s.lay.rule.W)
}

func (s *queueScreen) viewRows(j *queueJob) string {
	l, grid := s.lay.grid, j.rows.Grid
	switch {
	case !j.ready:
		grid.SetEmpty("This queue needs "+english.WordSeries(j.paramNames(), "and"),
			"Press enter to enter it, or open the queue from the Related tab of an item.")
	case j.needsConsent():
		grid.SetEmpty("This queue reads the whole table "+j.queue.Pattern.Table.Name, "enter shows the cost and asks first")
	case j.task != nil && j.task.Stopped && !j.ran:
		grid.SetEmpty("Stopped before the first page", "ctrl+r reads it again")
	case !j.ran:
		grid.SetEmpty("", "")
	default:
		grid.SetEmpty("No items need a decision", "as of "+j.figures.at.UTC().Format("15:04:05")+" UTC")
	}
	return results.ViewGrid(s.env.Styles, grid, l.W, l.H, j.rows.Len(), j.err, "ctrl+r tries again")
}

func (s *queueScreen) mousePanes() widget.Panes {
	j := s.job()
	if j == nil {
		return nil
	}
	tabs := func(x, _ int) tea.Cmd {
		before := s.tabs.Active
		if s.tabs.Click(x) && s.tabs.Active != before {
			return s.turnTo(s.tabs.Active)
		}
		return nil
	}
	return widget.Panes{
		{Rect: s.lay.tabs, Other: tabs},
		{Rect: s.lay.grid, Content: j.rows.Grid, Open: s.enter},
		{Rect: s.lay.panel, Scroll: j.rows.Grid.Wheel},
	}
}
