package output

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Exporting says what can be written.
type Exporting struct {
	Title string
	What  exporter.Export // without its items, format and place
	Name  string          // of the file, without its ending
	Rows  []RowChoice     // none for a single item
	piece *Piece          // a text that is written as it is, in the place of items
}

// A RowChoice is a part of the rows.
type RowChoice struct {
	Label, Note string
	Items       rows.Selection
	// rest reads on behind the items; nil for nothing. It must not wait.
	Rest func() (*reading.Run, error)
	// scan is the pattern when reading on reads the rest of a whole table, else nil.
	Scan *accesspatterns.Pattern
	// anew reads a whole table from its beginning, in segments; nil where reading on
	// is as good.
	Anew func() (*reading.Run, error)
}

// exportPhase is how far an export is.
type exportPhase uint8

const (
	exportAsks exportPhase = iota
	exportRuns
	exportDone
)

// The names of the fields.
const (
	exportRows   = "rows"
	exportFormat = "format"
	exportFile   = "file"
)

// ExportDialog is the dialog.
type ExportDialog struct {
	env *screen.Env
	of  Exporting

	phase    exportPhase
	form     *widget.Form
	dialog   *widget.Dialog
	onForm   bool
	formY    int
	box      overlay.Rect
	opened   string   // when, for the file's name
	offered  string   // the file name that was offered last
	warnings []string // what going on would do
	agreed   string   // to which answers the warnings belong
	verb     string   // what the button does after a warning
	err      error
	checking bool

	stop     context.CancelFunc
	stopping bool
	ended    chan struct{}
	elapsed  time.Duration
	progress *exportProgress
	done     exporter.Exported
}

// exportProgress is how far the writing is; the writer and the screen share it.
type exportProgress struct {
	calls reading.Progress // what reading on asks for
	mu    sync.Mutex
	now   exporter.Exported
}

func (p *exportProgress) Set(now exporter.Exported) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = now
}

func (p *exportProgress) get() exporter.Exported {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// NewExport returns the dialog for items.
func NewExport(env *screen.Env, of Exporting) *ExportDialog {
	x := &ExportDialog{env: env, of: of, opened: env.Now().UTC().Format("20060102-150405")}
	var fields []widget.FormField
	if len(of.Rows) > 0 {
		field := widget.FormField{Name: exportRows, Label: "rows", Kind: widget.FieldEnum, Required: true, Default: of.Rows[0].Label}
		for _, r := range of.Rows {
			field.Options = append(field.Options, widget.Option{Value: r.Label, Note: r.Note})
		}
		fields = append(fields, field)
	}
	if of.piece == nil {
		formats, note := export.Formats(), func(f *export.Format) string { return f.Note }
		if of.What.Single {
			formats, note = export.ItemFormats(), func(f *export.Format) string { return f.ItemNote }
		}
		field := widget.FormField{Name: exportFormat, Label: "format", Kind: widget.FieldEnum, Required: true, Default: formats[0].Title}
		for _, f := range formats {
			field.Options = append(field.Options, widget.Option{Value: f.Title, Note: note(f)})
		}
		fields = append(fields, field)
	}
	fields = append(
		fields,
		widget.FormField{Name: exportFile, Label: "file", Required: true, Width: 62, Help: "~ is your home folder; only you " +
			"can read the file"},
	)
	x.form = widget.NewForm(env.Styles, fields...)
	x.dialog = &widget.Dialog{Title: of.Title}
	x.dialog.Buttons = x.buttons()
	x.offer()
	x.focusForm(true)
	return x
}

// newSave returns the dialog for a text.
func newSave(env *screen.Env, p Piece) *ExportDialog {
	name, _ := splitName(p.File)
	return NewExport(env, Exporting{Title: "Save " + p.What, Name: name, piece: &p})
}

// Update gives keys and answers to the phase.
func (x *ExportDialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case exportCheckedMsg:
		return x.checked(msg), false
	case exportTickedMsg:
		if msg.box != x || x.phase != exportRuns {
			return nil, false
		}
		x.elapsed += widget.BusyFrame
		return x.ticked(), false
	case exportEndedMsg:
		return x.finished(msg)
	case tea.KeyPressMsg:
		return x.press(msg)
	}
	if x.phase == exportAsks && x.onForm {
		cmd, _ := x.form.Update(msg)
		x.edited()
		return cmd, false
	}
	return nil, false
}

func (x *ExportDialog) press(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	key := msg.String()
	switch x.phase {
	case exportRuns:
		if key == "esc" {
			x.halt()
		}
		return nil, false
	case exportDone:
		switch key {
		case "esc", "enter", "q":
			return nil, true
		case "y":
			return screen.Send(screen.CopyMsg{Text: x.done.Path, What: "the path"}), true
		}
		return nil, false
	case exportAsks:
	}
	if x.onForm {
		return x.pressForm(msg)
	}
	if key == "up" || key == "shift+tab" && x.dialog.Focused() == "cancel" {
		x.focusForm(true)
		return nil, false
	}
	return x.Took(x.dialog.Update(msg))
}

// pressForm edits the form; enter writes.
func (x *ExportDialog) pressForm(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	cmd, used := x.form.Update(msg)
	x.edited()
	if used {
		return cmd, false
	}
	switch msg.String() {
	case "esc":
		return nil, true
	case "enter":
		return x.check(), false
	case "tab", "down":
		x.focusForm(false)
	}
	return nil, false
}

// edited follows the form: another format has another ending, and what was
// warned of counts for what was asked then.
func (x *ExportDialog) edited() {
	x.offer()
	if x.agreed != x.answers() {
		x.agreed, x.warnings, x.err, x.verb = "", nil, nil, ""
	}
}

// Took handles the choice of a button; done reports that the dialog is closed.
func (x *ExportDialog) Took(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		return nil, true
	case c.Name == "go":
		return x.check(), false
	}
	return nil, false
}

// buttons are the dialog's while it asks.
func (x *ExportDialog) buttons() []widget.Button {
	write := widget.Button{Name: "go", Label: "Write"}
	if x.verb != "" {
		write.Label, write.Danger = x.verb, true
	}
	return []widget.Button{{Name: "cancel", Label: "Cancel"}, write}
}

// focusForm gives the keys to the form, or takes them away. Enter writes from
// either, and the button says so.
func (x *ExportDialog) focusForm(on bool) {
	x.onForm = on
	x.dialog.Focus("go")
	x.form.SetFocused(on)
}

// Cursor is the terminal's cursor while something is typed, nil otherwise.
func (x *ExportDialog) Cursor() *tea.Cursor {
	if x.phase != exportAsks || !x.onForm {
		return nil
	}
	left, top := x.dialog.BodyAt()
	return widget.MoveCursor(x.form.Cursor(), x.box.X+left, x.box.Y+top+x.formY)
}

// SetStyles changes the theme.
func (x *ExportDialog) SetStyles(s *widget.Styles) { x.form.SetStyles(s) }

// Click chooses the button or the field at x, y.
func (x *ExportDialog) Click(cx, cy int) (cmd tea.Cmd, done bool) {
	if x.phase != exportAsks || !x.box.Has(cx, cy) {
		return nil, false
	}
	left, top := x.dialog.BodyAt()
	if x.form.Click(cx-x.box.X-left, cy-x.box.Y-top-x.formY) {
		x.focusForm(true)
		x.edited()
		return nil, false
	}
	return x.Took(x.dialog.Click(cx-x.box.X, cy-x.box.Y, x.box.W, x.box.H))
}
