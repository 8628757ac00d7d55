// This file is the menu of what can be copied. Everything in it was masked.

package screens

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// copyChoice is something to copy. The text is made when it is chosen.
type copyChoice struct {
	key  string
	what string
	text func() string
}

// copyMenu is a box with choices, each with a letter.
type copyMenu struct {
	title   string
	choices []copyChoice
	at      int
	box     rect
}

func (s *itemScreen) copyMenu() *copyMenu {
	m := &copyMenu{title: "Copy"}
	if name, text, ok := s.selectedText(); ok {
		m.choices = append(m.choices, copyChoice{"v", "value of " + models.PrintableCell(name, 32), func() string { return text }})
	}
	masked, table := s.facts.masked, s.table
	m.choices = append(
		m.choices,
		copyChoice{"j", "item as JSON", func() string { return string(masked.AppendJSON(nil)) }},
		copyChoice{"d", "item as DynamoDB JSON", func() string { return string(masked.AppendDynamoDBJSON(nil)) }},
		copyChoice{"k", "key", func() string { return table.KeyText(masked) }},
		copyChoice{"c", "AWS CLI command", s.cliCommand},
	)
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

func (m *copyMenu) update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key := press.String(); key {
	case "esc", "q", "y":
		return nil, true
	case "up", "k":
		if key == "k" {
			break // k is the letter of the key.
		}
		m.at = max(m.at-1, 0)
		return nil, false
	case "down":
		m.at = min(m.at+1, len(m.choices)-1)
		return nil, false
	case "enter":
		return m.choose(m.at), true
	}
	for i, c := range m.choices {
		if c.key == press.String() {
			return m.choose(i), true
		}
	}
	return nil, false
}

func (m *copyMenu) choose(i int) tea.Cmd {
	c := m.choices[i]
	text := c.text()
	what := "the " + c.what
	if strings.Contains(text, "•••") || strings.Contains(text, "[secret]") {
		what += " (masked)"
	}
	return Send(CopyMsg{Text: text, What: what})
}

func (m *copyMenu) over(s *widget.Styles, background string, w, h int) string {
	lines := make([]string, len(m.choices))
	width := 24
	for _, c := range m.choices {
		width = max(width, len(c.what)+8)
	}
	width = min(width, w-4)
	for i, c := range m.choices {
		on, bar := widget.SurfacePlain, "  "
		if i == m.at {
			on, bar = widget.SurfaceCursor, "▌ "
		}
		lines[i] = s.PaintOn(widget.RoleAccent, on, bar) + s.PaintOn(widget.RoleKey, on, c.key) +
			s.PaintCell(widget.RoleText, on, "  "+c.what, width-3, widget.AlignLeft)
	}
	bw, bh := min(width+2, w), min(len(lines)+2, h)
	m.box = rect{(w - bw) / 2, (h - bh) / 2, bw, bh}
	box := widget.Panel{Title: m.title, Note: "masked values stay masked", Focused: true}.Render(s, strings.Join(lines, "\n"), bw, bh)
	return widget.Overlay(widget.Dim(s, background), box, m.box.x, m.box.y)
}

func (m *copyMenu) cursor() *tea.Cursor { return nil }

func (m *copyMenu) setStyles(*widget.Styles) {}

func (m *copyMenu) click(x, y int) (cmd tea.Cmd, done bool) {
	if !m.box.has(x, y) {
		return nil, true
	}
	if i := y - m.box.y - 1; i >= 0 && i < len(m.choices) {
		return m.choose(i), true
	}
	return nil, false
}
