package tui

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// consoleDialogs shows the dialogs that belong to no screen: contexts, sign-in and one-time codes.
type consoleDialogs struct {
	m *Model

	contexts []connection.Context  // the contexts of the configuration
	context  string                // name of the current context
	prompts  []connection.Question // prompts that wait for the open dialog
	retry    uint64                // ID of the place that waits for new credentials
}

type (
	// A Question is a prompt that an operation in the background waits for, such as a one-time code.
	Question = connection.Question
	// A Field is an answer of a prompt.
	Field = connection.Field
	// A Context is a named connection of the configuration.
	Context = connection.Context
)

// NewQuestion returns a prompt for Options.Questions. check returns the error of an answer, "" if it is valid.
func NewQuestion(title, text, placeholder string, check func(answer string) string) Question {
	return connection.NewQuestion(title, text, placeholder, check)
}

func (d *consoleDialogs) ofConsole(msg tea.Msg) (cmd tea.Cmd, own bool) {
	switch msg := msg.(type) {
	case identifiedMsg:
		d.m.identified(msg)
		return nil, true
	case profilesEditedMsg:
		return d.m.reload.read(), true
	case questionMsg:
		return d.enqueue(msg), true
	case screen.AnsweredMsg:
		return d.identifyAgain(), true
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

// NewForm returns a prompt with several answers, like NewQuestion.
func NewForm(title, text string, check func(answers []string) string, fields ...Field) Question {
	return connection.NewForm(title, text, check, fields...)
}

// questionMsg delivers a prompt.
type questionMsg struct{ asked Question }

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

func (d *consoleDialogs) enqueue(msg questionMsg) tea.Cmd {
	d.prompts = append(d.prompts, msg.asked)
	d.nextDialog()
	return d.listen()
}

func (d *consoleDialogs) nextDialog() {
	if d.m.layers.dialog == nil && len(d.prompts) > 0 {
		d.m.layers.dialog = connection.NewQuestionDialog(d.m.styles, d.prompts[0])
		d.prompts = d.prompts[1:]
	}
}

func (d *consoleDialogs) cancelPrompts() {
	if d.m.layers.dialog != nil {
		d.m.layers.dialog.Leave()
	}
	for _, q := range d.prompts {
		q.Leave()
	}
}

func (d *consoleDialogs) switcher() connection.Switcher {
	s, _ := d.m.o.Opener.(connection.Switcher)
	return s
}

func (d *consoleDialogs) noContexts() string {
	if len(d.contexts) < 2 {
		return "no contexts are configured; ddbdesk info shows the path of the configuration file"
	}
	return ""
}

func (d *consoleDialogs) openContexts() tea.Cmd {
	if cmd, held := d.m.hold.stay(); held {
		return cmd
	}
	d.m.layers.dialog = connection.NewContexts(d.m.styles, d.contexts, d.context)
	return nil
}

func (f *finder) contextCommands() []screen.Command {
	if f.m.dialogs.noContexts() != "" {
		return nil
	}
	var list []screen.Command
	for _, c := range f.m.dialogs.contexts {
		title := c.Name
		if title == "" {
			title = "no context"
		}
		list = append(list, screen.Command{
			Kind: "context", Title: title, Note: c.Role, Words: "connect " + c.Profile + " " + c.Region + " " + c.Environment,
			Run: func() tea.Cmd { return f.m.dialogs.use(c.Name) },
		})
	}
	return list
}

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
		left, d.m.announce(widget.RoleInfo, "context: "+models.Printable(name)),
		d.m.router.route(d.m.screens.stack[0], d.m.home.Reload(again)),
	)
}

func (l *look) contextColor(name string) string {
	for _, c := range l.m.dialogs.contexts {
		if c.Name == name {
			return c.Color
		}
	}
	return ""
}

func (d *consoleDialogs) productionAhead() bool {
	p := d.m.home.Selected()
	if p == nil {
		return false
	}
	o := session.Options{Profile: p, Context: d.context}
	for _, c := range d.contexts {
		if c.Name == d.context {
			o.Environment, o.Declared, o.Target.Profile = c.Environment, c.Declared, c.Profile
		}
	}
	return o.Stage() == session.Production
}

func (d *consoleDialogs) expired(p *place, msg screen.ExpiredMsg) {
	if d.m.layers.dialog == nil {
		d.m.layers.dialog, d.retry = connection.NewSignIn(msg.Command), p.id
	}
}

// signedInMsg reports how the sign-in program ended.
type signedInMsg struct {
	command []string
	err     error
}

func (d *consoleDialogs) signIn(msg screen.SignInMsg) tea.Cmd {
	c := d.m.out.borrower(msg.Command[0], msg.Command[1:]...)
	return d.m.out.lend(c, func(err error) tea.Msg { return signedInMsg{msg.Command, err} })
}

func (d *consoleDialogs) signedIn(msg signedInMsg) tea.Cmd {
	var exit *exec.ExitError
	name := models.Printable(strings.Join(msg.command, " "))
	switch {
	case errors.As(msg.err, &exit):
		return d.m.say(widget.RoleBad, fmt.Sprintf("%s ended with %v; nothing was retried", name, exit))
	case msg.err != nil:
		return d.m.say(widget.RoleBad, fmt.Sprintf("cannot start %s: %v", name, msg.err))
	}
	p := d.m.screens.find(d.retry)
	if p == nil {
		return nil
	}
	retry, ok := p.screen.(connection.Retrier)
	if !ok {
		return d.m.announce(widget.RoleGood, "signed in")
	}
	return tea.Batch(d.m.announce(widget.RoleGood, "signed in; retrying"), d.m.router.route(p, retry.Retry()), d.identifyAgain())
}

func (d *consoleDialogs) identifyAgain() tea.Cmd {
	if d.m.env == nil || d.m.identity != "" {
		return nil
	}
	return identify(d.m.o.Context, d.m.env.Workspace)
}

func (d *consoleDialogs) isShot(msg tea.KeyPressMsg) bool {
	a, ok := d.m.actions.Match(msg)
	return ok && a.Name == "screen-to-file" && d.m.layers.dialog == nil
}

func (d *consoleDialogs) openShot() tea.Cmd {
	if d.m.layers.dialog != nil {
		return nil
	}
	var on *workspace.Workspace
	if !d.m.detached() {
		on = d.m.env.Workspace
	}
	d.m.layers.dialog = output.NewShot(d.m.o.Context, d.m.styles, output.Shot{
		Frame: d.m.frame.viewAll(), W: d.m.w, H: d.m.h, Dark: d.m.look.dark, Title: app + "-screen",
	}, d.m.o.Now, on)
	return nil
}
