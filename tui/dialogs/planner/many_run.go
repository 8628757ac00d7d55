package planner

import (
	"context"
	"iter"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// outcomesAhead is the number of outcomes to queue for the screen before the changes pause.
const outcomesAhead = 64

// maxUserLookups is the maximum number of conflicts for which the dialog looks up who changed the item.
const maxUserLookups = 10

// A report describes the outcome of one item.
type report struct {
	outcome changes.Outcome
	name    string
	user    string // user who changed the item, "" if unknown
	interim bool   // another change of the item follows
}

// An itemsJob changes the items, outside of Update.
type itemsJob struct {
	*manyItems
	s           *workspace.Workspace
	set         changes.Set
	userLookups int
	openedAt    time.Time
}

func (c *Change) startMany(group string) tea.Cmd {
	if c.form.Validate() != nil {
		c.focusForm(true)
		return nil
	}
	m := c.many
	ready, waiting := m.ready, m.waiting
	var set changes.Set
	set.Action = c.req.Action
	set.Inputs, set.Reason = c.inputs()
	switch group {
	case "many":
		waiting = nil
	case "first":
		set.Action, set.Inputs, ready, waiting = m.first, nil, m.waiting, nil
	}
	for _, it := range ready {
		set.Tables = models.AppendOnce(set.Tables, it.Table)
	}
	if !c.undoesMany() {
		m.total = len(ready) + len(waiting)
	}
	c.enter(changeStepRunning)
	c.inForm = false
	w := screen.NewWriting()
	c.writing = w
	j := itemsJob{manyItems: m, s: c.Env.Workspace, set: set, openedAt: c.Env.Now()}
	undoes := c.req.toUndo.sets
	var cmd tea.Cmd
	c.task, cmd = screen.Stream(c.Env.Context, outcomesAhead, func(ctx context.Context, emit func(screen.Commit)) screen.Commit {
		send := func(r report) {
			emit(screen.Commit{Changes: committedBy(r.outcome.Commitment), Answer: func() tea.Cmd { return c.handleReport(r) }})
		}
		var err error
		w.Do(func() { err = j.run(ctx, ready, waiting, undoes, send) })
		return screen.Commit{Answer: func() tea.Cmd { return c.finishMany(err) }}
	})
	return cmd
}

// run applies the changes. It returns an error only if it could not attempt any change.
func (j *itemsJob) run(ctx context.Context, ready, waiting []changes.Item, undoes []string, send func(report)) error {
	for _, id := range undoes {
		u, err := j.s.Journal.Undo(id, j.set.Reason)
		if err == nil {
			_, err = j.apply(ctx, u.Set, u.Items(j.s.Journal), send, nil)
		}
		if err != nil {
			return err
		}
	}
	if len(undoes) > 0 {
		return nil
	}
	stopped := ""
	if len(waiting) > 0 {
		firstSet := changes.Set{Action: j.first, Reason: j.set.Reason}
		sum, err := j.apply(ctx, firstSet, changes.Items(waiting...), send,
			func(it changes.Item) { ready = append(slices.Clip(ready), it) })
		if err != nil {
			return err
		}
		stopped = sum.Stopped
	}
	if stopped != "" {
		for _, it := range ready {
			o := changes.Outcome{Table: it.Table.Name, Key: it.Table.KeyText(j.env.Session.Masker().Item(it.Table, it.Item))}
			o.Status, o.Reason = changes.Skipped, stopped
			send(report{outcome: o, name: j.name(it, false)})
		}
		return nil
	}
	_, err := j.apply(ctx, j.set, changes.Items(ready...), send, nil)
	return err
}

// apply changes the items and reports each outcome. next, if not nil, receives each item that needs a second change.
func (j *itemsJob) apply(
	ctx context.Context, set changes.Set, list iter.Seq2[changes.Item, error], send func(report), next func(changes.Item),
) (changes.Summary, error) {
	var it changes.Item
	sum, err := j.s.Committer.Run(ctx, set, func(yield func(changes.Item, error) bool) {
		for current, err := range list {
			if it = current; !yield(current, err) {
				return
			}
		}
	}, func(o changes.Outcome) {
		r := report{outcome: o, name: models.Printable(o.Key)}
		if shown := it; it.Item != nil || o.Commitment != nil {
			if shown.Item == nil {
				shown.Item = o.Commitment.Plan.Writes[0].After
			}
			if shown.Item != nil {
				r.name = j.name(shown, false)
			}
		}
		if o.Status == changes.Conflict && j.userLookups < maxUserLookups {
			j.userLookups++
			r.user = j.lastUser(ctx, it)
		}
		if r.interim = next != nil && o.Status == changes.Committed; r.interim {
			next(changes.Item{Table: it.Table, Item: o.Commitment.Items[0]})
		}
		send(r)
	})
	if sum.Total() > 0 {
		err = nil // The summary contains the error.
	}
	return sum, err
}

func (j *itemsJob) lastUser(ctx context.Context, it changes.Item) string {
	since := j.openedAt
	if r, ok := j.env.Session.Recognize(it.Table, it.Item); ok && r.Entity.Updated != "" {
		text, _ := it.Item.Text(r.Entity.Updated)
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			since = at.Add(time.Second)
		}
	}
	return lastChange(ctx, j.s, it.Table, it.Item, since).Who
}

func (c *Change) handleReport(r report) (notice tea.Cmd) {
	if done := r.outcome.Commitment; done != nil && c.req.Done != nil {
		notice = c.req.Done(done)
	}
	c.many.addReport(r)
	return notice
}

func (m *manyItems) addReport(r report) {
	o := outcome{Outcome: r.outcome, name: r.name, word: statusWords[r.outcome.Status]}
	if done := o.Commitment; done != nil {
		m.units += done.Capacity
		m.undoable.add(done)
		o.queues = m.env.Planner.QueuesAfter(done.Plan)
		o.Commitment = nil // Done would keep the items in memory.
	}
	if o.Err = nil; r.interim {
		return
	}
	if o.Status == changes.Conflict && r.user != "" {
		o.word = "changed by " + models.PrintableCell(r.user, 16)
	}
	m.list = append(m.list, o)
	m.counts[o.Status]++
	m.grid.SetSource(m)
	m.grid.SetCursor(m.Len() - 1)
}

func (c *Change) finishMany(err error) tea.Cmd {
	m := c.many
	m.err = err
	c.enter(changeStepEnded)
	c.dialog.Buttons = c.endButtons()
	for i, o := range m.list {
		if o.Status != changes.Committed {
			m.grid.SetCursor(i)
			break
		}
	}
	if c.req.Ended == nil {
		return c.startGrace()
	}
	return tea.Batch(c.startGrace(), c.req.Ended())
}
