package queue

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queueLayout is where things are.
type queueLayout struct {
	tabs, panel, about, rule, grid, preview overlay.Rect
}

// SetSize sets the rectangle.
func (s *queueScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.Arrange()
}

func (s *queueScreen) Arrange() {
	var l queueLayout
	y := 0
	if len(s.jobs) > 1 {
		l.tabs = overlay.Rect{X: 0, Y: 0, W: s.w, H: min(1, s.h)}
		y = 1
	}
	l.panel = overlay.Rect{X: 0, Y: y, W: s.w, H: max(s.h-y, 0)}
	iw, ih := widget.PanelInner(l.panel.W, l.panel.H)
	y++
	end := y + ih
	place := func(h int) overlay.Rect {
		r := overlay.Rect{X: 1, Y: y, W: iw, H: max(min(h, end-y), 0)}
		y += r.H
		return r
	}
	previewHeight := 0
	switch {
	case ih >= 26:
		previewHeight = 5
	case ih >= 15:
		previewHeight = 4
	}
	l.about = place(1)
	l.rule = place(1)
	l.grid = place(end - y - previewHeight)
	l.preview = place(previewHeight)
	if j := s.job(); j != nil {
		j.grid.SetSize(l.grid.W, l.grid.H-s.draw.errorHeight())
	}
	s.lay = l
}

// errorHeight is the room for an error below rows.
func (dr *queueDrawing) errorHeight() int {
	if j := dr.s.job(); j != nil && j.err != nil && j.rows.Len() > 0 {
		return 3
	}
	return 0
}

// View draws the screen and the box over it.
func (s *queueScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	s.Arrange()
	st, j := s.env.Styles, s.job()
	if j == nil {
		text := "No queue. The document of this profile names nothing that waits for somebody."
		return widget.Panel{Title: "Queues", Focused: true}.Render(st, "\n "+st.Paint(widget.RoleMuted, text), s.w, s.h)
	}
	l := s.lay
	content := widget.Rows(
		widget.Place(" "+s.draw.aboutLine(j), l.about.W, l.about.H),
		widget.Place(s.draw.ruleLine(j), l.rule.W, l.rule.H),
		s.draw.viewRows(j),
		s.draw.viewPreview(j),
	)
	screen := widget.Panel{Title: j.queue.Title, Note: s.clock.clockNote(j), Focused: true}.Render(st, content, l.panel.W, l.panel.H)
	if l.tabs.H > 0 {
		screen = widget.Rows(s.tabs.Render(st, l.tabs.W), screen)
	}
	return s.DrawBox(st, screen, s.w, s.h)
}

// clockNote says how the queue is kept up to date.
func (ck *queueClock) clockNote(j *queueJob) string {
	switch {
	case j.scan:
		return "ctrl+r reads it again"
	case !ck.auto:
		return "‖ paused, t goes on"
	}
	return fmt.Sprintf("↻ every %d s", int(queueInterval.Seconds()))
}

// aboutLine is what the queue is, or the wait for it.
func (dr *queueDrawing) aboutLine(j *queueJob) string {
	st, w := dr.s.env.Styles, dr.s.lay.about.W
	if j.loading() && j.elapsed >= widget.BusyAfter {
		requests, capacity := j.figures.progress.Requests()
		detail := present.Join(
			j.figures.progress.Retrying(), fmt.Sprintf("%s · %g RCU", present.Plural(requests, "request"), capacity), " · ",
		)
		return widget.Busy{
			What: "reading " + j.queue.Pattern.Table.Name, Detail: detail, Cancel: "esc cancels", Elapsed: j.elapsed, Fraction: -1,
		}.Render(st, w-1)
	}
	text := strings.TrimRight(j.queue.Description, "\n ")
	if !j.queue.Documented {
		text = present.Join(text, "derived: the document does not list this queue", " · ")
	}
	return st.Paint(widget.RoleMuted, text)
}

func (dr *queueDrawing) ruleLine(j *queueJob) string {
	title := j.grid.Position()
	if j.rows.Len() == 0 {
		title = ""
	}
	note := ""
	if n := j.Marked(); n > 0 {
		note = "actions apply to the marked rows"
	}
	return widget.Rule(dr.s.env.Styles, title, note, dr.s.lay.rule.W)
}

func (dr *queueDrawing) viewRows(j *queueJob) string {
	st, l := dr.s.env.Styles, dr.s.lay.grid
	if l.H <= 0 {
		return ""
	}
	next := "ctrl+r tries again"
	if j.err != nil && j.rows.Len() == 0 {
		return widget.Place("\n"+strings.Join(present.ErrorLines(st, j.err, l.W-4, next), "\n"), l.W, l.H)
	}
	switch {
	case j.needsConsent():
		j.grid.SetEmpty("this queue reads the whole table "+j.queue.Pattern.Table.Name, "enter asks what that costs")
	case j.stopped && !j.ran:
		j.grid.SetEmpty("stopped before the answer", "ctrl+r asks again")
	case !j.ran:
		j.grid.SetEmpty("", "")
	default:
		j.grid.SetEmpty("nothing waits", "as of "+j.figures.at.UTC().Format("15:04:05")+" UTC")
	}
	if n := dr.errorHeight(); n > 0 {
		return widget.Rows(j.grid.View(), widget.Place(strings.Join(present.ErrorLines(st, j.err, l.W-4, next), "\n"), l.W, n))
	}
	return j.grid.View()
}

// viewPreview says more about the row under the cursor.
func (dr *queueDrawing) viewPreview(j *queueJob) string {
	l := dr.s.lay.preview
	if l.H <= 0 {
		return ""
	}
	row := j.selected()
	if row == nil {
		return widget.Place("", l.W, l.H)
	}
	shown := j.rows.Row(j.grid.Cursor())
	if dr.preview.Row != shown || dr.preview.Size != l {
		dr.preview = results.Preview{Row: shown, Size: l, Lines: dr.previewLines(j, row, shown)}
	}
	return dr.preview.Lines
}

func (dr *queueDrawing) previewLines(j *queueJob, row *queueRow, r *results.Row) string {
	st, l, t := dr.s.env.Styles, dr.s.lay.preview, j.queue.Pattern.Table
	note := "enter opens"
	if row.gone {
		note = "resolved · enter opens"
	}
	lines := []string{widget.Rule(st, results.ItemTitle(r), note, l.W)}
	strip := results.LifecycleOf(st, r)
	if due := results.DueLine(st, t, row.item, dr.s.env.Session.Now()); due != "" {
		strip += st.Paint(widget.RoleFaint, "   ") + due
	}
	if strip != "" {
		lines = append(lines, " "+strip)
	}
	lines = append(lines, results.KeyLine(st, t, r))
	if len(lines) < l.H {
		lines = append(lines, " "+results.FiguresOf(dr.s.env, r, j.rows.Paths, l.W))
	}
	return widget.Place(strings.Join(lines, "\n"), l.W, l.H)
}

// Cursor is the terminal's cursor where text is typed.
func (s *queueScreen) Cursor() *tea.Cursor {
	if s.Box == nil {
		return nil
	}
	return s.Box.Cursor()
}
