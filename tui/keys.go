package tui

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func bind(help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, ""))
}

func (m *Model) makeActions() widget.Actions {
	opener := func(to screen.Target) func() tea.Cmd { return func() tea.Cmd { return m.open(to) } }
	return widget.Actions{
		widget.NewAction("help", "?", "help", "show the keys of this screen", nil, m.openHelp),
		widget.NewAction("palette", ": ctrl+p", "go to", "find a pattern, a screen or an action by name", nil, m.openPalette),
		widget.NewAction("actions", "o ctrl+o", "actions", "list the actions for the screen, the row or the marked rows",
			nil, m.openActions),
		widget.NewAction("inbox", "i", "", "open the inbox: queues of items that need a decision, and change requests",
			m.noProfile("inbox"), m.openInbox),
		widget.NewAction("schema", "S", "", "open the schema: its map, issues and drift",
			m.noProfile("map"), m.openMap),
		widget.NewAction("activity", "a", "", "open the activity: changes, sessions, calls, visited items and live changes",
			m.noProfile("journal"), opener(screen.Journal{})),
		widget.NewAction("back", "esc alt+left", "back", "go back to the previous screen", m.cannotGoBack, m.back),
		widget.NewAction("forward", "alt+right", "forward", "go forward to the next screen", m.cannotGoForward, m.forward),
		widget.NewAction("home", "alt+home", "home", "go to the home screen", m.cannotGoBack, m.goHome),
		widget.NewAction("decode", "", "", "paste a key, an item or an ID to decode it", m.noProfile("decode"), opener(screen.Decode{})),
		widget.NewAction("requests", "", "", "open the change requests, which one user files and another user applies",
			m.noProfile("requests"), opener(screen.Requests{})),
		widget.NewAction("drift", "", "", "find items that do not match the schema", m.noProfile("drift"), opener(screen.Drift{})),
		widget.NewAction("environments", "", "", "compare tables and items with another environment",
			m.cannotCompareContexts, opener(screen.Environments{})),
		widget.NewAction("audit", "", "", "open the sessions: their reasons, reads, changes and reveals",
			m.noProfile("audit"), opener(screen.Audit{})),
		widget.NewAction("command-log", "", "", "open the calls sent to DynamoDB: capacity, time and errors",
			m.noProfile("command-log"), opener(screen.CommandLog{})),
		widget.NewAction("tail", "", "", "open live changes to items, as they happen", m.noProfile("tail"), opener(screen.Tail{})),
		widget.NewAction("issues", "", "", "open the schema issues and their workarounds", m.noProfile("findings"), m.openFindings),
		widget.NewAction("draft", "", "", "open the draft: confirm, rename and save a schema drafted from tables",
			m.cannotOpenDraft, opener(screen.Draft{})),
		widget.NewAction("visited", "", "", "open visited items and queries, including those of earlier runs", m.noProfile("visited"),
			opener(screen.Visited{})),
		widget.NewAction("undo-last", "o>U", "undo", "undo the last change made on this machine; asks first",
			m.cannotUndo, m.findUndo),
		widget.NewAction("bookmarks", "o>L", "", "open the bookmarked items and queries", m.noProfile("bookmarks"),
			opener(screen.Bookmarks{})),
		widget.NewAction("contexts", "o>C", "contexts",
			"change the connection: a context, an AWS profile, a region, an endpoint, the embedded database",
			m.cannotSwitchContext, m.openContexts),
		widget.NewAction("mouse", "alt+m", "", "turn mouse support off or on; turn it off to select text", nil, m.toggleMouse),
		{Name: "quit", Binding: bind("ctrl+c ctrl+c"), Desc: "quit", Long: "quit ddbdesk", Run: m.quit},
	}
}

func (m *Model) noProfile(place string) func() string {
	return func() string {
		p, ok := m.top().screen.(screen.Placer)
		switch {
		case m.schema() == nil:
			return "no schema is selected"
		case ok && p.Place() == place:
			return "already open"
		}
		return ""
	}
}

func (m *Model) cannotCompareContexts() string {
	if reason := m.noProfile("environments")(); reason != "" || m.isDetached() {
		return reason
	}
	if m.env.OtherContexts == nil || len(m.env.OtherContexts.Others()) == 0 {
		return "no other context is configured; ddbdesk doctor shows the path of the configuration file"
	}
	return ""
}

func (m *Model) cannotOpenDraft() string {
	p := m.schema()
	drafts, ok := m.o.Opener.(screen.Drafts)
	if reason := m.noProfile("draft")(); reason != "" {
		return reason
	}
	if !ok || drafts.Review(p.Name) == nil {
		return p.Name + " is not a draft"
	}
	return ""
}

func (m *Model) openInbox() tea.Cmd {
	if len(m.schema().Queues) == 0 {
		return m.open(screen.Requests{})
	}
	return m.open(screen.Queue{})
}

func (m *Model) open(to screen.Target) tea.Cmd {
	if m.isAtHome() {
		return m.route(m.screens.stack[0], m.home.OpenThen(func(*screen.Env) screen.Target { return to }))
	}
	if p, i := m.tabBelow(to); p != nil {
		return tea.Batch(m.goTo(p), m.switchToTab(i))
	}
	return m.show(to)
}

func (m *Model) cannotGoBack() string {
	if m.isAtHome() {
		return "this is the home screen; press ctrl+c twice to quit"
	}
	return ""
}

func (m *Model) cannotGoForward() string {
	if len(m.screens.ahead) == 0 {
		return "no screen to go forward to"
	}
	return ""
}

func (m *Model) toggleMouse() tea.Cmd {
	m.mouseOff = !m.mouseOff
	if m.mouseOff {
		return m.notify(widget.RoleInfo, "mouse support is off; the terminal selects text. Press alt+m to turn it on")
	}
	return m.notify(widget.RoleInfo, "mouse support is on")
}

// globalScope is the scope of the global actions.
const globalScope = "everywhere"

//go:generate go run ../internal/tools/keydoc -out ../docs/keys.md

// Scopes returns the actions and keys of every screen, starting with the global ones. It does not need a session.
func Scopes() []screen.Scope {
	global := screen.Scope{
		Name: globalScope, Title: "Everywhere", Does: "These keys work on every screen, except while you type text.",
		Actions: (&Model{}).makeActions(),
	}
	return append([]screen.Scope{global}, screens.Scopes()...)
}

// A Clash is a configured key that triggers another action too, or that hides another action's key.
type Clash struct {
	Scope, Action, Key string
	Reason             string
}

// Clashes returns the clashes between configured keys, given by scope and action. It ignores default keys.
func Clashes(configured map[string]map[string][]string) []Clash {
	keys := widget.NewKeymap(configured)
	scopes := Scopes()
	for i, s := range scopes {
		scopes[i].Actions = keys.Rebind(s.Name, s.Actions)
	}
	var list []Clash
	for _, s := range scopes {
		list = append(list, clashesIn(keys, s)...)
		if s.Name != globalScope {
			list = append(list, shadowClashes(keys, scopes[0], s)...)
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
				if keys.IsConfigured(s.Name, other.Name) {
					list = append(list, Clash{s.Name, other.Name, key, clashReason(a)})
				} else if keys.IsConfigured(s.Name, a.Name) {
					list = append(list, Clash{s.Name, a.Name, key, clashReason(other)})
				}
			}
			if piece, ok := actionForKey(s.Pieces, key); ok && piece.Name != a.Name && keys.IsConfigured(s.Name, a.Name) {
				list = append(list, Clash{s.Name, a.Name, key, clashReason(piece)})
			}
		}
	}
	return list
}

func shadowClashes(keys *widget.Keymap, all, s screen.Scope) []Clash {
	var list []Clash
	for _, a := range all.Actions {
		for _, key := range a.Binding.Keys() {
			if s.Types && widget.IsText(key) {
				continue
			}
			if own, ok := actionForKey(s.Actions, key); ok {
				if keys.IsConfigured(s.Name, own.Name) {
					list = append(list, Clash{s.Name, own.Name, key, clashReason(a) + " everywhere"})
				} else if keys.IsConfigured(globalScope, a.Name) {
					list = append(list, Clash{globalScope, a.Name, key, fmt.Sprintf("%s in %s", clashReason(own), s.Name)})
				}
			}
			if piece, ok := actionForKey(s.Pieces, key); ok && keys.IsConfigured(globalScope, a.Name) {
				list = append(list, Clash{globalScope, a.Name, key, fmt.Sprintf("%s in %s", clashReason(piece), s.Name)})
			}
		}
	}
	return list
}

func actionForKey(as widget.Actions, key string) (widget.Action, bool) {
	return models.Find(as, func(a widget.Action) bool { return slices.Contains(a.Binding.Keys(), key) })
}

func clashReason(a widget.Action) string { return fmt.Sprintf("it is %q", a.Name) }
