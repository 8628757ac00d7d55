package output

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An ExportContent describes the content of an export.
type ExportContent struct {
	Title string
	What  items.Export // without its items, format and destination
	Name  string       // file name without its extension
	Rows  []RowChoice  // nil for a single item
	Texts []Piece      // texts to export instead of items; the user chooses one by its label, which names the format
}

// A RowChoice is a set of rows that the user can export.
type RowChoice struct {
	Label, Note string
	Items       rows.Selection
	// Rest returns a run that reads the rows after Items; nil if there are none. It must not block.
	Rest func() (*reading.Run, error)
	// Scan is the pattern if Rest reads the rest of a whole table; otherwise it is nil.
	Scan *accesspatterns.Pattern
	// FromStart returns a run that reads the whole table from the beginning, in segments; nil if Rest is equally fast.
	FromStart func() (*reading.Run, error)
}

// exportPhase is the current phase of an export.
type exportPhase uint8

const (
	exportInputs exportPhase = iota
	exportRunning
	exportDone
)

// These are the names of the form fields.
const (
	exportRows   = "rows"
	exportFormat = "format"
	exportFile   = "file"
)

// ExportDialog is the dialog that exports items.
type ExportDialog struct {
	env     *screen.Env
	content ExportContent

	overlay.Box
	phase         exportPhase
	openedAt      string   // time of opening, used in the file name
	suggestedFile string   // the last suggested file name
	warnings      []string // consequences to confirm before continuing
	warnedAnswers string   // answers to which the warnings apply
	verb          string   // label of the button after a warning
	err           error
	checking      bool

	task     *screen.Task // check of the answers, or the write
	ended    chan struct{}
	progress *atomic.Pointer[items.ExportProgress] // progress of the write
	done     items.ExportProgress
}

// NewExport returns the export dialog.
func NewExport(env *screen.Env, content ExportContent) *ExportDialog {
	x := &ExportDialog{env: env, content: content, openedAt: env.Now().UTC().Format("20060102-150405")}
	var fields []widget.FormField
	addChoice := func(name string, options []widget.Option) {
		fields = append(fields, widget.FormField{
			Name: name, Label: name, Kind: widget.FieldEnum, Required: true, Default: options[0].Value, Options: options,
		})
	}
	if len(content.Rows) > 0 {
		addChoice(exportRows, models.MapSlice(content.Rows,
			func(r RowChoice) widget.Option { return widget.Option{Value: r.Label, Note: r.Note} }))
	}
	switch {
	case len(content.Texts) > 1:
		addChoice(exportFormat, models.MapSlice(content.Texts,
			func(p Piece) widget.Option { return widget.Option{Value: p.Label, Note: p.Note} }))
	case len(content.Texts) == 0 && content.What.Single:
		addChoice(exportFormat, models.MapSlice(items.ItemFormats(), func(f *items.Format) widget.Option {
			return widget.Option{Value: f.Title, Note: f.ItemNote}
		}))
	case len(content.Texts) == 0:
		addChoice(exportFormat, models.MapSlice(items.Formats(), func(f *items.Format) widget.Option {
			return widget.Option{Value: f.Title, Note: f.Note}
		}))
	}
	x.Form = widget.NewForm(env.Styles, append(fields, widget.FormField{
		Name: exportFile, Label: "file", Required: true, Width: 62, Help: "~ is your home folder; only you can read the file",
	})...)
	x.Dialog = &widget.Dialog{Title: content.Title}
	x.Dialog.Buttons = x.buttons()
	x.suggestFile()
	x.focusForm()
	return x
}

func newSave(env *screen.Env, p Piece) *ExportDialog {
	name, _ := splitName(p.File)
	return NewExport(env, ExportContent{Title: "Save " + p.What, Name: name, Texts: []Piece{p}})
}

// Update passes keys and messages to the current phase.
func (x *ExportDialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case exportEndedMsg:
		return x.handleEnd(msg)
	}
	press, _ := msg.(tea.KeyPressMsg)
	switch key := press.String(); {
	case x.phase == exportInputs:
		return x.choose(msg)
	case x.phase == exportRunning && key == "esc":
		x.task.Stop()
	case x.phase == exportDone && (key == "esc" || key == "enter"):
		return nil, true
	case x.phase == exportDone && key == "y":
		return screen.Send(screen.CopyMsg{Text: x.done.Path, What: "the path"}), true
	}
	return nil, false
}

func (x *ExportDialog) choose(msg tea.Msg) (tea.Cmd, bool) {
	cmd, chosen := x.Choose(msg)
	x.handleEdit()
	if cmd != nil {
		return cmd, false
	}
	return x.handleChoice(chosen)
}

func (x *ExportDialog) handleEdit() {
	x.suggestFile()
	if x.warnedAnswers != x.answers() {
		x.warnedAnswers, x.warnings, x.err, x.verb = "", nil, nil, ""
	}
}

func (x *ExportDialog) handleChoice(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		x.task.End() // The check of the answers would start the write.
		return nil, true
	case c.Name == "go":
		return x.check(), false
	}
	return nil, false
}

func (x *ExportDialog) buttons() []widget.Button {
	write := widget.Button{Name: "go", Label: "Write"}
	if x.verb != "" {
		write.Label, write.Danger = x.verb, true
	}
	return []widget.Button{{Name: "cancel", Label: "Cancel"}, write}
}

func (x *ExportDialog) focusForm() {
	x.FocusForm(true)
	x.Dialog.Focus("go")
}

// Cursor returns the terminal cursor while the user types, or nil.
func (x *ExportDialog) Cursor() *tea.Cursor {
	if x.phase != exportInputs {
		return nil
	}
	return x.Box.Cursor()
}

// Click chooses the button or the field at the given position.
func (x *ExportDialog) Click(cx, cy int) (cmd tea.Cmd, done bool) {
	if x.phase != exportInputs {
		return nil, false
	}
	chosen, _ := x.ClickAt(cx, cy)
	x.handleEdit()
	return x.handleChoice(chosen)
}

func splitName(file string) (name, extension string) {
	at := strings.LastIndexByte(file, '.')
	if at < 0 {
		return file, "txt"
	}
	return file[:at], file[at+1:]
}

func (x *ExportDialog) format() *items.Format {
	for _, f := range items.Formats() {
		if f.Title == x.Form.Values()[exportFormat] {
			return f
		}
	}
	return items.JSON
}

func (x *ExportDialog) text() *Piece {
	for i := range x.content.Texts {
		if p := &x.content.Texts[i]; len(x.content.Texts) == 1 || p.Label == x.Form.Values()[exportFormat] {
			return p
		}
	}
	return nil
}

func (x *ExportDialog) choice() RowChoice {
	label := x.Form.Values()[exportRows]
	for _, r := range x.content.Rows {
		if r.Label == label {
			return r
		}
	}
	return RowChoice{Items: rows.Select(x.content.What.Items)}
}

// suggestFile updates the suggested file name, unless the user changed or cleared it.
func (x *ExportDialog) suggestFile() {
	value := x.Form.Values()[exportFile]
	if value != x.suggestedFile {
		return
	}
	extension := x.format().Extension
	if p := x.text(); p != nil {
		_, extension = splitName(p.File)
	}
	x.suggestedFile = present.FileName(extension, x.content.Name, x.openedAt)
	if value != x.suggestedFile {
		values := x.Form.Values()
		values[exportFile] = x.suggestedFile
		x.Form.SetValues(values)
	}
}

func (x *ExportDialog) answers() string {
	v := x.Form.Values()
	return v[exportRows] + "\x00" + v[exportFormat] + "\x00" + v[exportFile]
}

// exportWidth is the maximum width of the dialog's text.
const exportWidth = 74

// Over draws the dialog over a screen of w by h cells.
func (x *ExportDialog) Over(s *widget.Styles, background string, w, h int) string {
	width := max(min(w-8, exportWidth), 1)
	shown := overlay.Box{Dialog: x.Dialog} // drawn without the form
	switch x.phase {
	case exportInputs:
		x.Dialog.Note, x.Dialog.Buttons = x.maskingText(), x.buttons()
		return x.Draw(s, background, w, h, width, nil, x.remarks(s, width))
	case exportRunning:
		x.Dialog.Note, x.Dialog.Buttons = "esc cancel and delete the file", nil
	case exportDone:
		x.Dialog.Note, x.Dialog.Buttons = "enter close · y copy the path", nil
	}
	if x.phase == exportDone {
		return shown.Draw(s, background, w, h, width, x.result(s, width), nil)
	}
	return shown.Draw(s, background, w, h, width, x.running(s, width, x.Form.Height(width)+len(x.remarks(s, width))), nil)
}

func (x *ExportDialog) maskingText() string {
	if x.env.Workspace == nil {
		return "as shown"
	}
	if overlay.Revealing(x.env) {
		return "personal data is REVEALED; the journal records the export"
	}
	return "masked values stay masked"
}

func (x *ExportDialog) remarks(s *widget.Styles, w int) []string {
	lines := []string{""}
	switch {
	case x.err != nil:
		return append(lines, widget.Wrap(s, widget.RoleBad, "✗ "+x.err.Error(), w)...)
	case len(x.warnings) > 0:
		for _, text := range x.warnings {
			lines = append(lines, widget.Wrap(s, widget.RoleWarn, "⚠ "+text, w)...)
		}
		return lines
	}
	note := ""
	if c := x.choice(); len(x.content.Rows) > 0 {
		note = c.Note
	}
	return append(lines, s.Paint(widget.RoleMuted, note))
}

func (x *ExportDialog) running(s *widget.Styles, w, height int) []string {
	progress := *x.progress.Load()
	subject := "writing " + present.Plural(progress.Items, "item")
	if x.task.Stopped {
		subject = "stopping after " + present.Plural(progress.Items, "item")
	}
	share, figures := -1.0, x.task.Progress.Figures()
	if figures.Share > 0 {
		share = figures.Share
	}
	lines := []string{
		s.Paint(widget.RoleText, subject), "", widget.ProgressBar(s, share, min(w, 40), x.task.Elapsed), "",
		s.Paint(widget.RoleMuted, models.Truncate(present.Join(x.task.Progress.Retrying(), x.figures(progress), " · "), w)),
	}
	if figures.Pages > 0 {
		lines = append(lines, s.Paint(widget.RoleMuted, models.Truncate(present.ReadFigures(figures), w)))
	}
	for len(lines) < height+exportButtons {
		lines = append(lines, "")
	}
	return lines
}

// exportButtons is the number of lines reserved for the buttons, so that the dialog keeps its size during the export.
const exportButtons = 2

func (x *ExportDialog) figures(progress items.ExportProgress) string {
	parts := []string{reading.ByteSize(progress.Bytes)}
	if f := x.task.Progress.Figures(); f.Requests > 0 && x.phase == exportDone {
		parts = append(parts, present.CostText(f.Requests, "request", f.Capacity))
	}
	if x.task.Elapsed >= time.Second {
		parts = append(parts, present.Thousands(int(float64(progress.Items)/x.task.Elapsed.Seconds()))+" items/s",
			present.ShortDuration(x.task.Elapsed))
	}
	return strings.Join(parts, " · ")
}

func (x *ExportDialog) result(s *widget.Styles, w int) []string {
	result := x.done
	lines := []string{
		s.Paint(widget.RoleGood, "✓ ") + s.Paint(widget.RoleText, present.Plural(result.Items, "item")+" as "+x.format().Title),
		s.Paint(widget.RoleMuted, "  "+x.figures(result)), "",
	}
	lines = append(lines, widget.Wrap(s, widget.RoleStrong, result.Path, w)...)
	if len(result.Omitted) > 0 {
		lines = append(lines, "")
		lines = append(lines, widget.Wrap(s, widget.RoleWarn, "⚠ no column for "+present.ShortList(result.Omitted, 8)+
			", which appears only in later rows; export JSON Lines to keep it", w)...)
	}
	if result.Changed > 0 {
		lines = append(lines, "")
		lines = append(lines, widget.Wrap(s, widget.RoleWarn, fmt.Sprintf("⚠ %s cannot hold %d of the values: %s; %s can",
			x.format().Title, result.Changed, x.format().Losses(), items.DynamoDB.Title), w)...)
	}
	return append(lines, "")
}
