package output

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// ItemPieces are an item's: it as it may be shown, its key, and programs that
// read it. raw is as stored.
func ItemPieces(env *screen.Env, t *models.Table, raw models.Item, name string) []Piece {
	s := env.Workspace
	shown := s.Session.Masker().Item(t, raw)
	key, _ := t.PrimaryKey(shown)
	spelled := func(f *items.Format) func() (string, error) {
		return Fixed(func() string { return f.Item(shown) })
	}
	return []Piece{
		{
			Key: "j", Label: "item as JSON", Note: "plain, every digit kept", What: "the item",
			File: present.FileName("json", name), Text: spelled(items.JSON), Masked: shown.Masked,
		},
		{
			Key: "d", Label: "item as DynamoDB JSON", Note: "with types", What: "the item",
			File: present.FileName("json", name), Text: spelled(items.DynamoDB), Masked: shown.Masked,
		},
		{
			Key: "k", Label: "key", Note: t.KeyText(shown), What: "the key", File: present.FileName("txt", name, "key"),
			Text: Fixed(func() string { return t.KeyText(shown) }), Masked: key.Masked,
		},
		readingPiece(env, t, raw, snippet.CLI, "c", "aws dynamodb get-item …"),
	}
}

// ReadingPieces are the programs that read an item.
func ReadingPieces(env *screen.Env, t *models.Table, raw models.Item) []Piece {
	return []Piece{
		readingPiece(env, t, raw, snippet.Go, "g", "aws-sdk-go-v2"),
		readingPiece(env, t, raw, snippet.Python, "p", "boto3"),
		readingPiece(env, t, raw, snippet.TypeScript, "t", "@aws-sdk/client-dynamodb"),
	}
}

// LinkPiece is the command that opens what is in view, or says why no link can name it.
func LinkPiece(label, section string, of func() (link.Link, error)) Piece {
	note := "ddbdesk open …"
	if section != "" {
		note += "#" + section
	}
	return Piece{Key: "l", Label: label, Note: note, What: "the link", File: "link.sh", Text: func() (string, error) {
		l, err := of()
		return l.Command(), err
	}}
}

func readingPiece(env *screen.Env, t *models.Table, raw models.Item, lang snippet.Language, key, note string) Piece {
	label, what := "read it in "+lang.Title(), "the program"
	if lang == snippet.CLI {
		label, what = "get-item as AWS CLI", "the command"
	}
	return Piece{
		Key: key, Label: label, Note: note, What: what, File: "get-item." + lang.Extension(),
		Text: Fixed(func() string { return env.Exporter.ItemSnippet(t, raw, lang) }),
	}
}

// ValuePiece is one value, exact and masked. A file with it is called after the
// attribute: what lies deeper may be called after a person.
func ValuePiece(path string, v types.AttributeValue) Piece {
	name, _, _ := strings.Cut(path, ".")
	name, _, _ = strings.Cut(name, "[")
	return Piece{
		Key: "v", Label: "value", Note: models.PrintableCell(path, 32), What: "the value", File: present.FileName("txt", name),
		Text: Fixed(func() string { return exactText(v) }), Masked: func() bool { return models.IsMasked(v) }, paste: pasteText,
	}
}

// pasteText returns a text with control characters as JSON, which harms no terminal that it is pasted into.
func pasteText(text string) (pasted, as string) {
	if models.Pastable(text) {
		return text, ""
	}
	return string(models.PrintableJSON(models.AppendValueJSON(nil, models.StringValue(text)))), " as JSON: it has control characters"
}

// ValuesPiece is a menu of the values of an item, which was masked.
func ValuesPiece(shown models.Item) Piece {
	return Piece{Key: "v", Label: "a value …", Note: present.Plural(len(shown), "attribute"), more: func() []Piece {
		list := []Piece{PieceHeading("Value of")}
		for _, name := range shown.Names() {
			p := ValuePiece(name, shown[name])
			p.Key, p.Label, p.Note = "", models.PrintableCell(name, 36), models.PrintableCell(exactText(shown[name]), 60)
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
