package workbench

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// layout is where things are. list and work include their frames.
type layout struct {
	narrow                       bool
	list, work                   overlay.Rect
	form, line, note, rule, body overlay.Rect
	preview                      overlay.Rect
}

// SetSize sets the rectangle.
func (b *Workbench) SetSize(w, h int) {
	b.w, b.h = max(w, 0), max(h, 0)
	b.Arrange()
}

// Arrange computes the layout for the chosen pattern.
func (b *Workbench) Arrange() {
	var l layout
	l.narrow = b.w < present.NarrowBelow
	left := min(max(b.w*32/100, 34), 48)
	if l.narrow {
		left = 0
		l.list = overlay.Rect{X: 0, Y: 0, W: b.w, H: b.h}
	} else {
		l.list = overlay.Rect{X: 0, Y: 0, W: left, H: b.h}
	}
	l.work = overlay.Rect{X: left, Y: 0, W: b.w - left, H: b.h}
	b.list.SetSize(widget.PanelInner(l.list.W, l.list.H))
	if b.job == nil {
		b.lay = l
		return
	}
	iw, ih := widget.PanelInner(l.work.W, l.work.H)
	y := l.work.Y + 1
	place := func(h int) overlay.Rect {
		h = max(min(h, l.work.Y+1+ih-y), 0)
		r := overlay.Rect{X: l.work.X + 1, Y: y, W: iw, H: h}
		y += h
		return r
	}
	formHeight, lines := 1, 2
	j := b.job
	if j.pattern.IsRead() && j.form.Len() > 0 {
		formHeight = min(j.form.Height(iw), max(ih-8, 1))
	}
	if ih < 14 {
		lines = 1
	}
	l.form = place(formHeight)
	l.line = place(1)
	l.note = place(lines - 1)
	l.rule = place(1)
	rest := l.work.Y + 1 + ih - y
	previewHeight := 0
	if j.gridded() && rest >= 12 {
		previewHeight = 4
	}
	if j.gridded() && rest >= 20 {
		previewHeight = 5
	}
	l.body = place(rest - previewHeight)
	l.preview = place(previewHeight)
	j.form.SetSize(l.form.W, l.form.H)
	j.grid.SetSize(l.body.W, l.body.H-b.draw.errorHeight())
	b.lay = l
}

// gridded reports whether rows, or the wait for them, are shown.
func (j *job) gridded() bool {
	return j.pattern.IsRead() && j.pattern.Read.Operation != accesspatterns.Count && j.sent != nil && (j.err == nil || j.rows.Items.Len() > 0)
}

// errorHeight is the room for an error below rows.
func (dr *drawing) errorHeight() int {
	if dr.b.job.err != nil && dr.b.job.rows.Items.Len() > 0 {
		return 3
	}
	return 0
}

// View draws the panes, and what lies over them.
func (b *Workbench) View() string {
	if b.w <= 0 || b.h <= 0 {
		return ""
	}
	b.panes.checkMasker()
	b.Arrange()
	var screen string
	switch {
	case b.job == nil || b.lay.narrow && b.focus == panePatterns:
		screen = b.draw.viewList(b.w)
	case b.lay.narrow:
		screen = b.draw.viewWork()
	default:
		screen = widget.Columns(b.draw.viewList(b.lay.list.W), b.draw.viewWork())
	}
	if b.job != nil {
		if box, x, y, open := b.job.form.Popup(); open {
			screen = widget.OverlayInside(screen, box, b.lay.form.X+x, b.lay.form.Y+y)
		}
	}
	return b.DrawBox(b.env.Styles, screen, b.w, b.h)
}

func (dr *drawing) viewList(w int) string {
	p := widget.Panel{Title: "Patterns", Note: strconv.Itoa(dr.b.list.Len()), Focused: dr.b.focus == panePatterns}
	return p.Render(dr.b.env.Styles, dr.b.list.View(), w, dr.b.h)
}

func (dr *drawing) viewWork() string {
	s, j, l := dr.b.env.Styles, dr.b.job, dr.b.lay
	content := widget.Rows(
		dr.viewForm(),
		widget.Place(" "+dr.viewRequest(), l.line.W, l.line.H),
		widget.Place(dr.viewNote(), l.note.W, l.note.H),
		widget.Place(dr.viewRule(), l.rule.W, l.rule.H),
		dr.viewBody(),
		dr.viewPreview(),
	)
	p := widget.Panel{Title: j.pattern.Title, Note: dr.operationNote(), Focused: dr.b.focus != panePatterns}
	return p.Render(s, content, l.work.W, l.work.H)
}

// operationNote names what a pattern does: QUERY GSI1, or what comes of it.
func (dr *drawing) operationNote() string {
	j := dr.b.job
	p, read := j.pattern, j.pattern.Read
	if dr.b.env.Plainly() {
		return strings.ToLower(p.Group)
	}
	if p.IsRead() {
		read = j.line.Read // A variant may run instead.
	}
	note := strings.ToUpper(string(read.Operation))
	if read.Index != nil {
		note += " " + read.Index.Name
	}
	if p.Writing != nil && p.Writing.API != "" {
		note += " " + p.Writing.API
	}
	return note
}

func (dr *drawing) viewForm() string {
	s, j, l := dr.b.env.Styles, dr.b.job, dr.b.lay.form
	if j.pattern.IsRead() && j.form.Len() > 0 {
		return j.form.View()
	}
	text := "no parameters: enter runs it"
	if !j.pattern.IsRead() {
		text = "a documented write: ddbdesk explains it and does not run it from here"
		if why := dr.b.plans.cannotWrite(); why == "" {
			text = "a documented write: enter asks for its inputs and plans it"
		} else if dr.b.plans.writing() != nil {
			text = why
		}
	}
	return widget.Place(s.Paint(widget.RoleMuted, " "+text), l.W, l.H)
}

// viewRequest is the request as it stands, with what is missing in front.
func (dr *drawing) viewRequest() string {
	s, j := dr.b.env.Styles, dr.b.job
	if !j.pattern.IsRead() {
		return present.WriteLine(s, j.pattern)
	}
	switch {
	case j.line.Problem != "" && len(j.line.Words) == 0:
		return s.Paint(widget.RoleWarn, "… "+j.line.Problem)
	case j.line.Problem != "":
		return s.Paint(widget.RoleWarn, "… "+j.line.Problem) + s.Paint(widget.RoleFaint, "  →  ") + j.line.Paint(s)
	}
	return s.Paint(widget.RoleFaint, "→ ") + j.line.Paint(s)
}

// viewNote is the line about findings, or about the order.
func (dr *drawing) viewNote() string {
	s, p := dr.b.env.Styles, dr.b.job.pattern
	if dr.b.filtering.finding {
		return dr.b.filtering.viewFilter(dr.b.lay.note.W)
	}
	if j := dr.b.job; j.all && j.loading() && !j.cancelled && j.elapsed >= widget.ProgressAfter {
		return s.Paint(widget.RoleMuted, " "+j.figures())
	}
	if o := dr.b.plans.obstacle(); o != nil {
		return present.ObstacleNote(s, o)
	}
	if len(dr.b.job.warnings) > 0 {
		return s.Paint(widget.RoleWarn, " ! "+strings.Join(dr.b.job.warnings, " · "))
	}
	f := p.Defect()
	if f == nil && len(p.Findings) > 0 {
		f = p.Findings[0]
	}
	if f == nil {
		text := "runs as documented"
		if !p.Documented {
			text = "derived: the document does not list this question"
		}
		return s.Paint(widget.RoleFaint, " ✓ "+present.Join(text, p.OrderNote, " · "))
	}
	role := widget.RoleWarn
	if p.Defect() == nil {
		role = widget.RoleMuted
	}
	line := " " + s.Paint(role, "⚠ "+f.ID+" "+strings.ToLower(string(f.Kind)))
	if n := len(p.Findings); n > 1 {
		line += s.Paint(widget.RoleMuted, fmt.Sprintf(" +%d", n-1))
	}
	return line + s.Paint(widget.RoleKey, "  f") + s.Paint(widget.RoleFaint, " explains  ") + s.Paint(
		widget.RoleMuted, present.FindingTitle(f),
	)
}

// viewRule parts the question from the answer: what is waited for, the filter,
// or where the cursor is.
func (dr *drawing) viewRule() string {
	s, j, w := dr.b.env.Styles, dr.b.job, dr.b.lay.rule.W
	if j.loading() && !j.cancelled {
		busy := widget.Busy{
			What: "reading " + j.pattern.Table.Name, Cancel: "esc cancels", Elapsed: j.elapsed, Fraction: -1,
			Detail: j.figures(),
		}
		if j.all {
			busy.What, busy.Cancel = "reading all", "esc stops"
			if l := dr.b.lay.note.H; l > 0 {
				busy.Detail = "" // The line above has it.
			}
			if f := j.progress.Figures(); f.Share > 0 {
				busy.Fraction = f.Share
			}
		}
		if busy.Visible() {
			return " " + busy.Render(s, max(w-1, 0))
		}
	}
	switch {
	case dr.b.filtering.finding && dr.b.lay.note.H > 0:
		return dr.b.filtering.viewAnswer(w)
	case dr.b.filtering.finding:
		return dr.b.filtering.viewFilter(w)
	}
	title, note := j.rows.Account(j.more || j.cancelled), ""
	switch {
	case !j.gridded():
		title = ""
	case j.cancelled:
		title, note = present.Join("stopped: n goes on", title, " · "), j.grid.Position()
	case j.more && title == "":
		note = j.grid.Position() + "+"
	case j.rows.Items.Len() > 0:
		note = j.grid.Position()
	}
	return widget.Rule(s, title, note, w)
}

// figures are what a load has done so far, and why it takes long.
func (j *job) figures() string {
	if j.all {
		items := present.Plural(j.rows.Items.Len(), "item")
		return present.Join(j.progress.Retrying(), present.Join(items, present.ReadFigures(j.progress.Figures()), " · "), " · ")
	}
	requests, capacity := j.progress.Requests()
	return present.Join(j.progress.Retrying(), fmt.Sprintf("%s · %s · %g RCU",
		present.Plural(j.rows.Items.Len(), "item"), present.Plural(j.sums.requests+requests, "request"), j.sums.capacity+capacity), " · ")
}

func (dr *drawing) viewBody() string {
	s, j, l := dr.b.env.Styles, dr.b.job, dr.b.lay.body
	if l.H <= 0 {
		return ""
	}
	switch {
	case j.err != nil && j.rows.Items.Len() == 0:
		return widget.Place(strings.Join(present.ErrorLines(s, j.err, l.W-4, "enter or r tries again"), "\n"), l.W, l.H)
	case !j.gridded() && j.ran:
		return widget.Place(present.BigCount(s, j.count, l.W, l.H, countLabel(j)), l.W, l.H)
	case !j.gridded():
		return dr.about.view(dr.b, l.W, l.H)
	}
	dr.explainEmpty(j)
	if n := dr.errorHeight(); n > 0 {
		lines := present.ErrorLines(s, j.err, l.W-4, "n goes on from here")
		return widget.Rows(j.grid.View(), widget.Place(strings.Join(lines, "\n"), l.W, n))
	}
	return j.grid.View()
}

// explainEmpty says why there are no rows.
func (dr *drawing) explainEmpty(j *job) {
	switch {
	case j.rows.Filter != "":
		next := "esc shows all of them"
		if j.more {
			next = "n reads on · " + next
		}
		j.grid.SetEmpty("none of the rows that were read passes the filter", next)
	case j.loading() && !j.cancelled:
		j.grid.SetEmpty("", "")
	case j.cancelled:
		j.grid.SetEmpty("Stopped before the first page", "n continues")
	case j.more:
		j.grid.SetEmpty("no items so far", "n reads on")
	default:
		var asked strings.Builder
		for _, w := range j.sentLine.Words {
			asked.WriteString(w.Text)
		}
		hint := "asked: " + asked.String()
		if j.form.Len() > 0 {
			hint += "  ·  e asks otherwise"
		}
		j.grid.SetEmpty("no items", hint)
	}
}

func countLabel(j *job) string {
	one := "item"
	if e := j.entity(); e != nil && e.Title != "" {
		one = strings.ToLower(e.Title)
	}
	if j.err != nil || j.cancelled {
		return present.Plural(j.count, one) + " so far"
	}
	return present.Plural(j.count, one)
}

// Cursor is the terminal's cursor where text is typed.
func (b *Workbench) Cursor() *tea.Cursor {
	switch {
	case b.Box != nil:
		return b.Box.Cursor()
	case b.job == nil:
		return nil
	case b.filtering.finding:
		at := b.lay.note
		if at.H == 0 {
			at = b.lay.rule
		}
		return widget.MoveCursor(b.filtering.filter.Cursor(), at.X, at.Y)
	case b.focus == panePatterns:
		return widget.MoveCursor(b.list.Cursor(), b.lay.list.X+1, b.lay.list.Y+1)
	case b.focus == paneForm:
		return widget.MoveCursor(b.job.form.Cursor(), b.lay.form.X, b.lay.form.Y)
	}
	return nil
}
