// This file is what can be done on every screen, and the palette of all that
// can be done.

package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func bind(help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, ""))
}

// makeActions is the table of keys that belong to no screen.
func (m *Model) makeActions() widget.Actions {
	return widget.Actions{
		{Name: "help", Binding: bind("?", "?"), Desc: "help", Long: "the keys of this screen", Run: m.openHelp},
		{Name: "palette", Binding: bind(":", ":", "ctrl+p"), Desc: "go to", Long: "find a pattern, a screen or an action by name", Run: m.openPalette},
		{Name: "decode", Binding: bind("p", "p"), Desc: "decode", Long: "paste a key, an item or an id and see what it is", Disabled: m.noSession, Run: m.decode},
		{Name: "queues", Binding: bind("Q", "Q"), Long: "what waits for somebody", Disabled: m.noQueues, Run: func() tea.Cmd { return m.open(queues) }},
		{Name: "drift", Binding: bind("D", "D"), Long: "look for items whose keys and times no longer agree", Disabled: m.noProfile("drift"), Run: func() tea.Cmd { return m.open(drift) }},
		{Name: "journal", Binding: bind("J", "J"), Long: "what this console changed: find out, undo", Disabled: m.noProfile("journal"), Run: func() tea.Cmd { return m.open(screens.NewJournal) }},
		{Name: "back", Binding: bind("esc", "esc", "alt+left"), Desc: "back", Long: "go back to the screen before", Disabled: m.noBack, Run: m.back},
		{Name: "forward", Binding: bind("]", "]", "alt+right"), Desc: "forward", Long: "go to the screen that was left", Disabled: m.noForward, Run: m.forward},
		{Name: "home", Binding: bind("alt+home", "alt+home"), Desc: "home", Long: "go to the profiles", Disabled: m.noBack, Run: m.goHome},
		{Name: "mouse", Binding: bind("alt+m", "alt+m"), Long: "give the mouse to the terminal, to select text, or take it back", Run: m.toggleMouse},
		{Name: "quit", Binding: bind("q", "q"), Desc: "quit", Long: "leave ddbdesk; ctrl+c twice does it from everywhere", Disabled: m.notHome, Run: m.quit},
	}
}

func (m *Model) noSession() string {
	if m.env == nil || m.atHome() {
		return "open a profile first"
	}
	return ""
}

// schema is the profile of the session, at home the chosen one; nil for none.
func (m *Model) schema() *profiles.Profile {
	if m.atHome() {
		return m.home.Selected()
	}
	return m.env.Session.Profile()
}

// noProfile says why a screen of the profile cannot be opened.
func (m *Model) noProfile(place string) func() string {
	return func() string {
		p, ok := m.top().screen.(screens.Placed)
		switch {
		case m.schema() == nil:
			return "no profile is chosen"
		case ok && p.Place() == place:
			return "this is it"
		}
		return ""
	}
}

func (m *Model) noQueues() string {
	if why := m.noProfile("queues")(); why != "" {
		return why
	}
	if len(m.schema().Queues) == 0 {
		return m.schema().Name + " has no queue: nothing in its document waits for somebody"
	}
	return ""
}

func queues(env *screens.Env) screens.Screen { return screens.NewQueue(env, "") }

func drift(env *screens.Env) screens.Screen { return screens.NewDrift(env, "") }

// open puts a screen of the profile on top; at home the profile is connected
// first.
func (m *Model) open(screen func(*screens.Env) screens.Screen) tea.Cmd {
	if m.atHome() {
		return m.route(m.stack[0], m.home.OpenThen(screen))
	}
	return m.push(screen(m.env))
}

func (m *Model) noBack() string {
	if m.atHome() {
		return "this is home; q quits"
	}
	return ""
}

func (m *Model) noForward() string {
	if len(m.ahead) == 0 {
		return "there is nothing to go forward to"
	}
	return ""
}

func (m *Model) notHome() string {
	if !m.atHome() {
		return "q quits at home; esc goes back, ctrl+c twice quits"
	}
	return ""
}

func (m *Model) decode() tea.Cmd { return m.push(screens.NewDecode(m.env, "")) }

func (m *Model) toggleMouse() tea.Cmd {
	m.mouseOff = !m.mouseOff
	if m.mouseOff {
		return m.say(widget.RoleInfo, "the mouse selects text; alt+m takes it back")
	}
	return m.say(widget.RoleInfo, "the mouse works here again")
}

func (m *Model) openHelp() tea.Cmd {
	own := m.top().screen.Actions()
	m.help = screens.NewHelp(m.styles, m.top().screen.Title(),
		widget.HelpGroup{Title: "This screen", Actions: own},
		widget.HelpGroup{Title: "Moving", Actions: widget.NavigationActions()},
		widget.HelpGroup{Title: "Everywhere", Actions: append(widget.Actions{
			{Name: "cancel", Binding: bind("ctrl+c", "ctrl+c"), Long: "cancel what runs; twice quits"},
		}, m.actions...)})
	return nil
}

func (m *Model) openPalette() tea.Cmd {
	if cmd, held := m.stay(); held {
		return cmd
	}
	m.palette = screens.NewPalette(m.styles, m.commands())
	return nil
}

// commands is everything that the palette finds.
func (m *Model) commands() []screens.Command {
	var list []screens.Command
	if m.atHome() {
		list = append(list, m.ofScreen(m.home.Commands())...)
	}
	if m.env != nil && !m.atHome() {
		for _, p := range m.env.Session.Profile().Patterns {
			list = append(list, screens.Command{
				Kind: string(p.Read.Operation), Title: p.Title, Note: p.Group, Words: p.ID,
				Run: func() tea.Cmd { return m.showPattern(p.ID) },
			})
		}
	}
	if p := m.schema(); p != nil {
		for _, q := range p.Queues {
			list = append(list, screens.Command{
				Kind: "queue", Title: q.Title, Note: "Q", Words: q.ID + " queue " + q.Description,
				Run: func() tea.Cmd { return m.showQueue(q.ID) },
			})
		}
	}
	list = append(list, actionCommands("screen", m.actions)...)
	return append(list, m.ofScreen(actionCommands("action", m.top().screen.Actions()))...)
}

// ofScreen makes commands of the screen in view answer to it.
func (m *Model) ofScreen(list []screens.Command) []screens.Command {
	p := m.top()
	for i := range list {
		run := list[i].Run
		list[i].Run = func() tea.Cmd { return m.route(p, run()) }
	}
	return list
}

// actionCommands lists the actions that can be run now.
func actionCommands(kind string, as widget.Actions) []screens.Command {
	var list []screens.Command
	for _, a := range as {
		if a.Run == nil || a.Why() != "" || a.Name == "palette" || a.Name == "enter" {
			continue
		}
		title := a.Long
		if title == "" {
			title = a.Desc
		}
		list = append(list, screens.Command{Kind: kind, Title: title, Note: a.Keys(), Words: a.Name + " " + a.Desc, Run: a.Run})
	}
	return list
}

// showQueue goes to a queue: on the screen in view, or on a new one.
func (m *Model) showQueue(id string) tea.Cmd {
	if s, ok := m.top().screen.(interface{ Show(queue string) tea.Cmd }); ok {
		return m.route(m.top(), s.Show(id))
	}
	return m.open(func(env *screens.Env) screens.Screen { return screens.NewQueue(env, id) })
}

// showPattern goes to a pattern: on the workbench in view, or on a new one.
func (m *Model) showPattern(id string) tea.Cmd {
	p := m.env.Session.Profile().Pattern(id)
	if p == nil {
		return nil
	}
	if b, ok := m.top().screen.(*screens.Workbench); ok {
		return m.route(m.top(), b.Show(p, nil, false))
	}
	return m.push(screens.NewWorkbench(m.env).Open(p, nil, false))
}
