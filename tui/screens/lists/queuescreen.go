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

// A queueScreen shows a queue of a schema.
type queueScreen struct {
	*queue

	env  *screen.Env
	w, h int

	// made are the last changes made from here, of one action, that u undoes together.
	made planner.Made
}

func newQueueScreen(env *screen.Env, to screen.Queue) screen.Screen {
	list := env.Session.Profile().Queues
	at := max(slices.IndexFunc(list, func(q *change.Queue) bool { return q.ID == to.ID }), 0)
	s := &queueScreen{env: env}
	s.use(newQueue(env, list[at], to.Given))
	return s
}

func (s *queueScreen) use(q *queue) {
	q.Around = s
	s.queue = q
}

// Top draws what the queue is.
func (s *queueScreen) Top(int) []string {
	return []string{" " + s.env.Styles.Paint(widget.RoleMuted, s.about(s.env))}
}

// ClickTop does nothing.
func (s *queueScreen) ClickTop(int, int) tea.Cmd { return nil }

// Tab is the title and the number of items.
func (s *queueScreen) Tab() string { return s.tab() }

// Init reads the queue.
func (s *queueScreen) Init() tea.Cmd { return tea.Batch(s.Reload(), s.readSmall()) }

// SetSize sets the size of the screen in cells.
func (s *queueScreen) SetSize(w, h int) {
	s.w, s.h = w, h
	s.queue.SetSize(w, h)
}

// Update handles what the root does not handle itself.
func (s *queueScreen) Update(msg tea.Msg) tea.Cmd {
	if sized, ok := msg.(overlay.ScanSizedMsg); ok {
		return s.ScanSized(sized)
	}
	return tea.Batch(s.queue.Update(msg), s.arrived(s.queue))
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
	q := s.queue
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
		s.use(newQueue(s.env, q.of, box.Form.Values()))
		s.queue.SetSize(s.w, s.h)
		return s.Init()
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
			var list []changes.Item
			for _, it := range targets.Items.Items() {
				list = append(list, changes.Item{Table: s.of.Pattern.Table, Item: it})
			}
			return s.changeMany(planner.ChangeRequest{
				Action: a, Title: a.Title + " · " + present.Plural(len(list), "item"), About: a.Description, Items: list,
			})
		}
		return s.changeOne(a, targets.Items.Items()[0])
	})
}

func (s *queueScreen) changeOne(a *change.Action, it models.Item) tea.Cmd {
	s.Box = planner.NewChange(s.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + s.table.Name(it), About: a.Description, Item: it,
		Args: changes.ActionArgs(a, a.Entity, it), Done: s.done(),
	})
	return nil
}

func (s *queueScreen) changeMany(r planner.ChangeRequest) (cmd tea.Cmd) {
	record, changed := s.recorder(), map[string]bool{}
	r.Done = func(done *changes.Commitment) tea.Cmd {
		record(done)
		w := done.Plan.Writes[0]
		changed[results.Key(w.Table, w.Key)] = true
		return nil
	}
	r.Closed = func() tea.Cmd {
		s.UnmarkIf(func(q *queued) bool { return changed[q.id] })
		return s.ReadAgain() // Not every outcome may be known.
	}
	s.Box, cmd = planner.NewMany(s.env, r)
	return cmd
}

// recorder takes each change of one dialog: the first replaces those of an earlier dialog.
func (s *queueScreen) recorder() func(*changes.Commitment) {
	first := true
	return func(done *changes.Commitment) {
		if done == nil {
			return
		}
		if first && done.Plan.Undoes == nil {
			s.made, first = planner.Made{}, false
		}
		s.made.Add(done)
	}
}

func (s *queueScreen) done() func(*changes.Commitment) tea.Cmd {
	record := s.recorder()
	return func(done *changes.Commitment) tea.Cmd {
		record(done)
		s.UnmarkIf(func(*queued) bool { return true })
		return s.ReadAgain()
	}
}

func (s *queueScreen) undo() tea.Cmd {
	r := s.made.Request(s.env)
	if s.made.Many() {
		return s.changeMany(r)
	}
	r.Done = s.done()
	s.Box = planner.NewChange(s.env, r)
	return nil
}

// Undo opens the dialog that undoes a change.
func (s *queueScreen) Undo(l changes.Latest) (cmd tea.Cmd) {
	s.Box, cmd = planner.NewUndo(s.env, l, s.done())
	return cmd
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
