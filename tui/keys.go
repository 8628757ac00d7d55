package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// keyGuards explains why a global action is unavailable.
type keyGuards struct {
	m *Model
}

func bind(help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, ""))
}

func (m *Model) makeActions() widget.Actions {
	return widget.Actions{
		{Name: "help", Binding: bind("?", "?"), Desc: "help", Long: "show the keys of this screen", Run: m.layers.openHelp},
		{
			Name: "palette", Binding: bind(":", ":", "ctrl+p"), Desc: "go to",
			Long: "find a pattern, a screen or an action by name", Run: m.finder.openPalette,
		},
		{
			Name: "decode", Binding: bind("p", "p"), Desc: "decode",
			Long: "paste a key, an item or an ID to decode it; at home, to find it in all schemas", Run: m.opens.decode,
		},
		{
			Name: "queues", Binding: bind("Q", "Q"), Long: "open the queues: items that need a decision",
			Disabled: m.guards.noQueues, Run: func() tea.Cmd { return m.open(screen.Queue{}) },
		},
		{
			Name: "requests", Binding: bind("I", "I"), Long: "open the requests: changes that one user requested and another one applies",
			Disabled: m.guards.noProfile("requests"), Run: func() tea.Cmd { return m.open(screen.Requests{}) },
		},
		{
			Name: "drift", Binding: bind("D", "D"), Long: "find items with inconsistent index keys or times",
			Disabled: m.guards.noProfile("drift"), Run: func() tea.Cmd { return m.open(screen.Drift{}) },
		},
		{
			Name: "environments", Binding: bind("S", "S"), Long: "compare tables and items with another environment",
			Disabled: m.guards.noProfile("environments"), Run: func() tea.Cmd { return m.open(screen.Environments{}) },
		},
		{
			Name: "journal", Binding: bind("J", "J"), Long: "open the journal: changes, refusals, undo",
			Disabled: m.guards.noProfile("journal"), Run: func() tea.Cmd { return m.open(screen.Journal{}) },
		},
		{
			Name: "audit", Binding: bind("A", "A"),
			Long:     "open the audit: sessions with their reason, and what was read, changed and revealed",
			Disabled: m.guards.noProfile("audit"), Run: func() tea.Cmd { return m.open(screen.Audit{}) },
		},
		{
			Name: "undo-last", Binding: bind("U", "U"), Long: "undo the last change made on this machine; names it and asks first",
			Disabled: m.undo.cannot, Run: m.undo.find,
		},
		{
			Name: "command-log", Binding: bind("L", "L"), Long: "open the command log: the requests sent, their capacity, time and errors",
			Disabled: m.guards.noProfile("command-log"), Run: func() tea.Cmd { return m.open(screen.CommandLog{}) },
		},
		{
			Name: "tail", Binding: bind("W", "W"), Long: "open the changes of items as they happen",
			Disabled: m.guards.noProfile("tail"), Run: func() tea.Cmd { return m.open(screen.Tail{}) },
		},
		{
			Name: "map", Binding: bind("M", "M"), Long: "open the schema map: the keys of each entity and the patterns that read them",
			Disabled: m.guards.noProfile("map"), Run: m.opens.openMap,
		},
		{
			Name: "findings", Binding: bind("F", "F"), Long: "open the schema issues and their workarounds",
			Disabled: m.guards.noProfile("findings"), Run: m.opens.openFindings,
		},
		{
			Name: "draft", Binding: bind("alt+d", "alt+d"), Long: "open the draft: confirm, rename and save a profile that was drafted of tables",
			Disabled: m.guards.noDraft, Run: func() tea.Cmd { return m.open(screen.Draft{}) },
		},
		{
			Name: "back", Binding: bind("esc", "esc", "[", "alt+left"), Desc: "back", Long: "go back to the previous screen",
			Disabled: m.screens.noBack, Run: m.screens.back,
		},
		{
			Name: "forward", Binding: bind("]", "]", "alt+right"), Desc: "forward", Long: "go forward to the next screen",
			Disabled: m.screens.noForward, Run: m.screens.forward,
		},
		{
			Name: "history", Binding: bind("H", "H"), Desc: "history",
			Long: "open the history: screens, items and queries, including earlier runs", Run: m.finder.openHistory,
		},
		{
			Name: "bookmarks", Binding: bind("B", "B"), Long: "open the bookmarked items and queries",
			Disabled: m.guards.noProfile("bookmarks"), Run: func() tea.Cmd { return m.open(screen.Bookmarks{}) },
		},
		{
			Name: "home", Binding: bind("alt+home", "alt+home"), Desc: "home", Long: "go to the profiles",
			Disabled: m.screens.noBack, Run: m.screens.goHome,
		},
		{
			Name: "contexts", Binding: bind("C", "C"), Desc: "contexts",
			Long: "switch to another context of the configuration", Disabled: m.dialogs.noContexts,
			Run: m.dialogs.openContexts,
		},
		{
			Name: "screen-to-file", Binding: bind("alt+s", "alt+s"),
			Long: "copy the screen as text, as styled text or as a picture", Run: m.dialogs.openShot,
		},
		{
			Name: "mouse", Binding: bind("alt+m", "alt+m"),
			Long: "turn mouse support off, to select text in the terminal, or on", Run: m.toggleMouse,
		},
		{Name: "quit", Binding: bind(
			"q", "q",
		), Desc: "quit", Long: "quit ddbdesk; ctrl+c twice quits from any screen", Disabled: m.screens.notHome, Run: m.hold.quit},
	}
}

func (g *keyGuards) noProfile(place string) func() string {
	return func() string {
		p, ok := g.m.screens.top().screen.(screen.Placed)
		switch {
		case g.m.schema() == nil:
			return "no profile is selected"
		case ok && p.Place() == place:
			return "already open"
		}
		return ""
	}
}

func (g *keyGuards) noDraft() string {
	p := g.m.schema()
	drafts, ok := g.m.o.Opener.(screen.Drafts)
	if why := g.noProfile("draft")(); why != "" {
		return why
	}
	if !ok || drafts.Review(p.Name) == nil {
		return p.Name + " is no draft"
	}
	return ""
}

func (g *keyGuards) noQueues() string {
	if why := g.noProfile("queues")(); why != "" {
		return why
	}
	if len(g.m.schema().Queues) == 0 {
		return g.m.schema().Name + " has no queues"
	}
	return ""
}

func (m *Model) open(to screen.Target) tea.Cmd {
	if m.screens.atHome() {
		return m.router.route(m.screens.stack[0], m.home.OpenThen(func(*screen.Env) screen.Target { return to }))
	}
	return m.show(to)
}

func (st *screenStack) noBack() string {
	if st.atHome() {
		return "this is the home screen; q quits"
	}
	return ""
}

func (st *screenStack) noForward() string {
	if len(st.ahead) == 0 {
		return "no screen to go forward to"
	}
	return ""
}

func (st *screenStack) notHome() string {
	if !st.atHome() {
		return "q quits from the home screen; ctrl+c twice quits from any screen"
	}
	return ""
}

func (op *navigator) decode() tea.Cmd { return op.decodeText("") }

func (m *Model) toggleMouse() tea.Cmd {
	m.mouseOff = !m.mouseOff
	if m.mouseOff {
		return m.say(widget.RoleInfo, "mouse support is off; the terminal selects text. alt+m turns it on")
	}
	return m.say(widget.RoleInfo, "mouse support is on")
}
