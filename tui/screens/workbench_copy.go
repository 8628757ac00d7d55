package screens

import (
	"fmt"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// openCopyMenu offers the row under the cursor, the rows, and the request.
func (b *Workbench) openCopyMenu() tea.Cmd {
	var pieces []piece
	j := b.job
	if raw, r, ok := j.selected(); ok && j.gridded() {
		pieces = append(pieces, pieceHeading("Row under the cursor"), valuesPiece(r.item))
		pieces = append(pieces, itemPieces(b.env, j.pattern.Table, raw, rowName(b.env, j.pattern.Table, r, raw))...)
	}
	if j.gridded() {
		pieces = append(pieces, b.rowPieces()...)
	}
	openCopyMenu(&b.cover, b.env, append(pieces, b.requestPieces()...))
	return nil
}

// rowName is what a file with a row is called, without its ending, whatever is
// revealed.
func rowName(env *Env, t *models.Table, r *row, raw models.Item) string {
	key := t.KeyText(unrevealed(env, env.Session.Masker()).Item(t, raw))
	if r.entity == nil {
		return key
	}
	return r.entity.Name + "-" + key
}

// openExport asks which rows go to a file.
func (b *Workbench) openExport() tea.Cmd {
	j := b.job
	b.box = newExport(b.env, exporting{
		title: "Export rows", name: j.pattern.Profile + "-" + j.pattern.ID, rows: b.rowChoices(),
		what: session.Export{Subject: j.pattern.FullID(), Table: j.pattern.Table, Entities: j.pattern.Returns},
	})
	return nil
}

// rowChoices are the parts of the rows, the likeliest first.
func (b *Workbench) rowChoices() []rowChoice {
	j := b.job
	all := j.rows.items.Len()
	var list []rowChoice
	if marked := j.rows.marked(); marked.size() > 0 {
		list = append(list, rowChoice{label: fmt.Sprintf("marked · %s", thousands(marked.size())), note: "the rows that you marked", items: marked})
	}
	if shown := j.rows.onScreen(); shown.size() < all && shown.size() > 0 {
		list = append(list, rowChoice{label: fmt.Sprintf("filtered · %s of %s", thousands(shown.size()), thousands(all)), note: "what the filter lets through", items: shown})
	}
	more := b.noMore() == ""
	note := "all there are"
	if more {
		note = "what was read so far; there are more"
	}
	loaded := j.rows.loaded()
	list = append(list, rowChoice{label: fmt.Sprintf("read · %s", thousands(all)), note: note, items: loaded})
	if !more || j.run == nil {
		return list
	}
	s, run, p, request := b.env.Session, j.run, j.pattern, j.run.Request()
	reading := "reads on behind what was read; esc stops it"
	if known := s.ObstacleTo(p, request.Read); known != nil {
		reading = "✗ " + known.What
	}
	c := rowChoice{
		label: "all, to the end", note: reading, items: loaded,
		rest: func() (*session.Run, error) {
			token, err := run.Token()
			if err != nil {
				return nil, err
			}
			return s.Run(request, session.RunOptions{Token: token, AllowScan: true, All: true})
		},
	}
	if request.IsScan() {
		c.scan = p
		if done, parts := run.Parts(); parts == 1 && done == 0 {
			c.anew = func() (*session.Run, error) {
				return s.Run(request, session.RunOptions{AllowScan: true, All: true})
			}
		}
	}
	return append(list, c)
}

// noJob says why there is nothing to take away.
func (b *Workbench) noJob() string {
	if b.job == nil {
		return "no pattern is chosen"
	}
	return ""
}

// noExport says why there is nothing to export.
func (b *Workbench) noExport() string {
	if b.job == nil || !b.job.gridded() || b.job.rows.items.Len() == 0 {
		return "there are no rows to export yet"
	}
	return ""
}
