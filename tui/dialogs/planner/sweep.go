package planner

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// sweepPhase is how far a sweep is.
type sweepPhase uint8

// The phases of a change of many items.
const (
	sweepAsks sweepPhase = iota
	SweepRuns            // the items are being changed
	SweepDone            // the outcome is shown
)

// The names of the fields that belong to no input of the action.
const (
	sweepReason  = "@reason"
	sweepConfirm = "@items"
)

// Sweep is a set with its items.
type Sweep struct {
	changes.Set

	Items []changes.Item
}

// SweepDialog is the dialog.
type SweepDialog struct {
	env   *screen.Env
	sweep Sweep
	title string
	// obstacles say of each item why it does not allow the change, "" when it
	// does, as far as it tells by itself.
	obstacles []string
	why       string // why a button was not taken, until the next key
	// heard is told of each outcome, closed that the box is closed after a
	// change. Nil does nothing.
	Heard  func(changes.Outcome)
	Closed func() tea.Cmd

	overlay.Box
	Phase sweepPhase
	ready bool // the grace period is over

	Letters map[*change.Action]string // the keys of actions where it was opened

	grid *widget.Grid
	wide int    // width that the grid's columns were made for
	said string // the last notice of the summary
	run  *sweepRun
}

// NewSweepDialog returns the dialog for a sweep, whose inputs and reason it asks for.
func NewSweepDialog(env *screen.Env, b Sweep) *SweepDialog {
	x := &SweepDialog{env: env}
	x.Submit = x.submit
	x.begin(b)
	return x
}

func (x *SweepDialog) begin(b Sweep) {
	x.sweep, x.title, x.obstacles = b, "Repair", nil
	x.Phase, x.ready, x.why, x.said, x.wide = sweepAsks, false, "", "", 0
	x.run = &sweepRun{outcomes: &sweepOutcomes{}}
	if b.Action != nil {
		x.title = b.Action.Title
	}
	if x.undoes() {
		x.title = "Undo " + x.title
	}
	n := len(b.Items)
	for _, it := range b.Items {
		why := obstacle(x.env, b.Action, it)
		x.obstacles = append(x.obstacles, why)
		if why != "" {
			n--
		}
	}
	button := x.title + " " + present.Plural(n, "item")
	if n < len(b.Items) {
		button = fmt.Sprintf("%s %d of %d", x.title, n, len(b.Items))
	}
	x.Form = widget.NewForm(x.env.Styles, x.fields()...)
	x.Dialog = &widget.Dialog{
		Title: x.title + " · " + present.Plural(len(b.Items), "item"), Note: "one transaction per item", Danger: x.env.Session.Production(),
		Buttons: []widget.Button{
			{Name: "cancel", Label: "Cancel"}, {Name: "go", Label: button, Danger: x.env.Session.Production(), Disabled: x.notYet},
		},
	}
	x.grid = widget.NewGrid(x.env.Styles)
	x.grid.SetSource(x.run.outcomes)
	x.grid.SetEmpty("", "")
	x.FocusForm(true)
}

func (x *SweepDialog) undoes() bool { return len(x.sweep.Items) > 0 && x.sweep.Items[0].Undoes != nil }

// NewSweepUndo returns the dialog that undoes changes of one action, the newest first.
func NewSweepUndo(env *screen.Env, a *change.Action, done []*changes.Commitment) *SweepDialog {
	return NewSweepDialog(env, sweepUndo(a, done))
}

func sweepUndo(a *change.Action, done []*changes.Commitment) Sweep {
	b := Sweep{Set: changes.Set{Action: a, Undo: true}}
	for _, d := range slices.Backward(done) {
		w, it := d.Plan.Writes[0], d.Items[0]
		if it == nil {
			it = w.Before
		}
		b.Items = append(b.Items, changes.Item{Table: w.Table, Item: it, Undoes: &d.Past})
	}
	return b
}

func (x *SweepDialog) undoable() []*changes.Commitment {
	var list []*changes.Commitment
	for _, o := range x.run.outcomes.list {
		if d := o.Done; d != nil && d.Plan.Undoes == nil && d.Plan.Action.NoUndo == "" && d.Unrecorded == nil {
			list = append(list, d)
		}
	}
	return list
}

// SweepItems are items of one table.
func SweepItems(t *models.Table, items []models.Item) []changes.Item {
	list := make([]changes.Item, len(items))
	for i, it := range items {
		list[i] = changes.Item{Table: t, Item: it}
	}
	return list
}

func (x *SweepDialog) about() string {
	if x.undoes() {
		return "Undoes these changes, the newest first. An item that changed since is left as it is; audit entries stay, and each undo " +
			"adds its own."
	}
	if x.sweep.Action == nil {
		return "Repairs the derived attributes of each item: index keys, and times that repeat another."
	}
	return x.sweep.Action.Description
}

func (x *SweepDialog) fields() []widget.FormField {
	var fields []widget.FormField
	required := false
	if a := x.sweep.Action; a != nil {
		required = a.Reason == change.ReasonRequired
		filled := changes.ActionArgs(a, a.Entity, x.sweep.Items[0].Item)
		for _, q := range a.Inputs {
			if _, known := filled[q.Name]; !known && !x.undoes() {
				fields = append(fields, present.Form{Table: a.Entity.Table, Action: a}.Fields(x.env, q)...)
			}
		}
	}
	help := "applies to all items, in the journal and the audit entries"
	placeholder := "optional, for all items"
	if required {
		placeholder = "required, for all items"
	}
	fields = append(
		fields,
		widget.FormField{
			Name: sweepReason, Label: x.reasonLabel(), Required: required, Help: help, Placeholder: placeholder, Width: 48,
			Validate: session.CheckReason,
		},
	)
	if x.env.Session.Production() {
		want := strconv.Itoa(len(x.sweep.Items))
		fields = append(fields, widget.FormField{
			Name: sweepConfirm, Label: "PRODUCTION: type the number of items", Required: true, Width: 6,
			Validate: func(text string) error {
				if text != want {
					return fmt.Errorf("%s items will be changed", want)
				}
				return nil
			},
		})
	}
	return fields
}

func (x *SweepDialog) reasonLabel() string {
	if x.undoes() {
		return "Reason for the undo"
	}
	return "Reason"
}

// sweepReadyMsg ends the grace period of a dialog.
type sweepReadyMsg struct{ box *SweepDialog }

// Start begins the grace period.
func (x *SweepDialog) Start() tea.Cmd {
	return tea.Tick(overlay.GraceFor, func(time.Time) tea.Msg { return sweepReadyMsg{x} })
}

func (x *SweepDialog) notYet() string {
	switch {
	case !x.ready:
		return "one moment"
	case !x.Form.Valid():
		return "a required field is empty"
	}
	return ""
}

// Holds says what must be waited for before the program ends.
func (x *SweepDialog) Holds() string {
	if x.Phase != SweepRuns {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d done; stops after the current item", x.title, x.run.outcomes.Len(), len(x.sweep.Items))
}

// TypedConfirmation reports whether the box was left while it asked for the
// number of items.
func (x *SweepDialog) TypedConfirmation() bool {
	return x.Phase == sweepAsks && x.env.Session.Production()
}

// Wait stops after the item under way and returns once it has its outcome.
func (x *SweepDialog) Wait() {
	if x.run.writing != nil {
		x.run.stop()
		x.run.writing.Wait()
	}
}

// Cancel stops after the item under way, or says that the box may be closed.
func (x *SweepDialog) Cancel() (closed bool) {
	if x.Phase != SweepRuns {
		return true
	}
	x.run.stopping = true
	x.run.stop()
	return false
}

// Update gives keys and answers to the phase.
func (x *SweepDialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case sweepReadyMsg:
		x.ready = x.ready || msg.box == x
		return nil, false
	case sweepSteppedMsg, sweepEndedMsg, sweepTickedMsg:
		return x.progressed(msg), false
	case exportedMsg:
		return x.exported(msg), false
	case tea.KeyPressMsg:
		return x.press(msg)
	}
	if x.Phase == sweepAsks {
		return x.choose(msg)
	}
	return nil, false
}

func (x *SweepDialog) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := msg.String()
	x.why = ""
	switch x.Phase {
	case sweepAsks:
		text := msg.Text != "" && key != "space" && !x.OnForm()
		switch {
		case !x.ready && (text || key == "enter" || key == "space" && !x.OnForm()):
			return nil, false
		case text: // The user types on, so the form is meant.
			x.FocusForm(true)
		}
		return x.choose(msg)
	case SweepRuns:
		if key == "esc" {
			x.Cancel()
			return nil, false
		}
		x.grid.Update(msg)
	case SweepDone:
		return x.pressSummary(msg)
	}
	return nil, false
}

func (x *SweepDialog) choose(msg tea.Msg) (tea.Cmd, bool) {
	cmd, chosen := x.Choose(msg)
	if cmd != nil {
		return cmd, false
	}
	return x.took(chosen)
}

// submit goes to Cancel: nothing begins from a field.
func (x *SweepDialog) submit() {
	if x.Form.Validate() == nil {
		x.Dialog.Focus("cancel")
		x.FocusForm(false)
	}
}

func (x *SweepDialog) took(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case (c.Closed || c.Name == "cancel") && x.undoes() && x.Closed != nil: // What it would undo was made in this dialog.
		return x.Closed(), true
	case c.Closed || c.Name == "cancel":
		return nil, true
	case c.Why != "":
		x.why = c.Why // In the box: a notice would lie over its buttons.
	case c.Name == "go":
		return x.start(), false
	}
	return nil, false
}

// Cursor is the terminal's cursor while something is typed, nil otherwise.
func (x *SweepDialog) Cursor() *tea.Cursor {
	if x.Phase != sweepAsks {
		return nil
	}
	return x.Box.Cursor()
}

// SetStyles changes the theme.
func (x *SweepDialog) SetStyles(s *widget.Styles) {
	x.Box.SetStyles(s)
	x.grid.SetStyles(s)
}

// Click chooses the button or the field at x, y.
func (x *SweepDialog) Click(cx, cy int) (cmd tea.Cmd, done bool) {
	if x.Phase != sweepAsks || !x.ready {
		return nil, false
	}
	chosen, _ := x.ClickAt(cx, cy)
	return x.took(chosen)
}

// Wheel scrolls what is open.
func (x *SweepDialog) Wheel(up bool) { x.grid.Wheel(up) }

func (x *SweepDialog) inputs() (inputs map[string]string, reason string) {
	inputs = x.Form.Values()
	reason = strings.TrimSpace(inputs[sweepReason])
	delete(inputs, sweepReason)
	delete(inputs, sweepConfirm)
	for name, text := range inputs {
		if text == "" {
			delete(inputs, name)
		}
	}
	return inputs, reason
}

// sweepRun is the change while it is applied.
type sweepRun struct {
	stop     context.CancelFunc
	stopping bool
	writing  *screen.Writing // the change, once it began
	outcome  <-chan changes.Outcome
	elapsed  time.Duration
	outcomes *sweepOutcomes
	sum      changes.Summary // once it is over
	err      error           // why nothing was tried at all
}
