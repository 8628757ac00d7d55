// Package cases holds the dialog that saves a case: it shows what is related to an item, lets branches be left out, and
// writes the rest to a file with pseudonyms.
package cases

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// phase is how far the dialog is.
type phase uint8

const (
	explores phase = iota // reads what is related
	chooses               // shows the tree
	names                 // asks for the file and the reason
	saves
	saved
)

// The fields of the form.
const (
	fieldFile   = "file"
	fieldReason = "reason"
	fieldTicket = "ticket"
)

// A Dialog is the dialog.
type Dialog struct {
	env   *screen.Env
	start link.Place

	overlay.Box // with the form while it asks for the file
	form        *widget.Form
	phase       phase
	limits      cases.Limits
	tree        *cases.Tree   // nil until it was read
	lines       *widget.Lines // the branches of the tree
	task        *screen.Task
	ended       chan struct{} // closed when the task is over
	err         error
	report      []string // what became of the attributes
	path        string   // of the file
}

// consoleUnits are the read units after which the console follows no relation: the tree is read before it can be pruned.
const consoleUnits = 100

// New returns the dialog for an item, and the command that reads what is related to it.
func New(env *screen.Env, start link.Place, name string) (*Dialog, tea.Cmd) {
	d := &Dialog{env: env, start: start, limits: cases.DefaultLimits(), lines: widget.NewLines(env.Styles)}
	d.limits.Units = consoleUnits
	const stored = "stored in the file and in the journal"
	d.form = widget.NewForm(
		env.Styles,
		widget.FormField{
			Name: fieldFile, Label: "file", Required: true, Width: 62, Help: "~ is your home folder; only you can read the file",
		},
		widget.FormField{Name: fieldReason, Label: "reason", Width: 62, Required: env.Session.Production(), Help: stored},
		widget.FormField{Name: fieldTicket, Label: "ticket", Width: 62, Help: stored},
	)
	d.form.SetValues(map[string]string{
		fieldFile: present.FileName(cases.Extension[1:], name, env.Now().UTC().Format("20060102-150405")),
	})
	d.Dialog = &widget.Dialog{Title: "Save the case"}
	return d, d.explore()
}

// doneMsg ends the task of a dialog. Show shows the result.
type doneMsg struct {
	task *screen.Task
	show func()
}

func (d *Dialog) work(p phase, do func(ctx context.Context) (show func())) tea.Cmd {
	task, ctx, tick := screen.StartTask(d.env.Context)
	ended := make(chan struct{})
	d.err, d.task, d.ended = nil, task, ended
	d.enter(p)
	return tea.Batch(tick, func() tea.Msg {
		defer close(ended)
		return doneMsg{task, do(ctx)}
	})
}

func (d *Dialog) explore() tea.Cmd {
	w, start, limits := d.env.Workspace, d.start, d.limits
	return d.work(explores, func(ctx context.Context) func() {
		tree, err := w.Cases.Explore(ctx, start, limits)
		if err == nil && len(tree.Items()) == 0 {
			tree, err = nil, errors.New("the item no longer exists")
		}
		return func() {
			d.tree, d.err = tree, err
			d.showTree()
			d.lines.Go(0)
			d.enter(chooses)
		}
	})
}

func (d *Dialog) save() tea.Cmd {
	values := d.form.Values()
	purpose := cases.Purpose{Reason: values[fieldReason], Ticket: values[fieldTicket]}
	w, tree, name := d.env.Workspace, d.tree, values[fieldFile]
	return d.work(saves, func(ctx context.Context) func() {
		path, report, err := saveAt(ctx, w, tree, purpose, name)
		return func() {
			if d.err = err; err != nil {
				d.enter(names)
				return
			}
			d.path, d.report = path, report
			d.enter(saved)
		}
	})
}

func saveAt(ctx context.Context, w *workspace.Workspace, tree *cases.Tree, o cases.Purpose, name string) (string, []string, error) {
	path, err := items.NewFilePath(name)
	if err != nil {
		return "", nil, err
	}
	c, report, err := w.Cases.Collect(ctx, tree, o)
	if err != nil {
		return "", nil, err
	}
	text, err := c.Encode()
	if err == nil {
		err = items.Save(path, text, false)
	}
	return path, report.Lines(), err
}

// Update gives keys and answers to the phase.
func (d *Dialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case screen.TickMsg:
		return msg.Task.Ticked(), false
	case doneMsg:
		if msg.task == d.task {
			d.task.End()
			msg.show()
		}
		return nil, false
	case tea.KeyPressMsg:
		return d.press(msg)
	}
	if d.phase == names {
		cmd, chosen := d.Choose(msg)
		return d.took(cmd, chosen)
	}
	return nil, false
}

func (d *Dialog) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := msg.String()
	switch d.phase {
	case explores, saves:
		if key == "esc" {
			d.task.Stop()
			return nil, d.phase == explores
		}
		return nil, false
	case saved:
		switch key {
		case "esc", "enter", "q":
			return nil, true
		case "y":
			return screen.Send(screen.CopyMsg{Text: d.path, What: "the path"}), true
		}
		return nil, false
	case chooses:
		if cmd, used := d.choose(msg); used {
			return cmd, false
		}
	case names:
		if key == "esc" {
			d.err = nil
			d.enter(chooses)
			return nil, false
		}
	}
	cmd, chosen := d.Choose(msg)
	return d.took(cmd, chosen)
}

func (d *Dialog) choose(msg tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	if d.tree == nil {
		return nil, false
	}
	switch msg.String() {
	case "space", "x":
		if at, ok := d.lines.At(); ok && at > 0 {
			b := d.tree.Rows()[at]
			b.Pruned = !b.Pruned
			d.showTree()
		}
	case "+":
		d.limits.Depth++
		return d.explore(), true
	case "-":
		if d.limits.Depth > 0 {
			d.limits.Depth--
			return d.explore(), true
		}
	default:
		return nil, d.lines.Update(msg)
	}
	return nil, true
}

func (d *Dialog) took(cmd tea.Cmd, c widget.Choice) (_ tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		return cmd, true
	case c.Name == "next":
		d.enter(names)
	case c.Name == "save" && d.form.Validate() == nil:
		return d.save(), false
	}
	return cmd, false
}

func (d *Dialog) enter(p phase) {
	if d.Form != nil {
		d.FocusForm(false)
	}
	d.phase, d.Form, d.Dialog.Buttons = p, nil, nil
	cancel := widget.Button{Name: "cancel", Label: "Cancel"}
	switch {
	case p == names:
		d.Form = d.form
		d.FocusForm(true)
		d.Dialog.Buttons = []widget.Button{cancel, {Name: "save", Label: "Save"}}
	case p == chooses && d.tree != nil:
		d.Dialog.Buttons = []widget.Button{cancel, {Name: "next", Label: "Continue"}}
	case p == chooses:
		d.Dialog.Buttons = []widget.Button{cancel}
	}
	if n := len(d.Dialog.Buttons); n > 0 {
		d.Dialog.Focus(d.Dialog.Buttons[n-1].Name)
	}
}

// SetStyles changes the theme.
func (d *Dialog) SetStyles(s *widget.Styles) {
	d.form.SetStyles(s)
	d.lines.SetStyles(s)
}

// Cursor is the terminal's cursor in the form.
func (d *Dialog) Cursor() *tea.Cursor {
	if d.phase != names {
		return nil
	}
	return d.Box.Cursor()
}

// Click chooses the button or the field at x, y.
func (d *Dialog) Click(x, y int) (cmd tea.Cmd, done bool) {
	if d.phase != names && d.phase != chooses {
		return nil, false
	}
	chosen, _ := d.ClickAt(x, y)
	return d.took(nil, chosen)
}

// Wheel scrolls the tree.
func (d *Dialog) Wheel(up bool) {
	if d.phase == chooses {
		d.lines.Wheel(up)
	}
}

// Cancel stops what is under way; closed says that the dialog may be closed.
func (d *Dialog) Cancel() (closed bool) {
	d.task.Stop()
	return d.phase != saves
}

// Close gives up what is under way.
func (d *Dialog) Close() { d.task.Stop() }

// Wait returns once nothing of a file that is being written is left.
func (d *Dialog) Wait() {
	if d.phase == saves {
		d.task.Stop()
		<-d.ended
	}
}
