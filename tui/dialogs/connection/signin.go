package connection

import (
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Question asks the user for text while an operation outside of Update waits for the answer. Create it with
// NewQuestion or NewForm.
type Question struct {
	title, text string
	fields      []Field
	check       func(answers []string) string
	reply       chan reply
}

// A Field is one input of a question.
type Field struct {
	Label, Placeholder string
	Required           bool
	Width              int    // in cells
	Value              string // initial value
}

type reply struct {
	texts     []string
	hasAnswer bool
}

// NewQuestion returns a question. check returns the problem with an answer, or "" if the answer is valid.
func NewQuestion(title, text, placeholder string, check func(answer string) string) Question {
	field := Field{Label: title, Placeholder: placeholder, Required: true, Width: 24}
	return NewForm(title, text, func(answers []string) string { return check(answers[0]) }, field)
}

// NewForm returns a question with several fields. check returns the problem with the answers, or "" if they are valid.
func NewForm(title, text string, check func(answers []string) string, fields ...Field) Question {
	return Question{title, text, fields, check, make(chan reply, 1)}
}

// Wait blocks until the user answers and returns the answers without surrounding spaces. isSet is false if the user
// closed the question.
func (q Question) Wait() (answers []string, isSet bool) {
	r := <-q.reply
	return r.texts, r.hasAnswer
}

// Check returns the problem with the answers, or "" if they are valid.
func (q Question) Check(answers ...string) string { return q.check(answers) }

// Leave closes the question without an answer. It has no effect after the first reply.
func (q Question) Leave() { q.sendReply(reply{}) }

// Answer replies in place of a user. It has no effect after the first reply.
func (q Question) Answer(texts ...string) { q.sendReply(reply{texts, true}) }

func (q Question) sendReply(r reply) {
	select {
	case q.reply <- r:
	default:
	}
}

// NewQuestionDialog returns the dialog that shows a question.
func NewQuestionDialog(s *widget.Styles, q Question) *overlay.Question {
	b := overlay.NewHarmlessQuestion(q.title, "", "Continue", nil, q.text)
	fields, defaults := make([]widget.FormField, len(q.fields)), map[string]string{}
	for i, f := range q.fields {
		fields[i] = widget.FormField{Name: f.Label, Label: f.Label, Required: f.Required, Placeholder: f.Placeholder, Width: f.Width}
		defaults[f.Label] = f.Value
	}
	answers := func() []string {
		values := b.Form.Values()
		return models.MapSlice(q.fields, func(f Field) string { return strings.TrimSpace(values[f.Label]) })
	}
	problem := func(string) string { return q.check(answers()) }
	if len(fields) == 1 {
		b.Prompt(s, fields[0], problem)
	} else {
		b.PromptAll(s, fields...)
		b.Dialog.Buttons[1].Disabled = func() string { return problem("") }
	}
	b.Form.SetValues(defaults)
	b.No = q.Leave
	b.Yes = func() tea.Cmd {
		q.Answer(answers()...)
		return screen.Send(screen.AnsweredMsg{})
	}
	return b
}

// A Retrier can repeat an operation that failed because credentials were missing or expired.
type Retrier interface{ Retry() tea.Cmd }

// OfferSignIn offers to renew the credentials if err reports that they expired and the required program is installed.
// Otherwise it does nothing.
func OfferSignIn(err error) tea.Cmd {
	command := session.SignInCommand(err)
	if len(command) == 0 {
		return nil
	}
	return func() tea.Msg {
		if _, err := exec.LookPath(command[0]); err != nil {
			return nil // The error already describes the command to run.
		}
		return screen.ExpiredMsg{Command: command}
	}
}

// NewSignIn returns the dialog that asks whether to run the sign-in command.
func NewSignIn(command []string) *overlay.Question {
	quoted := models.MapSlice(command, snippet.ShellQuote)
	return overlay.NewHarmlessQuestion("Sign in to AWS", "", "Sign in",
		func() tea.Cmd { return screen.Send(screen.SignInMsg{Command: command}) },
		"ddbdesk can run this command to sign in. It uses this terminal until it exits:",
		models.Printable(strings.Join(quoted, " ")),
		"It may open a browser. ddbdesk then retries the request.")
}
