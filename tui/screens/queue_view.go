package screens

import (
	"fmt"
	"strings"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queueLayout is where things are.
type queueLayout struct {
	tabs, panel, about, rule, grid, preview rect
}

// SetSize sets the rectangle.
func (s *queueScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.arrange()
}

func (s *queueScreen) arrange() {
	var l queueLayout
	y := 0
	if len(s.jobs) > 1 {
		l.tabs = rect{0, 0, s.w, min(1, s.h)}
		y = 1
	}
	l.panel = rect{0, y, s.w, max(s.h-y, 0)}
	iw, ih := widget.PanelInner(l.panel.w, l.panel.h)
	y++
	end := y + ih
	place := func(h int) rect {
		r := rect{1, y, iw, max(min(h, end-y), 0)}
		y += r.h
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
		j.grid.SetSize(l.grid.w, l.grid.h-s.errorHeight())
	}
	s.lay = l
}

// errorHeight is the room for an error below rows.
func (s *queueScreen) errorHeight() int {
	if j := s.job(); j != nil && j.err != nil && j.rows.Len() > 0 {
		return 3
	}
	return 0
}

// View draws the screen and the box over it.
func (s *queueScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	s.arrange()
	st, j := s.env.Styles, s.job()
	if j == nil {
		text := "No queue. The document of this profile names nothing that waits for somebody."
		return widget.Panel{Title: "Queues", Focused: true}.Render(st, "\n "+st.Paint(widget.RoleMuted, text), s.w, s.h)
	}
	l := s.lay
	content := widget.Rows(
		widget.Place(" "+s.aboutLine(j), l.about.w, l.about.h),
		widget.Place(s.ruleLine(j), l.rule.w, l.rule.h),
		s.viewRows(j),
		s.viewPreview(j),
	)
	screen := widget.Panel{Title: j.queue.Title, Note: s.clockNote(j), Focused: true}.Render(st, content, l.panel.w, l.panel.h)
	if l.tabs.h > 0 {
		screen = widget.Rows(s.tabs.Render(st, l.tabs.w), screen)
	}
	return s.drawBox(st, screen, s.w, s.h)
}

// clockNote says how the queue is kept up to date.
func (s *queueScreen) clockNote(j *queueJob) string {
	switch {
	case j.scan:
		return "ctrl+r reads it again"
	case !s.auto:
		return "‖ paused, t goes on"
	}
	return fmt.Sprintf("↻ every %d s", int(queueInterval.Seconds()))
}

// aboutLine is what the queue is, or the wait for it.
func (s *queueScreen) aboutLine(j *queueJob) string {
	st, w := s.env.Styles, s.lay.about.w
	if j.loading() && j.elapsed >= widget.BusyAfter {
		requests, capacity := j.figures.progress.Requests()
		detail := join(j.figures.progress.Retrying(), fmt.Sprintf("%s · %g RCU", plural(requests, "request"), capacity), " · ")
		return widget.Busy{
			What: "reading " + j.queue.Pattern.Table.Name, Detail: detail, Cancel: "esc cancels", Elapsed: j.elapsed, Fraction: -1,
		}.Render(st, w-1)
	}
	text := strings.TrimRight(j.queue.Description, "\n ")
	if !j.queue.Documented {
		text = join(text, "derived: the document does not list this queue", " · ")
	}
	return st.Paint(widget.RoleMuted, text)
}

func (s *queueScreen) ruleLine(j *queueJob) string {
	title := j.grid.Position()
	if j.rows.Len() == 0 {
		title = ""
	}
	note := ""
	if n := j.marked(); n > 0 {
		note = "letters act on what is marked"
	}
	return widget.Rule(s.env.Styles, title, note, s.lay.rule.w)
}

func (s *queueScreen) viewRows(j *queueJob) string {
	st, l := s.env.Styles, s.lay.grid
	if l.h <= 0 {
		return ""
	}
	next := "ctrl+r tries again"
	if j.err != nil && j.rows.Len() == 0 {
		return widget.Place("\n"+strings.Join(errorLines(st, j.err, l.w-4, next), "\n"), l.w, l.h)
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
	if n := s.errorHeight(); n > 0 {
		return widget.Rows(j.grid.View(), widget.Place(strings.Join(errorLines(st, j.err, l.w-4, next), "\n"), l.w, n))
	}
	return j.grid.View()
}

// viewPreview says more about the row under the cursor.
func (s *queueScreen) viewPreview(j *queueJob) string {
	l := s.lay.preview
	if l.h <= 0 {
		return ""
	}
	row := j.selected()
	if row == nil {
		return widget.Place("", l.w, l.h)
	}
	shown := j.rows.row(j.grid.Cursor())
	if s.preview.row != shown || s.preview.size != l {
		s.preview = preview{row: shown, size: l, lines: s.previewLines(j, row, shown)}
	}
	return s.preview.lines
}

func (s *queueScreen) previewLines(j *queueJob, row *queueRow, r *row) string {
	st, l, t := s.env.Styles, s.lay.preview, j.queue.Pattern.Table
	note := "enter opens"
	if row.gone {
		note = "it waits no longer · enter opens"
	}
	lines := []string{widget.Rule(st, itemTitle(r), note, l.w)}
	strip := lifecycleOf(st, r)
	if due := dueLine(st, t, row.item, s.env.Session.Now()); due != "" {
		strip += st.Paint(widget.RoleFaint, "   ") + due
	}
	if strip != "" {
		lines = append(lines, " "+strip)
	}
	lines = append(lines, keyLine(st, t, r))
	if len(lines) < l.h {
		lines = append(lines, " "+figuresOf(s.env, r, j.rows.paths, l.w))
	}
	return widget.Place(strings.Join(lines, "\n"), l.w, l.h)
}

// Cursor is the terminal's cursor where text is typed.
func (s *queueScreen) Cursor() *tea.Cursor {
	if s.box == nil {
		return nil
	}
	return s.box.Cursor()
}
