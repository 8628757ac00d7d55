package tui

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// consoleDialogs contains the state of the dialogs that belong to no screen: contexts, sign-in and one-time codes.
type consoleDialogs struct {
	contexts   []connection.Context  // configured contexts
	context    string                // name of the current context
	prompts    []connection.Question // prompts to show after the open dialog
	retryPlace uint64                // ID of the place to retry after sign-in
}

type (
	// A Question is a prompt, such as for a one-time code, whose answer a background operation needs.
	Question = connection.Question
	// A Field is one input of a prompt.
	Field = connection.Field
	// A Context is a configured, named connection.
	Context = connection.Context
)

// NewQuestion returns a prompt for Options.Questions. check returns the problem with an answer, or "" if the answer is
// valid.
func NewQuestion(title, text, placeholder string, check func(answer string) string) Question {
	return connection.NewQuestion(title, text, placeholder, check)
}

// NewForm returns a prompt with several fields. check works as in NewQuestion, for all answers together.
func NewForm(title, text string, check func(answers []string) string, fields ...Field) Question {
	return connection.NewForm(title, text, check, fields...)
}

func (m *Model) listenForQuestions() tea.Cmd { return receive(m.o.Questions, m.enqueuePrompt) }

// receive returns a command that passes the channel's next value to handle. It returns nil for a nil channel.
func receive[T any](values <-chan T, handle func(T) tea.Cmd) tea.Cmd {
	if values == nil {
		return nil
	}
	return func() tea.Msg {
		v, ok := <-values
		if !ok {
			return nil
		}
		return screen.Answer(func() tea.Cmd { return handle(v) })
	}
}

func (m *Model) enqueuePrompt(question Question) tea.Cmd {
	m.dialogs.prompts = append(m.dialogs.prompts, question)
	m.showNextPrompt()
	return m.listenForQuestions()
}

func (m *Model) showNextPrompt() {
	if m.layers.dialog == nil && len(m.dialogs.prompts) > 0 {
		m.layers.dialog = connection.NewQuestionDialog(m.styles, m.dialogs.prompts[0])
		m.dialogs.prompts = m.dialogs.prompts[1:]
	}
}

func (m *Model) cancelPrompts() {
	overlay.Leave(m.layers.dialog)
	for _, q := range m.dialogs.prompts {
		q.Leave()
	}
}

func (m *Model) switcher() connection.Switcher {
	s, _ := m.o.Opener.(connection.Switcher)
	return s
}

func (m *Model) cannotSwitchContext() string {
	if len(m.dialogs.contexts) == 0 {
		return "sample data has no other connection"
	}
	return ""
}

func (m *Model) openContexts() tea.Cmd {
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	var save func(name string) (string, error)
	if s, ok := m.o.Opener.(connection.Saver); ok {
		save = s.Save
	}
	m.dialogs.contexts, _ = m.switcher().Contexts()
	m.layers.dialog = connection.NewContexts(m.styles, m.dialogs.contexts, m.dialogs.context, save)
	return nil
}

func (m *Model) contextCommands() []screen.Command {
	if len(m.dialogs.contexts) < 2 {
		return nil
	}
	var list []screen.Command
	for _, c := range m.dialogs.contexts {
		title := c.Title()
		if c.Name == "" {
			title = "no context"
		}
		list = append(list, screen.Command{
			Kind: "context", Title: title, Note: c.Role, Words: "connect " + c.Profile + " " + c.Region + " " + c.Environment,
			Run: func() tea.Cmd { return m.switchContext(screen.SwitchContextMsg{Name: c.Name}) },
		})
	}
	return list
}

func (m *Model) switchContext(msg screen.SwitchContextMsg) tea.Cmd {
	name := msg.Name
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	if err := m.switcher().Use(name); err != nil {
		return m.notify(widget.RoleBad, err.Error())
	}
	schema := msg.Schema
	if p := m.schema(); schema == "" && p != nil && !m.isDetached() {
		schema = p.Name
	}
	homeCmd := m.goHome()
	closeAll(m.screens.ahead)
	m.screens.ahead, m.env, m.identity, m.dialogs.context = nil, nil, "", name
	m.home.Cancel()
	switch c := m.contextNamed(name); {
	case name == "":
		if name = c.Title(); !strings.Contains(name, "://") {
			name = "none"
		}
	case c.Kind != "":
		name = c.Title()
	}
	reload := m.home.Reload(schema)
	if m.home.StartTarget = msg.Then; msg.Find != "" {
		m.home.FindAgain(msg.Find)
	}
	return tea.Batch(
		homeCmd, m.notifyAndKeep(widget.RoleInfo, "context: "+models.Printable(name)),
		m.route(m.screens.stack[0], reload),
	)
}

func (m *Model) contextName() string {
	if c := m.contextNamed(m.dialogs.context); c.Kind == "" {
		return c.Name
	}
	return ""
}

func (m *Model) contextNamed(name string) Context {
	return models.First(m.dialogs.contexts, func(c Context) bool { return c.Name == name })
}

// upcomingStage classifies the database that home opens. Without a connection, only the names of a context can indicate
// production.
func (m *Model) upcomingStage() session.Stage {
	p := cmp.Or(m.home.Selected(), &profiles.Profile{})
	c := m.contextNamed(m.dialogs.context)
	o := session.Options{Profile: p, Context: m.dialogs.context, Environment: c.Environment, Declared: c.Declared}
	o.Target.Profile = c.Profile
	stage := o.Stage()
	if stage == session.Unclassified {
		stage = session.NotProduction
	}
	return cmp.Or(m.home.StageFor(p), stage)
}

func (m *Model) signIn(command []string) tea.Cmd {
	c := m.terminalCommand(command[0], command[1:]...)
	return m.runInTerminal(c, func(err error) tea.Msg { return screen.Answer(func() tea.Cmd { return m.finishSignIn(command, err) }) })
}

func (m *Model) finishSignIn(command []string, err error) tea.Cmd {
	var exit *exec.ExitError
	name := models.Printable(strings.Join(command, " "))
	switch {
	case errors.As(err, &exit):
		return m.notify(widget.RoleBad, fmt.Sprintf("%s failed: %v; ddbdesk did not retry the request", name, exit))
	case err != nil:
		return m.notify(widget.RoleBad, fmt.Sprintf("cannot start %s: %v", name, err))
	}
	p := m.placeOf(m.dialogs.retryPlace)
	if p == nil {
		return nil
	}
	retrier, ok := p.screen.(connection.Retrier)
	if !ok {
		return m.notifyAndKeep(widget.RoleGood, "signed in")
	}
	return tea.Batch(m.notifyAndKeep(widget.RoleGood, "signed in; retrying"), m.route(p, retrier.Retry()), m.identifyAgain())
}

func (m *Model) identifyAgain() tea.Cmd {
	if m.env == nil || m.identity != "" {
		return nil
	}
	return m.identify(m.o.Context, m.env.Workspace)
}

func (m *Model) findingCommands() []screen.Command {
	return models.MapSlice(m.env.Session.Profile().Findings, func(issue *accesspatterns.Finding) screen.Command {
		return screen.Command{
			ID: "finding " + issue.ID, Kind: "issue", Title: issue.ID + " " + present.FindingTitle(issue),
			Note: strings.ToLower(string(issue.Kind)), Words: "finding " + issue.ID,
			Run: func() tea.Cmd { return m.show(screen.Findings{ID: issue.ID}) },
		}
	})
}

func (m *Model) entityCommands() []screen.Command {
	return models.MapSlice(m.env.Session.Profile().Entities, func(e *models.Entity) screen.Command {
		return screen.Command{
			ID: "entity " + e.Name, Kind: "entity", Title: e.Name, Note: e.Title, Words: "entity schema map keys " + e.Table.Name,
			Run: func() tea.Cmd { return m.show(screen.Map{Entity: e}) },
		}
	})
}

func (m *Model) openMap() tea.Cmd {
	subject := m.subject()
	if subject.Pattern != nil {
		return m.open(screen.Map{Pattern: subject.Pattern})
	}
	return m.open(screen.Map{Entity: subject.Entity})
}

func (m *Model) openFindings() tea.Cmd {
	if list := m.subject().Findings; len(list) > 0 {
		return m.open(screen.Findings{ID: list[0].ID})
	}
	return m.open(screen.Findings{})
}

func (m *Model) subject() screen.Subject {
	if s, ok := m.top().screen.(screen.SubjectProvider); ok {
		return s.Subject()
	}
	return screen.Subject{}
}
