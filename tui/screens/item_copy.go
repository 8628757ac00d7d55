// This file is the menu of what can be copied. Everything in it was masked.

package screens

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

func (s *itemScreen) copyMenu() *menu {
	m := &menu{title: "Copy", key: "y", note: copyNote}
	if name, text, ok := s.selectedText(); ok {
		m.add("v", "value", models.PrintableCell(name, 32), "the value", func() string { return text })
	}
	masked, table := s.facts.masked, s.table
	m.add("j", "item as JSON", "plain, every digit kept", "the item", func() string { return string(masked.AppendJSON(nil)) })
	m.add("d", "item as DynamoDB JSON", "with types", "the item", func() string { return string(masked.AppendDynamoDBJSON(nil)) })
	m.add("k", "key", table.KeyText(masked), "the key", func() string { return table.KeyText(masked) })
	m.add("c", "AWS CLI command", "aws dynamodb get-item …", "the command", s.cliCommand)
	return m
}

// selectedText is the value under the cursor, exact and masked.
func (s *itemScreen) selectedText() (name, text string, ok bool) {
	r := s.selectedRow()
	if s.tabs.Active != tabOverview || r == nil || r.value == nil {
		return "", "", false
	}
	if text, ok := models.ValueText(r.value); ok {
		return r.path, text, true
	}
	return r.path, string(models.AppendValueJSON(nil, r.value)), true
}

// cliCommand is the command that reads the item. Masked parts of the key stay
// masked: then it shows how, and does not run.
func (s *itemScreen) cliCommand() string {
	key, _ := s.table.PrimaryKey(s.facts.masked)
	t := s.env.Session.Target()
	args := []string{
		"aws dynamodb get-item --table-name", shellQuote(s.table.Name),
		"--key", shellQuote(string(key.AppendDynamoDBJSON(nil))), "--consistent-read",
	}
	if t.Region != "" {
		args = append(args, "--region", shellQuote(t.Region))
	}
	if t.Endpoint != "" && t.Custom {
		args = append(args, "--endpoint-url", shellQuote(t.Endpoint))
	}
	if t.Profile != "" {
		args = append(args, "--profile", shellQuote(t.Profile))
	}
	return strings.Join(args, " ")
}

// plainInShell are the characters that no shell treats in a special way.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:"

// shellQuote makes text one word of a POSIX shell.
func shellQuote(text string) string {
	special := func(r rune) bool { return !strings.ContainsRune(plainInShell, r) }
	if text != "" && strings.IndexFunc(text, special) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
