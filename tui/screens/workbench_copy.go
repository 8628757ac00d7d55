// This file is the menu of what can be copied.

package screens

import (
	"bytes"
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// copyNote says what a copy holds.
const copyNote = "masked values stay masked"

// openCopyMenu offers the row under the cursor and the request.
func (b *Workbench) openCopyMenu() tea.Cmd {
	m := &menu{title: "Copy", key: "y", note: copyNote}
	if _, r, ok := b.job.selected(); ok && b.job.gridded() {
		m.entries = append(m.entries, b.copyRow(r)...)
	}
	if text, title, err := b.requestJSON(); err == nil {
		m.add("x", "request as JSON", "for --cli-input-json", "the request", func() string { return text })
		if command := b.requestCommand(title, text); command != "" {
			m.add("a", "request as AWS CLI", "aws dynamodb …", "the command", func() string { return command })
		}
	}
	m.add("i", "pattern id", b.job.pattern.FullID(), "the pattern id", b.job.pattern.FullID)
	b.box = m
	return nil
}

// copyRow offers a row as it is shown: what is masked stays masked.
func (b *Workbench) copyRow(r *row) []menuEntry {
	var m menu
	t := b.job.pattern.Table
	key := models.Item{}
	for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
		if v, ok := r.item[k.Name]; ok {
			key[k.Name] = v
		}
	}
	m.add("j", "item as JSON", "plain, every digit kept", "the item", func() string { return prettyJSON(r.item.AppendJSON(nil)) })
	m.add("d", "item as DynamoDB JSON", "with types", "the item", func() string { return prettyJSON(r.item.AppendDynamoDBJSON(nil)) })
	m.add("k", "key", t.KeyText(r.item), "the key", func() string { return t.KeyText(r.item) })
	m.add("c", "get-item as AWS CLI", "aws dynamodb get-item …", "the command", func() string {
		return "aws dynamodb get-item --table-name " + shellQuote(t.Name) + " --key " + shellQuote(string(key.AppendDynamoDBJSON(nil))) + b.commandTarget()
	})
	return m.entries
}

// requestCommand is the request as a command, "" when it is several.
func (b *Workbench) requestCommand(operation, text string) string {
	command := map[string]string{"GetItem": "get-item", "Query": "query", "Scan": "scan"}[operation]
	if command == "" {
		return ""
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) != nil {
		return ""
	}
	return "aws dynamodb " + command + " --cli-input-json " + shellQuote(compact.String()) + b.commandTarget()
}

// commandTarget are the options that name the database.
func (b *Workbench) commandTarget() string {
	t := b.env.Session.Target()
	out := ""
	if t.Region != "" {
		out += " --region " + shellQuote(t.Region)
	}
	if t.Custom && !t.Embedded {
		out += " --endpoint-url " + shellQuote(t.Endpoint)
	}
	return out
}

func prettyJSON(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}
