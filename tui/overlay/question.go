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

// A Question is a dialog with a button for yes and a button to cancel. The focus is on Cancel, or in the required
// field.
type Question struct {
	Box
	Text  []string // paragraphs; the second is a warning
	Yes   func() tea.Cmd
	No    func()                 // called if the user leaves without an answer; may be nil
	Sized func(reading.Estimate) // receives the size of the table; may be nil
}

// NewQuestion returns a question with these paragraphs, and a button labeled yes that calls run.
func NewQuestion(title, note, yes string, run func() tea.Cmd, text ...string) *Question {
	return &Question{Yes: run, Text: text, Box: Box{bare: true, Dialog: &widget.Dialog{
		Title: title, Note: note, Danger: true,
		Buttons: []widget.Button{{Name: "cancel", Label: "Cancel"}, {Name: "yes", Label: yes, Danger: true}},
	}}}
}

// NewCalmQuestion returns a question about an operation without costs or damage. The focus is still on Cancel.
func NewCalmQuestion(title, note, yes string, run func() tea.Cmd, text ...string) *Question {
	q := NewQuestion(title, note, yes, run, text...)
	q.Dialog.Danger, q.Dialog.Buttons[1].Danger = false, false
	return q
}

// Ask adds a required field. why returns the reason why the answer is not valid yet, "" if it is. It is called for
// every frame.
func (q *Question) Ask(s *widget.Styles, field widget.FormField, reason func(value string) string) {
	q.Form = widget.NewForm(s, field)
	q.FocusForm(true)
	q.Dialog.Buttons[1].Disabled = func() string { return reason(q.Value()) }
}

// AskAll adds fields that must all be valid. Read their values from Form, not with Value.
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

// Value returns the typed text without surrounding spaces. The question must have one field.
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
	return q.handleChoice(chosen)
}

// sized shows the size of the table. If the table is missing, the question has only a Close button.
func (q *Question) sized(of tableSize) {
	q.Warn(of.text)
	if q.Sized != nil && of.estimate.Segments > 0 {
		q.Sized(of.estimate)
	}
	if of.missing {
		q.Text = []string{"ddbdesk cannot read any table.", of.text}
		q.Dialog.Buttons = []widget.Button{{Name: "cancel", Label: "Close"}}
	}
}

// Warn replaces the second paragraph, which is about the cost. A question with one paragraph stays unchanged.
func (q *Question) Warn(text string) {
	if len(q.Text) > 1 {
		q.Text[1] = text
	}
}

func (q *Question) handleChoice(c widget.Choice) (cmd tea.Cmd, done bool) {
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

// questionWide is the maximum width of the text.
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

// Click chooses a button or the field; a click outside of the question does nothing.
func (q *Question) Click(x, y int) (cmd tea.Cmd, done bool) {
	chosen, _ := q.ClickAt(x, y)
	return q.handleChoice(chosen)
}

// NewReveal asks for the reason to reveal personal data, and reveals nothing before the journal contains it. subject is
// the name of the revealed data in the journal. The reason must pass session.CheckReason.
func NewReveal(env *screen.Env, subject string) *Question {
	s := env.Workspace
	q := NewCalmQuestion("Reveal personal data?", s.Session.Actor(), "Reveal", nil,
		"Every screen shows it until you press o R or leave this schema. The journal records the user, the time and "+
			"the reason. Secrets stay hidden.")
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
			// The asking screen receives it; screen.Remasker updates the others when they become visible.
			return screen.Answer(func() tea.Cmd {
				return screen.Send(screen.NoticeMsg{Text: "personal data is shown; press o R to hide it again"})
			})
		}
	}
	return q
}

// ToggleReveal asks for the reason to reveal personal data, or masks it again. subject is the name of the data in the
// journal. Masking needs no reason and is not journaled.
func (c *Host) ToggleReveal(env *screen.Env, subject string) tea.Cmd {
	if Revealing(env) {
		env.Session.Hide()
		return screen.Send(screen.NoticeMsg{Text: "personal data is masked again"})
	}
	c.Box = NewReveal(env, subject)
	return nil
}

// Revealing reports whether personal data is revealed. Secrets are never revealed.
func Revealing(env *screen.Env) bool { return !env.Session.Masker().Hides(models.PII) }

// CannotReveal returns the reason why personal data cannot be revealed, "" if it can.
func CannotReveal(env *screen.Env) string {
	if err := env.Session.CanReveal(); err != nil {
		return err.Error()
	}
	return ""
}

// A tableSize is the size that DynamoDB reports for the table of a question.
type tableSize struct {
	text     string
	estimate reading.Estimate // zero if the size is unknown
	missing  bool             // the table does not exist
}

// AskSize requests the size of the table or index that a read scans, and passes it to the question. It sends at most
// one DescribeTable request, which costs no capacity. Without permission the size is unknown, and the user may still
// scan.
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

// AskScan asks for consent to scan a table or an index. A scan within the configured limit needs no consent, except in
// production.
func (c *Host) AskScan(ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, q *Question) tea.Cmd {
	if env.ScanLimit <= 0 || env.Session.Production() {
		c.Box = q
		return AskSize(ctx, env.Workspace, t, read, q)
	}
	return c.size(ctx, env, t, read, q.Yes, q)
}

// ScanSmall starts a scan that needs no consent, and does nothing for a larger scan.
func (c *Host) ScanSmall(ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, yes func() tea.Cmd) tea.Cmd {
	if env.ScanLimit <= 0 || env.Session.Production() {
		return nil
	}
	return c.size(ctx, env, t, read, yes, nil)
}

// size starts the scan, or asks for consent unless another dialog is open. Without a question it starts at once.
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
