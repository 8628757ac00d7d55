package queue

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
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
func (qa *queueActions) openCopyMenu() tea.Cmd {
	j := qa.s.job()
	p := j.queue.Pattern
	raw := j.selected()
	shown := j.rows.Row(max(j.grid.Cursor(), 0))
	pieces := append(
		[]output.Piece{output.PieceHeading("Row under the cursor"), output.ValuesPiece(shown.Item)},
		output.ItemPieces(qa.s.env, p.Table, raw.item, results.RowName(qa.s.env, p.Table, shown, raw.item))...,
	)
	all, marked := j.stored()
	if len(marked) > 0 {
		pieces = append(pieces, output.ManyPieces(qa.s.env, j.rows.Rows, rows.Select(marked), present.Plural(len(marked), "marked row"))...)
	} else {
		pieces = append(pieces, output.ManyPieces(qa.s.env, j.rows.Rows, rows.Select(all), present.Plural(len(all), "row"))...)
	}
	output.OpenCopyMenu(&qa.s.Host, qa.s.env, pieces)
	return nil
}

// openExport asks which rows go to a file.
func (qa *queueActions) openExport() tea.Cmd {
	j := qa.s.job()
	p := j.queue.Pattern
	all, marked := j.stored()
	note := "all that wait"
	if j.more {
		note = "what was read of it; more waits"
	}
	choices := []output.RowChoice{{Label: fmt.Sprintf("waiting · %s", present.Thousands(len(all))), Note: note, Items: rows.Select(all)}}
	if len(marked) > 0 {
		choices = append([]output.RowChoice{{
			Label: fmt.Sprintf("marked · %s", present.Thousands(len(marked))), Note: "the rows that you marked",
			Items: rows.Select(marked),
		}}, choices...)
	}
	qa.s.Box = output.NewExport(qa.s.env, output.Exporting{
		Title: "Export what waits", Name: p.Profile + "-" + j.queue.ID, Rows: choices,
		What: exporter.Export{Subject: p.FullID(), Table: p.Table, Entities: p.Returns},
	})
	return nil
}
