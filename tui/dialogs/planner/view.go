package planner

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	changeMaxWidth    = 112 // maximum width of the box in cells
	changeUsualHeight = 30  // usual height of the box, which determines the position of its top edge
	titleFrame        = 9   // cells of frame in the line with the title and the note
	changeFrame       = 5   // lines for the frame, a blank line, and the buttons with the line above them
)

// Over draws the box over a screen of w by h cells. The top edge and the width stay the same in all steps.
func (c *Change) Over(st *widget.Styles, background string, w, h int) string {
	bw := min(w-2, changeMaxWidth)
	if w >= 100 {
		bw = min(w-6, changeMaxWidth)
	}
	top := max((h-changeUsualHeight)/2, 0)
	inner := max(bw-4, 1)
	room := max(h-top-changeFrame, 1)

	footer, fieldAt := c.footer(st, inner)
	if c.builtWidth != inner {
		lines := c.bodyLines(st, max(inner-1, 1))
		c.builtWidth, c.lineCount = inner, len(lines)
		c.pager.SetLines(lines)
	}
	var reason []string
	if c.buttonReason != "" && c.work == changeIdle {
		reason = present.HangingIndent(st, widget.RoleBad, "✗ ", c.buttonReason, inner)
	}
	footerHeight := len(footer) + max(len(reason), 1)
	bodyHeight := max(min(c.lineCount, room-footerHeight), 0)
	if c.many != nil && c.step >= changeStepRunning { // The list of outcomes grows during the run.
		reasonHeight := len(c.many.reasonLines(st, inner, c.step == changeStepEnded))
		bodyHeight = max(min(c.many.total+manyFrame-2+reasonHeight, room-footerHeight), 0)
	}
	c.height = min(max(c.height, bodyHeight+footerHeight), room)
	bodyHeight = max(c.height-footerHeight, 0)
	c.pager.SetSize(inner, bodyHeight)
	c.isReadToEnd()
	if len(reason) == 0 {
		reason = []string{c.hintLine(st, inner)} // This line depends on whether there is more to scroll.
	}
	footer = append(footer, reason...)
	view := c.pager.View()
	if c.many != nil && c.step >= changeStepRunning {
		view = c.many.view(st, inner, bodyHeight, c.step == changeStepEnded, c.elapsed())
	}
	body := append(strings.Split(widget.Place(view, inner, bodyHeight), "\n"), footer...)
	if bodyHeight == 0 {
		body = footer
	}
	c.dialog.Body = strings.Join(body, "\n")
	c.dialog.Title, c.dialog.Note = c.Title(bw)
	bh := min(c.height+changeFrame, h)
	c.box = overlay.Rect{X: (w - bw) / 2, Y: top, W: bw, H: bh}
	x, y := c.dialog.BodyAt()
	c.fieldX, c.fieldY = c.box.X+x, c.box.Y+y+bodyHeight+fieldAt
	view = widget.Overlay(widget.Dim(st, background), c.dialog.Render(st, bw, bh), c.box.X, c.box.Y)
	if c.step == changeStepInputs && c.inForm {
		view = c.form.OverPopup(view, c.fieldX, c.fieldY)
	}
	return view
}

// Title returns the title of the box, and a summary of the writes for its right edge. To fit w cells it shortens the
// operation first and then the title, because the plan repeats the key.
func (c *Change) Title(w int) (title, note string) {
	title = models.Printable(c.req.Title)
	if _, of, named := strings.Cut(title, " · "); named && c.sequence != onlyOne && c.step != changeStepInputs {
		title = map[planSequence]string{
			firstOnly: c.firstAction.Title, firstOfTwo: "1 of 2 · " + c.firstAction.Title, secondOfTwo: "2 of 2 · " + c.req.Action.Title,
		}[c.sequence] + " · " + of
	}
	if c.many != nil {
		note = "one transaction per item"
	}
	if c.step == changeStepPlan {
		note = c.writeSummary
		if ansi.StringWidth(title)+ansi.StringWidth(note)+titleFrame > w {
			_, note, _ = strings.Cut(note, " · ")
		}
	}
	return models.Truncate(title, max(w-ansi.StringWidth(note)-titleFrame, 12)), note
}

func (c *Change) bodyLines(st *widget.Styles, w int) []string {
	switch {
	case c.step == changeStepInputs:
		lines := widget.Wrap(st, widget.RoleText, c.req.About, w)
		if c.many != nil {
			lines = append(lines, c.many.confirmLines(st, w)...)
		}
		if c.reason != "" {
			lines = append(lines, c.notReadyLines(st, w)...)
		} else if err := c.refusal(); err != nil {
			lines = append(lines, c.refusalLines(st, err, w)...)
		}
		if a := c.req.Action; a != nil {
			if obstacle := c.Env.Tables.ObstacleToChange(a); obstacle != nil {
				lines = append(lines, present.ObstacleWarning(st, obstacle, w)...)
			}
		}
		return lines
	case c.many != nil:
		return nil
	case c.step == changeStepEnded:
		return c.endLines(st, w)
	case c.dryRun:
		text := c.shownPlan().Batch().CLI()
		lines := []string{st.Paint(widget.RoleMuted, "The request as an AWS CLI command. Nothing has been sent."), ""}
		return append(lines, widget.Wrap(st, widget.RoleText, text, w)...)
	}
	return c.planLines(st, w)
}

func (c *Change) notReadyLines(st *widget.Styles, w int) []string {
	a, text := c.req.Action, "Not possible: "+c.reason
	if l := a.Lifecycle; l != nil && strings.HasPrefix(text, "Not possible: it is ") {
		switch now, _ := c.req.Item.Text(l.Attribute); {
		case now == a.To():
			text = strings.Replace("Already "+c.reason, "it is ", "", 1)
		case len(l.TransitionsFrom(now)) > 0:
			text = "Not yet: " + c.reason
		}
	}
	lines := present.HangingIndent(st, widget.RoleWarn, "⊘ ", text+".", w)
	if c.firstAction == nil {
		if first := c.Env.Planner.Prerequisites(a, c.req.Item); len(first) == 1 {
			lines = append(lines, present.HangingIndent(st, widget.RoleText, "→ ", actionTitle(first[0])+" comes first.", w)...)
		}
		return lines
	}
	advice := actionTitle(c.firstAction) + " comes first. ddbdesk plans, shows and applies both in order, in 2 transactions."
	return append(lines, present.HangingIndent(st, widget.RoleText, "→ ", advice, w)...)
}

func (c *Change) footer(st *widget.Styles, w int) (lines []string, at int) {
	switch c.step {
	case changeStepInputs:
		if len(c.dialog.Buttons) == 1 { // Without an action there is nothing to confirm.
			return []string{""}, 0
		}
		h := c.form.Height(w)
		c.form.SetSize(w, h)
		return append([]string{""}, strings.Split(c.form.View(), "\n")...), 1
	case changeStepRunning, changeStepEnded:
		return []string{""}, 0
	case changeStepPlan:
	}
	lines = []string{""}
	if value := c.givenLine(); value != "" {
		lines = append(lines, st.Paint(widget.RoleMuted, "With    ")+st.Paint(widget.RoleText, models.PrintableCell(value, max(w-8, 1))))
	}
	_, reason := c.inputs()
	role := widget.RoleText
	if reason == "" {
		reason, role = "none given", widget.RoleFaint
	}
	lines = append(lines, st.Paint(widget.RoleMuted, "Reason  ")+st.Paint(role, models.PrintableCell(reason, max(w-8, 1))))
	if c.isReviewed() && c.req.About != "" {
		lines = append(lines, present.HangingIndent(st, widget.RoleWarn, "! ", c.req.About, w)...)
	}
	if c.confirmForm != nil {
		lines = append(lines, c.confirmLine(st, w))
		at = len(lines)
		c.confirmForm.SetSize(w, 1)
		lines = append(lines, c.confirmForm.View())
	}
	return lines, at
}

func (c *Change) confirmLine(st *widget.Styles, w int) string {
	lead, role := "To confirm, type  ", widget.RoleMuted
	if c.builtWidth != 0 && !c.isReadToEnd() {
		lead = "Press end, then type  "
	}
	if c.confirmForm.Values()["id"] == c.confirmText {
		lead, role = "✓ typed           ", widget.RoleGood
	}
	return st.Paint(role, lead) + st.Paint(widget.RoleStrong, models.PrintableCell(c.confirmText, max(w-len(lead), 1)))
}

func (c *Change) hintLine(st *widget.Styles, w int) string {
	busy := widget.BusyIndicator{Elapsed: c.elapsed(), Fraction: -1}
	if c.task != nil {
		busy.Detail = c.task.Progress.Retrying()
	}
	switch c.work {
	case changeIdle:
	case changePlanning:
		busy.What, busy.Cancel = "planning: reading the items", "esc stop"
		return busy.Render(st, w)
	default:
		busy.What = map[changeWork]string{changeCommitting: "writing", changeRequesting: "filing the request"}[c.work]
		busy.Cancel, busy.Elapsed = "cannot be canceled; quitting waits for it", max(busy.Elapsed, widget.BusyAfter)
		return busy.Render(st, w)
	}
	var out string
	used := 0
	for _, h := range c.hints() {
		need := len(h[0]) + 1 + len(h[1]) + 3
		if used+need > w {
			break
		}
		used += need
		out += st.Paint(widget.RoleKey, h[0]) + st.Paint(widget.RoleFaint, " "+h[1]+"   ")
	}
	return widget.Place(out, w, 1)
}

func (c *Change) hints() [][2]string {
	var list [][2]string
	switch {
	case c.step == changeStepPlan && c.inForm && !c.seenToEnd:
		list = append(list, [2]string{"pgdn", "scroll down"})
	case c.step == changeStepPlan && !c.seenToEnd && !c.dryRun:
		list = append(list, [2]string{"↓", "scroll down"}, [2]string{"end", "go to the end"})
	case !c.pager.AtEnd() || c.pager.Top() > 0:
		list = append(list, [2]string{"↑↓", "scroll"})
	}
	switch c.step {
	case changeStepRunning:
		if c.many.stopping {
			return [][2]string{{"", "stopping after the current item …"}}
		}
		return [][2]string{{"esc", "stop after the current item"}}
	case changeStepInputs:
		switch {
		case c.many != nil && c.tabReturns:
			return append(list, [2]string{"tab", "go to the reason"}, [2]string{"esc", "close"})
		case c.many != nil && c.inForm:
			return append(list, [2]string{"enter", "go to the buttons"}, [2]string{"tab", "next"}, [2]string{"esc", "close"})
		case c.many != nil:
			return append(list, [2]string{"up", "go to the reason"}, [2]string{"tab", "next button"}, [2]string{"esc", "close"})
		case len(c.dialog.Buttons) == 1:
			return append(list, [2]string{"esc", "close"})
		}
		next := "next"
		if c.tabReturns {
			next = "go to the fields"
		}
		return append(list, [2]string{"enter", "show the plan"}, [2]string{"tab", next}, [2]string{"esc", "close"})
	case changeStepPlan:
		if c.inForm {
			return append(list, [2]string{"enter", "go to the button"}, [2]string{"esc", "go to " + c.cancelLabel()})
		}
		if c.confirmForm != nil {
			return append(list, [2]string{"tab", "go to the ID"}, [2]string{"esc", "close"})
		}
	case changeStepEnded:
		switch {
		case c.many == nil:
		case c.many.notice != "":
			return [][2]string{{"", c.many.notice}, {"esc", "close"}}
		default:
			return [][2]string{{"tab", "next button"}, {"esc", "close"}}
		}
	}
	return append(list, [2]string{"tab", "next button"}, [2]string{"esc", "close"})
}

// Cursor returns the terminal cursor while the user types, or nil.
func (c *Change) Cursor() *tea.Cursor {
	f := c.focusedForm()
	if f == nil || c.work != changeIdle {
		return nil
	}
	return widget.MoveCursor(f.Cursor(), c.fieldX, c.fieldY)
}
