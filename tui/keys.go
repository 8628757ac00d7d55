package tui

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func bind(help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, ""))
}

func (m *Model) makeActions() widget.Actions {
	return widget.Actions{
		{Name: "help", Binding: bind("?", "?"), Desc: "help", Long: "show the keys of this screen", Run: m.openHelp},
		{
			Name: "palette", Binding: bind(":", ":", "ctrl+p"), Desc: "go to",
			Long: "find a pattern, a screen or an action by name", Run: m.openPalette,
		},
		{
			Name: "decode", Binding: bind("p", "p"), Desc: "decode",
			Long: "paste a key, an item or an ID to decode it; at home, to find it in all schemas", Run: m.decode,
		},
		{
			Name: "queues", Binding: bind("Q", "Q"), Long: "open the queues: items that need a decision",
			Disabled: m.noQueues, Run: func() tea.Cmd { return m.open(screen.Queue{}) },
		},
		{
			Name: "requests", Binding: bind("I", "I"), Long: "open the requests: changes that one user requested and another one applies",
			Disabled: m.noProfile("requests"), Run: func() tea.Cmd { return m.open(screen.Requests{}) },
		},
		{
			Name: "drift", Binding: bind("D", "D"), Long: "find items with inconsistent index keys or times",
			Disabled: m.noProfile("drift"), Run: func() tea.Cmd { return m.open(screen.Drift{}) },
		},
		{
			Name: "environments", Binding: bind("S", "S"), Long: "compare tables and items with another environment",
			Disabled: m.noProfile("environments"), Run: func() tea.Cmd { return m.open(screen.Environments{}) },
		},
		{
			Name: "journal", Binding: bind("J", "J"), Long: "open the journal: changes, refusals, undo",
			Disabled: m.noProfile("journal"), Run: func() tea.Cmd { return m.open(screen.Journal{}) },
		},
		{
			Name: "audit", Binding: bind("A", "A"),
			Long:     "open the audit: sessions with their reason, and what was read, changed and revealed",
			Disabled: m.noProfile("audit"), Run: func() tea.Cmd { return m.open(screen.Audit{}) },
		},
		{
			Name: "undo-last", Binding: bind("U", "U"), Long: "undo the last change made on this machine; names it and asks first",
			Disabled: m.cannotUndo, Run: m.findUndo,
		},
		{
			Name: "command-log", Binding: bind("L", "L"), Long: "open the command log: the requests sent, their capacity, time and errors",
			Disabled: m.noProfile("command-log"), Run: func() tea.Cmd { return m.open(screen.CommandLog{}) },
		},
		{
			Name: "tail", Binding: bind("W", "W"), Long: "open the changes of items as they happen",
			Disabled: m.noProfile("tail"), Run: func() tea.Cmd { return m.open(screen.Tail{}) },
		},
		{
			Name: "map", Binding: bind("M", "M"), Long: "open the schema map: the keys of each entity and the patterns that read them",
			Disabled: m.noProfile("map"), Run: m.openMap,
		},
		{
			Name: "findings", Binding: bind("F", "F"), Long: "open the schema issues and their workarounds",
			Disabled: m.noProfile("findings"), Run: m.openFindings,
		},
		{
			Name: "draft", Binding: bind("alt+d", "alt+d"), Long: "open the draft: confirm, rename and save a profile that was drafted of tables",
			Disabled: m.noDraft, Run: func() tea.Cmd { return m.open(screen.Draft{}) },
		},
		{
			Name: "back", Binding: bind("esc", "esc", "[", "alt+left"), Desc: "back", Long: "go back to the previous screen",
			Disabled: m.noBack, Run: m.back,
		},
		{
			Name: "forward", Binding: bind("]", "]", "alt+right"), Desc: "forward", Long: "go forward to the next screen",
			Disabled: m.noForward, Run: m.forward,
		},
		{
			Name: "history", Binding: bind("H", "H"), Desc: "history",
			Long: "open the history: screens, items and queries, including earlier runs", Run: m.openHistory,
		},
		{
			Name: "bookmarks", Binding: bind("B", "B"), Long: "open the bookmarked items and queries",
			Disabled: m.noProfile("bookmarks"), Run: func() tea.Cmd { return m.open(screen.Bookmarks{}) },
		},
		{
			Name: "home", Binding: bind("alt+home", "alt+home"), Desc: "home", Long: "go to the profiles",
			Disabled: m.noBack, Run: m.goHome,
		},
		{
			Name: "contexts", Binding: bind("C", "C"), Desc: "contexts",
			Long: "change the connection: a context, an AWS profile, a region, an endpoint, the embedded store", Disabled: m.noContexts,
			Run: m.openContexts,
		},
		{
			Name: "mouse", Binding: bind("alt+m", "alt+m"),
			Long: "turn mouse support off, to select text in the terminal, or on", Run: m.toggleMouse,
		},
		{Name: "quit", Binding: bind("ctrl+c ctrl+c"), Desc: "quit", Long: "quit ddbdesk", Run: m.quit},
	}
}

func (m *Model) noProfile(place string) func() string {
	return func() string {
		p, ok := m.top().screen.(screen.Placed)
		switch {
		case m.schema() == nil:
			return "no schema is selected"
		case ok && p.Place() == place:
			return "already open"
		}
		return ""
	}
}

func (m *Model) noDraft() string {
	p := m.schema()
	drafts, ok := m.o.Opener.(screen.Drafts)
	if why := m.noProfile("draft")(); why != "" {
		return why
	}
	if !ok || drafts.Review(p.Name) == nil {
		return p.Name + " is no draft"
	}
	return ""
}

func (m *Model) noQueues() string {
	if why := m.noProfile("queues")(); why != "" {
		return why
	}
	if len(m.schema().Queues) == 0 {
		return m.schema().Name + " has no queues"
	}
	return ""
}

func (m *Model) open(to screen.Target) tea.Cmd {
	if m.atHome() {
		return m.route(m.screens.stack[0], m.home.OpenThen(func(*screen.Env) screen.Target { return to }))
	}
	return m.show(to)
}

func (m *Model) noBack() string {
	if m.atHome() {
		return "this is the home screen; ctrl+c twice quits"
	}
	return ""
}

func (m *Model) noForward() string {
	if len(m.screens.ahead) == 0 {
		return "no screen to go forward to"
	}
	return ""
}

func (m *Model) decode() tea.Cmd { return m.decodeText("") }

func (m *Model) toggleMouse() tea.Cmd {
	m.mouseOff = !m.mouseOff
	if m.mouseOff {
		return m.say(widget.RoleInfo, "mouse support is off; the terminal selects text. alt+m turns it on")
	}
	return m.say(widget.RoleInfo, "mouse support is on")
}

// everywhere is the scope of the global actions.
const everywhere = "everywhere"

//go:generate go run ../internal/tools/keydoc -out ../docs/keys.md

// Scopes lists the actions and keys of every screen, starting with the global ones. It needs no session.
func Scopes() []screen.Scope {
	first := screen.Scope{
		Name: everywhere, Title: "Everywhere", Does: "On every screen, except while you type text.",
		Actions: (&Model{}).makeActions(),
	}
	return append([]screen.Scope{first}, screens.Scopes()...)
}

// A Clash is a configured key that would trigger another action, or that hides the key of another action.
type Clash struct {
	Scope, Action, Key string
	Why                string
}

// Clashes finds the clashes of configured keys, given by scope and action. Default keys do not clash.
func Clashes(chosen map[string]map[string][]string) []Clash {
	keys := widget.NewKeymap(chosen)
	scopes := Scopes()
	for i, s := range scopes {
		scopes[i].Actions = keys.Rebind(s.Name, s.Actions)
	}
	var list []Clash
	for _, s := range scopes {
		list = append(list, clashesIn(keys, s)...)
		if s.Name != everywhere {
			list = append(list, shadowed(keys, scopes[0], s)...)
		}
	}
	return list
}

func clashesIn(keys *widget.Keymap, s screen.Scope) []Clash {
	var list []Clash
	for i, a := range s.Actions {
		for _, key := range a.Binding.Keys() {
			for _, other := range s.Actions[i+1:] {
				if !slices.Contains(other.Binding.Keys(), key) {
					continue
				}
				if keys.Chosen(s.Name, other.Name) {
					list = append(list, Clash{s.Name, other.Name, key, named(a)})
				} else if keys.Chosen(s.Name, a.Name) {
					list = append(list, Clash{s.Name, a.Name, key, named(other)})
				}
			}
			if piece, ok := keyed(s.Pieces, key); ok && piece.Name != a.Name && keys.Chosen(s.Name, a.Name) {
				list = append(list, Clash{s.Name, a.Name, key, named(piece)})
			}
		}
	}
	return list
}

func shadowed(keys *widget.Keymap, all, s screen.Scope) []Clash {
	var list []Clash
	for _, a := range all.Actions {
		for _, key := range a.Binding.Keys() {
			if s.Types && widget.IsText(key) {
				continue
			}
			if own, ok := keyed(s.Actions, key); ok {
				if keys.Chosen(s.Name, own.Name) {
					list = append(list, Clash{s.Name, own.Name, key, named(a) + " everywhere"})
				} else if keys.Chosen(everywhere, a.Name) {
					list = append(list, Clash{everywhere, a.Name, key, fmt.Sprintf("%s in %s", named(own), s.Name)})
				}
			}
			if piece, ok := keyed(s.Pieces, key); ok && keys.Chosen(everywhere, a.Name) {
				list = append(list, Clash{everywhere, a.Name, key, fmt.Sprintf("%s in %s", named(piece), s.Name)})
			}
		}
	}
	return list
}

func keyed(as widget.Actions, key string) (widget.Action, bool) {
	i := slices.IndexFunc(as, func(a widget.Action) bool { return slices.Contains(a.Binding.Keys(), key) })
	if i < 0 {
		return widget.Action{}, false
	}
	return as[i], true
}

func named(a widget.Action) string { return fmt.Sprintf("it is %q", a.Name) }
