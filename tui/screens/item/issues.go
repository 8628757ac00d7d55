package item

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
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

func (t *issuesTab) title() string { return counted("Issues", t.s.facts.concerns) }

func (t *issuesTab) issueLines(w int) []string {
	st := t.s.env.Styles
	if len(t.s.facts.findings) == 0 {
		return []string{st.Paint(widget.RoleGood, "✓ No known issues")}
	}
	text := min(w-2, 96) // Long lines are hard to read.
	own := func(f *accesspatterns.Finding) bool {
		return t.s.facts.entity != nil && slices.Contains(f.Entities, t.s.facts.entity.Name)
	}
	list := slices.Clone(t.s.facts.findings)
	slices.SortStableFunc(list, func(a, b *accesspatterns.Finding) int { return rankOf(own(a)) - rankOf(own(b)) })
	var lines []string
	for i, f := range list {
		if i > 0 {
			lines = append(lines, "")
		}
		if !own(f) && (i == 0 || own(list[i-1])) {
			lines = append(lines, present.Heading(st, "Of patterns that return it", text), "")
		}
		lines = append(lines, present.FindingBlock(st, f, text)...)
		if !own(f) && len(f.Patterns) > 0 {
			lines = append(
				lines,
				present.Indented(widget.Wrap(st, widget.RoleFaint, "patterns "+strings.Join(f.Patterns, ", "), text-2))...,
			)
		}
	}
	return lines
}

// rankOf sorts what is true before what is not.
func rankOf(first bool) int {
	if first {
		return 0
	}
	return 1
}
