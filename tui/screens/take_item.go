package screens

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/models"
)

// itemPieces are an item's: it as it may be shown, its key, and programs that
// read it. raw is as stored.
func itemPieces(env *Env, t *models.Table, raw models.Item, name string) []piece {
	s := env.Session
	shown := s.Masker().Item(t, raw)
	spelled := func(f *export.Format) func() (string, error) {
		return sure(func() string { return f.Item(shown) })
	}
	return []piece{
		{key: "j", label: "item as JSON", note: "plain, every digit kept", what: "the item", file: fileName("json", name), text: spelled(export.JSON)},
		{key: "d", label: "item as DynamoDB JSON", note: "with types", what: "the item", file: fileName("json", name), text: spelled(export.DynamoDB)},
		{key: "k", label: "key", note: t.KeyText(shown), what: "the key", file: fileName("txt", name, "key"), text: sure(func() string { return t.KeyText(shown) })},
		readingPiece(env, t, raw, snippet.CLI, "c", "aws dynamodb get-item …"),
	}
}

// readingPieces are the programs that read an item.
func readingPieces(env *Env, t *models.Table, raw models.Item) []piece {
	return []piece{
		readingPiece(env, t, raw, snippet.Go, "g", "aws-sdk-go-v2"),
		readingPiece(env, t, raw, snippet.Python, "p", "boto3"),
		readingPiece(env, t, raw, snippet.TypeScript, "t", "@aws-sdk/client-dynamodb"),
	}
}

func readingPiece(env *Env, t *models.Table, raw models.Item, lang snippet.Language, key, note string) piece {
	label, what := "read it in "+lang.Title(), "the program"
	if lang == snippet.CLI {
		label, what = "get-item as AWS CLI", "the command"
	}
	return piece{
		key: key, label: label, note: note, what: what, file: "get-item." + lang.Extension(),
		text: sure(func() string { return env.Session.ItemSnippet(t, raw, lang) }),
	}
}

// valuePiece is one value, exact and masked. A file with it is called after the
// attribute: what lies deeper may be called after a person.
func valuePiece(path string, v types.AttributeValue) piece {
	name, _, _ := strings.Cut(path, ".")
	name, _, _ = strings.Cut(name, "[")
	return piece{
		key: "v", label: "value", note: models.PrintableCell(path, 32), what: "the value", file: fileName("txt", name),
		text: sure(func() string { return exactText(v) }), paste: pasteText,
	}
}

// pasteText is an exact text as it is copied: one with control characters as a
// string of JSON, which is the same text and harms no terminal that it is pasted
// into.
func pasteText(text string) (pasted, as string) {
	if models.Pastable(text) {
		return text, ""
	}
	return string(models.PrintableJSON(models.AppendValueJSON(nil, models.StringValue(text)))), " as JSON: it has control characters"
}

// valuesPiece is a menu of the values of an item, which was masked.
func valuesPiece(shown models.Item) piece {
	return piece{key: "v", label: "a value …", note: plural(len(shown), "attribute"), more: func() []piece {
		list := []piece{pieceHeading("Value of")}
		for _, name := range shown.Names() {
			p := valuePiece(name, shown[name])
			p.key, p.label, p.note = "", models.PrintableCell(name, 36), models.PrintableCell(exactText(shown[name]), 60)
			list = append(list, p)
		}
		return list
	}}
}

// exactText is the text of a scalar, JSON of everything else.
func exactText(v types.AttributeValue) string {
	if text, ok := models.ValueText(v); ok {
		return text
	}
	return string(models.PrintableJSON(models.AppendValueJSON(nil, v)))
}
