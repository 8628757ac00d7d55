// Package planner contains the dialog that changes one or several items. The dialog asks for inputs, shows the plan,
// asks for confirmation, applies the plan and describes the outcome.
package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A ChangeRequest describes the change that a dialog plans.
type ChangeRequest struct {
	Action *change.Action    // nil to repair or undo several items with different actions
	Title  string            // title of the box: "Approve · Verification ver_1"
	About  string            // one sentence that describes the effect
	Verb   string            // label of the confirming button
	Item   models.Item       // the item as far as it is known; nil for a new item
	Args   map[string]string // inputs that the dialog takes from the item instead of asking for them
	// Plan creates the plan and must not write; a nil Plan plans Action.
	Plan func(ctx context.Context, inputs map[string]string, reason string) (*change.Plan, error)
	// Commit applies the plan of a reviewed request; a nil Commit applies the user's own plan. If Commit is set, the
	// dialog skips the inputs: it starts with the plan and shows Reason and About.
	Commit func(ctx context.Context, p *change.Plan) (*changes.Commitment, error)
	Reason string // default for the reason field
	// Done receives the applied change, or nil if the data differed from what the screen showed, so that the caller can
	// read the item again. With several items, the dialog calls it for each change. It may be nil.
	Done func(*changes.Commitment) tea.Cmd

	// Items contains the items of a dialog for several items; see NewManyItems.
	Items []changes.Item
	// Ended runs after the last change of several items; may be nil.
	Ended func() tea.Cmd

	toUndo undoableChanges // changes of several items to undo
}

// changeStep is the current step of a change dialog.
type changeStep uint8

const (
	changeStepInputs changeStep = iota
	changeStepPlan
	changeStepRunning // applies the change to several items
	changeStepEnded
)

// changeWork is the operation that a change dialog waits for.
type changeWork uint8

const (
	changeIdle changeWork = iota
	changePlanning
	changeCommitting
	changeRequesting
)

// A Change is the dialog that plans and applies a change.
type Change struct {
	Env *screen.Env
	req ChangeRequest

	step        changeStep
	form        *widget.Form
	inForm      bool // the form or the confirmation field has the keyboard focus
	tabReturns  bool // the user left the form before typing: tab returns to it
	dialog      widget.Dialog
	many        *manyItems     // nil for one item
	reason      string         // reason why the item does not allow the change, or ""
	firstAction *change.Action // action to apply first, or nil
	sequence    planSequence

	plan         *change.Plan
	writeSummary string       // summary of the plan's writes
	grace        *screen.Task // the dialog ignores enter and space while this task runs
	dryRun       bool
	expanded     bool
	seenToEnd    bool         // the user has seen the end of the plan
	buttonReason string       // reason why a button is unavailable, shown until the next key
	confirmForm  *widget.Form // field for the ID, in production only
	confirmText  string       // text that the user must enter in confirmForm

	pager      *widget.Pager
	builtWidth int // width for which the pager's lines were built, 0 before that
	lineCount  int // number of the pager's lines
	height     int // height of the box, which only grows until the step or the view of the plan changes
	box        overlay.Rect
	fieldX     int // position of the form or field in the drawing
	fieldY     int
	shown      *change.Plan // plan as masked by masker
	masker     *models.Masker
	outcome    changeOutcome

	work    changeWork      // operation that runs outside of Update
	task    *screen.Task    // nil before the first task
	writing *screen.Writing // commit or request that was sent
}

// planSequence selects the change to plan: the action, the change that must come first, or one after the other.
type planSequence uint8

const (
	onlyOne   planSequence = iota // the action
	firstOnly                     // only the change that must come first
	firstOfTwo
	secondOfTwo
)

// NewChange returns the dialog for one item. It asks for the inputs that the item does not fill.
func NewChange(env *screen.Env, r ChangeRequest) *Change {
	if r.Verb == "" {
		r.Verb = models.PrintableCell(r.Action.Title, 28)
	}
	c := &Change{Env: env, req: r, pager: widget.NewPager(env.Styles)}
	if r.Item != nil && r.Plan == nil && env.Session.CanPlan(r.Action) == nil {
		c.reason = obstacle(env, r.Action, r.Action.Entity, r.Item)
		if c.reason != "" && c.refusal() == nil {
			c.firstAction = prerequisite(env, r.Action, r.Item)
		}
	}
	c.form = widget.NewForm(env.Styles, changeFields(env, r)...)
	c.ShowInputs()
	return c
}

// NewManyItems returns the dialog for r.Items, and its first command.
func NewManyItems(env *screen.Env, r ChangeRequest) (*Change, tea.Cmd) {
	c := &Change{Env: env, req: r, pager: widget.NewPager(env.Styles)}
	return c, c.beginMany()
}

// NewReviewed returns the dialog that applies a reviewed request, and its first command. The dialog starts with the
// plan. r.Plan and r.Commit must be set.
func NewReviewed(env *screen.Env, r ChangeRequest, p *change.Plan) (*Change, tea.Cmd) {
	c := NewChange(env, r)
	return c, c.showPlan(p)
}

func (c *Change) isReviewed() bool { return c.req.Commit != nil }

// ShowInputs returns to the inputs.
func (c *Change) ShowInputs() {
	c.enter(changeStepInputs)
	c.grace.End()
	c.sequence = onlyOne
	c.dialog.Buttons = []widget.Button{{Name: "cancel", Label: c.cancelLabel()}}
	lastButton := "cancel"
	add := func(name, label string, s planSequence) {
		c.dialog.Buttons = append(c.dialog.Buttons, button(name, label, func() tea.Cmd { return c.startSequence(s) }))
		lastButton = name
	}
	switch {
	case c.many != nil:
		c.dialog.Buttons = append(c.dialog.Buttons, c.manyButtons()...)
	case c.reason == "":
		add("plan", "Show the plan", onlyOne)
	case c.firstAction != nil:
		add("first", actionTitle(c.firstAction)+" only", firstOnly)
		add("both", actionTitle(c.firstAction)+", then "+present.LowerFirst(c.req.Verb), firstOfTwo)
	}
	c.dialog.Focus(lastButton)
	c.focusForm(lastButton != "cancel" || c.many != nil)
}

func actionTitle(a *change.Action) string { return models.PrintableCell(a.Title, 28) }

func (c *Change) enter(s changeStep) {
	c.step, c.height, c.builtWidth, c.dryRun, c.buttonReason = s, 0, 0, false, ""
	c.dialog = widget.Dialog{}
	c.pager.ScrollTo(0)
}

func (c *Change) showPlan(p *change.Plan) tea.Cmd {
	c.plan, c.shown, c.expanded, c.confirmForm, c.seenToEnd = p, nil, false, nil, false
	c.writeSummary = ""
	if !c.Env.Plain() {
		c.writeSummary = fmt.Sprintf("%s · %s · %g WCU", p.Batch().Explain().Operation,
			present.Plural(len(p.Writes), "write"), p.Capacity())
	}
	if c.isReviewed() && c.writeSummary != "" {
		c.writeSummary += " + request"
	}
	verb := c.req.Verb
	if c.sequence == firstOnly || c.sequence == firstOfTwo {
		verb = actionTitle(p.Action)
	}
	c.enter(changeStepPlan)
	c.inForm = false
	c.form.SetFocused(false)
	c.setPlanButtons(verb)
	c.dialog.Focus("cancel")
	if c.canRequest() {
		return c.startGrace()
	}
	if c.dialog.Danger = c.Env.Session.Production(); c.dialog.Danger {
		c.confirmText = c.planID()
		c.confirmForm = widget.NewForm(c.Env.Styles, widget.FormField{
			Name: "id", Label: "Typed", Width: min(len(c.confirmText)+2, 56),
		})
		c.confirmForm.SetFocused(false)
	}
	return c.startGrace()
}

// setPlanButtons sets the buttons. Buttons that only show something come before the cancel button.
func (c *Change) setPlanButtons(verb string) {
	var list []widget.Button
	if c.canFold() {
		list = append(list, button("fold", "Attributes", then(c.toggleFold)))
	}
	switch {
	case c.dryRun:
		list = append(list, button("copy", "Copy", c.copyDryRun), button("cli", "Plan", then(c.toggleDryRun)))
	case !c.Env.Plain():
		list = append(list, button("cli", "AWS CLI", then(c.toggleDryRun)))
	}
	if !c.isReviewed() {
		list = append(list, button("inputs", "Inputs", then(c.ShowInputs)))
	}
	mainButton := button("commit", verb, c.commit)
	mainButton.Danger, mainButton.Disabled = c.isDangerous(), c.notReadyReason
	if c.canRequest() {
		mainButton = button("request", "Request", c.request)
		mainButton.Disabled = c.cannotRequest
	}
	c.dialog.Buttons = append(list, widget.Button{Name: "cancel", Label: c.cancelLabel()}, mainButton)
}

func (c *Change) toggleFold() { c.expanded, c.builtWidth = !c.expanded, 0 }

func (c *Change) canFold() bool {
	return !c.Env.Plain() && slices.ContainsFunc(c.plan.Writes, func(w change.Write) bool {
		return w.Operation == change.Put || w.Operation == change.Delete
	})
}

// cancelLabel returns the label of the button that changes nothing. It cannot be "Cancel" beside "Cancel a bid".
func (c *Change) cancelLabel() string {
	if strings.HasPrefix(c.req.Verb, "Cancel") {
		return "Leave"
	}
	return "Cancel"
}

func (c *Change) isDangerous() bool {
	hasDelete := slices.ContainsFunc(c.plan.Writes, func(w change.Write) bool { return w.Operation == change.Delete })
	return hasDelete || c.Env.Session.Production()
}

func (c *Change) planID() string {
	w := c.plan.Writes[0]
	it := w.After
	if it == nil {
		it = w.Before
	}
	s := c.Env.Workspace
	if r, ok := s.Session.Recognize(w.Table, it); ok {
		if id := present.ItemID(r.Entity, s.Session.Masker(), r, it); id.Text != "" && !id.Masked && models.Printable(id.Text) == id.Text {
			return id.Text
		}
	}
	return c.req.Action.ID
}

// notReadyReason returns the reason why the user cannot confirm the change yet, or "".
func (c *Change) notReadyReason() string {
	if err := c.refusal(); err != nil {
		return err.Error()
	}
	switch {
	case c.work == changeCommitting:
		return "the change is being written"
	case !c.isReadToEnd():
		return "scroll to the end of the plan first (end)"
	case c.confirmForm != nil && c.confirmForm.Values()["id"] != c.confirmText:
		return "this is production: type " + c.confirmText + " first"
	}
	return ""
}

// isReadToEnd reports whether the user has seen the end of the plan, and so every write to confirm.
func (c *Change) isReadToEnd() bool {
	if c.step == changeStepPlan && !c.dryRun && c.lineCount > 0 && c.builtWidth != 0 && c.pager.AtEnd() {
		c.seenToEnd = true
	}
	return c.seenToEnd
}

// Holds describes the work that must not be interrupted, or returns "" if there is none.
func (c *Change) Holds() string {
	switch {
	case c.step == changeStepRunning:
		return fmt.Sprintf("%s: %d of %d done; stopping after the current item", c.req.Verb, c.many.Len(), c.many.total)
	case c.work == changeCommitting:
		return c.req.Title + " is being written"
	case c.work == changeRequesting:
		return "the request for " + c.req.Title + " is being filed"
	}
	return ""
}

// TypedConfirmation reports whether the user left the box while it asked for the ID or the number of items.
func (c *Change) TypedConfirmation() bool {
	return c.step == changeStepPlan && c.confirmForm != nil || c.many != nil && c.step == changeStepInputs && c.Env.Session.Production()
}

// Wait blocks until the pending commit has an outcome. With several items, it stops after the current one.
func (c *Change) Wait() {
	if c.many != nil {
		c.task.End()
	}
	if c.writing != nil {
		c.writing.Wait()
	}
}

// Cancel stops the planning, or the change of several items. closed reports whether the host may close the dialog.
func (c *Change) Cancel() (closed bool) {
	switch {
	case c.step == changeStepRunning:
		c.many.stopping = true
		c.task.Stop()
		return false
	case c.work == changePlanning:
		c.stopPlanning()
		return false
	}
	return c.work == changeIdle
}

// Close cancels a running plan.
func (c *Change) Close() {
	if c.work == changePlanning {
		c.stopPlanning()
	}
}

// SetStyles sets the theme.
func (c *Change) SetStyles(s *widget.Styles) {
	c.builtWidth = 0
	c.form.SetStyles(s)
	c.pager.SetStyles(s)
	if c.confirmForm != nil {
		c.confirmForm.SetStyles(s)
	}
	if c.many != nil {
		c.many.grid.SetStyles(s)
	}
}

// Wheel scrolls the visible content.
func (c *Change) Wheel(up bool) {
	if c.many != nil && c.step >= changeStepRunning {
		c.many.grid.Wheel(up)
		return
	}
	c.pager.Wheel(up)
}

func (c *Change) shownPlan() *change.Plan {
	if m := c.Env.Session.Masker(); c.shown == nil || c.masker != m {
		c.shown, c.masker, c.builtWidth = c.plan.Shown(m), m, 0
	}
	return c.shown
}

func (c *Change) elapsed() time.Duration {
	if c.task == nil {
		return 0
	}
	return c.task.Elapsed
}
