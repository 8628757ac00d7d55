package output

import (
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// takenRows is how many rows are copied, paged or edited at most: their text is in
// memory, and no clipboard takes more.
const takenRows = 20_000

// manyPieces are those of some rows of a grid.
func ManyPieces(env *screen.Env, of *results.Rows, selected rows.Selection, what string) []Piece {
	if selected.Len() == 0 {
		return nil
	}
	p, seen := of.Pattern, slices.Clone(of.Paths)
	pieceOf := func(f *export.Format, key, label, note string, columns ...string) Piece {
		return Piece{
			Key: key, Label: label, Note: note, What: what, File: present.FileName(f.Extension, p.Profile, p.ID),
			Text: func() (string, error) {
				if n := selected.Len(); n > takenRows {
					return "", fmt.Errorf("%s are too many for this: E writes them to a file, and here are at most %s", present.Plural(n, "row"), present.Thousands(takenRows))
				}
				return env.Session.Spell(f, p.Table, p.Returns, selected.Items(), columns...)
			},
		}
	}
	return []Piece{
		PieceHeading(what + " as"),
		pieceOf(export.TSV, "T", "cells", "the columns you see, for a spreadsheet", seen...),
		pieceOf(export.CSV, "C", "CSV", "every attribute"),
		pieceOf(export.JSONL, "J", "JSON lines", "a line an item"),
		pieceOf(export.Keys, "K", "keys", "DynamoDB JSON, a line an item"),
	}
}
