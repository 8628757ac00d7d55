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

// A Question is a dialog with one button that confirms and one that cancels. The focus is on Cancel, or in the required
// field if there is one.
type Question struct {
	Box
	Text  []string // paragraphs; the second one is a warning
	Yes   func() tea.Cmd
	No    func()                 // runs if the user leaves without an answer; may be nil
	Sized func(reading.Estimate) // receives the table's size; may be nil
}

// NewQuestion returns a question with the given paragraphs. Its confirming button has the label yes and calls run.
func NewQuestion(title, note, yes string, run func() tea.Cmd, text ...string) *Question {
	return &Question{Yes: run, Text: text, Box: Box{singleField: true, Dialog: &widget.Dialog{
		Title: title, Note: note, Danger: true,
		Buttons: []widget.Button{{Name: "cancel", Label: "Cancel"}, {Name: "yes", Label: yes, Danger: true}},
	}}}
}

// NewHarmlessQuestion returns a question about a harmless operation. The focus still starts on Cancel.
func NewHarmlessQuestion(title, note, yes string, run func() tea.Cmd, text ...string) *Question {
	q := NewQuestion(title, note, yes, run, text...)
	q.Dialog.Danger, q.Dialog.Buttons[1].Danger = false, false
	return q
}

// Prompt adds a required field. reason returns the reason why the answer is not valid yet, or ""; Question calls it for
// every frame.
func (q *Question) Prompt(s *widget.Styles, field widget.FormField, reason func(value string) string) {
	q.Form = widget.NewForm(s, field)
	q.FocusForm(true)
	q.Dialog.Buttons[1].Disabled = func() string { return reason(q.Value()) }
}

// PromptAll adds fields that must all be valid. Read their values from Form instead of calling Value.
func (q *Question) PromptAll(s *widget.Styles, fields ...widget.FormField) {
	q.Form, q.singleField = widget.NewForm(s, fields...), false
	q.FocusForm(true)
	q.Dialog.Buttons[1].Disabled = func() string {
		if err := q.Form.Err(); err != nil {
			return err.Error()
		}
		return ""
	}
}

// Value returns the typed text without surrounding spaces. The question must have exactly one field.
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

// showSize shows the size of the table. If the table does not exist, only a Close button remains.
func (q *Question) showSize(size sizeResult) {
	q.Warn(size.text)
	if q.Sized != nil && size.estimate.Segments > 0 {
		q.Sized(size.estimate)
	}
	if size.missing {
		q.Text = []string{"ddbdesk cannot read any table.", size.text}
		q.Dialog.Buttons = []widget.Button{{Name: "cancel", Label: "Close"}}
	}
}

// Warn replaces the second paragraph, which describes the cost. It does nothing if there is only one paragraph.
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

// Leave closes the question without an answer.
func (q *Question) Leave() {
	if q.No != nil {
		q.No()
	}
}

// questionMaxWidth is the maximum text width in cells.
const questionMaxWidth = 68

// Over draws the question over a screen of w by h cells.
func (q *Question) Over(s *widget.Styles, background string, w, h int) string {
	contentWidth := max(min(w-8, questionMaxWidth), 1)
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
		lines = append(lines, widget.Wrap(s, role, text, contentWidth)...)
	}
	if q.Form != nil {
		lines = append(lines, "")
	}
	return q.Draw(s, background, w, h, contentWidth, lines, nil)
}

// Click chooses a button or the field. A click outside of the question does nothing.
func (q *Question) Click(x, y int) (cmd tea.Cmd, done bool) {
	chosen, _ := q.ClickAt(x, y)
	return q.handleChoice(chosen)
}

// NewReveal asks for a reason and reveals personal data, but only once the journal has recorded it. subject names the
// data in the journal. The reason must pass session.CheckReason.
func NewReveal(env *screen.Env, subject string) *Question {
	s := env.Workspace
	q := NewHarmlessQuestion("Reveal personal data?", s.Session.Actor(), "Reveal", nil,
		"Every screen shows it until you press o R or leave this schema. The journal records the user, the time and "+
			"the reason. Secrets stay hidden.")
	q.Prompt(env.Styles, widget.FormField{
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
			// Only the asking screen receives this; screen.Remasker updates the others when they become visible.
			return screen.Answer(func() tea.Cmd {
				return screen.Send(screen.NoticeMsg{Text: "personal data is shown; press o R to hide it again"})
			})
		}
	}
	return q
}

// ToggleReveal asks for a reason to reveal personal data, or masks it again. subject names the data in the journal.
// Masking needs no reason, and the journal does not record it.
func (c *Host) ToggleReveal(env *screen.Env, subject string) tea.Cmd {
	if Revealing(env) {
		env.Session.Hide()
		return screen.Send(screen.NoticeMsg{Text: "personal data is masked again"})
	}
	c.Box = NewReveal(env, subject)
	return nil
}

// Revealing reports whether personal data is currently revealed. Secrets always stay masked.
func Revealing(env *screen.Env) bool { return !env.Session.Masker().Hides(models.PII) }

// CannotReveal returns the reason why the user cannot reveal personal data, or "".
func CannotReveal(env *screen.Env) string {
	if err := env.Session.CanReveal(); err != nil {
		return env.Reason(err)
	}
	return ""
}

// A sizeResult is the size that DynamoDB reports for a table.
type sizeResult struct {
	text     string
	estimate reading.Estimate // zero if the size is unknown
	missing  bool             // the table does not exist
}

// ShowSize requests the size of the tables, or of the index that read scans, and shows it in the question. It sends at
// most one DescribeTable request for each, which costs no capacity. Without permission the size stays unknown, but the
// user can still scan.
func ShowSize(ctx context.Context, s *workspace.Workspace, read accesspatterns.Read, q *Question, list ...*models.Table) tea.Cmd {
	return func() tea.Msg {
		size := sizeOf(ctx, s, read, list)
		return screen.Answer(func() tea.Cmd { q.showSize(size); return nil })
	}
}

func sizeOf(ctx context.Context, s *workspace.Workspace, read accesspatterns.Read, list []*models.Table) sizeResult {
	var sum reading.Estimate
	for _, t := range list {
		e, err := s.Reading.EstimateScan(ctx, t, read)
		switch {
		case tables.IsMissing(err) && len(list) == 1:
			return sizeResult{text: err.Error(), missing: true}
		case err != nil:
			return sizeResult{text: "Unknown size: " + err.Error()}
		}
		sum = sum.Plus(e)
	}
	return sizeResult{text: sum.String(), estimate: sum}
}

// ConfirmScan asks for consent to scan tables or the index of read. Outside of production, a scan within the configured
// limit starts without consent.
func (c *Host) ConfirmScan(ctx context.Context, env *screen.Env, read accesspatterns.Read, q *Question, list ...*models.Table) tea.Cmd {
	if env.ScanLimit <= 0 || env.Session.Production() {
		c.Box = q
		return ShowSize(ctx, env.Workspace, read, q, list...)
	}
	return c.scanOrConfirm(ctx, env, read, q.Yes, q, list...)
}

// ScanSmall starts a scan if it needs no consent. Otherwise it does nothing.
func (c *Host) ScanSmall(ctx context.Context, env *screen.Env, t *models.Table, read accesspatterns.Read, yes func() tea.Cmd) tea.Cmd {
	if env.ScanLimit <= 0 || env.Session.Production() {
		return nil
	}
	return c.scanOrConfirm(ctx, env, read, yes, nil, t)
}

// scanOrConfirm starts a scan within the limit. For a larger one it shows q, if not nil. An open dialog prevents both.
func (c *Host) scanOrConfirm(
	ctx context.Context, env *screen.Env, read accesspatterns.Read, yes func() tea.Cmd, q *Question, list ...*models.Table,
) tea.Cmd {
	s, limit := env.Workspace, env.ScanLimit
	return func() tea.Msg {
		size := sizeOf(ctx, s, read, list)
		return screen.Answer(func() tea.Cmd {
			switch {
			case c.Box != nil:
			case size.estimate.Segments > 0 && size.estimate.ReadUnits <= limit:
				return yes()
			case q != nil:
				q.showSize(size)
				c.Box = q
			}
			return nil
		})
	}
}
