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

// outcomesAhead is how many outcomes wait for the screen before the changes wait for it, too.
const outcomesAhead = 64

// askedWho is for how many items that others changed it is asked who did.
const askedWho = 10

// A manyMsg describes what became of the next item.
type manyMsg struct {
	of      *many
	outcome changes.Outcome
	name    string
	who     string // changed the item, "" if unknown
	interim bool   // another step of the item follows
	ended   bool
	err     error // at the end: why nothing was tried
}

// A work changes items, off the screen's time.
type work struct {
	*many
	s      *workspace.Workspace
	set    changes.Set
	asked  int
	opened time.Time
}

func (m *many) abandon() {
	if m.gone != nil {
		close(m.gone)
		m.gone = nil
	}
}

func (c *Change) startMany(which string) tea.Cmd {
	if c.form.Validate() != nil {
		c.focusForm(true)
		return nil
	}
	m := c.many
	ready, wait := m.ready, m.wait
	var set changes.Set
	set.Action = c.req.Action
	set.Inputs, set.Reason = c.inputs()
	switch which {
	case "many":
		wait = nil
	case "first":
		set.Action, set.Inputs, ready, wait = m.first, nil, m.wait, nil
	}
	for _, it := range ready {
		if !slices.Contains(set.Tables, it.Table) {
			set.Tables = append(set.Tables, it.Table)
		}
	}
	if !c.undoesMany() {
		m.total = len(ready) + len(wait)
	}
	m.come, m.gone = make(chan manyMsg, outcomesAhead), make(chan struct{})
	c.enter(changeRuns)
	c.inForm = false
	task, ctx, tick := screen.StartTask(c.Env.Context)
	w := screen.NewWriting()
	c.task, c.writing = task, w
	j := work{many: m, s: c.Env.Workspace, set: set, opened: c.Env.Now()}
	undoes, gone := c.req.undoes.sets, m.gone
	return tea.Batch(c.listen(), tick, func() tea.Msg {
		defer close(m.come)
		if !w.Start() {
			return nil
		}
		defer w.End()
		tell := func(msg manyMsg) {
			msg.of = m
			select {
			case m.come <- msg:
			case <-gone:
			}
		}
		tell(manyMsg{ended: true, err: j.do(ctx, ready, wait, undoes, tell)})
		return nil
	})
}

// do returns why nothing was tried.
func (j *work) do(ctx context.Context, ready, wait []changes.Item, undoes []string, tell func(manyMsg)) error {
	for _, id := range undoes {
		u, err := j.s.Journal.Undo(id, j.set.Reason)
		if err == nil {
			_, err = j.apply(ctx, u.Set, u.Items(j.s.Journal), tell, nil)
		}
		if err != nil {
			return err
		}
	}
	if len(undoes) > 0 {
		return nil
	}
	stopped := ""
	if len(wait) > 0 {
		before := changes.Set{Action: j.first, Reason: j.set.Reason}
		sum, err := j.apply(ctx, before, changes.Each(wait...), tell, func(it changes.Item) { ready = append(slices.Clip(ready), it) })
		if err != nil {
			return err
		}
		stopped = sum.Stopped
	}
	if stopped != "" {
		for _, it := range ready {
			o := changes.Outcome{Table: it.Table.Name, Key: it.Table.KeyText(j.env.Session.Masker().Item(it.Table, it.Item))}
			o.Status, o.Why = changes.Skipped, stopped
			tell(manyMsg{outcome: o, name: j.name(it, false)})
		}
		return nil
	}
	_, err := j.apply(ctx, j.set, changes.Each(ready...), tell, nil)
	return err
}

// apply tells the outcome of each item. What was changed goes to next, if that is not nil, and is not the end of the item.
func (j *work) apply(
	ctx context.Context, set changes.Set, list iter.Seq2[changes.Item, error], tell func(manyMsg), next func(changes.Item),
) (changes.Summary, error) {
	var it changes.Item
	sum, err := j.s.Committer.Run(ctx, set, func(yield func(changes.Item, error) bool) {
		for now, err := range list {
			if it = now; !yield(now, err) {
				return
			}
		}
	}, func(o changes.Outcome) {
		msg := manyMsg{outcome: o, name: models.Printable(o.Key)}
		if shown := it; it.Item != nil || o.Done != nil {
			if shown.Item == nil {
				shown.Item = o.Done.Plan.Writes[0].After
			}
			if shown.Item != nil {
				msg.name = j.name(shown, false)
			}
		}
		if o.Status == changes.Conflict && j.asked < askedWho {
			j.asked++
			msg.who = j.who(ctx, it)
		}
		if msg.interim = next != nil && o.Status == changes.Committed; msg.interim {
			next(changes.Item{Table: it.Table, Item: o.Done.Items[0]})
		}
		tell(msg)
	})
	if sum.Total() > 0 {
		err = nil // The summary says it.
	}
	return sum, err
}

func (j *work) who(ctx context.Context, it changes.Item) string {
	since := j.opened
	if r, ok := j.env.Session.Recognize(it.Table, it.Item); ok && r.Entity.Updated != "" {
		text, _ := it.Item.Text(r.Entity.Updated)
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			since = at.Add(time.Second)
		}
	}
	return whoChanged(ctx, j.s, it.Table, it.Item, since).Who
}

func (c *Change) listen() tea.Cmd {
	come := c.many.come
	return func() tea.Msg {
		if msg, more := <-come; more {
			return screen.Commit{Answer: func() tea.Cmd { return c.manyAnswered(msg) }, Made: committedBy(msg.outcome.Done)}
		}
		return nil
	}
}

// manyAnswered drops a message of an earlier run, such as that of the change that this one undoes.
func (c *Change) manyAnswered(msg manyMsg) tea.Cmd {
	switch {
	case msg.of != c.many || c.step != changeRuns:
		return nil
	case msg.ended:
		return c.endMany(msg.err)
	}
	var told tea.Cmd
	if done := msg.outcome.Done; done != nil && c.req.Done != nil {
		told = c.req.Done(done)
	}
	c.many.heard(msg)
	return tea.Batch(c.listen(), told)
}

func (m *many) heard(msg manyMsg) {
	o := outcome{Outcome: msg.outcome, name: msg.name, word: words[msg.outcome.Status]}
	if done := o.Done; done != nil {
		m.units += done.Capacity
		m.made.Add(done)
		o.queues = m.env.Planner.QueuesAfter(done.Plan)
		o.Done = nil // It holds the items.
	}
	if o.Err = nil; msg.interim {
		return
	}
	if o.Status == changes.Conflict && msg.who != "" {
		o.word = "changed by " + models.PrintableCell(msg.who, 16)
	}
	m.list = append(m.list, o)
	m.counts[o.Status]++
	m.grid.SetSource(m)
	m.grid.SetCursor(m.Len() - 1)
}

func (c *Change) endMany(err error) tea.Cmd {
	m := c.many
	c.task.End()
	m.err, m.gone = err, nil
	stopping := m.stopping
	c.enter(changeEnded)
	m.stopping = stopping
	c.dialog.Buttons = c.endButtons()
	for i, o := range m.list {
		if o.Status != changes.Committed {
			m.grid.SetCursor(i)
			break
		}
	}
	return c.startGrace()
}
