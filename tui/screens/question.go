package screens

import (
	"context"
	"strings"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A question is answered with yes or left alone. Leaving it has the focus, or
// the field that has to be filled in.
type question struct {
	dialog *widget.Dialog
	text   []string // paragraphs; the second is a warning
	yes    func() tea.Cmd
	sized  func(session.Estimate) // told how large the table is; may be nil

	form   *widget.Form // nil when nothing is to be typed
	onForm bool         // the form has the keys
	formY  int
	box    rect
}

func newQuestion(title, note, yes string, run func() tea.Cmd, text ...string) *question {
	return &question{yes: run, text: text, dialog: &widget.Dialog{
		Title: title, Note: note, Danger: true,
		Buttons: []widget.Button{{Name: "cancel", Label: "Cancel"}, {Name: "yes", Label: yes, Danger: true}},
	}}
}

// ask adds a field to fill in; why says why the answer is not yet possible.
func (q *question) ask(s *widget.Styles, field widget.FormField, why func(value string) string) {
	q.form, q.onForm = widget.NewForm(s, field), true
	q.dialog.Buttons[1].Disabled = func() string { return why(q.value()) }
}

// value is what was typed, without the blanks around it.
func (q *question) value() string {
	for _, v := range q.form.Values() {
		return strings.TrimSpace(v)
	}
	return ""
}

func (q *question) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	if sized, ok := msg.(tableSizedMsg); ok {
		q.warn(sized.text)
		if q.sized != nil && sized.estimate.Segments > 0 {
			q.sized(sized.estimate)
		}
		if sized.missing { // There is nothing to agree to.
			q.text = []string{"Nothing can be read.", sized.text}
			q.dialog.Buttons = []widget.Button{{Name: "cancel", Label: "Close"}}
		}
		return nil, false
	}
	press, isKey := msg.(tea.KeyPressMsg)
	switch {
	case q.onForm && isKey:
		return q.pressForm(press)
	case q.onForm:
		cmd, _ = q.form.Update(msg)
		return cmd, false
	case !isKey:
		return nil, false
	}
	key := press.String()
	if q.form != nil && (key == "up" || key == "shift+tab" && q.dialog.Focused() == "cancel") {
		q.focusForm(true)
		return nil, false
	}
	return q.took(q.dialog.Update(press))
}

func (q *question) pressForm(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch msg.String() {
	case "esc":
		return nil, true
	case "enter":
		return q.answer()
	case "tab", "down", "shift+tab":
		q.focusForm(false)
		return nil, false
	}
	cmd, _ = q.form.Update(msg)
	return cmd, false
}

// warn changes the second paragraph, which is about what it costs.
func (q *question) warn(text string) {
	if len(q.text) > 1 {
		q.text[1] = text
	}
}

func (q *question) focusForm(on bool) {
	q.onForm = on
	q.form.SetFocused(on)
}

func (q *question) took(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		return nil, true
	case c.Why != "":
		return Send(NoticeMsg{Text: c.Why}), false
	case c.Name == "yes":
		return q.answer()
	}
	return nil, false
}

// answer says yes, when that is possible.
func (q *question) answer() (cmd tea.Cmd, done bool) {
	if disabled := q.dialog.Buttons[1].Disabled; disabled != nil {
		if why := disabled(); why != "" {
			return Send(NoticeMsg{Text: why}), false
		}
	}
	return q.yes(), true
}

func (q *question) Over(s *widget.Styles, background string, w, h int) string {
	wide := max(min(w-8, 68), 1)
	var lines []string
	for i, text := range q.text {
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
	if q.form != nil {
		lines = append(lines, "")
		q.formY = len(lines)
		q.form.SetSize(wide, 1)
		lines = append(lines, q.form.View())
	}
	q.dialog.Body = widget.Place(strings.Join(lines, "\n"), wide, len(lines))
	dw, dh := q.dialog.Size(w, h)
	q.box = rect{(w - dw) / 2, (h - dh) / 2, dw, dh}
	return widget.Center(widget.Dim(s, background), q.dialog.Render(s, dw, dh))
}

func (q *question) Cursor() *tea.Cursor {
	if !q.onForm {
		return nil
	}
	x, y := q.dialog.BodyAt()
	return widget.MoveCursor(q.form.Cursor(), q.box.x+x, q.box.y+y+q.formY)
}

func (q *question) SetStyles(s *widget.Styles) {
	if q.form != nil {
		q.form.SetStyles(s)
	}
}

// click chooses a button; a click beside the question does nothing.
func (q *question) Click(x, y int) (cmd tea.Cmd, done bool) {
	if !q.box.has(x, y) {
		return nil, false
	}
	return q.took(q.dialog.Click(x-q.box.x, y-q.box.y, q.box.w, q.box.h))
}

// revealedMsg says whether personal data may be shown now.
type revealedMsg struct{ err error }

// notice says so to the person.
func (msg revealedMsg) notice() tea.Cmd {
	if msg.err != nil {
		return Send(NoticeMsg{Text: "nothing was revealed: " + msg.err.Error(), Bad: true})
	}
	return Send(NoticeMsg{Text: "personal data is shown; R hides it again"})
}

// newReveal asks for the reason to show personal data. The subject is what the
// journal says was looked at. A revealedMsg answers.
func newReveal(env *Env, subject string) *question {
	s := env.Session
	q := newQuestion("Reveal personal data?", s.Actor(), "Reveal", nil,
		"It is shown on every screen until R hides it again or this profile is left. Who revealed what, when and why goes to the journal. Secrets stay hidden.")
	q.dialog.Danger, q.dialog.Buttons[1].Danger = false, false
	q.ask(env.Styles, widget.FormField{Name: "reason", Label: "Reason", Required: true, Placeholder: "a ticket, a request of the customer", Width: 44},
		func(reason string) string {
			if reason == "" {
				return "revealing personal data needs a reason"
			}
			return ""
		})
	q.yes = func() tea.Cmd { return reveal(s, subject, q.value()) }
	return q
}

// reveal writes the reason down. Nothing is shown before that has happened.
func reveal(s *session.Session, subject, reason string) tea.Cmd {
	return func() tea.Msg { return revealedMsg{s.Reveal(context.Background(), subject, reason)} }
}

// revealing reports whether personal data is shown.
func revealing(env *Env) bool { return !env.Session.Masker().Hides(models.PII) }

// cannotReveal says why personal data cannot be shown, "" when it can.
func cannotReveal(env *Env) string {
	if err := env.Session.CanReveal(); err != nil {
		return err.Error()
	}
	return ""
}
