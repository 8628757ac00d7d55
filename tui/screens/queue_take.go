package screens

import (
	"fmt"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// stored are the items that still wait, as they are stored; marked are those
// with a mark among them.
func (j *queueJob) stored() (all, marked []models.Item) {
	for _, r := range j.rows.list {
		if !r.gone {
			all = append(all, r.item)
		}
	}
	for _, i := range j.grid.Marked() {
		if r := j.rows.list[i]; !r.gone {
			marked = append(marked, r.item)
		}
	}
	return all, marked
}

// openCopyMenu offers the row under the cursor, and the rows.
func (s *queueScreen) openCopyMenu() tea.Cmd {
	j := s.job()
	p := j.queue.Pattern
	raw := j.selected()
	shown := j.rows.row(max(j.grid.Cursor(), 0))
	pieces := append([]piece{pieceHeading("Row under the cursor"), valuesPiece(shown.item)}, itemPieces(s.env, p.Table, raw.item, rowName(s.env, p.Table, shown, raw.item))...)
	all, marked := j.stored()
	if len(marked) > 0 {
		pieces = append(pieces, manyPieces(s.env, j.rows.rows, pick(marked), plural(len(marked), "marked row"))...)
	} else {
		pieces = append(pieces, manyPieces(s.env, j.rows.rows, pick(all), plural(len(all), "row"))...)
	}
	openCopyMenu(&s.cover, s.env, pieces)
	return nil
}

// openExport asks which rows go to a file.
func (s *queueScreen) openExport() tea.Cmd {
	j := s.job()
	p := j.queue.Pattern
	all, marked := j.stored()
	note := "all that wait"
	if j.more {
		note = "what was read of it; more waits"
	}
	rows := []rowChoice{{label: fmt.Sprintf("waiting · %s", thousands(len(all))), note: note, items: pick(all)}}
	if len(marked) > 0 {
		rows = append([]rowChoice{{label: fmt.Sprintf("marked · %s", thousands(len(marked))), note: "the rows that you marked", items: pick(marked)}}, rows...)
	}
	s.box = newExport(s.env, exporting{
		title: "Export what waits", name: p.Profile + "-" + j.queue.ID, rows: rows,
		what: session.Export{Subject: p.FullID(), Table: p.Table, Entities: p.Returns},
	})
	return nil
}
