package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/palette"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/bookmarks"
	"github.com/ddbdesk/ddbdesk/tui/screens/decode"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// finder fills the palette with the screens, patterns, items and actions that the user can open.
type finder struct {
	m *Model
}

// visitsShown is the number of recent items that the palette lists before the user types.
const visitsShown = 6

func (f *finder) openPalette() tea.Cmd {
	if cmd, held := f.m.hold.stay(); held {
		return cmd
	}
	o := palette.Options{
		Title: "Go to", Hint: "a pattern, screen, action or recent item; a key or an ID", Empty: "No results",
		Commands: f.commands(), Offer: f.offer, Paste: f.m.opens.decodeText,
	}
	if !f.m.detached() {
		s := f.m.env.Workspace
		o.Recent = s.History.Uses()
		o.Chosen = func(c screen.Command) { s.History.Use(c.ID) }
	}
	f.m.layers.palette = palette.New(f.m.styles, o)
	return nil
}

func (f *finder) openHistory() tea.Cmd {
	if cmd, held := f.m.hold.stay(); held {
		return cmd
	}
	list := f.trail()
	if !f.m.detached() {
		list = append(list, palette.VisitCommands(f.m.env, "Items", 0)...)
		list = append(list, palette.QueryCommands(f.m.env, "Queries")...)
	}
	f.m.layers.palette = palette.New(f.m.styles, palette.Options{
		Title: "History", Hint: "filter", Empty: "No results", Commands: list, Still: true, Large: true,
		At: len(f.m.screens.ahead),
	})
	return nil
}

func (f *finder) trail() []screen.Command {
	var list []screen.Command
	add := func(p *place, note string) {
		list = append(list, screen.Command{
			Section: "This run", Kind: "screen", Title: p.screen.Title(), Note: note,
			Run: func() tea.Cmd { return f.m.screens.goTo(p) },
		})
	}
	for _, p := range f.m.screens.ahead {
		add(p, "forward")
	}
	add(f.m.screens.top(), "here")
	for i := len(f.m.screens.stack) - 2; i >= 0; i-- {
		add(f.m.screens.stack[i], "back")
	}
	return list
}

func (f *finder) commands() []screen.Command {
	var list []screen.Command
	if !f.m.detached() {
		list = append(list, bookmarks.BookmarkCommands(f.m.env, "Bookmarks")...)
		list = append(list, palette.VisitCommands(f.m.env, "Recent items", visitsShown)...)
	}
	own := f.ofScreen(actionCommands("This screen", "action", f.m.screens.top().screen.Actions()))
	everywhere := append(actionCommands("Everywhere", "screen", f.m.actions), f.tourCommands()...)
	if f.m.detached() {
		list = append(append(list, f.profileCommands()...), f.queueCommands()...)
		return append(append(append(list, own...), everywhere...), f.lookCommands()...)
	}
	ofRow, changes := f.changeCommands()
	list = append(append(append(append(list, own...), ofRow...), f.queueCommands()...), everywhere...)
	for _, p := range slices.Concat(f.m.env.Session.Profile().Patterns, f.m.env.Session.Profile().Listings()) {
		list = append(list, screen.Command{
			ID: "pattern " + p.ID, Section: p.Group, Kind: f.m.env.OperationWord(p.Read.Operation), Title: p.Title,
			Note: present.PatternNote(f.m.env, p), Words: p.ID + " pattern",
			Run: func() tea.Cmd { return f.m.opens.showPattern(p.ID) },
		})
	}
	list = append(append(list, changes...), f.profileCommands()...)
	list = append(append(list, f.entityCommands()...), f.findingCommands()...)
	list = append(list, palette.QueryCommands(f.m.env, "")...)
	if all := palette.VisitCommands(f.m.env, "", 0); len(all) > visitsShown {
		list = append(list, all[visitsShown:]...)
	}
	return append(list, f.lookCommands()...)
}

func (f *finder) profileCommands() []screen.Command {
	var list []screen.Command
	for _, p := range f.m.home.Profiles() {
		if !f.m.detached() && f.m.env.Session.Profile().Name == p.Name {
			continue
		}
		list = append(list, screen.Command{
			ID: "open " + p.Name, Section: "Profiles", Kind: "profile", Title: p.Name, Note: p.Title, Words: "open " + p.Title,
			Run: func() tea.Cmd { return f.m.enterProfile(screen.EnterMsg{Profile: p}) },
		})
	}
	return list
}

func (f *finder) queueCommands() []screen.Command {
	p := f.m.schema()
	if p == nil {
		return nil
	}
	var list []screen.Command
	for _, q := range p.Queues {
		list = append(list, screen.Command{
			ID: "queue " + q.ID, Section: "Queues", Kind: "queue", Title: q.Title, Note: "Q", Words: q.ID + " queue " + q.Description,
			Run: func() tea.Cmd { return f.m.opens.showQueue(q.ID) },
		})
	}
	return list
}

func (f *finder) changeCommands() (ofRow, others []screen.Command) {
	bench := f.m.bench()
	can := map[*change.Action]bool{}
	if bench != nil {
		for _, o := range bench.Offers() {
			if o.Action.Kind == change.Creates {
				continue
			}
			can[o.Action] = o.Why == ""
			ofRow = append(ofRow, screen.Command{
				ID: "change " + o.Action.ID, Section: "Changes to this row", Kind: "change", Title: o.Action.Title, Note: "this row",
				Words: o.Action.ID + " change action " + o.Action.Description, Why: o.Why,
				Run: func() tea.Cmd { return f.m.router.route(f.m.screens.top(), o.Plan()) },
			})
		}
	}
	own := f.m.screens.top().screen.Actions()
	for _, a := range f.m.env.Session.Profile().Actions {
		if _, repeated := own.Named("change-" + a.ID); repeated || can[a] {
			continue
		}
		why := ""
		if err := f.m.env.Session.CanPlan(a); err != nil {
			why = err.Error()
		}
		others = append(others, screen.Command{
			ID: "change " + a.ID, Section: "Changes", Kind: "change", Title: a.Title, Note: present.EntityTitle(a.Entity),
			Words: a.ID + " change action " + a.Description, Why: why,
			Run: func() tea.Cmd {
				if bench != nil {
					return f.m.router.route(f.m.screens.top(), bench.Plan(a))
				}
				return f.m.show(screen.Patterns{Plan: a})
			},
		})
	}
	return ofRow, others
}

func (f *finder) offer(text string) palette.Offers {
	finding := screen.Command{
		Kind: "find", Title: "Find " + text, Note: "in all schemas", Run: func() tea.Cmd { return f.m.opens.findText(text) },
	}
	decoding := screen.Command{Kind: "decode", Title: "Decode " + text, Run: func() tea.Cmd { return f.m.opens.decodeText(text) }}
	if f.m.detached() {
		if present.LooksLikeKey(text) {
			return palette.Offers{First: []screen.Command{finding}}
		}
		return palette.Offers{Instead: []screen.Command{finding}}
	}
	first, spelled := decode.OpenCommands(f.m.env, text)
	switch {
	case len(first) > 0:
		return palette.Offers{First: append(first, decoding, finding)}
	case spelled:
		return palette.Offers{Last: []screen.Command{decoding, finding}}
	case present.LooksLikeKey(text):
		return palette.Offers{Last: []screen.Command{finding, decoding}}
	default:
		return palette.Offers{Instead: []screen.Command{finding, decoding}}
	}
}

func (f *finder) ofScreen(list []screen.Command) []screen.Command {
	p := f.m.screens.top()
	for i := range list {
		run := list[i].Run
		list[i].Run = func() tea.Cmd { return f.m.router.route(p, run()) }
	}
	return list
}

func actionCommands(section, kind string, as widget.Actions) []screen.Command {
	var list []screen.Command
	for _, a := range as {
		if a.Run == nil || a.Name == "palette" || a.Name == "enter" {
			continue
		}
		c := screen.Command{
			ID: "action " + a.Name, Section: section, Kind: kind, Title: actionTitle(a), Note: a.Keys(),
			Words: a.Name + " " + a.Desc, Why: a.Why(), Run: func() tea.Cmd { return ifAvailable(a) },
		}
		if kind == "action" && a.Desc == "" && len(a.Binding.Keys()) > 0 {
			c.Section = "" // Navigation is found by name only.
		}
		list = append(list, c)
	}
	return list
}

// ifAvailable checks again when it runs, because the screen behind the palette goes on.
func ifAvailable(a widget.Action) tea.Cmd {
	if why := a.Why(); why != "" {
		return screen.Send(screen.NoticeMsg{Text: why})
	}
	return a.Run()
}

func actionTitle(a widget.Action) string {
	name := a.Desc
	if name == "" {
		name = strings.ReplaceAll(a.Name, "-", " ")
	}
	switch {
	case a.Long == "":
		return name
	case strings.HasPrefix(a.Name, "change-"):
		return a.Long // Its description is its name.
	}
	return name + " · " + a.Long
}

func (op *navigator) showQueue(id string) tea.Cmd {
	if s, ok := op.m.screens.top().screen.(interface{ Show(queue string) tea.Cmd }); ok {
		if b, ok := s.(interface{ Boxed() bool }); ok && b.Boxed() {
			return op.m.say(widget.RoleInfo, "close the open dialog first")
		}
		return op.m.router.route(op.m.screens.top(), s.Show(id))
	}
	return op.m.open(screen.Queue{ID: id})
}

func (m *Model) bench() screen.Bench {
	if b, ok := m.screens.top().screen.(screen.Bench); ok && !b.Boxed() {
		return b
	}
	return nil
}

func (op *navigator) showPattern(id string) tea.Cmd {
	p := op.m.env.Session.Profile().Pattern(id)
	if p == nil {
		return nil
	}
	if b := op.m.bench(); b != nil {
		return op.m.router.route(op.m.screens.top(), b.Show(p, nil, false))
	}
	return op.m.show(screen.Patterns{Pattern: p})
}

func (m *Model) enterProfile(msg screen.EnterMsg) tea.Cmd {
	if cmd, held := m.hold.stay(); held {
		return cmd
	}
	left := m.screens.goHome()
	var said tea.Cmd
	if msg.Notice != "" {
		said = m.announce(widget.RoleGood, msg.Notice)
	}
	return tea.Batch(left, said, m.router.route(m.screens.stack[0], m.home.Enter(msg.Profile, msg.Then)))
}

func (op *navigator) decodeText(text string) tea.Cmd {
	if op.m.detached() {
		return op.findText(text)
	}
	return op.m.show(screen.Decode{Text: text})
}

func (op *navigator) findText(text string) tea.Cmd {
	if cmd, held := op.m.hold.stay(); held {
		return cmd
	}
	left := op.m.screens.goHome()
	return tea.Batch(left, op.m.router.route(op.m.screens.stack[0], op.m.home.Find(text)))
}

// pasted returns taken false if the screen accepts the text. Line breaks in it never count as enter.
func (in *input) pasted(msg tea.PasteMsg) (cmd tea.Cmd, taken bool) {
	top := in.m.screens.top().screen
	if p, ok := top.(screen.Paster); in.m.frame.tooSmall() || typing(top) || ok && p.Pastes() {
		return nil, in.m.frame.tooSmall()
	}
	if present.IsBlank(msg.Content) {
		return nil, true
	}
	return in.m.opens.decodeText(msg.Content), true
}

func (m *Model) schema() *profiles.Profile {
	switch {
	case m.screens.atHome():
		return m.home.Selected()
	case m.detached():
		return nil
	}
	return m.env.Session.Profile()
}

func (m *Model) detached() bool { return m.env == nil || m.screens.atHome() }
