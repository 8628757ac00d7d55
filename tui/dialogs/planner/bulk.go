package planner

import (
	"context"
	"fmt"
	"strconv"
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

// bulkPhase is how far a bulk change is.
type bulkPhase uint8

// The phases of a change of many items.
const (
	bulkAsks bulkPhase = iota
	BulkRuns           // the items are being changed
	BulkDone           // the outcome is shown
)

// The names of the fields that belong to no input of the action.
const (
	bulkReason  = "@reason"
	bulkConfirm = "@items"
)

// BulkDialog is the dialog.
type BulkDialog struct {
	env   *screen.Env
	bulk  changes.Bulk
	title string
	// obstacles say of each item why it does not allow the change, "" when it
	// does, as far as it tells by itself.
	obstacles []string
	why       string // why a button was not taken, until the next key
	// heard is told of each outcome, closed that the box is closed after a
	// change. Nil does nothing.
	Heard  func(changes.BulkOutcome)
	Closed func() tea.Cmd

	Phase  bulkPhase
	ready  bool // the grace period is over
	dialog *widget.Dialog
	form   *widget.Form
	onForm bool
	formY  int
	box    overlay.Rect

	Letters map[*change.Action]string // the keys of actions where it was opened

	grid *widget.Grid
	wide int    // width that the grid's columns were made for
	said string // the last notice of the summary
	run  bulkRun
	text bulkText
}

// NewBulkBox returns the dialog for a bulk, whose inputs and reason it asks for.
func NewBulkBox(env *screen.Env, b changes.Bulk) *BulkDialog {
	x := &BulkDialog{env: env, bulk: b, title: "Repair"}
	x.run = bulkRun{b: x, outcomes: &bulkOutcomes{}}
	x.text.b = x
	if b.Action != nil {
		x.title = b.Action.Title
	}
	for _, it := range b.Items {
		x.obstacles = append(x.obstacles, obstacle(env, b.Action, it))
	}
	n := present.Plural(len(b.Items), "item")
	x.form = widget.NewForm(env.Styles, x.fields()...)
	x.dialog = &widget.Dialog{
		Title: x.title + " · " + n, Note: "one transaction an item", Danger: env.Session.Production(),
		Buttons: []widget.Button{
			{Name: "cancel", Label: "Cancel"}, {Name: "go", Label: x.title + " · " + n, Danger: true, Disabled: x.notYet},
		},
	}
	x.grid = widget.NewGrid(env.Styles)
	x.grid.SetSource(x.run.outcomes)
	x.grid.SetEmpty("", "")
	x.focusForm(x.asks())
	return x
}

// BulkItems are items of one table.
func BulkItems(t *models.Table, items []models.Item) []changes.BulkItem {
	list := make([]changes.BulkItem, len(items))
	for i, it := range items {
		list[i] = changes.BulkItem{Table: t, Item: it}
	}
	return list
}

// asks reports whether something has to be entered.
func (x *BulkDialog) asks() bool { return !x.form.Valid() }

// about says what the change does.
func (x *BulkDialog) about() string {
	if x.bulk.Action == nil {
		return "Sets right what follows from the other attributes of each item: index keys, and times that repeat another."
	}
	return x.bulk.Action.Description
}

// fields are what has to be given once for all items: the inputs that an item
// does not fill, the reason, and on production the number of items.
func (x *BulkDialog) fields() []widget.FormField {
	var fields []widget.FormField
	required := false
	if a := x.bulk.Action; a != nil {
		required = a.Reason == change.ReasonRequired
		filled := changes.ActionArgs(a, a.Entity, x.bulk.Items[0].Item)
		for _, q := range a.Inputs {
			if _, known := filled[q.Name]; !known {
				fields = append(fields, InputField(x.env, ChangeRequest{Action: a}, q))
			}
		}
	}
	help := "one reason for all, for the journal and the audit entries"
	placeholder := "optional: why, for all of them"
	if required {
		placeholder = "required: why, for all of them"
	}
	fields = append(
		fields,
		widget.FormField{Name: bulkReason, Label: "Reason", Required: required, Help: help, Placeholder: placeholder, Width: 48},
	)
	if x.env.Session.Production() {
		want := strconv.Itoa(len(x.bulk.Items))
		fields = append(fields, widget.FormField{
			Name: bulkConfirm, Label: "PRODUCTION: type the number of items", Required: true, Width: 6,
			Validate: func(text string) error {
				if text != want {
					return fmt.Errorf("%s items are to be changed", want)
				}
				return nil
			},
		})
	}
	return fields
}

// bulkReadyMsg ends the grace period of a dialog.
type bulkReadyMsg struct{ box *BulkDialog }

// Start begins the grace period.
func (x *BulkDialog) Start() tea.Cmd {
	return tea.Tick(overlay.GraceFor, func(time.Time) tea.Msg { return bulkReadyMsg{x} })
}

// notYet says why the change cannot begin.
func (x *BulkDialog) notYet() string {
	switch {
	case !x.ready:
		return "one moment"
	case !x.form.Valid():
		return "something is still missing above"
	}
	return ""
}

// Holds says what must be waited for before the program ends.
func (x *BulkDialog) Holds() string {
	if x.Phase != BulkRuns {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d done; it stops after the item under way", x.title, x.run.outcomes.Len(), len(x.bulk.Items))
}

// TypedConfirmation reports whether the box was left while it asked for the
// number of items.
func (x *BulkDialog) TypedConfirmation() bool {
	return x.Phase == bulkAsks && x.env.Session.Production()
}

// Wait stops after the item under way and returns once it has its outcome.
func (x *BulkDialog) Wait() {
	if x.run.writing != nil {
		x.run.stop()
		x.run.writing.wait()
	}
}

// Cancel stops after the item under way, or says that the box may be closed.
func (x *BulkDialog) Cancel() (closed bool) {
	if x.Phase != BulkRuns {
		return true
	}
	x.run.stopping = true
	x.run.stop()
	return false
}

func (x *BulkDialog) focusForm(on bool) {
	x.onForm = on
	x.form.SetFocused(on)
}

// Update gives keys and answers to the phase.
func (x *BulkDialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case bulkReadyMsg:
		x.ready = x.ready || msg.box == x
		return nil, false
	case bulkSteppedMsg, bulkEndedMsg, bulkTickedMsg:
		return x.run.progressed(msg), false
	case exportedMsg:
		return x.exported(msg), false
	case tea.KeyPressMsg:
		return x.press(msg)
	}
	if x.Phase == bulkAsks && x.onForm {
		cmd, _ := x.form.Update(msg)
		return cmd, false
	}
	return nil, false
}

func (x *BulkDialog) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := msg.String()
	x.why = ""
	switch x.Phase {
	case bulkAsks:
		if !x.ready && (key == "enter" || key == "space") {
			return nil, false
		}
		if x.onForm {
			return x.pressForm(msg)
		}
		if msg.Text != "" && key != "space" { // Who types means the form.
			if x.ready {
				x.focusForm(true)
				return x.pressForm(msg)
			}
			return nil, false
		}
		if key == "up" || key == "shift+tab" && x.dialog.Focused() == "cancel" {
			x.focusForm(true)
			return nil, false
		}
		return x.Took(x.dialog.Update(msg))
	case BulkRuns:
		if key == "esc" {
			x.Cancel()
			return nil, false
		}
		x.grid.Update(msg)
	case BulkDone:
		return x.pressSummary(msg)
	}
	return nil, false
}

// pressForm edits the form; from its last field it goes to the buttons, of
// which Cancel has the focus. Nothing begins from a field.
func (x *BulkDialog) pressForm(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	cmd, used := x.form.Update(msg)
	if used {
		return cmd, false
	}
	switch msg.String() {
	case "esc":
		return nil, true
	case "enter", "tab", "down":
		if msg.String() == "enter" && x.form.Validate() != nil {
			return nil, false
		}
		x.dialog.Focus("cancel")
		x.focusForm(false)
	}
	return nil, false
}

// Took handles the choice of a button; done reports that the dialog is closed.
func (x *BulkDialog) Took(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		return nil, true
	case c.Why != "":
		x.why = c.Why // In the box: a notice would lie over its buttons.
	case c.Name == "go":
		return x.run.run(), false
	}
	return nil, false
}

// Cursor is the terminal's cursor while something is typed, nil otherwise.
func (x *BulkDialog) Cursor() *tea.Cursor {
	if x.Phase != bulkAsks || !x.onForm {
		return nil
	}
	left, top := x.dialog.BodyAt()
	return widget.MoveCursor(x.form.Cursor(), x.box.X+left, x.box.Y+top+x.formY)
}

// SetStyles changes the theme.
func (x *BulkDialog) SetStyles(s *widget.Styles) {
	x.form.SetStyles(s)
	x.grid.SetStyles(s)
}

// Click chooses the button or the field at x, y.
func (x *BulkDialog) Click(cx, cy int) (cmd tea.Cmd, done bool) {
	if x.Phase != bulkAsks || !x.ready || !x.box.Has(cx, cy) {
		return nil, false
	}
	left, top := x.dialog.BodyAt()
	if x.form.Click(cx-x.box.X-left, cy-x.box.Y-top-x.formY) {
		x.focusForm(true)
		return nil, false
	}
	return x.Took(x.dialog.Click(cx-x.box.X, cy-x.box.Y, x.box.W, x.box.H))
}

// Wheel scrolls what is open.
func (x *BulkDialog) Wheel(up bool) { x.grid.Wheel(up) }

// inputs are what was entered for the action.
func (x *BulkDialog) inputs() (inputs map[string]string, reason string) {
	inputs = x.form.Values()
	reason = strings.TrimSpace(inputs[bulkReason])
	delete(inputs, bulkReason)
	delete(inputs, bulkConfirm)
	for name, text := range inputs {
		if text == "" {
			delete(inputs, name)
		}
	}
	return inputs, reason
}

// bulkRun is the change while it is applied.
type bulkRun struct {
	b *BulkDialog

	stop     context.CancelFunc
	stopping bool
	writing  *writing // the change, once it began
	outcome  <-chan changes.BulkOutcome
	elapsed  time.Duration
	outcomes *bulkOutcomes
	sum      changes.BulkSummary // once it is over
	err      error               // why nothing was tried at all
}

// bulkText makes the lines of the dialog.
type bulkText struct {
	b *BulkDialog
}
