package workbench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// layout contains the rectangles of the parts. list and work include their frames.
//
//	╭ list ────────────╮╭ work ───────────────────────── QUERY GSI1 ─╮
//	│                  ││ form      the parameters                    │
//	│                  ││ line      the request that they make        │
//	│                  ││ note      an issue, an obstacle, the filter │
//	│                  ││ rule      progress, or position and order   │
//	│                  ││ body      rows, a count, or the description │
//	│                  ││ preview   more about the row                │
//	╰──────────────────╯╰─────────────────────────────────────────────╯
//
// The list folds while the focus is in the rows. Low screens omit the note and the preview. Wide screens show the row
// under the cursor in a pane at the right.
type layout struct {
	narrow                                bool // one pane at a time
	list, work, side                      widget.Rect
	form, line, note, rule, body, preview widget.Rect
}

// These are widths of panes in cells.
const (
	narrowestList = 28
	narrowestSide = 44 // a UUID
	widestSide    = 64
)

// SetSize sets the size of the screen in cells.
func (b *Workbench) SetSize(w, h int) {
	b.w, b.h = max(w, 0), max(h, 0)
	b.arrange()
}

func (b *Workbench) arrange() {
	l := layout{narrow: b.w < present.NarrowBelow}
	l.list = widget.Rect{W: b.w, H: b.h}
	l.work = l.list
	if !l.narrow {
		l.list.W = min(max(b.list.NaturalWidth()+2, narrowestList), b.w*2/5)
		if b.focus == paneRows && b.job.hasGrid() && b.job.rows.Items.Len() > 0 {
			l.list.W = 0 // The rows use the whole width; esc or tab shows the list again.
		}
		l.work = widget.Rect{X: l.list.W, W: b.w - l.list.W, H: b.h}
		l.addSidePane(b.w, b.job)
	}
	b.list.SetSize(widget.PanelInner(l.list.W, l.list.H))
	if j := b.job; j != nil {
		rest := l.work.Inner()
		height := rest.H
		takeRows := func(h int) widget.Rect {
			r := rest
			r.H = max(min(h, rest.H), 0)
			rest.Y, rest.H = rest.Y+r.H, rest.H-r.H
			return r
		}
		formHeight, noteHeight := len(j.formText(rest.W)), 1
		if noForm(j) == "" {
			formHeight = j.input.form.Height(rest.W)
		}
		formHeight = min(formHeight, max(height-8, 1))
		if height < 14 {
			noteHeight = 0
		}
		lineHeight := 1
		if j.rows.Items.Len() == 0 && height >= 14 { // A long request has more lines until there are rows.
			lineHeight = min(1+strings.Count(wrapRequest(j.viewRequest(), rest.W), "\n"), 3)
		}
		l.form, l.line, l.note, l.rule = takeRows(formHeight), takeRows(lineHeight), takeRows(noteHeight), takeRows(1)
		previewHeight := 0
		switch {
		case !j.hasGrid() || rest.H < 12 || l.side.W > 0:
		case rest.H < 20:
			previewHeight = 4
		default:
			previewHeight = 6
		}
		l.body = takeRows(rest.H - previewHeight)
		l.preview = takeRows(previewHeight)
		j.input.form.SetSize(l.form.W, l.form.H)
		j.rows.Grid.SetSize(l.body.W, results.RowsHeight(l.body.H, j.rows.Items.Len(), j.err))
	}
	b.layout = l
}

// View draws the panes and any box over them.
func (b *Workbench) View() string {
	if b.w <= 0 || b.h <= 0 {
		return ""
	}
	if b.job != nil {
		b.job.checkMasker()
	}
	b.arrange()
	var screen string
	switch {
	case b.job == nil || b.layout.narrow && b.focus == panePatterns:
		screen = b.viewList(b.w)
	case b.layout.list.W == 0 || b.layout.narrow:
		screen = widget.Columns(b.viewWork(), b.viewSide())
	default:
		screen = widget.Columns(b.viewList(b.layout.list.W), b.viewWork(), b.viewSide())
	}
	if b.job != nil {
		screen = b.job.input.form.OverPopup(screen, b.layout.form.X, b.layout.form.Y)
	}
	return b.DrawBox(b.env.Styles, screen, b.w, b.h)
}

func (b *Workbench) viewList(w int) string {
	p := widget.Panel{Title: "Patterns", Note: strconv.Itoa(b.list.Len()), Focused: b.focus == panePatterns}
	return p.Render(b.env.Styles, b.list.View(), w, b.h)
}

func (b *Workbench) viewWork() string {
	s, j, l := b.env.Styles, b.job, b.layout
	preview := ""
	if j.hasGrid() {
		preview = j.rows.Preview(l.preview.W, l.preview.H)
	}
	request := j.viewRequest()
	if l.line.H > 1 {
		request = wrapRequest(request, l.line.W)
	}
	content := widget.Rows(
		j.viewForm(l.form),
		widget.Place(request, l.line.W, l.line.H),
		widget.Place(b.viewNote(), l.note.W, l.note.H),
		widget.Place(b.viewRule(), l.rule.W, l.rule.H),
		b.viewBody(),
		preview,
	)
	note := operationNote(j)
	if j.hasGrid() && j.rows.Len() > 0 && j.rows.HasTimes() {
		note = present.Join(note, present.Zone(b.env.Now()), " · ")
	}
	p := widget.Panel{Title: j.pattern.Title, Note: note, Focused: b.focus != panePatterns}
	return p.Render(s, content, l.work.W, l.work.H)
}

func operationNote(j *job) string {
	p, read := j.pattern, j.pattern.Read
	if j.b.env.Plain() {
		return strings.ToLower(p.Group)
	}
	if p.IsRead() {
		read = j.input.requestLine.Read // the request may use a variant
	}
	note := strings.ToUpper(string(read.Operation))
	if read.Index != nil {
		note += " " + read.Index.Name
	}
	if p.DocumentedWrite != nil && p.DocumentedWrite.API != "" {
		note += " " + p.DocumentedWrite.API
	}
	return note
}

func (j *job) viewForm(l widget.Rect) string {
	if noForm(j) == "" {
		return j.input.form.View()
	}
	return widget.Place(" "+strings.Join(j.formText(l.W), "\n "), l.W, l.H)
}

// formText explains in lines of w cells why there is no form.
func (j *job) formText(w int) []string {
	text := "No parameters. Press enter to run it."
	if j.pattern.CustomQuery != nil {
		text = "Custom query of " + j.pattern.Table.Name + ". Press b to edit it."
	}
	if !j.pattern.IsRead() {
		text = "A write that the schema declares. No action runs it."
		if reason := j.cannotWrite(); reason == "" {
			text = "A write that the schema declares. Press enter to fill in its inputs."
		} else if j.writeAction() != nil {
			text = reason
		}
	}
	return widget.Wrap(j.b.env.Styles, widget.RoleMuted, text, max(w-1, 1))
}

func wrapRequest(request string, w int) string {
	return strings.ReplaceAll(ansi.Wrap(request, w-3, ""), "\n", "\n   ")
}

func (j *job) viewRequest() string {
	s := j.b.env.Styles
	if !j.pattern.IsRead() {
		return " " + present.WriteLine(s, j.pattern)
	}
	switch {
	case j.input.requestLine.Problem != "" && len(j.input.requestLine.Words) == 0:
		return s.Paint(widget.RoleWarn, " … "+j.input.requestLine.Problem)
	case j.input.requestLine.Problem != "":
		return s.Paint(widget.RoleWarn, " … "+j.input.requestLine.Problem) + s.Paint(widget.RoleFaint,
			"  →  ") + j.input.requestLine.Paint(s)
	}
	return s.Paint(widget.RoleFaint, " → ") + j.input.requestLine.Paint(s)
}

func (b *Workbench) viewNote() string {
	s, j, p := b.env.Styles, b.job, b.job.pattern
	if b.filter.typing {
		return b.viewFilter(b.layout.note.W)
	}
	if j.readsAll && j.isBusy() && j.task.Elapsed >= widget.ProgressAfter {
		return s.Paint(widget.RoleMuted, " "+j.figures())
	}
	if o := j.obstacle(); o != nil {
		return present.ObstacleNote(s, o)
	}
	if len(j.warnings) > 0 {
		return s.Paint(widget.RoleWarn, " ! "+strings.Join(j.warnings, " · "))
	}
	f := p.Defect()
	if f == nil && len(p.Findings) > 0 {
		f = p.Findings[0]
	}
	sign, role := "· ", widget.RoleMuted
	if p.HasSeriousFinding() {
		sign, role = "⚠ ", widget.RoleWarn
	}
	if names := j.omittedAttributes(); names != "" {
		return s.Paint(widget.RoleWarn, " ! omits items in which "+names+" is masked")
	}
	if f == nil {
		switch hasSchemalessRows := slices.ContainsFunc(p.Returns, func(e *models.Entity) bool { return e.ByName != nil }); {
		case p.CustomQuery != nil:
			return s.Paint(widget.RoleFaint, " o B save as a named query")
		case hasSchemalessRows:
			return s.Paint(widget.RoleFaint, " b write a custom query")
		case j.b.env.Plain():
			return "" // The request line contains the order.
		case !p.Documented:
			return s.Paint(widget.RoleFaint, " · "+present.Join("not in the schema document", p.OrderNote, " · "))
		}
		return s.Paint(widget.RoleFaint, " "+present.Join("✓ runs as documented", p.OrderNote, " · "))
	}
	issues := " schema issue " + f.ID
	if n := len(p.Findings); n > 1 {
		issues = fmt.Sprintf(" %d schema issues", n)
	}
	if j.b.env.Plain() {
		issues = " more"
	}
	issuesHint := s.Paint(widget.RoleKey, "o I") + s.Paint(widget.RoleFaint, issues)
	title := models.PrintableCell(present.FindingTitle(f), max(b.layout.note.W-ansi.StringWidth(issuesHint)-6, 0))
	return " " + s.Paint(role, sign) + s.Paint(widget.RoleMuted, title) + "  " + issuesHint
}

func (b *Workbench) viewRule() string {
	s, j, w := b.env.Styles, b.job, b.layout.rule.W
	if j.isBusy() {
		busy := widget.BusyIndicator{
			What: "reading " + j.pattern.Table.Name, Cancel: "esc cancel", Elapsed: j.task.Elapsed, Fraction: -1, Detail: j.figures(),
		}
		if j.readsAll {
			busy.What, busy.Cancel = "reading all", "esc stop"
			if b.layout.note.H > 0 {
				busy.Detail = "" // The note above shows the detail.
			}
			if f := j.task.Progress.Figures(); f.Share > 0 {
				busy.Fraction = f.Share
			}
		}
		if busy.Visible() {
			return " " + busy.Render(s, max(w-1, 0))
		}
	}
	switch {
	case b.filter.typing && b.layout.note.H > 0:
		return b.viewFilterHelp(w)
	case b.filter.typing:
		return b.viewFilter(w)
	}
	title, note := present.Join(j.watchTitle(), j.rows.Describe(j.hasMore || j.isStopped()), " · "), ""
	switch {
	case !j.hasGrid():
		title = ""
	case j.isStopped():
		title, note = present.Join("stopped: n continue", title, " · "), j.rows.Grid.Position()
	case j.hasMore && title == "" && j.rows.Items.Len() > 0:
		note = j.rows.Grid.Position() + "+"
	case j.rows.Items.Len() > 0:
		note = j.rows.Grid.Position()
	}
	return widget.Rule(s, title, note, w)
}

func (b *Workbench) viewBody() string {
	s, j, l := b.env.Styles, b.job, b.layout.body
	switch {
	case l.H <= 0:
		return ""
	case j.err != nil && j.rows.Items.Len() == 0:
		return widget.Place(strings.Join(present.ErrorLines(s, j.err, l.W-4, "enter or r retry"), "\n"), l.W, l.H)
	case !j.hasGrid() && j.hasPage:
		return widget.Place("\n "+s.Paint(widget.RoleTitle, countLabel(j)), l.W, l.H)
	case !j.hasGrid():
		b.description.Make(j.pattern, l.W, func(w int) []string { return aboutLines(j, min(max(w-4, 10), aboutMaxWidth)) })
		b.description.SetSize(l.W-2, l.H)
		return widget.Indent(b.description.View(), l.W-1, l.H)
	}
	j.rows.Grid.SetEmpty(emptyText(j))
	return results.ViewGrid(s, j.rows.Grid, l.W, l.H, j.rows.Items.Len(), j.err, "n continue from here")
}

func emptyText(j *job) (text, hint string) {
	switch {
	case j.rows.Filter != "" && j.hasMore:
		return "No row that was read matches the filter", "n load more · esc show all rows"
	case j.rows.Filter != "":
		return "No row matches the filter", "esc show all rows"
	case j.isBusy():
		return "", ""
	case j.isStopped():
		return "Stopped before the first page", "n continue"
	}
	text, hint = "No items", "No results for "+j.sentLine.Text()
	if j.sent != nil && j.sent.IsScan() {
		text, hint = "The scan of "+j.pattern.Table.Name+" found no items", ""
	}
	if n := j.totals.scanned; n > 0 {
		text, hint = present.Plural(n, "item")+" read, none matches the filter", j.sentLine.Text()
	}
	switch {
	case j.hasMore:
		return present.Join(text, "so far", " "), "n load more"
	case j.pattern.CustomQuery != nil && noFilter(j) == "":
		hint += "\no F run it without the filter · b edit the query"
	case j.pattern.CustomQuery != nil:
		hint += "\nb edit the query"
	case j.input.form.Len() > 0:
		hint += "\ne edit the parameters"
	}
	return text, strings.TrimPrefix(hint, "\n")
}

func countLabel(j *job) string {
	noun := "item"
	if list := j.pattern.Returns; len(list) == 1 && list[0].Title != "" {
		noun = strings.ToLower(list[0].Title)
	}
	if j.err != nil || j.isStopped() {
		return present.Plural(j.count, noun) + " so far"
	}
	return present.Plural(j.count, noun)
}

// Cursor returns the terminal cursor in the current text input, or nil.
func (b *Workbench) Cursor() *tea.Cursor {
	switch {
	case b.Box != nil:
		return b.Box.Cursor()
	case b.job == nil:
		return nil
	case b.filter.typing:
		at := b.layout.note
		if at.H == 0 {
			at = b.layout.rule
		}
		return widget.MoveCursor(b.filter.line.Cursor(), at.X, at.Y)
	case b.focus == panePatterns:
		return widget.MoveCursor(b.list.Cursor(), b.layout.list.X+1, b.layout.list.Y+1)
	case b.focus == paneForm:
		return widget.MoveCursor(b.job.input.form.Cursor(), b.layout.form.X, b.layout.form.Y)
	}
	return nil
}

func (b *Workbench) mousePanes() widget.Panes {
	var panes widget.Panes
	focus := func(p pane) func() { return func() { b.setFocus(p) } }
	if !b.layout.narrow && b.layout.list.W > 0 || b.focus == panePatterns {
		panes = append(panes, widget.Pane{
			Rect: b.layout.list, Framed: true, Content: b.list, Focus: focus(panePatterns),
			Moved: func() tea.Cmd { b.selectJob(); return nil },
		})
	}
	j := b.job
	if j == nil {
		return panes
	}
	if noForm(j) == "" {
		form := widget.Pane{Rect: b.layout.form, Focus: focus(paneForm), Other: func(x, y int) tea.Cmd {
			j.input.form.Click(x, y)
			j.updateLine()
			return nil
		}}
		if j.input.form.Choosing() { // The list of options extends beyond the form.
			click := form.Other
			return widget.Panes{{Rect: widget.Rect{W: b.w, H: b.h}, Other: func(x, y int) tea.Cmd {
				return click(x-b.layout.form.X, y-b.layout.form.Y)
			}}}
		}
		panes = append(panes, form)
	}
	if noFindings(j) == "" {
		panes = append(panes, widget.Pane{Rect: b.layout.note, Other: func(int, int) tea.Cmd { return j.showFindings() }})
	}
	if !j.hasGrid() {
		return append(panes, widget.Pane{Rect: b.layout.body, Content: b.description, Focus: focus(paneRows)})
	}
	if b.layout.side.W > 0 {
		panes = append(panes, widget.Pane{Rect: b.layout.side, Framed: true, Focus: focus(paneRows), Scroll: j.rows.ScrollSideView})
	}
	return append(panes, widget.Pane{
		Rect: b.layout.body, Content: j.rows.Grid, Focus: focus(paneRows), Unfocused: b.focus != paneRows, Open: b.enter,
		Other: func(x, y int) tea.Cmd {
			if y == 0 {
				return j.rows.SortAt(x)
			}
			return nil
		},
	})
}
