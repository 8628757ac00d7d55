package screens

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/export"
)

// takenRows is how many rows are copied, paged or edited at most: their text is in
// memory, and no clipboard takes more.
const takenRows = 20_000

// rowPieces are those of the marked rows, or of all that are on the screen.
func (b *Workbench) rowPieces() []piece {
	j := b.job
	if marked := j.rows.marked(); marked.size() > 0 {
		return manyPieces(b.env, j.rows, marked, plural(marked.size(), "marked row"))
	}
	shown := j.rows.onScreen()
	what := plural(shown.size(), "row")
	if all := j.rows.items.Len(); shown.size() < all {
		what = fmt.Sprintf("%s of %s", thousands(shown.size()), plural(all, "row"))
	}
	return manyPieces(b.env, j.rows, shown, what)
}

// manyPieces are those of some rows of a grid.
func manyPieces(env *Env, of *rows, rows picked, what string) []piece {
	if rows.size() == 0 {
		return nil
	}
	p, seen := of.pattern, slices.Clone(of.paths)
	pieceOf := func(f *export.Format, key, label, note string, columns ...string) piece {
		return piece{
			key: key, label: label, note: note, what: what, file: fileName(f.Extension, p.Profile, p.ID),
			text: func() (string, error) {
				if n := rows.size(); n > takenRows {
					return "", fmt.Errorf("%s are too many for this: E writes them to a file, and here are at most %s", plural(n, "row"), thousands(takenRows))
				}
				return env.Session.Spell(f, p.Table, p.Returns, rows.items(), columns...)
			},
		}
	}
	return []piece{
		pieceHeading(what + " as"),
		pieceOf(export.TSV, "T", "cells", "the columns you see, for a spreadsheet", seen...),
		pieceOf(export.CSV, "C", "CSV", "every attribute"),
		pieceOf(export.JSONL, "J", "JSON lines", "a line an item"),
		pieceOf(export.Keys, "K", "keys", "DynamoDB JSON, a line an item"),
	}
}

// requestPieces are those of what the form asks.
func (b *Workbench) requestPieces() []piece {
	j, s := b.job, b.env.Session
	list := []piece{pieceHeading("Request")}
	add := func(key, label, note, what, ending string, text func() string) {
		list = append(list, piece{key: key, label: label, note: note, what: what, file: fileName(ending, j.pattern.ID), text: sure(text)})
	}
	r, err := j.request()
	if err != nil { // Nothing can be asked yet.
		add("i", "pattern id", j.pattern.FullID(), "the pattern id", "txt", j.pattern.FullID)
		return list
	}
	if text, _, err := b.requestJSON(); err == nil {
		add("x", "as JSON", "for --cli-input-json", "the request", "json", func() string { return text })
	}
	hidden := slices.Sorted(maps.Keys(j.hidden))
	with := ""
	if names := s.Placeholders(r, hidden...); len(names) > 0 {
		with = ", with a placeholder for " + strings.Join(names, ", ")
	}
	program := func(lang snippet.Language, key, note, what string) {
		add(key, "as "+lang.Title(), note, what+with, lang.Extension(), func() string { return s.Snippet(r, lang, hidden...) })
	}
	program(snippet.CLI, "a", "aws dynamodb …", "the command")
	program(snippet.Go, "g", "aws-sdk-go-v2, every page", "the program")
	program(snippet.Python, "p", "boto3, every page", "the program")
	program(snippet.TypeScript, "t", "@aws-sdk/client-dynamodb, every page", "the program")
	add("r", "as ddbdesk command", "ddbdesk run …", "the command"+with, "sh", func() string { return s.CommandLine(r, hidden...) })
	add("i", "pattern id", j.pattern.FullID(), "the pattern id", "txt", j.pattern.FullID)
	return list
}
