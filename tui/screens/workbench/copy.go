package workbench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
)

// openCopyMenu offers the row under the cursor, the rows, and the request.
func (ou *outputs) openCopyMenu() tea.Cmd {
	var pieces []output.Piece
	j := ou.b.job
	if raw, r, ok := j.selected(); ok && j.gridded() {
		pieces = append(pieces, output.PieceHeading("Row under the cursor"), output.ValuesPiece(r.Item))
		pieces = append(pieces, output.ItemPieces(ou.b.env, j.pattern.Table, raw, results.RowName(ou.b.env, j.pattern.Table, r, raw))...)
	}
	if j.gridded() {
		pieces = append(pieces, ou.rowPieces()...)
	}
	output.OpenCopyMenu(&ou.b.Host, ou.b.env, append(pieces, ou.requestPieces()...))
	return nil
}

// openExport asks which rows go to a file.
func (ou *outputs) openExport() tea.Cmd {
	j := ou.b.job
	ou.b.Box = output.NewExport(ou.b.env, output.Exporting{
		Title: "Export rows", Name: j.pattern.Profile + "-" + j.pattern.ID, Rows: ou.rowChoices(),
		What: exporter.Export{Subject: j.pattern.FullID(), Table: j.pattern.Table, Entities: j.pattern.Returns},
	})
	return nil
}

// rowChoices are the parts of the rows, the likeliest first.
func (ou *outputs) rowChoices() []output.RowChoice {
	j := ou.b.job
	all := j.rows.Items.Len()
	var list []output.RowChoice
	if marked := j.rows.Marked(); marked.Len() > 0 {
		list = append(
			list,
			output.RowChoice{
				Label: fmt.Sprintf("marked · %s", present.Thousands(marked.Len())), Note: "the rows that you marked",
				Items: marked,
			},
		)
	}
	if shown := j.rows.OnScreen(); shown.Len() < all && shown.Len() > 0 {
		list = append(list, output.RowChoice{
			Label: fmt.Sprintf("filtered · %s of %s", present.Thousands(shown.Len()), present.Thousands(all)),
			Note:  "the filtered rows", Items: shown,
		})
	}
	more := ou.b.runs.noMore() == ""
	note := "all there are"
	if more {
		note = "what was read so far; there are more"
	}
	loaded := j.rows.Loaded()
	list = append(list, output.RowChoice{Label: fmt.Sprintf("read · %s", present.Thousands(all)), Note: note, Items: loaded})
	if !more || j.run == nil {
		return list
	}
	s, run, p, request := ou.b.env.Workspace, j.run, j.pattern, j.run.Request()
	rest := "reads on behind what was read; esc stops it"
	if known := s.Tables.ObstacleTo(p, request.Read); known != nil {
		rest = "✗ " + known.What
	}
	c := output.RowChoice{
		Label: "all, to the end", Note: rest, Items: loaded,
		Rest: func() (*reading.Run, error) {
			token, err := run.Token()
			if err != nil {
				return nil, err
			}
			return s.Reading.Run(request, reading.RunOptions{Token: token, AllowScan: true, All: true})
		},
	}
	if request.IsScan() {
		c.Scan = p
		if done, parts := run.Parts(); parts == 1 && done == 0 {
			c.Anew = func() (*reading.Run, error) {
				return s.Reading.Run(request, reading.RunOptions{AllowScan: true, All: true})
			}
		}
	}
	return append(list, c)
}

// noJob says why there is nothing to take away.
func (ou *outputs) noJob() string {
	if ou.b.job == nil {
		return "no pattern is chosen"
	}
	return ""
}

// noExport says why there is nothing to export.
func (ou *outputs) noExport() string {
	if ou.b.job == nil || !ou.b.job.gridded() || ou.b.job.rows.Items.Len() == 0 {
		return "there are no rows to export yet"
	}
	return ""
}

// rowPieces are those of the marked rows, or of all that are on the screen.
func (ou *outputs) rowPieces() []output.Piece {
	j := ou.b.job
	if marked := j.rows.Marked(); marked.Len() > 0 {
		return output.ManyPieces(ou.b.env, j.rows, marked, present.Plural(marked.Len(), "marked row"))
	}
	shown := j.rows.OnScreen()
	what := present.Plural(shown.Len(), "row")
	if all := j.rows.Items.Len(); shown.Len() < all {
		what = fmt.Sprintf("%s of %s", present.Thousands(shown.Len()), present.Plural(all, "row"))
	}
	return output.ManyPieces(ou.b.env, j.rows, shown, what)
}

// requestPieces are those of what the form asks.
func (ou *outputs) requestPieces() []output.Piece {
	j, s := ou.b.job, ou.b.env.Workspace
	list := []output.Piece{output.PieceHeading("Request")}
	add := func(key, label, note, what, ending string, text func() string) {
		list = append(
			list,
			output.Piece{
				Key: key, Label: label, Note: note, What: what, File: present.FileName(ending, j.pattern.ID),
				Text: output.Fixed(text),
			},
		)
	}
	r, err := j.request()
	if err != nil { // Nothing can be asked yet.
		add("i", "pattern id", j.pattern.FullID(), "the pattern id", "txt", j.pattern.FullID)
		return list
	}
	if text, _, err := ou.requestJSON(); err == nil {
		add("x", "as JSON", "for --cli-input-json", "the request", "json", func() string { return text })
		list[len(list)-1].Masked = func() bool { return r.Redacts(j.hidden) }
	}
	hidden := slices.Sorted(maps.Keys(j.hidden))
	with := ""
	if names := s.Exporter.Placeholders(r, hidden...); len(names) > 0 {
		with = ", with a placeholder for " + strings.Join(names, ", ")
	}
	program := func(lang snippet.Language, key, note, what string) {
		add(key, "as "+lang.Title(), note, what+with, lang.Extension(), func() string { return s.Exporter.Snippet(r, lang, hidden...) })
	}
	program(snippet.CLI, "a", "aws dynamodb …", "the command")
	program(snippet.Go, "g", "aws-sdk-go-v2, every page", "the program")
	program(snippet.Python, "p", "boto3, every page", "the program")
	program(snippet.TypeScript, "t", "@aws-sdk/client-dynamodb, every page", "the program")
	add("r", "as ddbdesk command", "ddbdesk run …", "the command"+with, "sh", func() string { return s.Exporter.CommandLine(r, hidden...) })
	add("i", "pattern id", j.pattern.FullID(), "the pattern id", "txt", j.pattern.FullID)
	return list
}
