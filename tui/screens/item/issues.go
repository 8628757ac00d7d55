package item

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// issuesTab lists the schema issues of the entity and its patterns.
type issuesTab struct{ textTab }

func newIssuesTab(s *itemScreen) *issuesTab {
	t := &issuesTab{}
	t.textTab = newTextTab(s, t.issueLines)
	return t
}

func (t *issuesTab) title() string { return counted("Issues", len(t.s.facts.findings)) }

func (t *issuesTab) issueLines(w int) []string {
	st := t.s.env.Styles
	if len(t.s.facts.findings) == 0 {
		return []string{st.Paint(widget.RoleGood, "✓ No known issues")}
	}
	text := min(w-2, 96) // Long lines are hard to read.
	var lines []string
	for i, f := range t.s.facts.findings {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, present.FindingBlock(st, f, text)...)
		own := t.s.facts.entity != nil && slices.Contains(f.Entities, t.s.facts.entity.Name)
		if !own && len(f.Patterns) > 0 {
			lines = append(
				lines,
				present.Indented(widget.Wrap(st, widget.RoleFaint, "patterns "+strings.Join(f.Patterns, ", "), text-2))...,
			)
		}
	}
	return lines
}
