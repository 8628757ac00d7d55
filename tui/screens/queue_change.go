package screens

import (
	"fmt"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// change carries out an action on what is marked, else on the row.
func (s *queueScreen) change(a *accesspatterns.Action) tea.Cmd {
	j := s.job()
	items, table := j.targets(), j.queue.Pattern.Table
	if j.marked() == 0 {
		return s.changeOne(a, items[0])
	}
	x := newBulkBox(s.env, session.Bulk{Action: a, Items: bulkItems(table, items)})
	x.closed, x.letters = s.changed, j.letters
	s.box = x
	return x.start()
}

// changeOne carries out an action on one item.
func (s *queueScreen) changeOne(a *accesspatterns.Action, it models.Item) tea.Cmd {
	j := s.job()
	shown := j.rows.row(max(j.grid.Cursor(), 0))
	s.box = newChange(s.env, changeRequest{
		Action: a, Title: a.Title + " · " + itemTitle(shown), About: a.Description, Item: it,
		Args: session.ActionArgs(a, a.Entity, it), Key: func(a *accesspatterns.Action) string { return j.letters[a] },
		Done: func(done *session.Commitment) tea.Cmd {
			if done != nil {
				j.rows.learn(done.Plan)
			}
			return s.changed()
		},
	})
	return nil
}

// changed reads the queue again after its items were changed.
func (s *queueScreen) changed() tea.Cmd {
	j := s.job()
	j.grid.ClearMarks()
	return tea.Batch(s.refresh(), s.startClock())
}

// openActions offers every action of the queue, those without a letter too.
func (s *queueScreen) openActions() tea.Cmd {
	j := s.job()
	m := &menu{title: fmt.Sprintf("With %s", plural(len(j.targets()), "item"))}
	for _, a := range j.queue.Actions {
		note := a.Description
		why := s.cannotChange(a)
		if why != "" {
			note = "not now: " + why
		}
		m.entries = append(m.entries, menuEntry{j.letters[a], a.Title, note, func() tea.Cmd {
			if why != "" {
				return Send(NoticeMsg{Text: why})
			}
			return s.change(a)
		}})
	}
	s.box = m
	return nil
}
