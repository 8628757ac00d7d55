package workbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (j *job) openCopyMenu() tea.Cmd {
	var pieces []output.Piece
	if j.hasGrid() {
		pieces = append(output.RowPieces(j.b.env, j.rows), rowPieces(j)...)
	}
	output.OpenCopyMenu(&j.b.Host, j.b.env, append(pieces, requestPieces(j)...))
	return nil
}

func rowPieces(j *job) []output.Piece {
	if marked := j.rows.MarkedItems(); marked.Len() > 0 {
		return output.ManyPieces(j.b.env, j.rows.Rows, marked, present.Plural(marked.Len(), "marked row"))
	}
	shown := j.rows.FilteredItems()
	text := present.Plural(shown.Len(), "row")
	if all := j.rows.LoadedItems().Len(); shown.Len() < all {
		text = fmt.Sprintf("%s of %s", present.Thousands(shown.Len()), present.Plural(all, "row"))
	}
	return output.ManyPieces(j.b.env, j.rows.Rows, shown, text)
}

// requestPieces uses placeholders for masked parameters in code and commands.
func requestPieces(j *job) []output.Piece {
	s := j.b.env.Workspace
	list := []output.Piece{output.PieceHeading("Request")}
	add := func(key, label, note, summary, ending string, text func() string) {
		list = append(list, output.Piece{
			Key: key, Label: label, Note: note, What: summary, File: present.FileName(ending, j.pattern.ID), Text: output.Fixed(text),
		})
	}
	withID := func() []output.Piece {
		if j.pattern.CustomQuery != nil {
			return list
		}
		add("i", "pattern ID", j.pattern.FullID(), "the pattern ID", "txt", j.pattern.FullID)
		return list
	}
	if j.pattern.IsRead() && j.pattern.CustomQuery == nil {
		list = append(list, output.LinkPiece("link to this query", "", func() (link.Link, error) {
			return link.ForQuery(s.Session.Viewer, j.pattern, j.args())
		}))
	}
	r, err := j.request()
	if err != nil {
		return withID()
	}
	if text, _, err := j.requestJSON(); err == nil {
		add("x", "as JSON", "for --cli-input-json", "the request", "json", func() string { return text })
		list[len(list)-1].Masked = func() bool { return r.HasRedactedValues(j.input.hidden) }
	}
	hidden := slices.Sorted(maps.Keys(j.input.hidden))
	placeholderNote := ""
	if names := s.Exporter.Placeholders(r, hidden...); len(names) > 0 {
		placeholderNote = ", with a placeholder for " + strings.Join(names, ", ")
	}
	for _, program := range []struct {
		lang               snippet.Language
		key, note, content string
	}{
		{snippet.CLI, "a", "aws dynamodb …", "the command"},
		{snippet.Go, "g", "aws-sdk-go-v2, all pages", "the program"},
		{snippet.Python, "p", "boto3, all pages", "the program"},
		{snippet.TypeScript, "t", "@aws-sdk/client-dynamodb, all pages", "the program"},
		{snippet.PartiQL, "q", "SELECT …", "the statement"},
	} {
		add(program.key, "as "+program.lang.Title(), program.note, program.content+placeholderNote, program.lang.Extension(),
			func() string { return s.Exporter.Snippet(r, program.lang, hidden...) })
	}
	if j.pattern.CustomQuery != nil {
		add("w", "as a pattern of the schema", "YAML, with parameters for the values", "the pattern", "yaml",
			func() string { return draft.CustomQueryYAML(j.pattern, j.args()) })
	}
	add("r", "as a ddbdesk command", "ddbdesk "+commandWord(j.pattern)+" …", "the command"+placeholderNote, "sh",
		func() string { return s.Exporter.CommandLine(r, hidden...) })
	return withID()
}

func commandWord(p *accesspatterns.Pattern) string {
	if p.CustomQuery != nil {
		return "table " + string(p.Read.Operation)
	}
	return "run"
}

func (j *job) openExport() tea.Cmd {
	j.b.Box = output.NewExport(j.b.env, output.ExportContent{
		Title: "Export rows", Name: j.pattern.Profile + "-" + j.pattern.ID, Rows: rowChoices(j),
		What: items.Export{Subject: j.pattern.FullID(), Table: j.pattern.Table, Entities: j.pattern.Returns},
	})
	return nil
}

func rowChoices(j *job) []output.RowChoice {
	loaded := j.rows.LoadedItems()
	all := loaded.Len()
	list := output.MarkedChoice(j.rows.MarkedItems())
	if shown := j.rows.FilteredItems(); shown.Len() < all && shown.Len() > 0 {
		list = append(list, output.RowChoice{
			Label: fmt.Sprintf("filtered · %s of %s", present.Thousands(shown.Len()), present.Thousands(all)),
			Note:  "the filtered rows", Items: shown,
		})
	}
	more := noMore(j) == ""
	note := "the complete result"
	if more {
		note = "the rows read so far; there are more"
	}
	list = append(list, output.RowChoice{Label: fmt.Sprintf("read · %s", present.Thousands(all)), Note: note, Items: loaded})
	if !more || j.run == nil {
		return list
	}
	s, run, p, request := j.b.env.Workspace, j.run, j.pattern, j.run.Request()
	restNote := "continues to read; press esc to stop"
	if obstacle := s.Tables.ObstacleTo(p, request.Read); obstacle != nil {
		restNote = "✗ " + obstacle.Problem
	}
	c := output.RowChoice{
		Label: "all, to the end", Note: restNote, Items: loaded,
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
			c.FromStart = func() (*reading.Run, error) {
				return s.Reading.Run(request, reading.RunOptions{AllowScan: true, All: true})
			}
		}
	}
	return append(list, c)
}

func (j *job) bookmark() tea.Cmd {
	env, p := j.b.env, j.pattern
	mark, omitted := env.Bookmarks.NewQuery("", p, j.args())
	if name := overlay.QueryBookmark(env.Workspace, p, mark.Args); name != "" {
		j.b.Box = overlay.NewRemoveBookmark(env, name)
		return nil
	}
	text := []string{present.QueryTitle(env, p, mark.Args) + "."}
	switch {
	case len(omitted) > 0 && p.CustomQuery != nil:
		reason := strings.Join(omitted, ", ") + " may be personal data, so ddbdesk does not store the query"
		return screen.Send(screen.NoticeMsg{Text: reason, Bad: true})
	case len(omitted) > 0:
		text = append(text, strings.Join(omitted, ", ")+": not stored, because it may be personal data. Enter it when you open the bookmark.")
	}
	j.b.Box = overlay.NewNameDialog(env, "Bookmark this query", "Bookmark", "", "", func(name string) tea.Cmd {
		mark.Name = name
		return overlay.SaveBookmark(env, mark)
	}, text...)
	return nil
}

func (j *job) showFindings() tea.Cmd {
	p := j.pattern
	sheet := overlay.NewSheet(j.b.env.Styles, p.Title, func(s *widget.Styles, w int) []string {
		if j.b.env.Plain() {
			return plainFindingLines(s, p, w)
		}
		return findingLines(s, p, w)
	})
	sheet.Note, sheet.Key = present.Plural(len(p.Findings), "issue"), "f"
	j.b.Box = sheet
	return nil
}

// markdown removes the signs of Markdown from a quote.
var markdown = strings.NewReplacer("**", "", "`", "")

// plainFindingLines describes the issues for role support: what happens, without keys and documents.
func plainFindingLines(s *widget.Styles, p *accesspatterns.Pattern, w int) (lines []string) {
	for i, f := range p.Findings {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, widget.Wrap(s, widget.RoleStrong, present.FindingTitle(f), w)...)
		lines = append(lines, present.IndentLines(widget.Wrap(s, widget.RoleText, f.Text, w-2), 2)...)
		if f.Workaround != "" {
			lines = append(lines, present.IndentLines(present.HangingIndent(s, widget.RoleGood, "→ ", f.Workaround, w-2), 2)...)
		}
	}
	return lines
}

func findingLines(s *widget.Styles, p *accesspatterns.Pattern, w int) []string {
	lines := []string{present.Heading(s, "As documented", w)}
	for _, src := range p.Source {
		lines = append(lines, widget.Wrap(s, widget.RoleMuted, markdown.Replace(src), w)...)
	}
	if p.AsDocumented != nil {
		lines = append(lines, s.Paint(widget.RoleFaint, "which means: ")+present.ReadLine(s, p.AsDocumented.Read))
	}
	lines = append(lines, "", present.Heading(s, "Schema issues", w))
	lines = append(lines, findingBlocks(s, p, w)[1:]...)
	if p.IsRead() {
		lines = append(lines, "", present.Heading(s, "Workaround", w), present.ReadLine(s, p.Read))
		lines = append(lines, widget.Wrap(s, widget.RoleText, p.Safe, w)...)
	}
	return lines
}

func findingBlocks(s *widget.Styles, p *accesspatterns.Pattern, w int) []string {
	var lines []string
	for _, f := range p.Findings {
		lines = append(append(lines, ""), present.FindingBlock(s, f, w)...)
	}
	return lines
}

func (j *job) explain() tea.Cmd {
	text, title, err := j.requestJSON()
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error()})
	}
	sheet := overlay.NewSheet(j.b.env.Styles, title, func(s *widget.Styles, w int) []string {
		return present.JSONLines(s, strings.Split(text, "\n"), w)
	})
	sheet.Note, sheet.Key = j.pattern.FullID(), "x"
	sheet.Copy, sheet.What = text, "the request"
	j.b.Box = sheet
	return nil
}

// requestJSON returns JSON for --cli-input-json of the AWS CLI, with masked values redacted.
func (j *job) requestJSON() (text, title string, err error) {
	request, err := j.request()
	if err != nil {
		return "", "", err
	}
	limit := 0
	if j.run != nil && !request.IsCount() {
		limit = j.run.Limit()
	}
	list := request.Explain(limit, request.Redactor(j.input.hidden))
	var out bytes.Buffer
	title = "Request"
	for i, e := range list {
		if i > 0 {
			out.WriteString("\n")
		}
		title = e.Operation
		if err := json.Indent(&out, e.Input, "", "  "); err != nil {
			return "", "", err
		}
	}
	if len(list) > 1 {
		title = present.Plural(len(list), title+" request")
	}
	return out.String(), title, nil
}
