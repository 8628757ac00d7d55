package output

import (
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// takenRows is how many rows are copied, paged or edited at most: their text is in
// memory, and no clipboard takes more.
const takenRows = 20_000

// ManyPieces are those of some rows of a grid.
func ManyPieces(env *screen.Env, of *results.Rows, selected rows.Selection, what string) []Piece {
	if selected.Len() == 0 {
		return nil
	}
	p, seen := of.Pattern, slices.Clone(of.Layout.Paths)
	pieceOf := func(f *items.Format, key, label, note string, columns ...string) Piece {
		return Piece{
			Key: key, Label: label, Note: note, What: what, File: present.FileName(f.Extension, p.Profile, p.ID),
			Text: func() (string, error) {
				if n := selected.Len(); n > takenRows {
					return "", fmt.Errorf(
						"%s are too many for this: E writes them to a file, and here are at most %s", present.Plural(n, "row"),
						present.Thousands(takenRows),
					)
				}
				return env.Exporter.Spell(f, p.Table, p.Returns, selected.Items(), columns...)
			},
			Masked: func() bool {
				masker := env.Session.Masker()
				return slices.ContainsFunc(selected.Items(), func(it models.Item) bool {
					return maskedIn(masker.Lazy(p.Table, it), p.Table, f, columns)
				})
			},
		}
	}
	return []Piece{
		PieceHeading(what + " as"),
		pieceOf(items.TSV, "T", "cells", "the columns you see, for a spreadsheet", seen...),
		pieceOf(items.CSV, "C", "CSV", "every attribute"),
		pieceOf(items.JSONL, "J", "JSON lines", "a line an item"),
		pieceOf(items.Keys, "K", "keys", "DynamoDB JSON, a line an item"),
	}
}

// RowPieces returns the pieces of the row under the cursor, none without a row.
func RowPieces(env *screen.Env, of *results.Table) []Piece {
	raw, shown, ok := of.Selected()
	if !ok {
		return nil
	}
	table := of.Pattern.Table
	return append([]Piece{PieceHeading("Row under the cursor"), ValuesPiece(shown.Item)},
		ItemPieces(env, table, raw, rowName(env, table, shown.Entity, raw))...)
}

// rowName contains no masked data, whatever is revealed.
func rowName(env *screen.Env, t *models.Table, e *models.Entity, raw models.Item) string {
	key := t.KeyText(present.Unrevealed(env, env.Session.Masker()).Item(t, raw))
	if e == nil {
		return key
	}
	return e.Name + "-" + key
}

// MarkedChoice returns the marked rows as a choice for an export, if there are any.
func MarkedChoice(marked rows.Selection) []RowChoice {
	if marked.Len() == 0 {
		return nil
	}
	return []RowChoice{{Label: "marked · " + present.Thousands(marked.Len()), Note: "the rows that you marked", Items: marked}}
}

func maskedIn(it models.LazyItem, t *models.Table, f *items.Format, columns []string) bool {
	switch {
	case f == items.Keys:
		key, _ := t.PrimaryKey(it.Item())
		return key.Masked()
	case len(columns) == 0:
		return it.Item().Masked()
	}
	return slices.ContainsFunc(columns, func(path string) bool {
		v, _ := it.At(path)
		return models.IsMasked(v)
	})
}
