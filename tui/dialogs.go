// This file is what the console itself asks and offers, over whatever screen is
// in view: the code of an MFA device, new credentials, another context.

package tui

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type (
	// A Question asks the person while something waits, off the screen's time.
	Question = connection.Question
	// A Context is a named connection of the configuration.
	Context = connection.Context
)

// NewQuestion returns a question for Options.Questions; check says what is wrong
// with an answer, "" for nothing.
func NewQuestion(title, text, placeholder string, check func(answer string) string) Question {
	return connection.NewQuestion(title, text, placeholder, check)
}

// ofConsole takes what the dialogs of the console are about.
func (m *Model) ofConsole(msg tea.Msg) (cmd tea.Cmd, own bool) {
	switch msg := msg.(type) {
	case identifiedMsg:
		m.identified(msg)
		return nil, true
	case questionMsg:
		return m.wonder(msg), true
	case screen.AnsweredMsg:
		return m.askAgain(), true
	case screen.UseMsg:
		return m.use(msg.Name), true
	case screen.ExpiredMsg:
		m.expired(m.top(), msg)
		return nil, true
	case screen.SignInMsg:
		return m.signIn(msg), true
	case signedInMsg:
		return m.signedIn(msg), true
	}
	return nil, false
}

// questionMsg is a question that arrived.
type questionMsg struct{ asked Question }

// listen waits for the next question.
func (m *Model) listen() tea.Cmd {
	questions := m.o.Questions
	if questions == nil {
		return nil
	}
	return func() tea.Msg {
		q, ok := <-questions
		if !ok {
			return nil
		}
		return questionMsg{q}
	}
}

// wonder takes a question: it is shown at once, or when the dialog that is open
// is done.
func (m *Model) wonder(msg questionMsg) tea.Cmd {
	m.questions = append(m.questions, msg.asked)
	m.nextDialog()
	return m.listen()
}

// nextDialog shows the first question that waits.
func (m *Model) nextDialog() {
	if m.dialog == nil && len(m.questions) > 0 {
		m.dialog = connection.NewQuestionDialog(m.styles, m.questions[0])
		m.questions = m.questions[1:]
	}
}

func (m *Model) toDialog(msg tea.Msg) tea.Cmd {
	cmd, done := m.dialog.Update(msg)
	m.closeDialog(done)
	return cmd
}

func (m *Model) closeDialog(done bool) {
	if done {
		m.dialog = nil
		m.nextDialog()
	}
}

// leaveQuestions tells everything that waits for an answer that none comes.
func (m *Model) leaveQuestions() {
	if m.dialog != nil {
		m.dialog.Leave()
	}
	for _, q := range m.questions {
		q.Leave()
	}
}

// switcher is the opener, when it can connect in other contexts; nil else.
func (m *Model) switcher() connection.Switcher {
	s, _ := m.o.Opener.(connection.Switcher)
	return s
}

// noContexts says why there is nothing to choose.
func (m *Model) noContexts() string {
	if len(m.contexts) < 2 {
		return "the configuration names no context; ddbdesk info says where its file is"
	}
	return ""
}

func (m *Model) openContexts() tea.Cmd {
	if cmd, held := m.stay(); held {
		return cmd
	}
	m.dialog = connection.NewContexts(m.styles, m.contexts, m.context)
	return nil
}

// contextCommands offers the contexts to the palette.
func (m *Model) contextCommands() []screen.Command {
	if m.noContexts() != "" {
		return nil
	}
	var list []screen.Command
	for _, c := range m.contexts {
		title := c.Name
		if title == "" {
			title = "without a context"
		}
		list = append(list, screen.Command{
			Kind: "context", Title: title, Note: c.Role, Words: "connect " + c.Profile + " " + c.Region + " " + c.Environment,
			Run: func() tea.Cmd { return m.use(c.Name) },
		})
	}
	return list
}

// use goes to another context: whatever was open belongs to the one before, so it
// is given up, and the profile in view is connected anew.
func (m *Model) use(name string) tea.Cmd {
	if cmd, held := m.stay(); held {
		return cmd
	}
	if err := m.switcher().Use(name); err != nil {
		return m.say(widget.RoleBad, err.Error())
	}
	again := ""
	if p := m.schema(); p != nil && !m.detached() {
		again = p.Name
	}
	left := m.goHome()
	closeAll(m.ahead)
	m.ahead, m.env, m.identity, m.context = nil, nil, "", name
	m.home.Cancel()
	if name == "" {
		name = "none"
	}
	return tea.Batch(left, m.say(widget.RoleInfo, "context: "+models.Printable(name)), m.route(m.stack[0], m.home.Reload(again)))
}

// colour is that of a context.
func (m *Model) colour(name string) string {
	for _, c := range m.contexts {
		if c.Name == name {
			return c.Colour
		}
	}
	return ""
}

// productionAhead reports whether the profile chosen at home would be opened on
// production.
func (m *Model) productionAhead() bool {
	p := m.home.Selected()
	if p == nil {
		return false
	}
	names := []string{m.context}
	for _, c := range m.contexts {
		if c.Name == m.context {
			names = append(names, c.Environment)
		}
	}
	for _, v := range p.Variables {
		names = append(names, v.Value)
	}
	return p.IsProduction(names...)
}

// expired offers to renew credentials, for the screen that needs them.
func (m *Model) expired(p *place, msg screen.ExpiredMsg) {
	if m.dialog == nil {
		m.dialog, m.needy = connection.NewSignIn(msg.Command), p.id
	}
}

// signedInMsg says how the program ended that renews credentials.
type signedInMsg struct {
	command []string
	err     error
}

// signIn lets the program have the terminal.
func (m *Model) signIn(msg screen.SignInMsg) tea.Cmd {
	c := m.out.borrower(msg.Command[0], msg.Command[1:]...)
	return m.lend(c, func(err error) tea.Msg { return signedInMsg{msg.Command, err} })
}

// signedIn tries again what failed.
func (m *Model) signedIn(msg signedInMsg) tea.Cmd {
	var exit *exec.ExitError
	name := models.Printable(strings.Join(msg.command, " "))
	switch {
	case errors.As(msg.err, &exit):
		return m.say(widget.RoleBad, fmt.Sprintf("%s ended with %v: nothing was tried again", name, exit))
	case msg.err != nil:
		return m.say(widget.RoleBad, fmt.Sprintf("%s did not start: %v", name, msg.err))
	}
	p := m.find(m.needy)
	if p == nil {
		return nil
	}
	retry, ok := p.screen.(connection.Retrier)
	if !ok {
		return m.say(widget.RoleGood, "signed in")
	}
	return tea.Batch(m.say(widget.RoleGood, "signed in: trying again"), m.route(p, retry.Retry()), m.askAgain())
}

// askAgain asks who works here when the store has not answered yet: it could not
// without credentials.
func (m *Model) askAgain() tea.Cmd {
	if m.env == nil || m.identity != "" {
		return nil
	}
	return identify(m.env.Session)
}
