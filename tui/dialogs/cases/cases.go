// Package cases holds the dialog that saves a case: it shows what is related to an item, lets branches be left out, and
// writes the rest to a file with pseudonyms.
package cases

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
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
		case "esc", "enter":
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

const (
	// width is how wide the dialog's text is at most.
	width = 96
	// around is how many lines of the screen the tree leaves to what is around it.
	around = 12
)

// Over draws the dialog over a screen of w by h cells.
func (d *Dialog) Over(s *widget.Styles, background string, w, h int) string {
	wide := max(min(w-8, width), 1)
	draw := func(note string, above, below []string) string {
		d.Dialog.Note = note
		return d.Draw(s, background, w, h, wide, above, below)
	}
	switch {
	case d.phase == names:
		return draw("esc goes back to the tree", d.summary(s, wide), d.problem(s, wide))
	case d.phase == chooses && d.tree == nil:
		return draw("", nil, d.problem(s, wide))
	case d.phase == chooses:
		d.lines.SetSize(wide, min(max(h-around, 3), len(d.tree.Rows())))
		lines := append(strings.Split(d.lines.View(), "\n"), "")
		return draw("space leaves out · + - depth "+present.Plural(d.limits.Depth, "step"), append(lines, d.summary(s, wide)...),
			d.problem(s, wide))
	case d.phase == saved:
		return draw("enter closes · y copies the path", d.result(s, wide, max(h-around, 3)), nil)
	}
	return draw("esc stops", d.working(s, wide), nil)
}

// branches draws the rows of a tree.
type branches struct {
	env       *screen.Env // has the theme
	rows      []cases.Row
	nameWidth int
}

func (d *Dialog) showTree() {
	b := branches{env: d.env}
	if d.tree != nil {
		b.rows = d.tree.Rows()
	}
	for _, r := range b.rows {
		b.nameWidth = max(b.nameWidth, ansi.StringWidth(r.Indent+r.Name))
	}
	d.lines.SetSource(b)
}

// Len returns the number of branches.
func (b branches) Len() int { return len(b.rows) }

// Skip reports that the cursor passes over no branch.
func (branches) Skip(int) bool { return false }

// Line draws whether a branch is saved, its name, its items and what is to be known about them.
func (b branches) Line(i int, on widget.Surface, w int) string {
	r, t := b.rows[i], widget.NewStrip(b.env.Styles, on, w)
	mark, box, role := "  ", "✓ ", widget.RoleText
	if on != widget.SurfacePlain {
		mark = "▌ "
	}
	if r.Left {
		box, role = "· ", widget.RoleFaint
	}
	t.Put(widget.RoleAccent, mark)
	t.Put(role, box)
	t.Cell(role, r.Indent+r.Name, min(b.nameWidth, w/2)+2, widget.AlignLeft)
	t.Put(widget.RoleMuted, present.Join(r.Counts(), r.Note(), " · "))
	return t.String()
}

func (d *Dialog) summary(s *widget.Styles, w int) []string {
	return append(widget.Wrap(s, widget.RoleStrong, d.tree.Summary(), w), "")
}

func (d *Dialog) problem(s *widget.Styles, w int) []string {
	if d.err != nil {
		return append([]string{""}, widget.Wrap(s, widget.RoleBad, "✗ "+d.err.Error(), w)...)
	}
	return widget.Wrap(s, widget.RoleMuted, "Personal data is replaced by pseudonyms. Secrets and unknown attributes are left out.", w)
}

func (d *Dialog) working(s *widget.Styles, w int) []string {
	text := "Reading related items"
	if d.phase == saves {
		text = "Reading the items again, strongly consistent"
	}
	n, capacity := d.task.Progress.Requests()
	return []string{
		s.Paint(widget.RoleText, models.Truncate(text, w)), "",
		s.Paint(widget.RoleMuted, models.Truncate(present.Join(d.task.Progress.Retrying(), present.Spent(n, "request", capacity),
			" · "), w)), "",
	}
}

func (d *Dialog) result(s *widget.Styles, w, h int) []string {
	lines := []string{s.Paint(widget.RoleGood, "✓ ") + s.Paint(widget.RoleText, "Saved")}
	lines = append(lines, widget.Wrap(s, widget.RoleStrong, d.path, w)...)
	lines = append(lines, widget.Wrap(s, widget.RoleMuted, "Open it with ddbdesk open FILE.", w)...)
	lines = append(lines, "")
	report := d.report
	if room := max(h-len(lines)-1, 0); len(report) > room {
		report = append(report[:room:room], present.Plural(len(d.report)-room, "more line"))
	}
	for _, l := range report {
		lines = append(lines, s.Paint(widget.RoleMuted, models.Truncate(models.Printable(l), w)))
	}
	return append(lines, "")
}
