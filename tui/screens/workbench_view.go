package screens

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// narrowBelow is the width under which one pane is shown at a time.
const narrowBelow = 100

// layout is where things are. list and work include their frames.
type layout struct {
	narrow                       bool
	list, work                   rect
	form, line, note, rule, body rect
	preview                      rect
}

// SetSize sets the rectangle.
func (b *Workbench) SetSize(w, h int) {
	b.w, b.h = max(w, 0), max(h, 0)
	b.arrange()
}

// arrange computes the layout for the chosen pattern.
func (b *Workbench) arrange() {
	var l layout
	l.narrow = b.w < narrowBelow
	left := min(max(b.w*32/100, 34), 48)
	if l.narrow {
		left = 0
		l.list = rect{0, 0, b.w, b.h}
	} else {
		l.list = rect{0, 0, left, b.h}
	}
	l.work = rect{left, 0, b.w - left, b.h}
	b.list.SetSize(widget.PanelInner(l.list.w, l.list.h))
	if b.job == nil {
		b.lay = l
		return
	}
	iw, ih := widget.PanelInner(l.work.w, l.work.h)
	y := l.work.y + 1
	place := func(h int) rect {
		h = max(min(h, l.work.y+1+ih-y), 0)
		r := rect{l.work.x + 1, y, iw, h}
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
	rest := l.work.y + 1 + ih - y
	previewHeight := 0
	if j.gridded() && rest >= 12 {
		previewHeight = 4
	}
	if j.gridded() && rest >= 20 {
		previewHeight = 5
	}
	l.body = place(rest - previewHeight)
	l.preview = place(previewHeight)
	j.form.SetSize(l.form.w, l.form.h)
	j.grid.SetSize(l.body.w, l.body.h-b.errorHeight())
	b.lay = l
}

// gridded reports whether rows, or the wait for them, are shown.
func (j *job) gridded() bool {
	return j.pattern.IsRead() && j.pattern.Read.Operation != accesspatterns.Count && j.sent != nil && (j.err == nil || j.rows.items.Len() > 0)
}

// errorHeight is the room for an error below rows.
func (b *Workbench) errorHeight() int {
	if b.job.err != nil && b.job.rows.items.Len() > 0 {
		return 3
	}
	return 0
}

// View draws the panes, and what lies over them.
func (b *Workbench) View() string {
	if b.w <= 0 || b.h <= 0 {
		return ""
	}
	b.checkMasker()
	b.arrange()
	var screen string
	switch {
	case b.job == nil || b.lay.narrow && b.focus == panePatterns:
		screen = b.viewList(b.w)
	case b.lay.narrow:
		screen = b.viewWork()
	default:
		screen = widget.Columns(b.viewList(b.lay.list.w), b.viewWork())
	}
	if b.job != nil {
		if box, x, y, open := b.job.form.Popup(); open {
			screen = widget.OverlayInside(screen, box, b.lay.form.x+x, b.lay.form.y+y)
		}
	}
	return b.drawBox(b.env.Styles, screen, b.w, b.h)
}

func (b *Workbench) viewList(w int) string {
	p := widget.Panel{Title: "Patterns", Note: strconv.Itoa(b.list.Len()), Focused: b.focus == panePatterns}
	return p.Render(b.env.Styles, b.list.View(), w, b.h)
}

func (b *Workbench) viewWork() string {
	s, j, l := b.env.Styles, b.job, b.lay
	content := widget.Rows(
		b.viewForm(),
		widget.Place(" "+b.viewRequest(), l.line.w, l.line.h),
		widget.Place(b.viewNote(), l.note.w, l.note.h),
		widget.Place(b.viewRule(), l.rule.w, l.rule.h),
		b.viewBody(),
		b.viewPreview(),
	)
	p := widget.Panel{Title: j.pattern.Title, Note: b.operationNote(), Focused: b.focus != panePatterns}
	return p.Render(s, content, l.work.w, l.work.h)
}

// operationNote names what a pattern does: QUERY GSI1, or what comes of it.
func (b *Workbench) operationNote() string {
	j := b.job
	p, read := j.pattern, j.pattern.Read
	if b.env.Plainly() {
		return strings.ToLower(p.Group)
	}
	if p.IsRead() {
		read = j.line.read // A variant may run instead.
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

func (b *Workbench) viewForm() string {
	s, j, l := b.env.Styles, b.job, b.lay.form
	if j.pattern.IsRead() && j.form.Len() > 0 {
		return j.form.View()
	}
	text := "no parameters: enter runs it"
	if !j.pattern.IsRead() {
		text = "a documented write: ddbdesk explains it and does not run it from here"
		if why := b.cannotWrite(); why == "" {
			text = "a documented write: enter asks for its inputs and plans it"
		} else if b.writing() != nil {
			text = why
		}
	}
	return widget.Place(s.Paint(widget.RoleMuted, " "+text), l.w, l.h)
}

// viewRequest is the request as it stands, with what is missing in front.
func (b *Workbench) viewRequest() string {
	s, j := b.env.Styles, b.job
	if !j.pattern.IsRead() {
		return writeLine(s, j.pattern)
	}
	switch {
	case j.line.problem != "" && len(j.line.words) == 0:
		return s.Paint(widget.RoleWarn, "… "+j.line.problem)
	case j.line.problem != "":
		return s.Paint(widget.RoleWarn, "… "+j.line.problem) + s.Paint(widget.RoleFaint, "  →  ") + j.line.paint(s)
	}
	return s.Paint(widget.RoleFaint, "→ ") + j.line.paint(s)
}

// viewNote is the line about findings, or about the order.
func (b *Workbench) viewNote() string {
	s, p := b.env.Styles, b.job.pattern
	if b.finding {
		return b.viewFilter(b.lay.note.w)
	}
	if j := b.job; j.all && j.loading() && !j.cancelled && j.elapsed >= widget.ProgressAfter {
		return s.Paint(widget.RoleMuted, " "+j.figures())
	}
	if o := b.obstacle(); o != nil {
		return obstacleNote(s, o)
	}
	if len(b.job.warnings) > 0 {
		return s.Paint(widget.RoleWarn, " ! "+strings.Join(b.job.warnings, " · "))
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
		return s.Paint(widget.RoleFaint, " ✓ "+join(text, p.OrderNote, " · "))
	}
	role := widget.RoleWarn
	if p.Defect() == nil {
		role = widget.RoleMuted
	}
	line := " " + s.Paint(role, "⚠ "+f.ID+" "+strings.ToLower(string(f.Kind)))
	if n := len(p.Findings); n > 1 {
		line += s.Paint(widget.RoleMuted, fmt.Sprintf(" +%d", n-1))
	}
	return line + s.Paint(widget.RoleKey, "  f") + s.Paint(widget.RoleFaint, " explains  ") + s.Paint(widget.RoleMuted, FindingTitle(f))
}

// viewRule parts the question from the answer: what is waited for, the filter,
// or where the cursor is.
func (b *Workbench) viewRule() string {
	s, j, w := b.env.Styles, b.job, b.lay.rule.w
	if j.loading() && !j.cancelled {
		busy := widget.Busy{
			What: "reading " + j.pattern.Table.Name, Cancel: "esc cancels", Elapsed: j.elapsed, Fraction: -1,
			Detail: j.figures(),
		}
		if j.all {
			busy.What, busy.Cancel = "reading all", "esc stops"
			if l := b.lay.note.h; l > 0 {
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
	case b.finding && b.lay.note.h > 0:
		return b.viewAnswer(w)
	case b.finding:
		return b.viewFilter(w)
	}
	title, note := j.rows.account(j.more || j.cancelled), ""
	switch {
	case !j.gridded():
		title = ""
	case j.cancelled:
		title, note = join("stopped: n goes on", title, " · "), j.grid.Position()
	case j.more && title == "":
		note = j.grid.Position() + "+"
	case j.rows.items.Len() > 0:
		note = j.grid.Position()
	}
	return widget.Rule(s, title, note, w)
}

// figures are what a load has done so far, and why it takes long.
func (j *job) figures() string {
	if j.all {
		items := plural(j.rows.items.Len(), "item")
		return join(j.progress.Retrying(), join(items, readFigures(j.progress.Figures()), " · "), " · ")
	}
	requests, capacity := j.progress.Requests()
	return join(j.progress.Retrying(), fmt.Sprintf("%s · %s · %g RCU",
		plural(j.rows.items.Len(), "item"), plural(j.sums.requests+requests, "request"), j.sums.capacity+capacity), " · ")
}

func (b *Workbench) viewBody() string {
	s, j, l := b.env.Styles, b.job, b.lay.body
	if l.h <= 0 {
		return ""
	}
	switch {
	case j.err != nil && j.rows.items.Len() == 0:
		return widget.Place(strings.Join(errorLines(s, j.err, l.w-4, "enter or r tries again"), "\n"), l.w, l.h)
	case !j.gridded() && j.ran:
		return widget.Place(bigCount(s, j.count, l.w, l.h, countLabel(j)), l.w, l.h)
	case !j.gridded():
		return b.about.view(b, l.w, l.h)
	}
	b.explainEmpty(j)
	if n := b.errorHeight(); n > 0 {
		lines := errorLines(s, j.err, l.w-4, "n goes on from here")
		return widget.Rows(j.grid.View(), widget.Place(strings.Join(lines, "\n"), l.w, n))
	}
	return j.grid.View()
}

// explainEmpty says why there are no rows.
func (b *Workbench) explainEmpty(j *job) {
	switch {
	case j.rows.filter != "":
		next := "esc shows all of them"
		if j.more {
			next = "n reads on · " + next
		}
		j.grid.SetEmpty("none of the rows that were read passes the filter", next)
	case j.loading() && !j.cancelled:
		j.grid.SetEmpty("", "")
	case j.cancelled:
		j.grid.SetEmpty("stopped before the first page", "n goes on")
	case j.more:
		j.grid.SetEmpty("no items so far", "n reads on")
	default:
		var asked strings.Builder
		for _, w := range j.sentLine.words {
			asked.WriteString(w.text)
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
		return plural(j.count, one) + " so far"
	}
	return plural(j.count, one)
}

// errorLines tells what happened and what to do about it.
func errorLines(s *widget.Styles, err error, w int, next string) []string {
	what, advice := err.Error(), ""
	var refused *session.Refusal
	if errors.As(err, &refused) {
		what, advice = refused.Why, refused.Next
	} else if head, tail, ok := strings.Cut(what, "; "); ok {
		what, advice = head, tail
	} else if head, tail, ok := strings.Cut(what, ": "); ok {
		what, advice = head, tail
	}
	var lines []string
	for i, line := range widget.Wrap(s, widget.RoleBad, what, max(w-4, 1)) {
		sign := "   "
		if i == 0 {
			sign = s.Paint(widget.RoleBad, " ✗ ")
		}
		lines = append(lines, sign+line)
	}
	for i, line := range widget.Wrap(s, widget.RoleText, advice, max(w-4, 1)) {
		sign := "   "
		if i == 0 && advice != "" {
			sign = s.Paint(widget.RoleKey, " → ")
		}
		if advice != "" {
			lines = append(lines, sign+line)
		}
	}
	return append(lines, s.Paint(widget.RoleFaint, "   "+next))
}

// Cursor is the terminal's cursor where text is typed.
func (b *Workbench) Cursor() *tea.Cursor {
	switch {
	case b.box != nil:
		return b.box.Cursor()
	case b.job == nil:
		return nil
	case b.finding:
		at := b.lay.note
		if at.h == 0 {
			at = b.lay.rule
		}
		return widget.MoveCursor(b.filter.Cursor(), at.x, at.y)
	case b.focus == panePatterns:
		return widget.MoveCursor(b.list.Cursor(), b.lay.list.x+1, b.lay.list.y+1)
	case b.focus == paneForm:
		return widget.MoveCursor(b.job.form.Cursor(), b.lay.form.x, b.lay.form.y)
	}
	return nil
}
