// This file is what of the rows and the request of a pattern can be taken away.

package screens

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// marked are the marked items as they are stored: those on the screen in its
// order, then those that a filter hides.
func (r *rows) marked() []models.Item {
	if len(r.marks.at) == 0 {
		return nil
	}
	out := make([]models.Item, 0, len(r.marks.at))
	left := maps.Clone(r.marks.at)
	for i := range r.Len() {
		at := r.at(i)
		if _, on := left[at]; on {
			delete(left, at)
			out = append(out, r.items.at(at))
		}
	}
	for _, at := range slices.Sorted(maps.Keys(left)) {
		out = append(out, r.items.at(at))
	}
	return out
}

// onScreen are the items that the filter lets through, in their order on the
// screen, as they are stored.
func (r *rows) onScreen() []models.Item {
	out := make([]models.Item, r.Len())
	for i := range out {
		out[i] = r.items.at(r.at(i))
	}
	return out
}

// rowPieces are those of the marked rows, or of all that are on the screen.
func (b *Workbench) rowPieces() []piece {
	j := b.job
	if items := j.rows.marked(); items != nil {
		return manyPieces(b.env, j.pattern, items, plural(len(items), "marked row"))
	}
	items := j.rows.onScreen()
	what := plural(len(items), "row")
	if all := j.rows.items.size(); len(items) < all {
		what = fmt.Sprintf("%s of %s", thousands(len(items)), plural(all, "row"))
	}
	return manyPieces(b.env, j.pattern, items, what)
}

// manyPieces are those of several rows of a pattern, as they are stored.
func manyPieces(env *Env, p *accesspatterns.Pattern, items []models.Item, what string) []piece {
	if len(items) == 0 {
		return nil
	}
	pieceOf := func(f session.ExportFormat, key, label, note string) piece {
		return piece{
			key: key, label: label, note: note, what: what, file: fileName(f.Ext(), p.Profile, p.ID),
			text: func() (string, error) { return env.Session.Spell(f, p.Table, p.Returns, items) },
		}
	}
	return []piece{
		pieceHeading(what + " as"),
		pieceOf(session.ExportTSV, "T", "cells", "to paste into a spreadsheet"),
		pieceOf(session.ExportCSV, "C", "CSV", "no cell is run as a formula"),
		pieceOf(session.ExportJSONL, "J", "JSON lines", "a line an item"),
		pieceOf(session.ExportKeys, "K", "keys", "DynamoDB JSON, a line an item"),
	}
}

// request is what the form asks as it stands; what was asked is known better,
// down to the names that the live table gives to keys.
func (b *Workbench) request() (*accesspatterns.Request, error) {
	j := b.job
	if j.run != nil && maps.Equal(j.asked, j.args()) {
		return j.run.Request(), nil
	}
	return b.env.Session.Bind(j.pattern, j.args())
}

// requestPieces are those of what the form asks.
func (b *Workbench) requestPieces() []piece {
	j, s := b.job, b.env.Session
	list := []piece{pieceHeading("Request")}
	add := func(key, label, note, what, ending string, text func() string) {
		list = append(list, piece{key: key, label: label, note: note, what: what, file: fileName(ending, j.pattern.ID), text: sure(text)})
	}
	r, err := b.request()
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
	program := func(lang accesspatterns.Language, key, note, what string) {
		add(key, "as "+lang.Title(), note, what+with, ending(lang), func() string { return s.Snippet(r, lang, hidden...) })
	}
	program(accesspatterns.CLI, "a", "aws dynamodb …", "the command")
	program(accesspatterns.Go, "g", "aws-sdk-go-v2, every page", "the program")
	program(accesspatterns.Python, "p", "boto3, every page", "the program")
	program(accesspatterns.TypeScript, "t", "@aws-sdk/client-dynamodb, every page", "the program")
	args := j.args()
	add("r", "as ddbdesk command", "ddbdesk run …", "the command"+with, "sh", func() string { return s.CommandLine(j.pattern, args, hidden...) })
	add("i", "pattern id", j.pattern.FullID(), "the pattern id", "txt", j.pattern.FullID)
	return list
}

// loaded are all items that were read, as they are stored.
func (r *rows) loaded() []models.Item {
	out := make([]models.Item, r.items.size())
	for i := range out {
		out[i] = r.items.at(i)
	}
	return out
}
