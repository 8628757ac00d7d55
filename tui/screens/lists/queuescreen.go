package lists

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A queueScreen shows the queues of a schema, one at a time: each is a list with columns of its own that is read apart.
type queueScreen struct {
	*queue // the visible one

	env  *screen.Env
	all  []*queue
	tabs widget.Tabs
	w, h int

	// made are the last changes made from here, of one action, that u undoes together.
	made []*changes.Commitment
}

func newQueueScreen(env *screen.Env, to screen.Queue) screen.Screen {
	s := &queueScreen{env: env}
	for i, of := range env.Session.Profile().Queues {
		given := map[string]string(nil)
		if of.ID == to.ID {
			s.tabs.Active, given = i, to.Given
		}
		s.all = append(s.all, s.listed(newQueue(env, of, given)))
		s.tabs.Titles = append(s.tabs.Titles, of.Title)
	}
	s.queue = s.all[s.tabs.Active]
	return s
}

func (s *queueScreen) listed(q *queue) *queue {
	q.Around = s
	return q
}

// Top draws the tabs and what the queue is.
func (s *queueScreen) Top(w int) []string {
	about := " " + s.env.Styles.Paint(widget.RoleMuted, s.about(s.env))
	if len(s.all) < 2 {
		return []string{about}
	}
	for i, q := range s.all {
		s.tabs.Titles[i] = q.tab()
	}
	return []string{s.tabs.Render(s.env.Styles, w), about}
}

// ClickTop goes to the queue of the tab at x.
func (s *queueScreen) ClickTop(x, y int) tea.Cmd {
	if before := s.tabs.Active; y == 0 && len(s.all) > 1 && s.tabs.Click(x) && s.tabs.Active != before {
		return s.turnTo(s.tabs.Active)
	}
	return nil
}

// Init reads the queue.
func (s *queueScreen) Init() tea.Cmd { return tea.Batch(s.Reload(), s.readSmall()) }

// SetSize sets the size of the screen in cells.
func (s *queueScreen) SetSize(w, h int) {
	s.w, s.h = w, h
	s.queue.SetSize(w, h)
}

// SetStyles changes the theme.
func (s *queueScreen) SetStyles(st *widget.Styles) {
	for _, q := range s.all {
		q.SetStyles(st)
	}
}

// Remask draws the rows again: personal data may have been revealed or masked.
func (s *queueScreen) Remask() tea.Cmd {
	for _, q := range s.all {
		q.Remask()
	}
	return nil
}

// Close cancels everything except a change that was sent.
func (s *queueScreen) Close() {
	for _, q := range s.all {
		q.Close()
	}
}

// Show goes to the queue with an ID.
func (s *queueScreen) Show(id string) tea.Cmd {
	i := slices.IndexFunc(s.all, func(q *queue) bool { return q.of.ID == id })
	if i < 0 || s.all[i] == s.queue {
		return nil
	}
	return s.turnTo(i)
}

func (s *queueScreen) turnTo(i int) tea.Cmd {
	left := s.Watch(false)
	s.tabs.Active = i % len(s.all)
	s.queue = s.all[s.tabs.Active]
	s.queue.SetSize(s.w, s.h)
	return tea.Batch(left, s.Watch(true), s.readSmall())
}

// Update handles what the root does not handle itself.
func (s *queueScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case overlay.ScanSizedMsg:
		return s.ScanSized(msg)
	case tea.KeyPressMsg:
		before := s.tabs.Active
		switch {
		case s.Typing() || len(s.all) < 2 || !s.tabs.Update(msg):
			return s.queue.Update(msg)
		case s.tabs.Active != before:
			return s.turnTo(s.tabs.Active)
		}
		return nil
	case screen.TickMsg:
		return s.queue.Update(msg)
	}
	var cmds []tea.Cmd
	for _, q := range s.all {
		cmds = append(cmds, q.Update(msg), s.arrived(q))
	}
	return tea.Batch(cmds...)
}

func (s *queueScreen) arrived(q *queue) tea.Cmd {
	if q.loads == q.Loads() {
		return nil
	}
	if q.loads = q.Loads(); len(q.of.Params) > 0 {
		return nil
	}
	return screen.Send(screen.WaitingMsg{
		Profile: s.env.Session.Profile().Name, Queue: q.of.ID, N: len(q.All()), More: q.Last().More, At: s.env.Session.Now(),
	})
}

// Committed shows what a change made of items.
func (s *queueScreen) Committed(list []screen.Committed) tea.Cmd {
	var cmds []tea.Cmd
	for _, q := range s.all {
		cmds = append(cmds, q.Committed(list))
	}
	return tea.Batch(cmds...)
}

// readSmall asks nobody if the read costs little.
func (s *queueScreen) readSmall() tea.Cmd {
	q := s.queue
	if !q.ready || !q.needsConsent() || q.sized {
		return nil
	}
	q.sized = true
	return s.ScanSmall(s.env.Context, s.env, q.of.Pattern.Table, q.of.Pattern.Read, func() tea.Cmd {
		q.consented = true
		return q.Reload()
	})
}

func (s *queueScreen) askScan() tea.Cmd {
	q, p := s.queue, s.of.Pattern
	return s.AskScan(s.env.Context, s.env, p.Table, p.Read, overlay.NewQuestion("Read the whole table?", "SCAN", "Read it",
		func() tea.Cmd {
			q.consented = true
			return q.Reload()
		},
		"No index serves this queue. It reads every item of "+p.Table.Name+", and you pay for all of them, also for those that need no "+
			"decision.",
		"Estimating the size …",
		"It is read again only on request. esc stops it."))
}

func (s *queueScreen) askParameters() tea.Cmd {
	q, at := s.queue, s.tabs.Active
	prefilled := map[string]bool{}
	for name, text := range q.given {
		prefilled[name] = text != ""
	}
	hidden := s.env.Session.HiddenParams(q.of.Pattern, prefilled)
	fields := present.Form{Table: q.of.Pattern.Table, Hidden: hidden}.Fields(s.env, q.of.Params...)
	for i := range fields {
		fields[i].Required = true
	}
	box := overlay.NewCalmQuestion(q.of.Title, "", "Read the queue", nil, q.of.Description)
	box.AskAll(s.env.Styles, fields...)
	box.Form.SetValues(q.given)
	box.Yes = func() tea.Cmd {
		q.Watch(false)
		q.Close()
		s.all[at] = s.listed(newQueue(s.env, q.of, box.Form.Values()))
		return s.turnTo(at)
	}
	s.Box = box
	return nil
}

func (s *queueScreen) reload() tea.Cmd {
	switch {
	case !s.ready:
		return s.askParameters()
	case s.needsConsent():
		return s.askScan()
	}
	return s.Reload()
}

func (s *queueScreen) enter() tea.Cmd {
	if s.missing(s.env) != nil {
		return s.reload()
	}
	r, _, _ := s.Selected()
	s.Change(func(q *queued) (*queued, bool) {
		if q == r {
			q = &queued{id: r.id, item: r.item}
		}
		return q, true
	})
	return screen.Open(screen.Item{Table: s.of.Pattern.Table, Item: r.item, Among: s.among()})
}

func (s *queueScreen) change(a *change.Action, targets results.Targets) tea.Cmd {
	if why := s.cannotChange(a, targets); why != "" {
		return screen.Send(screen.NoticeMsg{Text: a.Title + ": " + why})
	}
	if why := targets.Problem(s.now); why != "" {
		return screen.Send(screen.NoticeMsg{Text: a.Title + ": " + why, Bad: true})
	}
	return s.Sure(a.Title, func() tea.Cmd {
		if targets.Marked {
			x := planner.NewSweepDialog(s.env, planner.Sweep{
				Set: changes.Set{Action: a}, Items: planner.SweepItems(s.of.Pattern.Table, targets.Items.Items()),
			})
			x.Letters = s.letters
			return s.sweep(x)
		}
		return s.changeOne(a, targets.Items.Items()[0])
	})
}

func (s *queueScreen) changeOne(a *change.Action, it models.Item) tea.Cmd {
	letters := s.letters
	s.Box = planner.NewChange(s.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + s.table.Name(it), About: a.Description, Item: it,
		Args: changes.ActionArgs(a, a.Entity, it), Key: func(a *change.Action) string { return letters[a] },
		Done: s.done(),
	})
	return nil
}

func (s *queueScreen) sweep(x *planner.SweepDialog) tea.Cmd {
	record := s.recorder()
	x.Heard = func(o changes.Outcome) { record(o.Done) }
	x.Closed = s.changed // Not every outcome may be known.
	s.Box = x
	return x.Start()
}

// recorder takes each change of one dialog: the first replaces those of an earlier dialog, and an undo removes the
// change that it undid.
func (s *queueScreen) recorder() func(*changes.Commitment) {
	first := true
	return func(done *changes.Commitment) {
		if done == nil {
			return
		}
		if token := done.Past.Intent.Detail.Undoes; token != "" {
			s.made = slices.DeleteFunc(slices.Clone(s.made), func(d *changes.Commitment) bool {
				return d.Past.Intent.Detail.Token == token
			})
			return
		}
		if first {
			s.made, first = nil, false
		}
		s.made = append(s.made, done)
	}
}

func (s *queueScreen) done() func(*changes.Commitment) tea.Cmd {
	record := s.recorder()
	return func(done *changes.Commitment) tea.Cmd {
		record(done)
		return s.changed()
	}
}

func (s *queueScreen) changed() tea.Cmd {
	s.Unmark()
	return s.ReadAgain()
}

func (s *queueScreen) undo() tea.Cmd {
	if len(s.made) > 1 {
		return s.sweep(planner.NewSweepUndo(s.env, s.made[0].Plan.Action, s.made))
	}
	s.Undo(s.made[0].Past, s.made[0].Plan)
	return nil
}

// Undo opens the dialog that undoes a change.
func (s *queueScreen) Undo(past changes.PastChange, p *change.Plan) {
	r := planner.UndoRequest(s.env, past, p)
	r.Done = s.done()
	s.Box = planner.NewChange(s.env, r)
}

func (s *queueScreen) copyRows() tea.Cmd {
	items, what := s.marked(), "marked row"
	if len(items) == 0 {
		items, what = itemsOf(s.InView()), "row"
	}
	one, selected := results.NewTable(s.env, s.of.Pattern), rows.Select(items)
	if r, _, ok := s.Selected(); ok {
		one.Add([]models.Item{r.item})
		one.Grid.SetCursor(0)
	}
	many := output.ManyPieces(s.env, s.table.Rows, selected, present.Plural(len(items), what))
	output.OpenCopyMenu(&s.Host, s.env, append(output.RowPieces(s.env, one), many...))
	return nil
}

func (s *queueScreen) export() tea.Cmd {
	p, all, inView := s.of.Pattern, rows.Select(itemsOf(s.All())), rows.Select(itemsOf(s.InView()))
	note := "all items that need a decision"
	if s.Last().More {
		note = "the items read so far; there are more"
	}
	choices := output.MarkedChoice(rows.Select(s.marked()))
	if inView.Len() != all.Len() {
		choices = append(choices, output.RowChoice{
			Label: "listed · " + present.Thousands(inView.Len()), Note: "the items that match the filter", Items: inView,
		})
	}
	s.Box = output.NewExport(s.env, output.Exporting{
		Title: "Export queue", Name: p.Profile + "-" + s.of.ID,
		Rows: append(choices, output.RowChoice{Label: fmt.Sprintf("waiting · %s", present.Thousands(all.Len())), Note: note, Items: all}),
		What: items.Export{Subject: p.FullID(), Table: p.Table, Entities: p.Returns},
	})
	return nil
}

// Stage tells the tour how far a decision is.
func (s *queueScreen) Stage() screen.Stage {
	at := screen.Stage{Place: "queue", Queue: len(s.All()) > 0, Covered: s.Box != nil}
	if c, ok := s.Box.(*planner.Change); ok {
		return c.Stage(at)
	}
	return at
}
