package queue

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// queueTaken are the letters that an action of a queue cannot have: they move,
// or belong to the screen or the root.
const queueTaken = "jkhlgqntypeou"

// queueLetters gives each action of a queue a letter of its own: one of its
// verb, else of another word. The verb's come first, for a approves in every
// queue that can approve, and must not do something else in the next.
func queueLetters(q *change.Queue, keys *widget.Keymap) map[*change.Action]string {
	letters, taken := map[*change.Action]string{}, queueTaken+keys.Letters("everywhere", "queue")
	give := func(a *change.Action, from string) {
		for _, r := range from {
			if letters[a] == "" && r >= 'a' && r <= 'z' && !strings.ContainsRune(taken, r) {
				letters[a] = string(r)
				taken += string(r)
			}
		}
	}
	for _, a := range q.Actions {
		starts := ""
		for word := range strings.SplitSeq(a.ID, "-") {
			starts += word[:min(1, len(word))]
		}
		verb, _, _ := strings.Cut(a.ID, "-")
		give(a, verb+starts+a.ID)
	}
	return letters
}

// Actions are the keys of the screen, the most important first.
func (s *queueScreen) Actions() widget.Actions {
	as := s.env.Keys.Rebind("queue", s.makeActions())
	as[0].Desc = s.does.enterWord()
	for i := range as {
		if as[i].Name == "toggle-refresh" && !s.clock.auto {
			as[i].Desc = "go on"
		}
	}
	return slices.Insert(as, queueOwn, s.does.changes()...)
}

// queueOwn is where the queue's own actions stand among those of the screen.
const queueOwn = 2

// makeActions is the table of keys, the most important first.
func (s *queueScreen) makeActions() widget.Actions {
	return widget.Actions{
		{
			Name: "enter", Binding: widget.Bind("enter", "enter"), Desc: "open",
			Long: "open the item, or confirm a prompt of the queue", Disabled: s.does.cannotEnter, Run: s.does.enter,
		},
		{
			Name: "mark", Binding: widget.Bind("space", "space"), Desc: "mark", Long: "mark the row and go to the next",
			Disabled: s.does.noRow,
		},
		{
			Name: "actions", Binding: widget.Bind("o", "o"), Desc: "actions", Long: "list all actions of the queue",
			Disabled: s.does.noActions, Run: s.does.openActions,
		},
		{
			Name: "mark-all", Binding: widget.Bind("*", "*"), Desc: "mark all", Long: "mark all rows shown, or none",
			Disabled: s.does.noRow, Run: s.does.markAll,
		},
		{
			Name: "toggle-refresh", Binding: widget.Bind("t", "t"), Desc: "pause",
			Long: "turn the refresh every 15 seconds on or off", Disabled: s.clock.notByItself, Run: s.clock.toggleAuto,
		},
		{
			Name: "refresh", Binding: widget.Bind("ctrl+r", "ctrl+r", "f5"), Desc: "refresh", Long: "refresh the queue now",
			Disabled: s.noQueue, Run: s.loader.askRefresh,
		},
		{
			Name: "more", Binding: widget.Bind("n", "n"), Desc: "more", Long: "read the next page", Disabled: s.loader.noMore,
			Run: s.loader.readMore,
		},
		{
			Name: "copy", Binding: widget.Bind("y", "y"), Desc: "copy",
			Long: "copy the row or the rows: clipboard, pager, editor, file", Disabled: s.does.noRow, Run: s.does.openCopyMenu,
		},
		{
			Name: "export", Binding: widget.Bind("E", "E"), Desc: "export", Long: "export the queue to a file",
			Disabled: s.does.noRow, Run: s.does.openExport,
		},
		{Name: "next-queue", Binding: widget.Bind(
			"tab", "tab",
		), Desc: "next queue", Long: "go to the next queue; 1 to 9 select one", Disabled: s.onlyQueue, Run: func() tea.Cmd { return s.turn(1) }},
		{
			Name: "previous-queue", Binding: widget.Bind("shift+tab", "shift+tab"), Long: "go to the previous queue",
			Disabled: s.onlyQueue, Run: func() tea.Cmd { return s.turn(-1) },
		},
	}
}

// verb is the first word of an action's id, and the whole id where the queue
// has another that starts alike.
func verb(q *change.Queue, a *change.Action) string {
	first, _, _ := strings.Cut(a.ID, "-")
	for _, other := range q.Actions {
		if word, _, _ := strings.Cut(other.ID, "-"); other != a && word == first {
			return strings.ReplaceAll(a.ID, "-", " ")
		}
	}
	return first
}

// changes are the queue's own actions.
func (qa *queueActions) changes() widget.Actions {
	j := qa.s.job()
	if j == nil {
		return nil
	}
	var as widget.Actions
	for _, a := range j.queue.Actions {
		letter := j.letters[a]
		if letter == "" {
			continue // It is in the menu.
		}
		as = append(as, widget.Action{
			Name: "change-" + a.ID, Binding: widget.Bind(letter, letter), Desc: verb(j.queue, a),
			Long: a.Title + ": the marked rows, or the current one", Danger: true,
			Disabled: func() string { return qa.cannotChange(a) }, Run: func() tea.Cmd { return qa.change(a) },
		})
	}
	return as
}

// Hints are the keys of the bottom line.
func (s *queueScreen) Hints() widget.Actions {
	if s.Box != nil {
		return nil
	}
	if j := s.job(); j != nil && j.loading() && j.elapsed >= widget.BusyAfter {
		return append(widget.Actions{{Name: "stop", Binding: widget.Bind("esc", "esc"), Desc: "stop"}}, s.Actions()...)
	}
	return s.Actions()
}

func (s *queueScreen) noQueue() string {
	if s.job() == nil {
		return "this profile has no queue"
	}
	return ""
}

func (ck *queueClock) notByItself() string {
	if j := ck.s.job(); j != nil && j.scan {
		return "this queue reads a whole table: it is read only when you ask for it"
	}
	return ck.s.noQueue()
}

func (qa *queueActions) noRow() string {
	if j := qa.s.job(); j == nil || j.selected() == nil {
		return "nothing waits here"
	}
	return ""
}

func (qa *queueActions) noActions() string {
	if j := qa.s.job(); j == nil || len(j.queue.Actions) == 0 {
		return "nothing can be done with this queue from here"
	}
	return ""
}

func (s *queueScreen) onlyQueue() string {
	if len(s.jobs) < 2 {
		return "there is no other queue"
	}
	return ""
}

func (ld *queueLoader) noMore() string {
	if j := ld.s.job(); j == nil || !j.more {
		return "that is all that waits"
	}
	return ""
}

// cannotChange says why the action cannot be done with the rows.
func (qa *queueActions) cannotChange(a *change.Action) string {
	if err := qa.s.env.Session.CanChange(a); err != nil {
		return err.Error()
	}
	switch j := qa.s.job(); {
	case len(j.targets()) == 0:
		return "nothing waits here"
	case a.FourEyes && j.Marked() > 0:
		return a.Title + " needs two people: ddbdesk change --plan writes a plan for each item"
	}
	return ""
}

func (qa *queueActions) enterWord() string {
	if j := qa.s.job(); j != nil && j.needsConsent() {
		return "read"
	}
	return "open"
}

func (qa *queueActions) cannotEnter() string {
	if j := qa.s.job(); j != nil && j.needsConsent() {
		return ""
	}
	return qa.noRow()
}

func (qa *queueActions) enter() tea.Cmd {
	j := qa.s.job()
	if j.needsConsent() {
		return qa.s.loader.askScan(j)
	}
	r := j.selected()
	r.news = false
	return screen.Open(screen.Item{Table: j.queue.Pattern.Table, Item: r.item, Among: results.Among(j.rows.Rows)})
}

func (ld *queueLoader) askRefresh() tea.Cmd {
	j := ld.s.job()
	if j.needsConsent() {
		return ld.askScan(j)
	}
	j.rows.looked()
	return tea.Batch(ld.refresh(), ld.s.clock.startClock())
}

func (ld *queueLoader) readMore() tea.Cmd {
	ld.s.job().limit += queuePage
	return ld.refresh()
}

func (ck *queueClock) toggleAuto() tea.Cmd {
	ck.auto = !ck.auto
	return ck.resume()
}

// markAll marks every row that waits, or takes all marks away.
func (qa *queueActions) markAll() tea.Cmd {
	j := qa.s.job()
	all := j.Marked() == j.rows.waiting()
	j.grid.ClearMarks()
	for i, r := range j.rows.list {
		if !all && !r.gone {
			j.grid.ToggleMark(i)
		}
	}
	return nil
}

// Show goes to the queue of this id.
func (s *queueScreen) Show(id string) tea.Cmd {
	for i, j := range s.jobs {
		if j.queue.ID == id && i != s.tabs.Active {
			s.tabs.Active = i
			return s.turned()
		}
	}
	return nil
}

// turn goes to another queue.
func (s *queueScreen) turn(by int) tea.Cmd {
	s.tabs.Active = (s.tabs.Active + by + len(s.jobs)) % len(s.jobs)
	return s.turned()
}

// turned reads a queue that comes into view for the first time, or after long.
func (s *queueScreen) turned() tea.Cmd {
	s.draw.preview.Forget()
	s.Arrange()
	if !s.job().ran {
		return tea.Batch(s.loader.refresh(), s.clock.startClock())
	}
	return s.clock.resume()
}

// Update handles what the root does not take for itself.
func (s *queueScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case queueLoadedMsg:
		return s.loader.arrived(msg)
	case queueTickedMsg:
		return s.loader.spun(msg)
	case queueBeatMsg:
		return s.clock.ticked(msg)
	case tea.FocusMsg:
		s.clock.blurred = false
		return s.clock.resume()
	case tea.BlurMsg:
		s.clock.blurred = true
		return nil
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || s.job() == nil || s.InFlight(msg) {
		return nil
	}
	before := s.tabs.Active
	if len(s.jobs) > 1 && s.tabs.Update(msg) {
		if s.tabs.Active == before {
			return nil
		}
		return s.turned()
	}
	if cmd, why, used := s.Actions().Handle(press); used {
		if why != "" {
			return screen.Send(screen.NoticeMsg{Text: why})
		}
		return cmd
	}
	s.job().grid.Update(msg)
	return nil
}

// Click marks nothing: it moves the cursor, and opens the row under it.
func (s *queueScreen) Click(x, y int) tea.Cmd {
	if s.Box != nil {
		return s.ClickBox(x, y)
	}
	j := s.job()
	switch {
	case j == nil:
	case s.lay.tabs.Has(x, y):
		before := s.tabs.Active
		if s.tabs.Click(x-s.lay.tabs.X) && s.tabs.Active != before {
			return s.turned()
		}
	case s.lay.grid.Has(x, y):
		if again, _ := j.grid.Click(x-s.lay.grid.X, y-s.lay.grid.Y); again {
			return s.does.enter()
		}
	}
	return nil
}

// Wheel scrolls the rows.
func (s *queueScreen) Wheel(_, _ int, up bool) tea.Cmd {
	if s.Box != nil {
		s.WheelBox(up)
		return nil
	}
	if j := s.job(); j != nil {
		j.grid.Wheel(up)
	}
	return nil
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "queue", Title: "Queues",
		Does:    "Items that need a decision. The actions of a queue use letters of their names that are not in use.",
		Actions: (&queueScreen{}).makeActions(), Pieces: screen.TabbedKeys(),
	}
}
