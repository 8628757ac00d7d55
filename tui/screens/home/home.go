// Package home contains the first screen. It finds items, and shows pending decisions, recent items, and the tables and
// schemas of the connection.
package home

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Opener lists the schemas and opens sessions.
type Opener interface {
	// Profile returns one of Profiles without reading the other ones.
	Profile(name string) (*profiles.Profile, error)
	// Profiles returns the valid schemas, and an error that describes the invalid ones. If there are no schemas, the
	// error explains why.
	Profiles() ([]*profiles.Profile, error)
	Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error)
	// Source describes the database to which Open connects.
	Source() Source
}

// A ContextFinder is an opener that can search other contexts too.
type ContextFinder interface {
	// FindIn returns the schemas in other contexts that Find searches after the current connection.
	FindIn() []find.Source
}

// A Source describes the schemas' database before home connects to it.
type Source struct {
	Access
	Local   bool   // the database is in this process: Open sends no requests and asks no questions
	Missing string // reason why there is no database yet, and how to create one; "" if there may be one
	// HasRequests means that the context names a table of change requests.
	HasRequests bool
}

// Home finds items in all schemas, and lists pending decisions, recent items, tables and schemas. Without a request of
// the user, it counts only outside of production, and only in a connected or local database. Typed text always goes to
// the search field.
type Home struct {
	ctx         context.Context // context of the program
	styles      *widget.Styles
	opener      Opener
	source      Source
	start       string                          // schema to open immediately, or ""
	StartTarget func(*screen.Env) screen.Target // returns the screen to open in the start schema; nil for its workbench
	// Global contains the global actions whose keys are text on this screen. The menu offers them instead.
	Global widget.Actions

	profiles     []*profiles.Profile
	loaded       bool
	reading      bool   // home shows one schema while it reads the others
	err          error  // error of the last load or connection
	failedSchema string // schema that failed to open; "" if err concerns the list
	schemaErrors error  // errors of schemas that are missing from the list, or outdated in it

	limits    find.Options
	find      searcher
	sessions  map[string]*workspace.Workspace // last session of each schema
	earlyKeys []tea.KeyPressMsg               // keys pressed before the schemas were loaded
	live      map[string]*tables.Comparison   // comparison of each schema with its tables
	counter   counter
	db        database

	opening   *openState                      // nil unless home is opening a schema
	connectMu sync.Mutex                      // locked while a connection opens
	then      func(*screen.Env) screen.Target // returns the screen to open in the schema; nil for its workbench
	drafting  *screen.Task                    // current or last draft; nil before the first draft

	attention, recent, tables, states *section
	focused                           *section          // section with the cursor
	shownProfile                      *profiles.Profile // schema whose states home shows
	unfolded                          bool              // the sample schemas appear one per row
	reviewsUnfolded                   bool              // the change requests appear one row per schema

	w, h    int
	actions widget.Actions
}

// New returns the home screen. start names a schema to open as soon as the schemas are loaded, or is "". keys contains
// the configured keys, and limits the search limits.
func New(ctx context.Context, s *widget.Styles, o Opener, start string, keys *widget.Keymap, limits find.Options) *Home {
	h := &Home{ctx: ctx, styles: s, opener: o, start: start, limits: limits, sessions: map[string]*workspace.Workspace{}}
	h.attention, h.recent = newSection(s, "Needs attention"), newSection(s, "Recent")
	h.tables, h.states = newSection(s, "Schemas"), newSection(s, "")
	h.recent.empty = "Items and queries that you open are listed here."
	h.find = searcher{h: h, field: widget.NewSearchInput(), lines: widget.NewLines(s)}
	h.find.field.Start()
	h.db = database{h: h}
	h.live = map[string]*tables.Comparison{}
	h.counter = counter{h: h, boards: map[string]*board{}}
	h.actions = keys.Rebind("home", h.makeActions())
	h.focusSection(h.tables)
	return h
}

// Scope returns the key table of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "home", Title: "Home",
		Does:    "Finds items, and lists pending decisions, recent items, tables and schemas. Typed text goes to the search field.",
		Actions: (&Home{}).makeActions(), Pieces: screen.MovingKeys(), Types: true,
	}
}

func (h *Home) makeActions() widget.Actions {
	return widget.Actions{
		widget.NewAction("open-profile", "enter", "open", "open the selected row", nil, h.open),
		widget.NewAction("next-pane", "tab", "next list", "go to the next list", nil, func() tea.Cmd { return h.cycle(1) }),
		widget.NewAction("previous-pane", "shift+tab", "", "go to the previous list", nil, func() tea.Cmd { return h.cycle(-1) }),
		widget.NewAction("menu", "ctrl+o", "actions", "open the actions of the selected row", nil, h.openMenu),
		{
			Name: "count", Binding: widget.Bind("ctrl+o c"), Desc: "count", Disabled: h.cannotOpen, Run: h.counter.count,
			Long: "count the items in each state and queue, or confirm the offered scan",
		},
		{
			Name: "new-profile", Binding: widget.Bind("ctrl+o n"), Desc: "draft", Disabled: h.cannotDraft, Run: h.draft,
			Long: "draft a schema for tables without one",
		},
		{
			Name: "own-query", Binding: widget.Bind("ctrl+o b"), Desc: "query", Disabled: h.noTable, Run: h.queryTable,
			Long: "write a custom query on the selected table",
		},
		{
			Name: "sign-in", Binding: widget.Bind("ctrl+o s"), Desc: "sign in", Disabled: h.db.cannotSignIn, Run: h.db.signIn,
			Long: "renew the credentials of the connection",
		},
		widget.NewAction("reload-profiles", "ctrl+r f5", "reload", "reload the schemas and the list of tables", nil, h.reload),
	}
}

// openMenu opens a menu of the row's actions. They have no letter keys, because letters are text on this screen.
func (h *Home) openMenu() tea.Cmd {
	m := &overlay.Menu{Title: "Actions", Key: "ctrl+o"}
	if r := h.focused.current(); r != nil && r.title != "" {
		m.Title = r.title
	}
	add := func(key, label string, action string) {
		a, _ := h.actions.Named(action)
		m.Entries = append(m.Entries, overlay.MenuEntry{Key: key, Label: label, Why: a.Why(), Run: func() tea.Cmd {
			return screen.Send(screen.Answer(a.Run)) // Deliver the answer to this screen, as for its keys.
		}})
	}
	add("o", "Open", "open-profile")
	add("b", "Query it", "own-query")
	add("n", "Draft a schema", "new-profile")
	add("c", "Count items", "count")
	add("s", "Sign in", "sign-in")
	add("r", "Reload", "reload-profiles")
	for _, a := range h.Global {
		if a.Why() != "" {
			continue
		}
		m.Entries = append(m.Entries, overlay.NewActionEntry(a.Keys(), a, a.Run))
	}
	m.Entries = append(m.Entries, overlay.MenuEntry{Key: "q", Label: "Quit", Run: func() tea.Cmd { return screen.Send(screen.QuitMsg{}) }})
	return screen.Send(overlay.ShowMsg{Box: m})
}

func (h *Home) open() tea.Cmd {
	r := h.focused.current()
	if r == nil || r.open == nil || h.opening != nil {
		return nil
	}
	return r.open()
}

func (h *Home) fillSections() {
	h.tables.setRows(h.tableRows(h.tables.width()))
	h.recent.setRows(h.recentRows(h.recent.width()))
	h.attention.setRows(h.attentionRows())
	if !h.focused.hasRow() {
		h.focusSection(h.tables)
	}
	h.showSelected()
}

func (h *Home) showSelected() {
	if r := h.focused.current(); r != nil && h.focused != h.states {
		h.shownProfile = r.p
	}
	if h.shownProfile != nil && !slices.Contains(h.profiles, h.shownProfile) {
		h.shownProfile = nil
	}
	h.setStateRows()
	if h.attention.note = ""; h.isNarrow() {
		h.attention.note = h.states.note
	} else if h.shownProfile != nil && h.counter.hasOnlyQueues(h.shownProfile) {
		h.attention.note, h.states.note = h.states.note, ""
	}
}

// Selected returns the schema of the row under the cursor, or nil.
func (h *Home) Selected() *profiles.Profile { return h.shownProfile }

// Profiles returns all schemas, or nil before they are loaded.
func (h *Home) Profiles() []*profiles.Profile { return h.profiles }

// Title returns "Home".
func (h *Home) Title() string { return "Home" }

// Actions returns the screen's actions.
func (h *Home) Actions() widget.Actions { return h.actions }

// Hints returns the keys to show in the bottom line.
func (h *Home) Hints() widget.Actions {
	hint, verb := widget.Hint, "open"
	switch r := h.focused.current(); {
	case h.find.hasText():
		return h.find.hints()
	case r != nil:
		verb = cmp.Or(r.verb, verb)
	}
	return widget.Actions{hint("enter", verb), hint("tab", "next list"), hint("ctrl+o", "actions")}
}

// Stage returns the user's progress for the tour.
func (h *Home) Stage() screen.Stage {
	return screen.Stage{Place: "home", Rows: len(h.find.result.Hits)}
}

// Guide returns the introduction in the screen's help.
func (h *Home) Guide() screen.Guide {
	return screen.Guide{
		Purpose: "Finds an ID, a key, an email address, a queue or another value in all schemas. The lists show the items that need " +
			"a decision, the items and queries that you used last, the tables and schemas of the connection, and the items " +
			"of the selected schema by state.",
		First: "paste an ID and press enter, or select a row with the arrows. On production, press ctrl+o c to count items.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "●", Meaning: "items in a queue, or changes to review"},
			{Glyph: "▁▅▆", Meaning: "the items of a queue by age, the oldest at the left"},
			{Glyph: "▲", Meaning: "items with problems, changes with unknown outcome, or an expired sign-in"},
			{Glyph: "▸", Meaning: "folded rows: enter lists them"},
		}, screen.StateSigns),
	}
}

// Renew replaces a schema's session with a session for another version of the schema.
func (h *Home) Renew(w *workspace.Workspace) {
	h.sessions[w.Session.Profile().Name] = w
	h.fillSections()
}

// Reload loads the schemas again, for example after a switch to another connection. It then opens the schema named
// open, unless open is "". It discards data about queues and tables, which may belong to the previous connection.
func (h *Home) Reload(open string) tea.Cmd {
	h.start, h.err, h.failedSchema = open, nil, ""
	h.stopOpening()
	h.find.clear()
	h.find.finder = nil
	clear(h.sessions)
	h.counter.reset()
	clear(h.live)
	h.db.reset()
	h.fillSections()
	return h.Init()
}

// Retry repeats the operations that failed because credentials were missing or expired.
func (h *Home) Retry() tea.Cmd {
	var cmd tea.Cmd
	if h.db.err != nil {
		cmd = h.db.connect(true)
	}
	if h.find.search != nil && len(h.find.result.Failures) > 0 {
		cmd = tea.Batch(cmd, h.find.startSearch(h.find.text))
	}
	i := slices.IndexFunc(h.profiles, func(p *profiles.Profile) bool { return p.Name == h.failedSchema })
	if i < 0 || h.opening != nil {
		return cmd
	}
	return tea.Batch(cmd, h.connect(h.profiles[i], h.then))
}

// SetComparison stores the comparison of a schema with its tables.
func (h *Home) SetComparison(msg screen.ComparisonMsg) {
	h.live[msg.Workspace.Session.Profile().Name] = msg.Live
	h.showSelected()
}

// Close cancels all running work.
func (h *Home) Close() {
	h.find.stop()
	h.counter.stop()
	h.drafting.End()
	h.stopOpening()
	h.db.reset()
}

// Cancel stops a search or the opening of a schema. It returns false if there is nothing to stop.
func (h *Home) Cancel() bool {
	switch c := h.counter.running; {
	case h.find.search != nil && !h.find.result.Done:
		h.find.openWhenFound = false
		h.find.search.Cancel()
		return true
	case c != nil && c.requested:
		h.counter.stop()
		h.fillSections()
		return true
	case h.drafting.Running():
		h.drafting.Stop()
		return true
	case h.opening == nil:
		return false
	}
	h.stopOpening()
	return true
}

// Typing returns true. Letters always go to the search field, so that a typed ID cannot trigger actions.
func (h *Home) Typing() bool { return true }

// Passes reports whether the global actions can handle a key while the search field is empty: "?", ":" and all keys
// that are not text.
func (h *Home) Passes(key string) bool {
	return h.find.field.Text() == "" && (key == "?" || key == ":" || !widget.IsText(key))
}

// Pastes returns true, because home searches for pasted text.
func (h *Home) Pastes() bool { return true }

// Find searches for a text in all schemas. It ignores an empty text.
func (h *Home) Find(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return h.find.searchFor(text)
}

// FindAgain searches for a text once the schemas of another context are loaded.
func (h *Home) FindAgain(text string) {
	h.find.field.Update(tea.PasteMsg{Content: text})
	h.find.text = strings.TrimSpace(text)
}

// contextName returns the name of the connection's context, or "" without a context.
func (h *Home) contextName() string {
	s, ok := h.opener.(connection.Switcher)
	if !ok {
		return ""
	}
	all, current := s.Contexts()
	for _, c := range all {
		if c.Name == current && c.Kind == "" {
			return c.Name
		}
	}
	return ""
}

// SetStyles sets the theme.
func (h *Home) SetStyles(s *widget.Styles) {
	h.styles = s
	h.find.lines.SetStyles(s)
	for _, c := range []*section{h.attention, h.recent, h.tables, h.states} {
		c.setStyles(s)
	}
	h.fillSections()
}

// Watch refreshes the recent items when the screen becomes visible, and pauses counts while it is hidden.
func (h *Home) Watch(on bool) tea.Cmd {
	h.counter.hidden = !on
	if !on {
		h.find.resultOpened = h.find.text != "" // Another screen shows one of its results.
		h.counter.stop()
		return nil
	}
	if h.source.Missing != "" { // Another program may have created the database.
		h.source = h.opener.Source()
	}
	h.fillSections()
	return tea.Batch(h.db.connect(false), h.counter.scheduleCount())
}

// Update handles keys and loaded data. If the selected schema changes, home counts its items.
func (h *Home) Update(msg tea.Msg) tea.Cmd {
	cmd := h.handle(msg)
	if _, tick := msg.(screen.TickMsg); tick {
		return cmd
	}
	return tea.Batch(cmd, h.counter.scheduleCount())
}

func (h *Home) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Answer:
		return msg()
	case screen.TickMsg:
		return msg.Task.Ticked()
	case tea.PasteMsg:
		return h.find.paste(msg)
	case tea.KeyPressMsg:
		return h.press(msg)
	}
	return nil
}

func (h *Home) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if widget.IsText(key) || h.find.field.Text() != "" && key != "ctrl+o" {
		return h.find.press(msg)
	}
	switch {
	case key == "esc":
	case h.opening != nil:
		h.opening.addKey(msg)
		return nil
	case !h.loaded:
		h.KeepKey(msg)
		return nil
	}
	if cmd, used := screen.Press(h.actions, msg); used {
		return cmd
	}
	return h.move(msg)
}

func (h *Home) selectSchema(name string) tea.Cmd {
	matches := func(r row) bool { return r.p != nil && r.p.Name == name }
	if !h.tables.selectRow(matches) {
		h.unfolded = true
		h.fillSections()
		if !h.tables.selectRow(matches) {
			return screen.Send(screen.NoticeMsg{Text: "There is no schema " + models.Printable(name), Bad: true})
		}
	}
	h.focusSection(h.tables)
	h.showSelected()
	return nil
}

// Enter connects to a schema and opens one of its screens. It adds a new schema to the list.
func (h *Home) Enter(p *profiles.Profile, then func(*screen.Env) screen.Target) tea.Cmd {
	h.Cancel()
	if !slices.ContainsFunc(h.profiles, func(listed *profiles.Profile) bool { return listed.Name == p.Name }) {
		h.profiles = append(slices.Clip(h.profiles), p)
		h.db.matchSchemas()
		h.fillSections()
	}
	h.selectProfile(p)
	return h.connect(p, then)
}

func (h *Home) selectProfile(p *profiles.Profile) {
	h.tables.selectRow(func(r row) bool { return r.p != nil && r.p.Name == p.Name })
	h.focusSection(h.tables)
	h.showSelected()
}

// OpenThen connects to the selected schema and opens one of its screens.
func (h *Home) OpenThen(then func(*screen.Env) screen.Target) tea.Cmd {
	if reason := h.cannotOpen(); reason != "" {
		return screen.Send(screen.NoticeMsg{Text: reason})
	}
	return h.connect(h.Selected(), then)
}
