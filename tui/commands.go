package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/palette"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/decode"
	"github.com/ddbdesk/ddbdesk/tui/screens/lists"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// maxRecent is the maximum number of recent items and queries at the top of the palette.
const maxRecent = 6

func (m *Model) openPalette() tea.Cmd {
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	o := palette.Options{
		Title: "Go to", Hint: "a pattern, screen, action or recent item; a key or an ID", Empty: "No results",
		Commands: m.commands(), Offer: m.textOffers, Paste: m.decodeText,
	}
	if !m.isDetached() {
		s := m.env.Workspace
		o.Recent = s.History.Commands()
		o.Chosen = func(c screen.Command) { s.History.Use(c.ID) }
	}
	m.layers.palette = palette.New(m.styles, o)
	return nil
}

// openHelp opens the palette with the current screen's actions, including unavailable ones and the reasons why.
func (m *Model) openHelp() tea.Cmd {
	top := m.top().screen
	list := m.screenCommands(m.thisScreenCommands())
	if !m.isDetached() {
		rowCommands, _ := m.changeCommands()
		list = append(list, rowCommands...)
	}
	list = append(list, m.globalCommands()...)
	var guide screen.Guide
	if g, ok := top.(screen.GuideProvider); ok {
		guide = g.Guide()
	}
	for _, sign := range guide.Signs {
		list = append(list, screen.Command{Section: "Signs", Title: sign.Meaning, Note: sign.Glyph, Words: "sign"})
	}
	for _, a := range widget.NavigationActions() {
		list = append(list, screen.Command{Section: "Moving", Title: a.Sentence(), Note: a.Keys()})
	}
	m.layers.palette = palette.New(m.styles, palette.Options{
		Title: "Help · " + top.Title(), Hint: "type what you want to do",
		Empty: "No action on this screen matches. Press : to search all actions.", Commands: list,
		All: true,
		Intro: func(s *widget.Styles, w int) []string {
			if guide.Purpose == "" {
				return nil
			}
			return overlay.GuideLines(s, guide, widget.RoleText, w)
		},
	})
	return nil
}

func (m *Model) commands() []screen.Command {
	var list, older []screen.Command
	if !m.isDetached() {
		recent := palette.RecentCommands(m.env, "Recent")
		n := min(len(recent), maxRecent)
		list, older = append(lists.BookmarkCommands(m.env, "Bookmarks"), recent[:n]...), recent[n:]
		for i := range older {
			older[i].Section = ""
		}
	}
	own := append(m.screenCommands(m.thisScreenCommands()), m.actionHintCommands()...)
	global := append(m.globalCommands(), m.tourCommands()...)
	if m.isDetached() {
		return slices.Concat(list, m.profileCommands(), m.screenCommands(m.home.Commands()), own,
			global, m.settingCommands())
	}
	for _, p := range slices.Concat(m.env.Session.Profile().Patterns, m.env.Session.Profile().Listings()) {
		list = append(list, screen.Command{
			ID: "pattern " + p.ID, Section: p.Group, Kind: m.env.OperationWord(p.Read.Operation), Title: p.Title,
			Note: present.PatternNote(m.env, p), Words: p.ID + " pattern",
			Run: func() tea.Cmd { return m.showPattern(p.ID) },
		})
	}
	rowCommands, changes := m.changeCommands()
	list = slices.Concat(list, rowCommands, own, m.queueCommands(), global, changes, m.profileCommands())
	return slices.Concat(list, m.entityCommands(), m.findingCommands(), older, m.settingCommands())
}

func (m *Model) profileCommands() []screen.Command {
	var list []screen.Command
	for _, p := range m.home.Profiles() {
		if !m.isDetached() && m.env.Session.Profile().Name == p.Name {
			continue
		}
		list = append(list, screen.Command{
			ID: "open " + p.Name, Section: "Schemas", Kind: "schema", Title: p.Name, Note: p.Title, Words: "open " + p.Title,
			Run: func() tea.Cmd { return m.enterProfile(screen.EnterMsg{Profile: p}) },
		})
	}
	return list
}

func (m *Model) queueCommands() []screen.Command {
	return models.MapSlice(m.env.Session.Profile().Queues, func(q *change.Queue) screen.Command {
		return screen.Command{
			ID: "queue " + q.ID, Section: "Queues", Kind: "queue", Title: q.Title, Words: q.ID + " queue " + q.Description,
			Run: func() tea.Cmd { return m.showQueue(q.ID) },
		}
	})
}

func (m *Model) changeCommands() (rowCommands, others []screen.Command) {
	runner := m.patternRunner()
	isPossible := map[*change.Action]bool{}
	if runner != nil {
		for _, o := range runner.Offers() {
			if o.Action.Kind == change.KindPut {
				continue
			}
			isPossible[o.Action] = o.Reason == ""
			rowCommands = append(rowCommands, screen.Command{
				ID: "change " + o.Action.ID, Section: "Changes to this row", Kind: "change", Title: o.Action.Title, Note: "this row",
				Words: o.Action.ID + " change action " + o.Action.Description, Why: o.MenuReason(),
				Run: func() tea.Cmd { return m.route(m.top(), o.Plan()) },
			})
		}
	}
	actions := m.top().screen.Actions()
	for _, a := range m.env.Session.Profile().Actions {
		if _, repeated := actions.Named("change-" + a.ID); repeated || isPossible[a] {
			continue
		}
		reason := ""
		if err := m.env.Session.CanPlan(a); err != nil {
			reason = err.Error()
		}
		others = append(others, screen.Command{
			ID: "change " + a.ID, Section: "Changes", Kind: "change", Title: a.Title, Note: present.EntityName(a.Entity),
			Words: a.ID + " change action " + a.Description, Why: reason,
			Run: func() tea.Cmd {
				if runner != nil {
					return m.route(m.top(), runner.Plan(a))
				}
				return m.show(screen.Patterns{Plan: a})
			},
		})
	}
	return rowCommands, others
}

func (m *Model) textOffers(text string) palette.Offers {
	findCommand := screen.Command{
		Kind: "find", Title: "Find " + text, Note: "in all schemas", Run: func() tea.Cmd { return m.findText(text) },
	}
	decodeCommand := screen.Command{Kind: "decode", Title: "Decode " + text, Run: func() tea.Cmd { return m.decodeText(text) }}
	if m.isDetached() {
		if present.LooksLikeKey(text) {
			return palette.Offers{First: []screen.Command{findCommand}}
		}
		return palette.Offers{Fallback: []screen.Command{findCommand}}
	}
	decodeCommand.Note = "in " + m.env.Session.Profile().Name
	first, spelled := decode.OpenCommands(m.env, text)
	switch {
	case len(first) > 0:
		return palette.Offers{First: append(first, decodeCommand, findCommand)}
	case spelled:
		return palette.Offers{Last: []screen.Command{decodeCommand, findCommand}}
	case present.LooksLikeKey(text):
		return palette.Offers{Last: []screen.Command{findCommand, decodeCommand}}
	default:
		return palette.Offers{Fallback: []screen.Command{findCommand, decodeCommand}}
	}
}

func (m *Model) screenCommands(list []screen.Command) []screen.Command {
	p := m.top()
	for i := range list {
		run := list[i].Run
		list[i].Run = func() tea.Cmd { return m.route(p, run()) }
	}
	return list
}

// synonyms contains additional search words for actions.
var synonyms = map[string]string{
	"edit-parameters": "edit change query", "actions": "edit change delete remove approve undo", "explain": "sql request partiql",
	"compare": "diff", "environments": "compare diff context", "contexts": "logout login sign in account", "quit": "exit logout leave",
	"undo-last": "revert", "decode": "parse", "filter": "search find", "palette": "search command", "schema": "map indexes model",
	"activity": "journal log", "audit": "sessions", "command-log": "calls requests sent", "tail": "live changes",
	"inbox": "queues requests review", "reload": "refresh", "refresh": "again", "read-all": "everything",
}

// actionHintCommands returns entries that explain where to find each action that this screen does not have.
func (m *Model) actionHintCommands() []screen.Command {
	lead := "open an item, then "
	if m.isDetached() {
		lead = "open a schema and an item, then "
	}
	howToChange := lead + "o"
	if role := m.role(); role != session.Admin && role != "" {
		howToChange = fmt.Sprintf("role %s cannot edit items; request a change with o on an item", role)
	}
	var list []screen.Command
	for _, a := range []struct{ name, title, words, reason string }{
		{"actions", "Edit or delete an item, or change its state", "edit delete remove change update approve undo put write", howToChange},
		{"compare", "Compare an item with another one", "compare diff", lead + "="},
		{
			"explain", "Show a query as SQL, as a call and as code", "sql partiql query request cli go code explain",
			"open a pattern of a schema, then x, or y to copy it",
		},
		{"reveal", "Reveal personal data", "reveal unmask masked hidden personal data", lead + "o R"},
		{"export", "Export rows or an item to a file", "export save csv json download file", "open a list or an item, then o E"},
	} {
		if _, hasAction := m.top().screen.Actions().Named(a.name); !hasAction {
			list = append(list, screen.Command{Title: a.title, Words: a.words, Why: a.reason})
		}
	}
	return list
}

func actionCommands(section string, as widget.Actions) []screen.Command {
	var list []screen.Command
	for _, a := range as {
		if a.Run == nil || a.Name == "palette" || a.Name == "enter" {
			continue
		}
		list = append(list, screen.Command{
			ID: "action " + a.Name, Name: strings.ReplaceAll(a.Name, "-", " "), Section: section, Title: a.Sentence(), Note: a.Keys(),
			Words: a.Name + " " + a.Desc + " " + synonyms[a.Name], Why: a.Why(), Spelled: a.Name == "quit",
			Run: func() tea.Cmd { return runIfAvailable(a) },
		})
	}
	return list
}

func (m *Model) thisScreenCommands() []screen.Command {
	return slices.DeleteFunc(actionCommands("This screen", m.top().screen.Actions()), func(c screen.Command) bool {
		_, isTab := m.tabOf(c.Note)
		return isTab
	})
}

// globalCommands returns the global actions, with the keys that act on this screen.
func (m *Model) globalCommands() []screen.Command {
	if !m.isAtHome() {
		return actionCommands("Everywhere", m.actions)
	}
	var list widget.Actions
	for _, a := range m.actions {
		keys := a.Keys()
		if homeAction, ok := m.home.Global.Named(a.Name); ok {
			keys = "ctrl+o " + homeAction.Keys()
		} else if readsKeyAsText(m.home, keys) {
			keys = nonTextKey(a)
		}
		if a.Binding = bind(keys, keys); a.Name != "actions" { // Home has its own menu.
			list = append(list, a)
		}
	}
	return actionCommands("Everywhere", list)
}

// runIfAvailable checks the action again when the user runs it, because the screen behind the palette may have changed.
func runIfAvailable(a widget.Action) tea.Cmd {
	if reason := a.Why(); reason != "" {
		return screen.Send(screen.NoticeMsg{Text: reason})
	}
	return a.Run()
}

func (m *Model) showQueue(id string) tea.Cmd {
	if b, ok := m.top().screen.(interface{ Boxed() bool }); ok && b.Boxed() {
		return m.notify(widget.RoleInfo, "close the open dialog first")
	}
	return m.open(screen.Queue{ID: id})
}

func (m *Model) patternRunner() screen.PatternRunner {
	if runner, ok := m.top().screen.(screen.PatternRunner); ok && !runner.Boxed() {
		return runner
	}
	return nil
}

func (m *Model) showPattern(id string) tea.Cmd {
	p := m.env.Session.Profile().Pattern(id)
	if p == nil {
		return nil
	}
	if runner := m.patternRunner(); runner != nil {
		return m.route(m.top(), runner.Show(p, nil, false))
	}
	return m.show(screen.Patterns{Pattern: p})
}

func (m *Model) enterProfile(msg screen.EnterMsg) tea.Cmd {
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	homeCmd := m.goHome()
	var notice tea.Cmd
	if msg.Notice != "" {
		notice = m.notifyAndKeep(widget.RoleGood, msg.Notice)
	}
	return tea.Batch(homeCmd, notice, m.route(m.screens.stack[0], m.home.Enter(msg.Profile, msg.Then)))
}

func (m *Model) decodeText(text string) tea.Cmd {
	if m.isDetached() {
		return m.findText(text)
	}
	return m.show(screen.Decode{Text: text})
}

func (m *Model) findText(text string) tea.Cmd {
	if cmd, blocked := m.blockIfPending(); blocked {
		return cmd
	}
	homeCmd := m.goHome()
	return tea.Batch(homeCmd, m.route(m.screens.stack[0], m.home.Find(text)))
}

// handlePaste offers to find a short text that looks like a key, and decodes any other text. handled is false if
// the screen accepts the text instead. A pasted line break never acts as enter.
func (m *Model) handlePaste(msg tea.PasteMsg) (cmd tea.Cmd, handled bool) {
	top := m.top().screen
	if p, ok := top.(screen.Paster); m.isTooSmall() || isTyping(top) || ok && p.Pastes() {
		return nil, m.isTooSmall()
	}
	if strings.TrimSpace(msg.Content) == "" {
		return nil, true
	}
	text := strings.TrimSpace(msg.Content)
	if m.isDetached() || len(text) > present.MaxKeyLength || strings.ContainsAny(text, "{#") || !present.LooksLikeKey(text) {
		return m.decodeText(msg.Content), true
	}
	return m.offerText(strings.Join(strings.Fields(text), " ")), true
}

func (m *Model) schema() *profiles.Profile {
	switch {
	case m.isAtHome():
		return m.home.Selected()
	case m.isDetached():
		return nil
	}
	return m.env.Session.Profile()
}

func (m *Model) isDetached() bool { return m.env == nil || m.isAtHome() }
