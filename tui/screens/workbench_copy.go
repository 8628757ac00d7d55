// This file is the menu of what can be copied.

package screens

import (
	"bytes"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A menu offers a few things, each with a letter.
type menu struct {
	title   string
	entries []menuEntry
	at      int
	box     rect
}

type menuEntry struct {
	key, label, note string
	run              func() tea.Cmd
}

func (m *menu) update(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	n := len(m.entries)
	switch key := msg.String(); key {
	case "esc", "q", "ctrl+c":
		return nil, true
	case "up", "shift+tab":
		m.at = (m.at + n - 1) % n
	case "down", "tab":
		m.at = (m.at + 1) % n
	case "enter":
		return m.entries[m.at].run(), true
	default:
		for _, e := range m.entries {
			if e.key == key {
				return e.run(), true
			}
		}
	}
	return nil, false
}

func (m *menu) click(x, y int) (cmd tea.Cmd, done bool) {
	if !m.box.has(x, y) {
		return nil, true
	}
	if i := y - m.box.y - 1; i >= 0 && i < len(m.entries) {
		return m.entries[i].run(), true
	}
	return nil, false
}

// over draws the menu over a screen of w by h cells.
func (m *menu) over(s *widget.Styles, screen string, w, h int) string {
	bw, bh := min(w-4, 64), min(len(m.entries)+2, h)
	m.box = rect{(w - bw) / 2, (h - bh) / 2, bw, bh}
	iw, _ := widget.PanelInner(bw, bh)
	lines := make([]string, len(m.entries))
	for i, e := range m.entries {
		on, bar := widget.SurfacePlain, "  "
		if i == m.at {
			on, bar = widget.SurfaceCursor, "▌ "
		}
		label := min(30, iw-5)
		lines[i] = s.PaintOn(widget.RoleAccent, on, bar) + s.PaintCell(widget.RoleKey, on, e.key, 3, widget.AlignLeft) +
			s.PaintCell(widget.RoleText, on, e.label, label, widget.AlignLeft) +
			s.PaintCell(widget.RoleMuted, on, e.note, iw-5-label, widget.AlignLeft)
	}
	box := widget.Panel{Title: m.title, Note: "esc closes", Focused: true}.Render(s, strings.Join(lines, "\n"), bw, bh)
	return widget.Overlay(widget.Dim(s, screen), box, m.box.x, m.box.y)
}

// openCopyMenu offers the row under the cursor and the request.
func (b *Workbench) openCopyMenu() tea.Cmd {
	m := &menu{title: "Copy"}
	if _, r, ok := b.job.selected(); ok && b.job.gridded() {
		m.entries = append(m.entries, b.copyRow(r)...)
	}
	if text, title, err := b.requestJSON(); err == nil {
		m.add("x", "request as JSON", "for --cli-input-json", text, "the request")
		if command := b.requestCommand(title, text); command != "" {
			m.add("a", "request as AWS CLI", "aws dynamodb …", command, "the command")
		}
	}
	m.add("i", "pattern id", b.job.pattern.FullID(), b.job.pattern.FullID(), "the pattern id")
	b.menu = m
	return nil
}

func (m *menu) add(key, label, note, text, what string) {
	m.entries = append(m.entries, menuEntry{key, label, note, func() tea.Cmd {
		return Send(CopyMsg{Text: text, What: what})
	}})
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
	m.add("j", "item as JSON", "plain, every digit kept", prettyJSON(r.item.AppendJSON(nil)), "the item")
	m.add("d", "item as DynamoDB JSON", "with types", prettyJSON(r.item.AppendDynamoDBJSON(nil)), "the item")
	m.add("k", "key", t.KeyText(r.item), t.KeyText(r.item), "the key")
	m.add("c", "get-item as AWS CLI", "aws dynamodb get-item …", "aws dynamodb get-item --table-name "+quote(t.Name)+
		" --key "+quote(string(key.AppendDynamoDBJSON(nil)))+b.commandTarget(), "the command")
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
	return "aws dynamodb " + command + " --cli-input-json " + quote(compact.String()) + b.commandTarget()
}

// commandTarget are the options that name the database.
func (b *Workbench) commandTarget() string {
	t := b.env.Session.Target()
	out := ""
	if t.Region != "" {
		out += " --region " + quote(t.Region)
	}
	if t.Custom && !t.Embedded {
		out += " --endpoint-url " + quote(t.Endpoint)
	}
	return out
}

// quote quotes text for a POSIX shell where that is needed.
func quote(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,", r)
	}) < 0
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func prettyJSON(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}
