package overlay

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Question is answered with yes or left alone. Leaving it has the focus, or
// the field that has to be filled in.
type Question struct {
	Dialog *widget.Dialog
	Text   []string // paragraphs; the second is a warning
	Yes    func() tea.Cmd
	Sized  func(reading.Estimate) // told how large the table is; may be nil

	Form   *widget.Form // nil when nothing is to be typed
	onForm bool         // the form has the keys
	formY  int
	box    Rect
}

// NewQuestion returns a question with these paragraphs and a button named yes, which calls run.
func NewQuestion(title, note, yes string, run func() tea.Cmd, text ...string) *Question {
	return &Question{Yes: run, Text: text, Dialog: &widget.Dialog{
		Title: title, Note: note, Danger: true,
		Buttons: []widget.Button{{Name: "cancel", Label: "Cancel"}, {Name: "yes", Label: yes, Danger: true}},
	}}
}

// Ask adds a field to fill in; why says why the answer is not yet possible.
func (q *Question) Ask(s *widget.Styles, field widget.FormField, why func(value string) string) {
	q.Form, q.onForm = widget.NewForm(s, field), true
	q.Dialog.Buttons[1].Disabled = func() string { return why(q.Value()) }
}

// Value is what was typed, without the blanks around it.
func (q *Question) Value() string {
	for _, v := range q.Form.Values() {
		return strings.TrimSpace(v)
	}
	return ""
}

// Update answers the question or edits its field.
func (q *Question) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	if sized, ok := msg.(TableSizedMsg); ok {
		q.Warn(sized.Text)
		if q.Sized != nil && sized.Estimate.Segments > 0 {
			q.Sized(sized.Estimate)
		}
		if sized.Missing { // There is nothing to agree to.
			q.Text = []string{"Nothing can be read.", sized.Text}
			q.Dialog.Buttons = []widget.Button{{Name: "cancel", Label: "Close"}}
		}
		return nil, false
	}
	press, isKey := msg.(tea.KeyPressMsg)
	switch {
	case q.onForm && isKey:
		return q.pressForm(press)
	case q.onForm:
		cmd, _ = q.Form.Update(msg)
		return cmd, false
	case !isKey:
		return nil, false
	}
	key := press.String()
	if q.Form != nil && (key == "up" || key == "shift+tab" && q.Dialog.Focused() == "cancel") {
		q.focusForm(true)
		return nil, false
	}
	return q.Took(q.Dialog.Update(press))
}

func (q *Question) pressForm(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch msg.String() {
	case "esc":
		return nil, true
	case "enter":
		return q.answer()
	case "tab", "down", "shift+tab":
		q.focusForm(false)
		return nil, false
	}
	cmd, _ = q.Form.Update(msg)
	return cmd, false
}

// Warn changes the second paragraph, which is about what it costs.
func (q *Question) Warn(text string) {
	if len(q.Text) > 1 {
		q.Text[1] = text
	}
}

func (q *Question) focusForm(on bool) {
	q.onForm = on
	q.Form.SetFocused(on)
}

// Took handles the choice of a button; done reports that the question is answered.
func (q *Question) Took(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		return nil, true
	case c.Why != "":
		return screen.Send(screen.NoticeMsg{Text: c.Why}), false
	case c.Name == "yes":
		return q.answer()
	}
	return nil, false
}

// answer says yes, when that is possible.
func (q *Question) answer() (cmd tea.Cmd, done bool) {
	if disabled := q.Dialog.Buttons[1].Disabled; disabled != nil {
		if why := disabled(); why != "" {
			return screen.Send(screen.NoticeMsg{Text: why}), false
		}
	}
	return q.Yes(), true
}

// Over draws the question over a screen of w by h cells.
func (q *Question) Over(s *widget.Styles, background string, w, h int) string {
	wide := max(min(w-8, 68), 1)
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
		q.formY = len(lines)
		q.Form.SetSize(wide, 1)
		lines = append(lines, q.Form.View())
	}
	q.Dialog.Body = widget.Place(strings.Join(lines, "\n"), wide, len(lines))
	dw, dh := q.Dialog.Size(w, h)
	q.box = widget.Centered(w, h, dw, dh)
	return widget.Center(widget.Dim(s, background), q.Dialog.Render(s, dw, dh))
}

// Cursor is the cursor in the field of the question, nil without one.
func (q *Question) Cursor() *tea.Cursor {
	if !q.onForm {
		return nil
	}
	x, y := q.Dialog.BodyAt()
	return widget.MoveCursor(q.Form.Cursor(), q.box.X+x, q.box.Y+y+q.formY)
}

// SetStyles changes the theme.
func (q *Question) SetStyles(s *widget.Styles) {
	if q.Form != nil {
		q.Form.SetStyles(s)
	}
}

// Click chooses a button; a click beside the question does nothing.
func (q *Question) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !q.box.Has(x, y) {
		return nil, false
	}
	return q.Took(q.Dialog.Click(x-q.box.X, y-q.box.Y, q.box.W, q.box.H))
}

// RevealedMsg says whether personal data may be shown now.
type RevealedMsg struct{ err error }

// Notice says so to the person.
func (msg RevealedMsg) Notice() tea.Cmd {
	if msg.err != nil {
		return screen.Send(screen.NoticeMsg{Text: "nothing was revealed: " + msg.err.Error(), Bad: true})
	}
	return screen.Send(screen.NoticeMsg{Text: "personal data is shown; R hides it again"})
}

// NewReveal asks for the reason to show personal data. The subject is what the
// journal says was looked at. A revealedMsg answers.
func NewReveal(env *screen.Env, subject string) *Question {
	s := env.Workspace
	q := NewQuestion("Reveal personal data?", s.Session.Actor(), "Reveal", nil,
		"It is shown on every screen until R hides it again or this profile is left. Who revealed what, when and why goes "+
			"to the journal. Secrets stay hidden.")
	q.Dialog.Danger, q.Dialog.Buttons[1].Danger = false, false
	q.Ask(env.Styles, widget.FormField{
		Name: "reason", Label: "Reason", Required: true, Placeholder: "a ticket, a request of the customer", Width: 44,
	},
		func(reason string) string {
			if reason == "" {
				return "revealing personal data needs a reason"
			}
			return ""
		})
	q.Yes = func() tea.Cmd { return reveal(env.Context, s, subject, q.Value()) }
	return q
}

// ToggleReveal asks for the reason to show personal data, or masks it again. subject is
// what the journal names.
func (c *Host) ToggleReveal(env *screen.Env, subject string) tea.Cmd {
	if Revealing(env) {
		env.Session.Hide()
		return screen.Send(screen.NoticeMsg{Text: "personal data is masked again"})
	}
	c.Box = NewReveal(env, subject)
	return nil
}

// reveal writes the reason down. Nothing is shown before that has happened.
func reveal(ctx context.Context, s *workspace.Workspace, subject, reason string) tea.Cmd {
	return func() tea.Msg { return RevealedMsg{s.Session.Reveal(ctx, subject, reason)} }
}

// Revealing reports whether personal data is shown.
func Revealing(env *screen.Env) bool { return !env.Session.Masker().Hides(models.PII) }

// CannotReveal says why personal data cannot be shown, "" when it can.
func CannotReveal(env *screen.Env) string {
	if err := env.Session.CanReveal(); err != nil {
		return err.Error()
	}
	return ""
}

// TableSizedMsg is what DynamoDB says about the size of the table that a
// question is about.
type TableSizedMsg struct {
	Text     string
	Estimate reading.Estimate // zero when it could not be asked
	Missing  bool             // there is no such table
}
