// Package cases holds the dialog that saves a case: it shows what is related to an item, lets branches be left out, and
// writes the rest to a file with pseudonyms.
package cases

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/reading"
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
	limits      casefile.Limits
	tree        *casefile.Tree // nil until it was read
	cursor      int            // the branch
	top         int            // the first branch in view
	rows        int            // branches in view
	stop        context.CancelFunc
	ended       chan struct{} // closed when nothing is under way
	progress    *reading.Progress
	err         error
	report      []string // what became of the attributes
	path        string   // of the file
}

// consoleUnits are the read units after which the console follows no relation: the tree is read before it can be pruned.
const consoleUnits = 100

// New returns the dialog for an item, and the command that reads what is related to it.
func New(env *screen.Env, start link.Place, name string) (*Dialog, tea.Cmd) {
	d := &Dialog{env: env, start: start, limits: casefile.DefaultLimits()}
	d.limits.Units = consoleUnits
	reason := widget.FormField{
		Name: fieldReason, Label: "reason", Width: 62, Required: env.Session.Production(), Help: "stored in the file and in the journal",
	}
	d.form = widget.NewForm(
		env.Styles,
		widget.FormField{
			Name: fieldFile, Label: "file", Required: true, Width: 62, Help: "~ is your home folder; only you can read the file",
		},
		reason,
		widget.FormField{Name: fieldTicket, Label: "ticket", Width: 62, Help: "stored in the file and in the journal"},
	)
	d.form.SetValues(map[string]string{
		fieldFile: present.FileName(casefile.Extension[1:], name, env.Now().UTC().Format("20060102-150405")),
	})
	d.Dialog = &widget.Dialog{Title: "Save the case"}
	return d, d.explore()
}

// Update gives keys and answers to the phase.
func (d *Dialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case tickedMsg:
		if msg.dialog != d || d.phase != explores && d.phase != saves {
			return nil, false
		}
		return d.tick(), false
	case exploredMsg:
		if msg.dialog == d && msg.ended == d.ended {
			d.explored(msg)
		}
		return nil, false
	case savedMsg:
		if msg.dialog == d {
			d.saved(msg)
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

// press handles a key.
func (d *Dialog) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := msg.String()
	switch d.phase {
	case explores, saves:
		if key == "esc" {
			d.stop()
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
		if cmd, used := d.move(key); used {
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

// move moves in the tree, leaves out the branch under the cursor, or reads a deeper or a shallower tree.
func (d *Dialog) move(key string) (cmd tea.Cmd, used bool) {
	if d.tree == nil {
		return nil, false
	}
	rows := d.tree.Rows()
	switch key {
	case "up", "k":
		d.cursor--
	case "down", "j":
		d.cursor++
	case "pgup":
		d.cursor -= d.rows
	case "pgdown":
		d.cursor += d.rows
	case "space", "x":
		if b := rows[d.cursor]; d.cursor > 0 {
			b.Pruned = !b.Pruned
		}
	case "+", "-":
		depth := d.limits.Depth + 1
		if key == "-" {
			depth -= 2
		}
		if depth < 0 {
			return nil, true
		}
		d.limits.Depth = depth
		return d.explore(), true
	default:
		return nil, false
	}
	d.cursor = max(0, min(d.cursor, len(rows)-1))
	return nil, true
}

// took handles the choice of a button; done reports that the dialog is closed.
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

// enter begins a phase: the form has the keyboard while it asks, and a button otherwise.
func (d *Dialog) enter(p phase) {
	if d.Form != nil {
		d.FocusForm(false)
	}
	d.phase, d.Form = p, nil
	if p == names {
		d.Form = d.form
		d.FocusForm(true)
	}
	if d.Dialog.Buttons = d.buttons(); len(d.Dialog.Buttons) > 0 {
		d.Dialog.Focus(d.Dialog.Buttons[len(d.Dialog.Buttons)-1].Name)
	}
}

// SetStyles changes the theme.
func (d *Dialog) SetStyles(s *widget.Styles) { d.form.SetStyles(s) }

// buttons are those of the phase.
func (d *Dialog) buttons() []widget.Button {
	cancel := widget.Button{Name: "cancel", Label: "Cancel"}
	switch {
	case d.phase == chooses && d.tree != nil:
		return []widget.Button{cancel, {Name: "next", Label: "Continue"}}
	case d.phase == chooses:
		return []widget.Button{cancel}
	case d.phase == names:
		return []widget.Button{cancel, {Name: "save", Label: "Save"}}
	}
	return nil
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
	key := "down"
	if up {
		key = "up"
	}
	if d.phase == chooses {
		d.move(key)
	}
}
