package queue

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// change carries out an action on what is marked, else on the row.
func (qa *queueActions) change(a *change.Action) tea.Cmd {
	j := qa.s.job()
	items, table := j.targets(), j.queue.Pattern.Table
	if j.Marked() == 0 {
		return qa.changeOne(a, items[0])
	}
	x := planner.NewBulkBox(qa.s.env, changes.Bulk{Action: a, Items: planner.BulkItems(table, items)})
	x.Closed, x.Letters = qa.changed, j.letters
	qa.s.Box = x
	return x.Start()
}

// changeOne carries out an action on one item.
func (qa *queueActions) changeOne(a *change.Action, it models.Item) tea.Cmd {
	j := qa.s.job()
	shown := j.rows.Row(max(j.grid.Cursor(), 0))
	qa.s.Box = planner.NewChange(qa.s.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + results.ItemTitle(shown), About: a.Description, Item: it,
		Args: changes.ActionArgs(a, a.Entity, it), Key: func(a *change.Action) string { return j.letters[a] },
		Done: func(done *changes.Commitment) tea.Cmd {
			if done != nil {
				j.rows.learn(done.Plan)
			}
			return qa.changed()
		},
	})
	return nil
}

// changed reads the queue again after its items were changed.
func (qa *queueActions) changed() tea.Cmd {
	j := qa.s.job()
	j.grid.ClearMarks()
	return tea.Batch(qa.s.loader.refresh(), qa.s.clock.startClock())
}

// openActions offers every action of the queue, those without a letter too.
func (qa *queueActions) openActions() tea.Cmd {
	j := qa.s.job()
	m := &overlay.Menu{Title: fmt.Sprintf("With %s", present.Plural(len(j.targets()), "item"))}
	for _, a := range j.queue.Actions {
		note := a.Description
		why := qa.cannotChange(a)
		if why != "" {
			note = "not now: " + why
		}
		m.Entries = append(m.Entries, overlay.MenuEntry{Key: j.letters[a], Label: a.Title, Note: note, Run: func() tea.Cmd {
			if why != "" {
				return screen.Send(screen.NoticeMsg{Text: why})
			}
			return qa.change(a)
		}})
	}
	qa.s.Box = m
	return nil
}
