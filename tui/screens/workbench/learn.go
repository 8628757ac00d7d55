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

// Committed shows what a change made of items in the rows of all patterns.
func (b *Workbench) Committed(list []screen.Committed) tea.Cmd {
	var cmds []tea.Cmd
	for _, j := range b.jobs {
		own := slices.DeleteFunc(slices.Clone(list), func(c screen.Committed) bool { return c.Table != j.pattern.Table })
		if len(own) > 0 {
			cmds = append(cmds, j.committed(own))
		}
	}
	return tea.Batch(cmds...)
}

// committed reads a first page that is under way again, because it may have seen the items before. In later pages the
// older state is replaced when it arrives.
func (j *job) committed(list []screen.Committed) tea.Cmd {
	switch {
	case j.task.Running() && j.run == nil && !j.task.Stopped:
		j.task.End()
		return j.load(j.all)
	case j.task.Running():
		j.since = append(j.since, list...)
	}
	const most = 20_000 // Finding the items among more rows would block the screen.
	if j.rows.Items.Len() <= most {
		return j.rows.Learn(results.FindCommitted(j.rows.Items, 0, j.pattern.Table, list))
	}
	store, table, of := j.rows.Items, j.pattern.Table, j.rows.Items.Packer()
	return func() tea.Msg { return learnedMsg{j, of, results.FindCommitted(store, 0, table, list)} }
}

// learnedMsg has the rows that a change concerns, by their number.
type learnedMsg struct {
	job   *job
	of    *rows.Packer // of the rows; others after a new request
	items map[int]models.Item
}

func (j *job) learned(msg learnedMsg) tea.Cmd {
	if msg.of != j.rows.Items.Packer() {
		return nil
	}
	return j.rows.Learn(msg.items)
}

func (j *job) correct(from int) tea.Cmd {
	if len(j.since) == 0 {
		return nil
	}
	older := map[int]models.Item{}
	for at, it := range results.FindCommitted(j.rows.Items, from, j.pattern.Table, j.since) {
		if j.isBefore(j.rows.Items.At(at)) {
			older[at] = it
		}
	}
	return j.rows.Learn(older)
}

// isBefore compares the attributes that the row has: an index may hold a part.
func (j *job) isBefore(it models.Item) bool {
	key := results.Key(j.pattern.Table, it)
	return slices.ContainsFunc(j.since, func(c screen.Committed) bool {
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

func (j *job) now(key string) (models.Item, bool) {
	raw, _, ok := j.rows.Selected()
	return raw, ok && results.Key(j.pattern.Table, raw) == key
}

// bind binds actions to the item under the cursor: rows that arrive behind the palette can move another one there.
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
