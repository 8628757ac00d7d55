package planner

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Update handles a message. done reports whether the host must close the dialog.
func (c *Change) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, isKey := msg.(tea.KeyPressMsg)
	if !isKey {
		hasField := c.confirmForm != nil || c.step == changeStepInputs && len(c.dialog.Buttons) > 1
		if _, pasted := msg.(tea.PasteMsg); pasted && hasField && c.work == changeIdle {
			c.focusForm(true)
		}
		if f := c.focusedForm(); f != nil && c.work == changeIdle {
			cmd, _ := f.Update(msg)
			return cmd, false
		}
		c.pager.Update(msg)
		return nil, false
	}
	key := press.String()
	c.buttonReason = ""
	switch {
	case c.step == changeStepRunning:
		if key == "esc" {
			c.Cancel()
		} else {
			c.many.grid.Update(press)
		}
		return nil, false
	case c.work == changeCommitting || c.work == changeRequesting:
		if key == "esc" {
			return screen.Send(screen.NoticeMsg{Text: c.Holds() + " and cannot be canceled"}), false
		}
		c.pager.Update(msg)
		return nil, false
	case c.work == changePlanning:
		if key == "esc" {
			c.stopPlanning()
			if c.step != changeStepInputs && !c.isReviewed() {
				c.ShowInputs()
			}
			return screen.Send(screen.NoticeMsg{Text: "planning stopped"}), false
		}
		return nil, false
	case c.grace.Running() && key == "enter":
		c.buttonReason = "You pressed enter before the dialog opened. Press it again."
		return nil, false
	}
	switch {
	case c.step == changeStepInputs:
		return c.inputKey(press)
	case c.step == changeStepPlan:
		return c.planKey(press)
	case c.many != nil:
		return c.manyEndKey(press)
	case c.scroll(press):
		return nil, false
	}
	return c.handleChoice(c.dialog.Update(press))
}

func (c *Change) focusedForm() *widget.Form {
	if !c.inForm {
		return nil
	}
	return c.promptForm()
}

func (c *Change) inputKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := press.String()
	if c.inForm {
		return c.formKey(press)
	}
	first, last := c.dialog.Buttons[0].Name, c.dialog.Buttons[len(c.dialog.Buttons)-1].Name
	focused := c.dialog.Focused()
	if hasChoice := len(c.dialog.Buttons) > 1; hasChoice && (key == "up" || key == "down" || key == "shift+tab" && focused == first ||
		key == "tab" && (c.tabReturns || focused == last && c.many != nil || focused == first && c.many == nil && c.reason == "")) {
		c.focusForm(true)
		return nil, false
	}
	return c.handleChoice(c.dialog.Update(press))
}

func (c *Change) formKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	cmd, used := c.form.Update(press)
	key := press.String()
	switch {
	case used:
		return cmd, false
	case key == "esc":
		return nil, true
	case key == "enter" && c.many == nil:
		return c.handleChoice(c.dialog.Update(press))
	case key == "enter": // Enter in a field starts nothing: the focus moves to Cancel.
		if c.form.Validate() == nil {
			c.focusForm(false)
			c.dialog.Focus("cancel")
		}
	case key == "tab" || key == "down": // Highlight the button that enter in the form chooses.
		c.focusForm(false)
		if c.many != nil {
			c.dialog.Focus("cancel")
		}
	case key == "shift+tab" || key == "up":
		c.focusForm(false)
		c.dialog.Focus("cancel")
	}
	return cmd, false
}

// Typing reports whether the user is typing text.
func (c *Change) Typing() bool { return c.focusedForm() != nil }

// AcceptsKey reports whether the dialog uses a letter key to scroll or to start the typed confirmation.
func (c *Change) AcceptsKey(key string) bool {
	return strings.Contains("jkgG", key) || c.step == changeStepPlan && c.startsConfirmation(key)
}

// FocusFields moves the keyboard focus to the form, or, if no field needs a value, to the buttons. Enter in the form
// chooses the highlighted button, which must not be Cancel.
func (c *Change) FocusFields(on bool) {
	last := len(c.dialog.Buttons) - 1
	switch {
	case on && c.step == changeStepInputs && !c.inForm && last > 0 && c.work == changeIdle:
		c.dialog.Focus(c.dialog.Buttons[last].Name)
		c.focusForm(true)
	case !on && c.inForm && c.form.Valid():
		c.focusForm(false)
		c.tabReturns = true
	}
}

func (c *Change) focusForm(on bool) {
	c.inForm, c.tabReturns = on, false
	c.promptForm().SetFocused(on)
}

func (c *Change) planKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := press.String()
	if !c.inForm && press.Text != "" && c.startsConfirmation(press.Text) {
		c.focusForm(true)
	}
	if c.inForm {
		return c.confirmKey(press)
	}
	switch {
	case key == "esc" && c.dryRun:
		c.toggleDryRun()
		return nil, false
	case key == "esc":
		return c.leave(), true
	}
	// Tab cycles through Cancel, the confirmation field if there is one, and the other button.
	if c.confirmForm != nil && (key == "tab" && c.dialog.Focused() == "cancel" || key == "shift+tab" && c.dialog.Focused() == "commit") {
		c.focusForm(true)
		return nil, false
	}
	if c.scroll(press) {
		return nil, false
	}
	return c.handleChoice(c.dialog.Update(press))
}

func (c *Change) startsConfirmation(text string) bool {
	return c.confirmForm != nil && strings.HasPrefix(c.confirmText, c.confirmForm.Values()["id"]+text)
}

func (c *Change) confirmKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	focusButton := func(button string) {
		c.focusForm(false)
		c.dialog.Focus(button)
	}
	switch press.String() {
	case "esc", "shift+tab", "up":
		focusButton("cancel")
		return nil, false
	case "tab", "down":
		focusButton("commit")
		return nil, false
	case "enter": // A held key, or a paste without bracketed paste, must not apply the change too.
		focusButton("commit")
		return c.startGrace(), false
	case "pgdown", "pgup":
		c.pager.Update(press)
		return nil, false
	}
	cmd, _ = c.confirmForm.Update(press)
	return cmd, false
}

func (c *Change) scroll(press tea.KeyPressMsg) bool {
	return !slices.Contains([]string{"left", "right", "h", "l"}, press.String()) && c.pager.Update(press)
}

func (c *Change) toggleDryRun() {
	c.dryRun, c.builtWidth, c.height = !c.dryRun, 0, 0
	c.pager.ScrollTo(0)
	focused := c.dialog.Focused()
	c.setPlanButtons(c.dialog.Buttons[len(c.dialog.Buttons)-1].Label)
	c.dialog.Focus(focused)
}

func (c *Change) copyDryRun() tea.Cmd {
	batch, subject := c.shownPlan().Batch(), "the AWS CLI command"
	if batch.Masked() {
		subject += " (contains masked values, so it does not run unchanged)"
	}
	return screen.Send(screen.CopyMsg{Text: batch.CLI(), What: subject})
}

func (c *Change) handleChoice(ch widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case ch.Run != nil:
		return ch.Run()
	case ch.Closed || ch.Name != "": // Buttons without Run close the dialog.
		return c.leave(), true
	case ch.Why != "":
		c.buttonReason = ch.Why // Show the reason in the box: a notice would cover its buttons.
	}
	return nil, false
}

func button(name, label string, run func() tea.Cmd) widget.Button {
	return widget.Button{Name: name, Label: label, Run: func() (tea.Cmd, bool) { return run(), false }}
}

func then(run func()) func() tea.Cmd {
	return func() tea.Cmd {
		run()
		return nil
	}
}

// Click chooses the button or the field at the given position.
func (c *Change) Click(x, y int) (cmd tea.Cmd, done bool) {
	switch {
	case c.work != changeIdle || c.grace.Running() || c.step == changeStepRunning:
		return nil, false
	case !c.box.Has(x, y) && !c.form.Choosing():
		return c.leave(), c.step == changeStepEnded // Closing on a stray click could lose the input.
	}
	if f := c.promptForm(); f != nil && f.Click(x-c.fieldX, y-c.fieldY) {
		c.focusForm(true)
		return nil, false
	}
	return c.handleChoice(c.dialog.Click(x-c.box.X, y-c.box.Y, c.box.W, c.box.H))
}

func (c *Change) promptForm() *widget.Form {
	if c.step == changeStepInputs {
		return c.form
	}
	return c.confirmForm // nil outside of the plan step
}
