package planner

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Update takes a message; done reports that the dialog is to be closed.
func (c *Change) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	if cmd, used := c.run.answered(msg); used {
		return cmd, false
	}
	press, isKey := msg.(tea.KeyPressMsg)
	if !isKey {
		if _, pasted := msg.(tea.PasteMsg); pasted && c.typed != nil && c.run.work == changeIdle {
			c.keys.focusForm(true)
		}
		if f := c.keys.focusedForm(); f != nil && c.run.work == changeIdle {
			cmd, _ := f.Update(msg)
			return cmd, false
		}
		c.pager.Update(msg)
		return nil, false
	}
	key := press.String()
	c.why = ""
	switch {
	case c.run.work.writes():
		if key == "esc" {
			return screen.Send(screen.NoticeMsg{Text: c.Holds() + " and cannot be canceled"}), false
		}
		c.pager.Update(msg)
		return nil, false
	case c.run.work == changePlans:
		if key == "esc" {
			c.run.stopPlanning()
			if c.step != changeAsks && !c.reviewed() {
				c.Ask()
			}
			return screen.Send(screen.NoticeMsg{Text: "planning stopped"}), false
		}
		return nil, false
	case c.grace && (key == "enter" || key == "space" || key == requestKey):
		return nil, false
	}
	switch c.step {
	case changeAsks:
		return c.keys.askKey(press)
	case changeShows:
		return c.keys.planKey(press)
	default:
		return c.keys.endKey(press)
	}
}

func (ks *changeKeys) focusedForm() *widget.Form {
	switch {
	case !ks.c.inForm:
		return nil
	case ks.c.step == changeAsks:
		return ks.c.form
	}
	return ks.c.typed
}

func (ks *changeKeys) askKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := press.String()
	if ks.c.inForm {
		cmd, used := ks.c.form.Update(press)
		switch {
		case used:
			return cmd, false
		case key == "esc":
			return nil, true
		case key == "enter":
			return ks.c.run.startPlan(), false
		case key == "tab" || key == "down": // The button that enter in the form chooses is highlighted.
			ks.focusForm(false)
			ks.c.dialog.Focus("plan")
		case key == "shift+tab" || key == "up":
			ks.focusForm(false)
			ks.c.dialog.Focus("cancel")
		}
		return cmd, false
	}
	focused := ks.c.dialog.Focused()
	if key == "up" || key == "shift+tab" && focused == "plan" || key == "tab" && focused == "cancel" {
		ks.focusForm(true)
		return nil, false
	}
	return ks.chosen(ks.c.dialog.Update(press))
}

func (ks *changeKeys) focusForm(on bool) {
	ks.c.inForm = on
	f := ks.c.form
	if ks.c.step != changeAsks {
		f = ks.c.typed
	}
	f.SetFocused(on)
}

func (ks *changeKeys) planKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := press.String()
	if !ks.c.inForm && press.Text != "" && ks.starts(press.Text) {
		ks.focusForm(true)
	}
	if ks.c.inForm {
		return ks.typedKey(press)
	}
	switch key {
	case "esc":
		if ks.c.dryRun {
			ks.toggleDryRun()
			return nil, false
		}
		return ks.c.ending.leave(), true
	case "e":
		if !ks.c.reviewed() {
			ks.c.Ask()
		}
		return nil, false
	case "d":
		ks.toggleDryRun()
		return nil, false
	case "y":
		if ks.c.dryRun {
			return ks.copyDryRun(), false
		}
		return nil, false
	case "space":
		ks.c.unfold, ks.c.made = !ks.c.unfold, 0
		return nil, false
	case requestKey:
		if ks.c.requests() {
			ks.c.dialog.Focus("request")
			return ks.chosen(widget.Choice{Name: "request", Why: ks.c.cannotRequest()})
		}
	}
	// Tab goes round: Cancel, the field where there is one, the other button.
	if ks.c.typed != nil && (key == "tab" && ks.c.dialog.Focused() == "cancel" || key == "shift+tab" && ks.c.dialog.Focused() == "commit") {
		ks.focusForm(true)
		return nil, false
	}
	if ks.scroll(press) {
		return nil, false
	}
	return ks.chosen(ks.c.dialog.Update(press))
}

func (ks *changeKeys) starts(text string) bool {
	return ks.c.typed != nil && strings.HasPrefix(ks.c.wanted, ks.c.typed.Values()["id"]+text)
}

func (ks *changeKeys) typedKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch press.String() {
	case "esc", "shift+tab", "up":
		ks.focusForm(false)
		ks.c.dialog.Focus("cancel")
		return nil, false
	case "tab", "down":
		ks.focusForm(false)
		ks.c.dialog.Focus("commit")
		return nil, false
	case "enter": // Held down, or pasted by a terminal without bracketed paste, it does not apply the change as well.
		ks.focusForm(false)
		ks.c.dialog.Focus("commit")
		return ks.c.run.startGrace(), false
	case "pgdown", "pgup":
		ks.c.pager.Update(press)
		return nil, false
	}
	cmd, _ = ks.c.typed.Update(press)
	return cmd, false
}

func (ks *changeKeys) scroll(press tea.KeyPressMsg) bool {
	switch press.String() {
	case "left", "right", "h", "l":
		return false
	}
	return ks.c.pager.Update(press)
}

func (ks *changeKeys) toggleDryRun() {
	ks.c.dryRun, ks.c.made, ks.c.high = !ks.c.dryRun, 0, 0
	ks.c.pager.ScrollTo(0)
}

func (ks *changeKeys) copyDryRun() tea.Cmd {
	batch := ks.c.text.shownPlan().Batch()
	text := batch.CLI()
	what := "the AWS CLI command"
	if batch.Masked() {
		what += " (masked: it does not run as it is)"
	}
	return screen.Send(screen.CopyMsg{Text: text, What: what})
}

func (ks *changeKeys) endKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch key := press.String(); {
	case key == "p" && ks.c.ending.end.again():
		return ks.c.run.startPlan(), false
	case key == "e" && ks.c.ending.end.back() && !ks.c.reviewed():
		ks.c.Ask()
		return nil, false
	case key == "u" && ks.c.ending.canUndo():
		ks.c.ending.undo()
		return nil, false
	case key == "space" && ks.c.ending.end.kind == endDone:
		ks.c.unfold, ks.c.made = !ks.c.unfold, 0
		return nil, false
	case ks.scroll(press):
		return nil, false
	}
	return ks.chosen(ks.c.dialog.Update(press))
}

func (ks *changeKeys) chosen(ch widget.Choice) (cmd tea.Cmd, done bool) {
	if cmd, ok := ks.c.ending.openQueue(ch.Name); ok {
		return cmd, true
	}
	switch {
	case ch.Closed || ch.Name == "cancel" || ch.Name == "close":
		return ks.c.ending.leave(), true
	case ch.Why != "":
		ks.c.why = ch.Why // In the box: a notice would lie over its buttons.
	case ch.Name == "plan" || ch.Name == "again":
		return ks.c.run.startPlan(), false
	case ch.Name == "commit":
		return ks.c.run.commit(), false
	case ch.Name == "request":
		return ks.c.run.request(), false
	}
	return nil, false
}

// Click chooses a button or a field.
func (c *Change) Click(x, y int) (cmd tea.Cmd, done bool) {
	switch {
	case c.run.work != changeIdle || c.grace:
		return nil, false
	case !c.box.Has(x, y):
		return c.ending.leave(), c.step == changeEnded // Elsewhere a slip would lose what was entered.
	}
	if f := c.keys.askedForm(); f != nil && f.Click(x-c.fieldX, y-c.fieldY) {
		c.keys.focusForm(true)
		return nil, false
	}
	return c.keys.chosen(c.dialog.Click(x-c.box.X, y-c.box.Y, c.box.W, c.box.H))
}

func (ks *changeKeys) askedForm() *widget.Form {
	switch ks.c.step {
	case changeAsks:
		return ks.c.form
	case changeShows:
		return ks.c.typed
	default:
		return nil
	}
}
