// Package planner is the dialog that plans, previews and applies a change of one item or of many: it asks, shows the plan, is
// confirmed, runs, and describes what became of it.
package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A ChangeRequest describes what a change dialog is about.
type ChangeRequest struct {
	Action *change.Action    // nil repairs or undoes many items of several actions
	Title  string            // of the box: "Approve · Verification ver_1"
	About  string            // what the change does, in a sentence
	Verb   string            // label of the button that confirms
	Item   models.Item       // the subject as it is known, nil for a new one
	Args   map[string]string // inputs that are not asked for: the item fills them
	// Plan makes the plan; nil plans the action. It must not write.
	Plan func(ctx context.Context, inputs map[string]string, reason string) (*change.Plan, error)
	// Commit applies the plan of a request that was reviewed; nil applies a plan of the user. With it the dialog asks for
	// nothing: it begins with the plan and shows Reason and About.
	Commit func(ctx context.Context, p *change.Plan) (*changes.Commitment, error)
	Reason string // the default of the reason
	// Done is called once the change was made, or, with nil, when it turned out
	// that the data is not as it was shown, so that what shows the item reads it
	// again. Nil does nothing. Of many items it is called for each change.
	Done func(*changes.Commitment) tea.Cmd

	// Items are many items; see NewMany.
	Items []changes.Item
	// Closed is called when a dialog of many items that changed something is closed. Nil does nothing.
	Closed func() tea.Cmd

	undoes Made // of many
}

// changeStep is where a change dialog is.
type changeStep uint8

const (
	changeAsks changeStep = iota
	changeShows
	changeRuns // many items
	changeEnded
)

// changeWork is what a change dialog waits for.
type changeWork uint8

const (
	changeIdle changeWork = iota
	changePlans
	changeCommits
	changeRequests
)

// A Change is the dialog.
type Change struct {
	Env *screen.Env
	req ChangeRequest

	step   changeStep
	form   *widget.Form
	inForm bool // the form, or the field that confirms, has the keys
	rests  bool // the form was left before anything was entered: tab goes back to it
	dialog widget.Dialog
	many   *many          // nil for one item
	why    string         // why the item does not allow the change, "" if it does as far as is known
	first  *change.Action // what the item needs before, nil for nothing
	steps  steps

	plan   *change.Plan
	sends  string       // what the plan sends, in figures
	grace  *screen.Task // while it runs, enter and space are not taken
	dryRun bool
	unfold bool
	read   bool         // the end of the plan was on the screen
	denied string       // why a button was not taken, until the next key
	typed  *widget.Form // production: the id that has to be typed
	wanted string       // and what it has to be

	pager  *widget.Pager
	made   int // width that the pager's lines were made for, 0: none
	lines  int // how many there are
	high   int // height of the box: it only grows, until another step or view of the plan
	box    overlay.Rect
	fieldX int // where the form or field was drawn
	fieldY int
	shown  *change.Plan // plan as shown with masker
	masker *models.Masker
	end    changeEnd
	queues []changes.QueueOffer // to go on with after the end

	work    changeWork      // off the screen's time
	task    *screen.Task    // nil before the first
	writing *screen.Writing // the commit or the request, once it was sent
}

// steps identifies which of two changes is planned: what an item needs first, or what was asked for.
type steps uint8

const (
	onlyOne   steps = iota // the action
	firstOnly              // what comes before it, and no more
	firstOfTwo
	secondOfTwo
)

// NewChange returns the dialog, asking for what the item does not fill.
func NewChange(env *screen.Env, r ChangeRequest) *Change {
	if r.Verb == "" {
		r.Verb = models.PrintableCell(r.Action.Title, 28)
	}
	c := &Change{Env: env, req: r, pager: widget.NewPager(env.Styles)}
	if r.Item != nil && r.Plan == nil {
		c.why = obstacle(env, r.Action, r.Action.Entity, r.Item)
		if c.why != "" {
			c.first = stepBefore(env, r.Action, r.Item)
		}
	}
	c.form = widget.NewForm(env.Styles, changeFields(env, r)...)
	c.Ask()
	return c
}

// NewMany returns the dialog for Items.
func NewMany(env *screen.Env, r ChangeRequest) (*Change, tea.Cmd) {
	c := &Change{Env: env, req: r, pager: widget.NewPager(env.Styles)}
	return c, c.beginMany()
}

// NewReviewed returns the dialog that applies a reviewed request, whose Plan and Commit are set. It begins with the plan.
func NewReviewed(env *screen.Env, r ChangeRequest, p *change.Plan) (*Change, tea.Cmd) {
	c := NewChange(env, r)
	return c, c.show(p)
}

func (c *Change) reviewed() bool { return c.req.Commit != nil }

// Ask goes to the inputs.
func (c *Change) Ask() {
	c.enter(changeAsks)
	c.grace.End()
	c.steps = onlyOne
	c.dialog.Buttons = []widget.Button{{Name: "cancel", Label: c.leaveWord()}}
	last := "cancel"
	add := func(name, label string) {
		c.dialog.Buttons = append(c.dialog.Buttons, widget.Button{Name: name, Label: label})
		last = name
	}
	switch {
	case c.many != nil:
		c.dialog.Buttons = append(c.dialog.Buttons, c.manyButtons()...)
	case c.why == "" || c.stopped() != nil:
		add("plan", "Show the plan")
	case c.first != nil:
		add("first", title(c.first)+" only")
		add("both", title(c.first)+", then "+lower(c.req.Verb))
	}
	c.dialog.Focus(last)
	c.focusForm(last != "cancel" || c.many != nil)
}

func title(a *change.Action) string { return models.PrintableCell(a.Title, 28) }

// lower returns a label that starts with a small letter, unless it starts with an abbreviation.
func lower(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) {
		return s
	}
	return string(unicode.ToLower(first)) + s[n:]
}

func (c *Change) enter(s changeStep) {
	c.step, c.high, c.made, c.dryRun, c.denied = s, 0, 0, false, ""
	c.dialog = widget.Dialog{}
	c.pager.ScrollTo(0)
}

func (c *Change) show(p *change.Plan) tea.Cmd {
	c.plan, c.shown, c.unfold, c.typed, c.read = p, nil, false, nil, false
	c.sends = fmt.Sprintf("%s · %s · %g WCU", p.Batch().Explain().Operation, present.Plural(len(p.Writes), "write"), p.Capacity())
	if c.reviewed() {
		c.sends += " + request"
	}
	verb := c.req.Verb
	if c.steps == firstOnly || c.steps == firstOfTwo {
		verb = title(p.Action)
	}
	c.enter(changeShows)
	c.inForm = false
	c.form.SetFocused(false)
	c.planButtons(verb)
	c.dialog.Focus("cancel")
	if c.requests() {
		return c.startGrace()
	}
	if c.dialog.Danger = c.Env.Session.Production(); c.dialog.Danger {
		c.wanted = c.planID()
		c.typed = widget.NewForm(c.Env.Styles, widget.FormField{
			Name: "id", Label: "Typed", Width: min(len(c.wanted)+2, 56),
		})
		c.typed.SetFocused(false)
	}
	return c.startGrace()
}

// planButtons returns the buttons; those that only show something come before the one that cancels.
func (c *Change) planButtons(verb string) {
	var list []widget.Button
	add := func(name, label string) { list = append(list, widget.Button{Name: name, Label: label}) }
	if c.folds() {
		add("fold", "Attributes")
	}
	if c.dryRun {
		add("copy", "Copy")
		add("cli", "Plan")
	} else {
		add("cli", "AWS CLI")
	}
	if !c.reviewed() {
		add("inputs", "Inputs")
	}
	add("cancel", c.leaveWord())
	last := widget.Button{Name: "commit", Label: verb, Danger: c.dangerous(), Disabled: c.notYet}
	if c.requests() {
		last = widget.Button{Name: "request", Label: "Request", Disabled: c.cannotRequest}
	}
	c.dialog.Buttons = append(list, last)
}

func (c *Change) folds() bool {
	return slices.ContainsFunc(c.plan.Writes, func(w change.Write) bool {
		return w.Operation == change.Put || w.Operation == change.Delete
	})
}

// leaveWord returns the label of the button that changes nothing: beside "Cancel a bid" it cannot be "Cancel".
func (c *Change) leaveWord() string {
	if strings.HasPrefix(c.req.Verb, "Cancel") {
		return "Leave"
	}
	return "Cancel"
}

func (c *Change) dangerous() bool {
	deletes := slices.ContainsFunc(c.plan.Writes, func(w change.Write) bool { return w.Operation == change.Delete })
	return deletes || c.Env.Session.Production()
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

// notYet returns the reason why the change cannot be confirmed yet, "" if it can.
func (c *Change) notYet() string {
	if err := c.stopped(); err != nil {
		return err.Error()
	}
	switch {
	case c.work == changeCommits:
		return "the change is being written"
	case !c.readToEnd():
		return "scroll to the end of the plan first (end)"
	case c.typed != nil && c.typed.Values()["id"] != c.wanted:
		return "this is production: type " + c.wanted + " first"
	}
	return ""
}

// readToEnd reports whether the end of the plan was on the screen: nobody confirms writes that were out of view.
func (c *Change) readToEnd() bool {
	if c.step == changeShows && !c.dryRun && c.lines > 0 && c.made != 0 && c.pager.AtEnd() {
		c.read = true
	}
	return c.read
}

// Holds describes what must not be cut off, "" when nothing is under way.
func (c *Change) Holds() string {
	switch {
	case c.step == changeRuns:
		return fmt.Sprintf("%s: %d of %d done; stops after the current item", c.req.Verb, c.many.Len(), c.many.total)
	case c.work == changeCommits:
		return c.req.Title + " is being written"
	case c.work == changeRequests:
		return "the request for " + c.req.Title + " is being filed"
	}
	return ""
}

// TypedConfirmation reports whether the box was left while it asked for the id or the number of items.
func (c *Change) TypedConfirmation() bool {
	return c.step == changeShows && c.typed != nil || c.many != nil && c.step == changeAsks && c.Env.Session.Production()
}

// Wait returns once a commit under way has its outcome, at once without one. Of many items it stops after the one under way.
func (c *Change) Wait() {
	if c.many != nil {
		c.task.End()
	}
	if c.writing != nil {
		c.writing.Wait()
	}
}

// Cancel stops planning or the change of many items, or says that the dialog may be closed.
func (c *Change) Cancel() (closed bool) {
	switch {
	case c.step == changeRuns:
		c.many.stopping = true
		c.task.Stop()
		return false
	case c.work == changePlans:
		c.stopPlanning()
		return false
	}
	return c.work == changeIdle
}

// Close gives up what may be given up.
func (c *Change) Close() {
	if c.work == changePlans {
		c.stopPlanning()
	}
}

// SetStyles changes the theme.
func (c *Change) SetStyles(s *widget.Styles) {
	c.made = 0
	c.form.SetStyles(s)
	c.pager.SetStyles(s)
	if c.typed != nil {
		c.typed.SetStyles(s)
	}
	if c.many != nil {
		c.many.grid.SetStyles(s)
	}
}

// Wheel scrolls what is open.
func (c *Change) Wheel(up bool) {
	if c.many != nil {
		c.many.grid.Wheel(up)
	}
}

func (c *Change) shownPlan() *change.Plan {
	if m := c.Env.Session.Masker(); c.shown == nil || c.masker != m {
		c.shown, c.masker, c.made = c.plan.Shown(m), m, 0
	}
	return c.shown
}

func (c *Change) elapsed() time.Duration {
	if c.task == nil {
		return 0
	}
	return c.task.Elapsed
}
