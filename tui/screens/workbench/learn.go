package workbench

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// commits shows in the rows what changes made of their items.
type commits struct {
	j *job

	since []screen.Committed // changes that were made during the read
}

// Committed shows what a change made of items in the rows of all patterns.
func (b *Workbench) Committed(list []screen.Committed) tea.Cmd {
	var cmds []tea.Cmd
	for _, j := range b.jobs {
		own := slices.DeleteFunc(slices.Clone(list), func(c screen.Committed) bool { return c.Table != j.pattern.Table })
		if len(own) > 0 {
			cmds = append(cmds, j.commits.committed(own))
		}
	}
	return tea.Batch(cmds...)
}

// committed shows what a change made of items. A read that is under way may have seen them
// before: its first page is read again, and in later pages the older state is replaced when
// it arrives, because the pages before it stay.
func (c *commits) committed(list []screen.Committed) tea.Cmd {
	switch {
	case c.j.task.Running() && c.j.run == nil && !c.j.task.Stopped:
		c.j.task.End()
		return c.j.load(c.j.all)
	case c.j.task.Running():
		c.since = append(c.since, list...)
	}
	const most = 20_000 // Finding the items among more rows would block the screen.
	if c.j.rows.Items.Len() <= most {
		return c.j.rows.Learn(results.FindCommitted(c.j.rows.Items, 0, c.j.pattern.Table, list))
	}
	store, table, of := c.j.rows.Items, c.j.pattern.Table, c.j.rows.Items.Packer()
	return func() tea.Msg { return learnedMsg{c.j, of, results.FindCommitted(store, 0, table, list)} }
}

// learnedMsg has the rows that a change concerns, by their number.
type learnedMsg struct {
	job   *job
	of    *rows.Packer // of the rows; others after a new request
	items map[int]models.Item
}

// learned shows the rows that were found, if they are still the same ones.
func (c *commits) learned(msg learnedMsg) tea.Cmd {
	if msg.of != c.j.rows.Items.Packer() {
		return nil
	}
	return c.j.rows.Learn(msg.items)
}

// correct replaces arrived rows, from a number on, that have the state from before a change
// which was made while they were read.
func (c *commits) correct(from int) tea.Cmd {
	if len(c.since) == 0 {
		return nil
	}
	older := map[int]models.Item{}
	for at, it := range results.FindCommitted(c.j.rows.Items, from, c.j.pattern.Table, c.since) {
		if c.isBefore(c.j.rows.Items.At(at)) {
			older[at] = it
		}
	}
	return c.j.rows.Learn(older)
}

// isBefore reports whether an item has the state from before a change. An index may hold a
// part of the attributes.
func (c *commits) isBefore(it models.Item) bool {
	key := results.Key(c.j.pattern.Table, it)
	return slices.ContainsFunc(c.since, func(c screen.Committed) bool {
		if results.Key(c.Table, c.Key) != key {
			return false
		}
		for name, v := range it {
			if was, ok := c.Before[name]; !ok || !models.EqualValues(was, v) {
				return false
			}
		}
		return true
	})
}

// planRow opens the dialog that plans a change of the row for which it was offered, if the
// row is as it was then.
func (j *job) planRow(o changes.Offer, row results.Targets) tea.Cmd {
	if o.Why != "" {
		return screen.Send(screen.NoticeMsg{Text: o.Action.Title + ": " + o.Why, Bad: true})
	}
	if why := row.Problem(j.now); why != "" || j.b.job != j {
		return screen.Send(screen.NoticeMsg{Text: o.Action.Title + ": " + why, Bad: true})
	}
	raw := row.Items.Items()[0]
	j.b.Box = planner.NewChange(j.b.env, planner.ChangeRequest{
		Action: o.Action, Title: o.Action.Title + " · " + j.rows.Name(raw), About: o.Action.Description, Item: raw, Args: o.Args,
		Done: func(*changes.Commitment) tea.Cmd { return j.refresh() },
	})
	return nil
}

// now returns the item under the cursor if it has a key. The cursor stays on its item as
// long as there is a row with it.
func (j *job) now(key string) (models.Item, bool) {
	raw, _, ok := j.rows.Selected()
	return raw, ok && results.Key(j.pattern.Table, raw) == key
}

// bind binds the actions on the row under the cursor to its item: rows that arrive behind
// the palette can move another one there.
func (b *Workbench) bind(as widget.Actions) {
	if b.noRow() != "" {
		return
	}
	j := b.job
	row := j.rows.Current()
	for i, a := range as {
		if a.Name != "value" && a.Name != "mark" && a.Name != "copy" {
			continue
		}
		as[i].Run = func() tea.Cmd {
			if why := row.Problem(j.now); why != "" {
				return screen.Send(screen.NoticeMsg{Text: a.Desc + ": " + why, Bad: true})
			}
			return a.Run()
		}
	}
}
