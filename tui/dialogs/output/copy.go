// Package output contains the dialogs that copy, save and export a screen's content.
package output

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A Piece is text that the user can copy or save. The menu builds the text on demand, outside of Update, from masked
// values. A Piece without Text is a heading.
type Piece struct {
	Key, Label, Note string
	Why              string // reason why the piece is unavailable, or ""
	What             string // name in notices: "the item"
	File             string // file name with an extension
	Text             func() (string, error)
	Masked           func() bool    // reports whether Text contains masked values; nil if it never does
	more             func() []Piece // returns the entries of a submenu instead of a text

	// encode returns the text for the clipboard, and its description for the notice; nil copies the text as it is.
	encode func(text string) (pasted, as string)
}

// PieceHeading returns a heading to show above pieces.
func PieceHeading(label string) Piece { return Piece{Label: label} }

// Fixed adapts a function that cannot fail to the type of Piece.Text.
func Fixed(text func() string) func() (string, error) {
	return func() (string, error) { return text(), nil }
}

// copyNote describes the actions on a piece.
const copyNote = "enter copy · → pager, editor, file"

// A CopyMenu is the copy menu. Enter copies a piece to the clipboard; a second menu sends the piece elsewhere. The
// second menu has no letter keys, because its entries start programs and write files.
type CopyMenu struct {
	*overlay.Menu
	env    *screen.Env
	pieces []Piece
	host   *overlay.Host // host of the menu
}

// OpenCopyMenu opens a menu of the pieces over the screen.
func OpenCopyMenu(host *overlay.Host, env *screen.Env, pieces []Piece) {
	host.Box = NewCopyMenu(env, host, pieces)
}

// plainKeys are the keys of the pieces for role support, which needs no code.
const plainKeys = "slLvjkTC"

// NewCopyMenu returns a menu of the pieces that opens over the host.
func NewCopyMenu(env *screen.Env, host *overlay.Host, pieces []Piece) *CopyMenu {
	if env.Plain() {
		pieces = slices.DeleteFunc(pieces, func(p Piece) bool { return !strings.Contains(plainKeys, p.Key) })
	}
	m := &CopyMenu{Menu: &overlay.Menu{Title: "Copy", Key: "y", Note: copyNote}, env: env, pieces: pieces, host: host}
	m.At = -1
	for i, p := range pieces {
		e := overlay.MenuEntry{Key: p.Key, Label: p.Label, Note: p.Note, Why: p.Why}
		switch {
		case p.more != nil:
			e.Run = func() tea.Cmd { OpenCopyMenu(host, env, p.more()); return nil }
		case p.Text != nil:
			e.Run = p.copy
		}
		if e.Run != nil && m.At < 0 {
			m.At = i
		}
		m.Entries = append(m.Entries, e)
	}
	m.At = max(m.At, 0)
	return m
}

// Update lets the user choose a piece and its destination.
func (m *CopyMenu) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	if p := m.pieces[m.At]; press.String() == "right" && p.Text != nil && p.Why == "" {
		m.host.Box = m.destinations(p)
		return nil, true
	}
	return m.Menu.Update(msg)
}

func (m *CopyMenu) destinations(p Piece) *overlay.Menu {
	back := func() { m.host.Box = m }
	return &overlay.Menu{Title: "Copy " + p.What + " to", Note: "enter choose · esc back", Back: back, Entries: []overlay.MenuEntry{
		{Label: "clipboard", Run: p.copy},
		{Label: "pager", Note: "$PAGER", Run: func() tea.Cmd { return p.runExternal(screen.Pager) }},
		{Label: "editor", Note: "$EDITOR; edits are not saved to the item", Run: func() tea.Cmd { return p.runExternal(screen.Editor) }},
		{Label: "file …", Run: func() tea.Cmd { m.host.Box = newSave(m.env, p); return nil }},
	}}
}

func (p Piece) withText(msg func(text string) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		text, err := p.Text()
		if err != nil {
			return screen.NoticeMsg{Text: p.What + ": " + err.Error(), Bad: true}
		}
		return msg(text)
	}
}

func (p Piece) copy() tea.Cmd {
	return p.withText(func(text string) tea.Msg {
		msg := screen.CopyMsg{Text: text, What: p.noticeName()}
		if p.encode != nil {
			suffix := ""
			msg.Text, suffix = p.encode(text)
			msg.What += suffix
		}
		return msg
	})
}

func (p Piece) runExternal(to screen.ExternalProgram) tea.Cmd {
	return p.withText(func(text string) tea.Msg {
		return screen.RunExternalMsg{To: to, File: p.File, Text: text}
	})
}

func (p Piece) noticeName() string {
	if p.Masked != nil && p.Masked() {
		return p.What + " (masked)"
	}
	return p.What
}

// ItemPieces returns the pieces of an item: the displayed form, the key, and code that reads the item. raw is the
// stored item.
func ItemPieces(env *screen.Env, t *models.Table, raw models.Item, name string) []Piece {
	s := env.Workspace
	shown := s.Session.Masker().Item(t, raw)
	key, _ := t.PrimaryKey(shown)
	textAs := func(f *items.Format) func() (string, error) {
		return Fixed(func() string { return f.Item(shown) })
	}
	return []Piece{
		{
			Key: "j", Label: "item as JSON", Note: "exact numbers", What: "the item",
			File: present.FileName("json", name), Text: textAs(items.JSON), Masked: shown.Masked,
		},
		{
			Key: "d", Label: "item as DynamoDB JSON", Note: "with types", What: "the item",
			File: present.FileName("json", name), Text: textAs(items.DynamoDB), Masked: shown.Masked,
		},
		{
			Key: "k", Label: "key", Note: t.KeyText(shown), What: "the key", File: present.FileName("txt", name, "key"),
			Text: Fixed(func() string { return t.KeyText(shown) }), Masked: key.Masked,
		},
		readSnippetPiece(env, t, raw, snippet.CLI, "c", "aws dynamodb get-item …"),
	}
}

// ReadingPieces returns code that reads an item.
func ReadingPieces(env *screen.Env, t *models.Table, raw models.Item) []Piece {
	return []Piece{
		readSnippetPiece(env, t, raw, snippet.Go, "g", "aws-sdk-go-v2"),
		readSnippetPiece(env, t, raw, snippet.Python, "p", "boto3"),
		readSnippetPiece(env, t, raw, snippet.TypeScript, "t", "@aws-sdk/client-dynamodb"),
	}
}

// SummaryPiece returns the summary of an item; see screen.Env.Summary.
func SummaryPiece(text func() (string, error), masked func() bool) Piece {
	return Piece{
		Key: "s", Label: "summary for a ticket", Note: "state, queues, last events, link", What: "the summary",
		File: "summary.txt", Text: text, Masked: masked,
	}
}

// LinkPiece returns a piece with the command that opens the current view, or with the reason why no link exists for it.
func LinkPiece(label, section string, build func() (link.Link, error)) Piece {
	note := "ddbdesk open …"
	if section != "" {
		note += "#" + section
	}
	return Piece{Key: "l", Label: label, Note: note, What: "the link", File: "link.sh", Text: func() (string, error) {
		l, err := build()
		return l.Command(), err
	}}
}

func readSnippetPiece(env *screen.Env, t *models.Table, raw models.Item, lang snippet.Language, key, note string) Piece {
	label, subject := "read it in "+lang.Title(), "the program"
	if lang == snippet.CLI {
		label, subject = "get-item as AWS CLI", "the command"
	}
	return Piece{
		Key: key, Label: label, Note: note, What: subject, File: "get-item." + lang.Extension(),
		Text: Fixed(func() string { return env.Exporter.ItemSnippet(t, raw, lang) }),
	}
}

// ValuePiece returns a piece with one exact value, masked if necessary. label names the attribute in the menu. The file
// has the name of the top-level attribute, because nested names may contain personal data.
func ValuePiece(path, label string, v types.AttributeValue) Piece {
	name, _, _ := strings.Cut(path, ".")
	name, _, _ = strings.Cut(name, "[")
	return Piece{
		Key: "v", Label: "value", Note: models.PrintableCell(label, 32), What: "the value", File: present.FileName("txt", name),
		Text: Fixed(func() string { return exactText(v) }), Masked: func() bool { return models.IsMasked(v) }, encode: pasteText,
	}
}

// pasteText encodes a text that contains control characters as JSON, so that it is safe to paste into a terminal.
func pasteText(text string) (pasted, suffix string) {
	if models.IsPastable(text) {
		return text, ""
	}
	return string(models.PrintableJSON(models.AppendValueJSON(nil, models.StringValue(text)))), " as JSON: it has control characters"
}

func valuesPiece(env *screen.Env, shown *results.Row) Piece {
	it, names := shown.Item, shown.Item.Names()
	if e := shown.Entity; e != nil && e.ByName == nil && env.Plain() {
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(e.KeyNames(), name) })
	}
	return Piece{Key: "v", Label: "a value …", Note: present.Plural(len(names), "attribute"), more: func() []Piece {
		list := []Piece{PieceHeading("Value of")}
		for _, name := range names {
			p := ValuePiece(name, name, it[name])
			p.Key, p.Label = "", models.PrintableCell(present.NewPresenter(env).Label(shown.Entity, name), 36)
			p.Note = models.PrintableCell(exactText(it[name]), 60)
			list = append(list, p)
		}
		return list
	}}
}

func exactText(v types.AttributeValue) string {
	if text, ok := models.ValueText(v); ok {
		return text
	}
	return string(models.PrintableJSON(models.AppendValueJSON(nil, v)))
}

// maxCopiedRows is the maximum number of rows to copy, page or edit. Their text must fit into memory and into a
// clipboard.
const maxCopiedRows = 20_000

// ManyPieces returns the pieces for the selected rows of a grid.
func ManyPieces(env *screen.Env, source *results.Rows, selected rows.Selection, subject string) []Piece {
	if selected.Len() == 0 {
		return nil
	}
	p, paths := source.Pattern, slices.Clone(source.Layout.Paths)
	newPiece := func(f *items.Format, key, label, note string, columns ...string) Piece {
		return Piece{
			Key: key, Label: label, Note: note, What: subject, File: present.FileName(f.Extension, p.Profile, p.ID),
			Text: func() (string, error) {
				if n := selected.Len(); n > maxCopiedRows {
					return "", fmt.Errorf(
						"too many rows to copy (%s; limit %s); press o E to export them",
						present.Thousands(n), present.Thousands(maxCopiedRows),
					)
				}
				return env.Exporter.Text(f, p.Table, p.Returns, selected.Items(), columns...)
			},
			Masked: func() bool {
				masker := env.Session.Masker()
				return slices.ContainsFunc(selected.Items(), func(it models.Item) bool {
					return isMasked(masker.Lazy(p.Table, it), p.Table, f, columns)
				})
			},
		}
	}
	return []Piece{
		PieceHeading(subject + " as"),
		newPiece(items.TSV, "T", "cells", "the columns you see, for a spreadsheet", paths...),
		newPiece(items.CSV, "C", "CSV", "every attribute"),
		newPiece(items.JSONL, "J", "JSON Lines", "one item per line"),
		newPiece(items.Keys, "K", "keys", "DynamoDB JSON, one item per line"),
	}
}

// RowPieces returns the pieces for the row under the cursor, or nil if there is no row.
func RowPieces(env *screen.Env, source *results.Table) []Piece {
	raw, shown, ok := source.Selected()
	if !ok {
		return nil
	}
	table := source.Pattern.Table
	return append([]Piece{PieceHeading("Row under the cursor"), valuesPiece(env, shown)},
		ItemPieces(env, table, raw, rowName(env, table, shown.Entity, raw))...)
}

// rowName returns a name for files and notices. It omits masked data even while the screen reveals it.
func rowName(env *screen.Env, t *models.Table, e *models.Entity, raw models.Item) string {
	key := t.KeyText(present.UnrevealedMasker(env, env.Session.Masker()).Item(t, raw))
	if e == nil {
		return key
	}
	return e.Name + "-" + key
}

// MarkedChoice returns the marked rows as an export choice, or nil if no rows are marked.
func MarkedChoice(marked rows.Selection) []RowChoice {
	if marked.Len() == 0 {
		return nil
	}
	return []RowChoice{{Label: "marked · " + present.Thousands(marked.Len()), Note: "the rows that you marked", Items: marked}}
}

func isMasked(it models.LazyItem, t *models.Table, f *items.Format, columns []string) bool {
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
