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
func (d *consoleDialogs) ofConsole(msg tea.Msg) (cmd tea.Cmd, own bool) {
	switch msg := msg.(type) {
	case identifiedMsg:
		d.m.identified(msg)
		return nil, true
	case questionMsg:
		return d.wonder(msg), true
	case screen.AnsweredMsg:
		return d.askAgain(), true
	case screen.UseMsg:
		return d.use(msg.Name), true
	case screen.ExpiredMsg:
		d.expired(d.m.screens.top(), msg)
		return nil, true
	case screen.SignInMsg:
		return d.signIn(msg), true
	case signedInMsg:
		return d.signedIn(msg), true
	}
	return nil, false
}

// questionMsg is a question that arrived.
type questionMsg struct{ asked Question }

// listen waits for the next question.
func (d *consoleDialogs) listen() tea.Cmd {
	questions := d.m.o.Questions
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
func (d *consoleDialogs) wonder(msg questionMsg) tea.Cmd {
	d.questions = append(d.questions, msg.asked)
	d.nextDialog()
	return d.listen()
}

// nextDialog shows the first question that waits.
func (d *consoleDialogs) nextDialog() {
	if d.dialog == nil && len(d.questions) > 0 {
		d.dialog = connection.NewQuestionDialog(d.m.styles, d.questions[0])
		d.questions = d.questions[1:]
	}
}

func (d *consoleDialogs) toDialog(msg tea.Msg) tea.Cmd {
	cmd, done := d.dialog.Update(msg)
	d.closeDialog(done)
	return cmd
}

func (d *consoleDialogs) closeDialog(done bool) {
	if done {
		d.dialog = nil
		d.nextDialog()
	}
}

// leaveQuestions tells everything that waits for an answer that none comes.
func (d *consoleDialogs) leaveQuestions() {
	if d.dialog != nil {
		d.dialog.Leave()
	}
	for _, q := range d.questions {
		q.Leave()
	}
}

// switcher is the opener, when it can connect in other contexts; nil else.
func (d *consoleDialogs) switcher() connection.Switcher {
	s, _ := d.m.o.Opener.(connection.Switcher)
	return s
}

// noContexts says why there is nothing to choose.
func (d *consoleDialogs) noContexts() string {
	if len(d.contexts) < 2 {
		return "the configuration names no context; ddbdesk info says where its file is"
	}
	return ""
}

func (d *consoleDialogs) openContexts() tea.Cmd {
	if cmd, held := d.m.hold.stay(); held {
		return cmd
	}
	d.dialog = connection.NewContexts(d.m.styles, d.contexts, d.context)
	return nil
}

// contextCommands offers the contexts to the palette.
func (f *finder) contextCommands() []screen.Command {
	if f.m.dialogs.noContexts() != "" {
		return nil
	}
	var list []screen.Command
	for _, c := range f.m.dialogs.contexts {
		title := c.Name
		if title == "" {
			title = "without a context"
		}
		list = append(list, screen.Command{
			Kind: "context", Title: title, Note: c.Role, Words: "connect " + c.Profile + " " + c.Region + " " + c.Environment,
			Run: func() tea.Cmd { return f.m.dialogs.use(c.Name) },
		})
	}
	return list
}

// use goes to another context: whatever was open belongs to the one before, so it
// is given up, and the profile in view is connected anew.
func (d *consoleDialogs) use(name string) tea.Cmd {
	if cmd, held := d.m.hold.stay(); held {
		return cmd
	}
	if err := d.switcher().Use(name); err != nil {
		return d.m.say(widget.RoleBad, err.Error())
	}
	again := ""
	if p := d.m.schema(); p != nil && !d.m.detached() {
		again = p.Name
	}
	left := d.m.screens.goHome()
	closeAll(d.m.screens.ahead)
	d.m.screens.ahead, d.m.env, d.m.identity, d.context = nil, nil, "", name
	d.m.home.Cancel()
	if name == "" {
		name = "none"
	}
	return tea.Batch(
		left, d.m.say(widget.RoleInfo, "context: "+models.Printable(name)),
		d.m.router.route(d.m.screens.stack[0], d.m.home.Reload(again)),
	)
}

// colour is that of a context.
func (l *look) colour(name string) string {
	for _, c := range l.m.dialogs.contexts {
		if c.Name == name {
			return c.Colour
		}
	}
	return ""
}

// productionAhead reports whether the profile chosen at home would be opened on
// production.
func (d *consoleDialogs) productionAhead() bool {
	p := d.m.home.Selected()
	if p == nil {
		return false
	}
	names := []string{d.context}
	for _, c := range d.contexts {
		if c.Name == d.context {
			names = append(names, c.Environment)
		}
	}
	for _, v := range p.Variables {
		names = append(names, v.Value)
	}
	return p.IsProduction(names...)
}

// expired offers to renew credentials, for the screen that needs them.
func (d *consoleDialogs) expired(p *place, msg screen.ExpiredMsg) {
	if d.dialog == nil {
		d.dialog, d.needy = connection.NewSignIn(msg.Command), p.id
	}
}

// signedInMsg says how the program ended that renews credentials.
type signedInMsg struct {
	command []string
	err     error
}

// signIn lets the program have the terminal.
func (d *consoleDialogs) signIn(msg screen.SignInMsg) tea.Cmd {
	c := d.m.out.borrower(msg.Command[0], msg.Command[1:]...)
	return d.m.out.lend(c, func(err error) tea.Msg { return signedInMsg{msg.Command, err} })
}

// signedIn tries again what failed.
func (d *consoleDialogs) signedIn(msg signedInMsg) tea.Cmd {
	var exit *exec.ExitError
	name := models.Printable(strings.Join(msg.command, " "))
	switch {
	case errors.As(msg.err, &exit):
		return d.m.say(widget.RoleBad, fmt.Sprintf("%s ended with %v: nothing was tried again", name, exit))
	case msg.err != nil:
		return d.m.say(widget.RoleBad, fmt.Sprintf("%s did not start: %v", name, msg.err))
	}
	p := d.m.screens.find(d.needy)
	if p == nil {
		return nil
	}
	retry, ok := p.screen.(connection.Retrier)
	if !ok {
		return d.m.say(widget.RoleGood, "signed in")
	}
	return tea.Batch(d.m.say(widget.RoleGood, "signed in: trying again"), d.m.router.route(p, retry.Retry()), d.askAgain())
}

// askAgain asks who works here when the store has not answered yet: it could not
// without credentials.
func (d *consoleDialogs) askAgain() tea.Cmd {
	if d.m.env == nil || d.m.identity != "" {
		return nil
	}
	return identify(d.m.o.Context, d.m.env.Workspace)
}
