package schemamap

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func (s *mapScreen) copyMap() tea.Cmd {
	return screen.Send(screen.CopyMsg{Text: s.plan.markdown(), What: "the schema map"})
}

// markdown is a table of the map for each table of the profile.
func (m *mapPlan) markdown() string {
	var out strings.Builder
	for i, b := range m.blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString("### " + models.Printable(b.table.Name) + "\n\n| entity |")
		rule := "| --- |"
		for _, c := range b.columns {
			name := c.key.Name
			switch {
			case c.part == partExpiry:
				name += " (TTL)"
			case c.index != nil:
				name = c.index.Name + " " + name
			}
			out.WriteString(" " + markdownCell(name, false) + " |")
			rule += " --- |"
		}
		out.WriteString("\n" + rule + "\n")
		for _, e := range b.entities {
			out.WriteString("| " + markdownCell(e.Name, false) + " |")
			for _, c := range b.columns {
				out.WriteString(" " + markdownCell(columnText(e, c), c.part != partExpiry) + " |")
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

// markdownCell spells text in a Markdown table; code keeps # and _ as they are.
func markdownCell(text string, code bool) string {
	text = strings.ReplaceAll(models.Printable(text), "|", `\|`)
	if text == "" || !code {
		return text
	}
	return "`" + text + "`"
}
