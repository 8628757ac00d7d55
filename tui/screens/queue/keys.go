package queue

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "queue", Title: "Queues",
		Does:    "Items that need a decision. Actions have the same keys in a queue and on an item.",
		Actions: (&queueScreen{}).makeActions(), Pieces: screen.TabbedKeys(),
	}
}

func queueLetters(q *change.Queue, all map[*change.Action]string) map[*change.Action]string {
	letters, taken := map[*change.Action]string{}, map[string]bool{}
	for _, a := range q.Actions {
		if letter := all[a]; letter != "" && !taken[letter] {
			letters[a], taken[letter] = letter, true
		}
	}
	return letters
}

// ownActions is the place of the queue's own actions among those of the screen.
const ownActions = 2

// Actions returns the keys of the screen, the most important first.
func (s *queueScreen) Actions() widget.Actions {
	as := s.env.Keys.Rebind("queue", s.makeActions())
	switch j := s.job(); {
	case j == nil:
	case !j.ready:
		as[0].Desc = "set parameters"
	case j.needsConsent():
		as[0].Desc = "read"
	}
	for i := range as {
		if as[i].Name == "toggle-refresh" && s.auto.clock.off {
			as[i].Desc = "resume"
		}
	}
	s.does.bind(as)
	return slices.Insert(as, ownActions, s.does.changes()...)
}

func (s *queueScreen) makeActions() widget.Actions {
	// The visible queue changes: its methods are bound when a key is pressed.
	why := func(of func(*queueJob) string) func() string { return func() string { return of(s.job()) } }
	onlyQueue := func() string {
		if len(s.jobs) < 2 {
			return "no other queue"
		}
		return ""
	}
	return widget.Actions{
		widget.NewAction("enter", "enter", "open", "open the item, or confirm a prompt of the queue",
			why((*queueJob).cannotEnter), s.enter),
		widget.NewAction("mark", "space", "mark", "mark the row and go to the next", why((*queueJob).noRow), nil),
		widget.NewAction("actions", "o", "actions", "list all actions of the queue", why((*queueJob).noActions), s.does.openActions),
		widget.NewAction("undo", "u", "undo", "undo the last change made from this screen, of one item or of all that were marked",
			s.does.cannotUndo, s.does.undo),
		widget.NewAction("mark-all", "*", "mark all", "mark all rows shown, or none",
			why((*queueJob).noRow), func() tea.Cmd { s.job().rows.markAll(); return nil }),
		widget.NewAction("toggle-refresh", "t", "pause", "turn the refresh every 15 seconds on or off",
			why((*queueJob).neverRefreshes), func() tea.Cmd { s.auto.clock.off = !s.auto.clock.off; return s.auto.resume() }),
		widget.NewAction("refresh", "ctrl+r f5", "refresh", "refresh the queue now", why((*queueJob).noQueue), s.auto.askRefresh),
		widget.NewAction("parameters", "e", "parameters", "change the parameters of the queue",
			why((*queueJob).noParameters), s.askParameters),
		widget.NewAction("more", "n", "more", "read the next page",
			why((*queueJob).noMore), func() tea.Cmd { s.job().limit += pageRows; return s.auto.load() }),
		widget.NewAction("copy", "y", "copy", "copy the row or the rows: clipboard, pager, editor, file",
			why((*queueJob).noRow), s.does.openCopyMenu),
		widget.NewAction("export", "E", "export", "export the queue to a file", why((*queueJob).noRow), s.does.openExport),
		widget.NewAction("next-queue", "tab", "next queue", "go to the next queue; 1 to 9 select one",
			onlyQueue, func() tea.Cmd { return s.turnTo(s.tabs.Active + 1) }),
		widget.NewAction("previous-queue", "shift+tab", "", "go to the previous queue",
			onlyQueue, func() tea.Cmd { return s.turnTo(s.tabs.Active - 1) }),
	}
}

func (ac *actions) changes() widget.Actions {
	j := ac.s.job()
	if j == nil {
		return nil
	}
	var as widget.Actions
	targets := j.targets()
	for _, a := range j.queue.Actions {
		if letter := j.letters[a]; letter != "" {
			as = append(as, widget.Action{
				Name: "change-" + a.ID, Binding: widget.Bind(letter, letter), Desc: present.ActionVerb(a, j.queue.Actions),
				Long: a.Title + ": the marked rows, or the current one", Danger: true,
				Disabled: func() string { return ac.cannotChange(a, targets) }, Run: func() tea.Cmd { return ac.change(a, targets) },
			})
		}
	}
	return as
}

// Update handles what the root does not handle itself.
func (s *queueScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loadedMsg:
		return s.auto.arrived(msg)
	case screen.TickMsg:
		return msg.Task.Ticked()
	case intervalMsg:
		return s.auto.intervalOver(msg)
	case overlay.ScanSizedMsg:
		return s.ScanSized(msg)
	case tea.FocusMsg:
		s.auto.clock.blurred = false
		return s.auto.resume()
	case tea.BlurMsg:
		s.auto.clock.blurred = true
		return nil
	}
	if s.Box != nil {
		return s.ToBox(msg)
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || s.job() == nil || s.InFlight(msg) {
		return nil
	}
	s.job().opens = false // Only enter sets it again.
	before := s.tabs.Active
	if len(s.jobs) > 1 && s.tabs.Update(msg) {
		if s.tabs.Active == before {
			return nil
		}
		return s.turnTo(s.tabs.Active)
	}
	if cmd, used := screen.Press(s.Actions(), press); used {
		return cmd
	}
	if !s.job().rows.Grid.Update(msg) && press.String() == "/" {
		return screen.Send(screen.NoticeMsg{Text: "the queue has no filter; the workbench filters the rows of a pattern"})
	}
	return nil
}

// The methods below say why something is unavailable, "" if it is available. The job is
// nil for a profile without queues.

func (j *queueJob) noQueue() string {
	if j == nil {
		return "this profile has no queue"
	}
	return ""
}

func (j *queueJob) neverRefreshes() string {
	switch {
	case j != nil && !j.ready:
		return "this queue needs its parameters first"
	case j != nil && j.scan:
		return "this queue reads a whole table, so it is read only on request"
	}
	return j.noQueue()
}

func (j *queueJob) noParameters() string {
	if j != nil && len(j.queue.Params) == 0 {
		return "this queue has no parameters"
	}
	return j.noQueue()
}

func (j *queueJob) noRow() string {
	if j == nil || j.selected() == nil {
		return "the queue is empty"
	}
	return ""
}

func (j *queueJob) noActions() string {
	if j == nil || len(j.queue.Actions) == 0 {
		return "this queue has no actions"
	}
	return ""
}

func (j *queueJob) noMore() string {
	if j == nil || !j.more {
		return "there are no more items"
	}
	return ""
}

func (j *queueJob) cannotEnter() string {
	if j != nil && (!j.ready || j.needsConsent() || j.awaited()) {
		return ""
	}
	return j.noRow()
}

func (j *queueJob) awaited() bool { return !j.ran && j.task.Running() }

// bind binds the actions to the row under the cursor: a refresh behind the palette can bring another one there.
func (ac *actions) bind(as widget.Actions) {
	j := ac.s.job()
	if j == nil || j.selected() == nil {
		return
	}
	at, row := ac.s.tabs.Active, j.selected()
	for i, a := range as {
		if a.Name != "enter" && a.Name != "copy" {
			continue
		}
		as[i].Run = func() tea.Cmd {
			now := j.selected()
			if ac.s.tabs.Active != at || now == nil || now.key != row.key {
				return screen.Send(screen.NoticeMsg{Text: a.Desc + ": " + results.Undone([]string{j.rows.Name(row.item)}, nil), Bad: true})
			}
			return a.Run()
		}
	}
}

// cannotChange does not check the state of the items: the plan does, for each of them.
func (ac *actions) cannotChange(a *change.Action, targets results.Targets) string {
	if err := ac.s.env.Session.CanChangeOrRequest(a); err != nil {
		return err.Error()
	}
	switch err := ac.s.env.Session.CanChange(a); {
	case targets.Items.Len() == 0 && ac.s.job().rows.Len() == 0:
		return "the queue is empty"
	case targets.Items.Len() == 0:
		return "the selected row needs no decision; select another one"
	case err != nil && targets.Marked:
		return err.Error() + ", or request the change of one item at a time"
	case a.FourEyes && targets.Marked:
		return a.Title + " needs two people; ddbdesk change --plan writes a plan for each item"
	}
	return ""
}

func (s *queueScreen) enter() tea.Cmd {
	j := s.job()
	switch {
	case !j.ready:
		return s.askParameters()
	case j.needsConsent():
		return s.auto.askScan(j)
	case j.awaited():
		j.opens = true
		return nil
	}
	r := j.selected()
	r.isNew = false
	return screen.Open(screen.Item{Table: j.queue.Pattern.Table, Item: r.item, Among: j.rows.Among()})
}

func (s *queueScreen) openKept(j *queueJob) tea.Cmd {
	if !j.opens || j != s.job() || s.Box != nil || j.selected() == nil {
		return nil
	}
	return s.enter()
}

func (ac *actions) change(a *change.Action, targets results.Targets) tea.Cmd {
	j := ac.s.job()
	if why := ac.cannotChange(a, targets); why != "" {
		return screen.Send(screen.NoticeMsg{Text: a.Title + ": " + why})
	}
	if why := targets.Problem(j.rows.now); why != "" {
		return screen.Send(screen.NoticeMsg{Text: a.Title + ": " + why, Bad: true})
	}
	switch {
	case targets.Marked:
		return ac.changeMarked(a, targets)
	case len(j.rows.lost) > 0:
		return ac.askFallback(a, targets)
	}
	return ac.changeOne(a, targets.Items.Items()[0])
}

func (ac *actions) changeMarked(a *change.Action, targets results.Targets) tea.Cmd {
	j := ac.s.job()
	x := planner.NewSweepDialog(ac.s.env, sweep.Sweep{Action: a, Items: planner.SweepItems(j.queue.Pattern.Table, targets.Items.Items())})
	x.Letters = j.letters
	heard := ac.recorder()
	x.Heard = func(o sweep.Outcome) { heard(o.Done) }
	x.Closed = func() tea.Cmd { return ac.ended(nil) } // Not every outcome may be known.
	ac.s.Box = x
	return x.Start()
}

// askFallback asks because the user had marked another row, which a refresh removed.
func (ac *actions) askFallback(a *change.Action, targets results.Targets) tea.Cmd {
	j := ac.s.job()
	it := targets.Items.Items()[0]
	left := "The marked item left the queue: "
	if len(j.rows.lost) > 1 {
		left = "The marked items left the queue: "
	}
	name := j.rows.Name(it)
	ac.s.Box = overlay.NewCalmQuestion(a.Title+" another item?", "", "Use this item", func() tea.Cmd {
		j.rows.lost = nil
		return ac.change(a, targets)
	}, left+results.NameSome(j.rows.lost)+".", "The cursor is on "+name+".")
	return nil
}

func (ac *actions) changeOne(a *change.Action, it models.Item) tea.Cmd {
	j := ac.s.job()
	ac.s.Box = planner.NewChange(ac.s.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + j.rows.Name(it), About: a.Description, Item: it,
		Args: changes.ActionArgs(a, a.Entity, it), Key: func(a *change.Action) string { return j.letters[a] },
		Done: ac.done(),
	})
	return nil
}

func (ac *actions) ended(done *changes.Commitment) tea.Cmd {
	if done == nil {
		ac.s.job().task.End()
	}
	return ac.changed()
}

func (ac *actions) changed() tea.Cmd {
	ac.s.job().rows.Marks.Clear()
	ac.s.job().rows.lost = nil
	return ac.s.auto.refresh()
}

func (j *queueJob) describe(targets results.Targets) string {
	if n := targets.Items.Len(); n != 1 {
		return present.Plural(n, "item")
	}
	return j.rows.Name(targets.Items.Items()[0])
}

func (ac *actions) openActions() tea.Cmd {
	j := ac.s.job()
	targets := j.targets()
	m := &overlay.Menu{Title: "Actions"}
	if targets.Items.Len() > 0 {
		m.Title += " for " + j.describe(targets)
	}
	why, entries := "", []overlay.MenuEntry(nil)
	for i, a := range j.queue.Actions {
		e := overlay.MenuEntry{
			Key: j.letters[a], Label: a.Title, Note: a.Description, Why: ac.cannotChange(a, targets),
			Run: func() tea.Cmd { return ac.change(a, targets) },
		}
		if i == 0 {
			why = e.Why
		} else if e.Why != why {
			why = ""
		}
		entries = append(entries, e)
	}
	if m.Entries = entries; why != "" {
		m.Entries = nil
		m.Refuse(why, entries)
	}
	ac.s.Box = m
	return nil
}

func (ac *actions) openCopyMenu() tea.Cmd {
	j := ac.s.job()
	selected, what := j.rows.MarkedItems(), "marked row"
	if selected.Len() == 0 {
		selected, what = rows.Select(j.rows.items()), "row"
	}
	many := output.ManyPieces(ac.s.env, j.rows.Rows, selected, present.Plural(selected.Len(), what))
	output.OpenCopyMenu(&ac.s.Host, ac.s.env, append(output.RowPieces(ac.s.env, j.rows.Table), many...))
	return nil
}

func (ac *actions) openExport() tea.Cmd {
	j := ac.s.job()
	p, all := j.queue.Pattern, rows.Select(j.rows.items())
	note := "all items that need a decision"
	if j.more {
		note = "the items read so far; there are more"
	}
	ac.s.Box = output.NewExport(ac.s.env, output.Exporting{
		Title: "Export queue", Name: p.Profile + "-" + j.queue.ID,
		Rows: append(output.MarkedChoice(j.rows.MarkedItems()),
			output.RowChoice{Label: fmt.Sprintf("waiting · %s", present.Thousands(all.Len())), Note: note, Items: all}),
		What: exporter.Export{Subject: p.FullID(), Table: p.Table, Entities: p.Returns},
	})
	return nil
}
