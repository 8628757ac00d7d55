package overlay

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Question is a dialog with a button for yes and one to cancel. The focus is on
// Cancel, or in the field that has to be filled in.
type Question struct {
	Box
	Text  []string // paragraphs; the second is a warning
	Yes   func() tea.Cmd
	No    func()                 // called when it is left without an answer; may be nil
	Sized func(reading.Estimate) // told how large the table is; may be nil
}

// NewQuestion returns a question with these paragraphs and a button named yes, which calls run.
func NewQuestion(title, note, yes string, run func() tea.Cmd, text ...string) *Question {
	return &Question{Yes: run, Text: text, Box: Box{bare: true, Dialog: &widget.Dialog{
		Title: title, Note: note, Danger: true,
		Buttons: []widget.Button{{Name: "cancel", Label: "Cancel"}, {Name: "yes", Label: yes, Danger: true}},
	}}}
}

// NewCalmQuestion returns a question about something that costs and destroys nothing. Cancel
// has the focus nevertheless.
func NewCalmQuestion(title, note, yes string, run func() tea.Cmd, text ...string) *Question {
	q := NewQuestion(title, note, yes, run, text...)
	q.Dialog.Danger, q.Dialog.Buttons[1].Danger = false, false
	return q
}

// Ask adds a field to fill in; why explains why the answer is not yet possible. why returns "" when
// the answer is possible. It is called for every frame.
func (q *Question) Ask(s *widget.Styles, field widget.FormField, why func(value string) string) {
	q.Form = widget.NewForm(s, field)
	q.FocusForm(true)
	q.Dialog.Buttons[1].Disabled = func() string { return why(q.Value()) }
}

// AskAll adds fields to fill in, of which all must be valid. Value is of no use then; read the
// values of Form.
func (q *Question) AskAll(s *widget.Styles, fields ...widget.FormField) {
	q.Form, q.bare = widget.NewForm(s, fields...), false
	q.FocusForm(true)
	q.Dialog.Buttons[1].Disabled = func() string {
		if err := q.Form.Err(); err != nil {
			return err.Error()
		}
		return ""
	}
}

// Value is what was typed, without the blanks around it. The question must have one field.
func (q *Question) Value() string {
	for _, v := range q.Form.Values() {
		return strings.TrimSpace(v)
	}
	return ""
}

// Update answers the question or edits its field.
func (q *Question) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	cmd, chosen := q.Choose(msg)
	if cmd != nil {
		return cmd, false
	}
	return q.took(chosen)
}

// sized needs no agreement without a table.
func (q *Question) sized(of tableSize) {
	q.Warn(of.text)
	if q.Sized != nil && of.estimate.Segments > 0 {
		q.Sized(of.estimate)
	}
	if of.missing {
		q.Text = []string{"Nothing can be read.", of.text}
		q.Dialog.Buttons = []widget.Button{{Name: "cancel", Label: "Close"}}
	}
}

// Warn changes the second paragraph, which is about the cost. A question without a second
// paragraph stays as it is.
func (q *Question) Warn(text string) {
	if len(q.Text) > 1 {
		q.Text[1] = text
	}
}

func (q *Question) took(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		q.Leave()
		return nil, true
	case c.Why != "":
		return screen.Send(screen.NoticeMsg{Text: c.Why}), false
	case c.Name == "yes":
		return q.Yes(), true
	}
	return nil, false
}

// Leave leaves the question without an answer.
func (q *Question) Leave() {
	if q.No != nil {
		q.No()
	}
}

// questionWide is the width of the text, where there is room.
const questionWide = 68

// Over draws the question over a screen of w by h cells.
func (q *Question) Over(s *widget.Styles, background string, w, h int) string {
	wide := max(min(w-8, questionWide), 1)
	var lines []string
	for i, text := range q.Text {
		role := widget.RoleText
		switch {
		case i == 1:
			role = widget.RoleWarn
		case i > 1:
			role = widget.RoleMuted
		}
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, widget.Wrap(s, role, text, wide)...)
	}
	if q.Form != nil {
		lines = append(lines, "")
	}
	return q.Draw(s, background, w, h, wide, lines, nil)
}

// Click chooses a button or the field; a click beside the question does nothing.
func (q *Question) Click(x, y int) (cmd tea.Cmd, done bool) {
	chosen, _ := q.ClickAt(x, y)
	return q.took(chosen)
}

// NewReveal asks for the reason to show personal data, and shows nothing before it was written down. The subject is what the journal says was
// looked at. The reason must pass session.CheckReason.
func NewReveal(env *screen.Env, subject string) *Question {
	s := env.Workspace
	q := NewCalmQuestion("Reveal personal data?", s.Session.Actor(), "Reveal", nil,
		"It is shown on every screen until o R hides it again or this schema is left. Who revealed what, when and why goes "+
			"to the journal. Secrets stay hidden.")
	q.Ask(env.Styles, widget.FormField{
		Name: "reason", Label: "Reason", Required: true, Placeholder: "such as OPS-123 or customer request", Width: 44,
	},
		func(reason string) string {
			if reason == "" {
				return "revealing personal data needs a reason"
			}
			if err := session.CheckReason(reason); err != nil {
				return err.Error()
			}
			return ""
		})
	q.Yes = func() tea.Cmd {
		reason := q.Value()
		return func() tea.Msg {
			if err := s.Session.Reveal(env.Context, subject, reason); err != nil {
				return screen.NoticeMsg{Text: "nothing was revealed: " + err.Error(), Bad: true}
			}
			// It goes to the screen that asked; the others hear of it when they come back into view, by screen.Remasker.
			return screen.Answer(func() tea.Cmd {
				return screen.Send(screen.NoticeMsg{Text: "personal data is shown; press o R to hide it again"})
			})
		}
	}
	return q
}

// ToggleReveal asks for the reason to show personal data, or masks it again. subject is
// what the journal names. Masking again needs no reason and is not in the journal.
func (c *Host) ToggleReveal(env *screen.Env, subject string) tea.Cmd {
	if Revealing(env) {
		env.Session.Hide()
		return screen.Send(screen.NoticeMsg{Text: "personal data is masked again"})
	}
	c.Box = NewReveal(env, subject)
	return nil
}

// Revealing reports whether personal data is shown. It is about personal data; secrets are
// never shown.
func Revealing(env *screen.Env) bool { return !env.Session.Masker().Hides(models.PII) }

// CannotReveal explains why personal data cannot be shown, "" when it can.
func CannotReveal(env *screen.Env) string {
	if err := env.Session.CanReveal(); err != nil {
		return err.Error()
	}
	return ""
}

// A tableSize is what DynamoDB says about the size of the table that a question is about.
type tableSize struct {
	text     string
	estimate reading.Estimate // zero when it could not be asked
	missing  bool             // there is no such table
}

// AskSize asks for the size of what a read scans: a table, or its index, and tells the question. It sends a DescribeTable at
// most, which costs no capacity. Without permission for it, the size is unknown and the person may scan nevertheless.
func AskSize(ctx context.Context, s *workspace.Workspace, t *models.Table, read accesspatterns.Read, q *Question) tea.Cmd {
	return func() tea.Msg {
		of := sizeOf(ctx, s, t, read)
		return screen.Answer(func() tea.Cmd { q.sized(of); return nil })
	}
}

func sizeOf(ctx context.Context, s *workspace.Workspace, t *models.Table, read accesspatterns.Read) tableSize {
	e, err := s.Reading.EstimateScan(ctx, t, read)
	switch {
	case err == nil:
		return tableSize{text: e.String(), estimate: e}
	case tables.Missing(err):
		return tableSize{text: err.Error(), missing: true}
	}
	return tableSize{text: "Unknown size: " + err.Error()}
}

// AskScan asks for consent to scan a table, or its index. A scan that costs no more than the limit of the configuration is not
// asked about, except in production.
func (c *Host) AskScan(ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, q *Question) tea.Cmd {
	if env.ScanLimit <= 0 || env.Session.Production() {
		c.Box = q
		return AskSize(ctx, env.Workspace, t, read, q)
	}
	return c.size(ctx, env, t, read, q.Yes, q)
}

// ScanSmall begins a scan that AskScan does not ask about, and does nothing for a larger one.
func (c *Host) ScanSmall(ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, yes func() tea.Cmd) tea.Cmd {
	if env.ScanLimit <= 0 || env.Session.Production() {
		return nil
	}
	return c.size(ctx, env, t, read, yes, nil)
}

// size starts the scan, or asks for consent unless another dialog was opened meanwhile. Without a question it starts at
// once.
func (c *Host) size(
	ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, yes func() tea.Cmd, q *Question,
) tea.Cmd {
	s, limit := env.Workspace, env.ScanLimit
	return func() tea.Msg {
		of := sizeOf(ctx, s, t, read)
		return screen.Answer(func() tea.Cmd {
			switch {
			case c.Box != nil:
			case of.estimate.Segments > 0 && of.estimate.ReadUnits <= limit:
				return yes()
			case q != nil:
				q.sized(of)
				c.Box = q
			}
			return nil
		})
	}
}
