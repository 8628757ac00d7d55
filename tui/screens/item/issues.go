package item

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// issuesTab lists the defects of the item, and the schema issues of the entity and its patterns. Only the defects are
// counted: the schema issues are the same for each item.
type issuesTab struct{ textTab }

func newIssuesTab(s *itemScreen) *issuesTab {
	t := &issuesTab{}
	t.textTab = newTextTab(s, t.issueLines)
	return t
}

func (t *issuesTab) title() string {
	if n := len(t.s.facts.defects); n > 0 && t.s.read.state == readDone {
		return "Issues ✗" + strconv.Itoa(n)
	}
	return "Issues"
}

func (t *issuesTab) note() string {
	switch n := len(t.s.facts.defects); {
	case t.s.read.state != readDone:
		return ""
	case n > 0:
		return "✗ " + present.Plural(n, "defect") + " of this item"
	case t.s.facts.entity != nil:
		return "✓ no defects of this item"
	}
	return ""
}

func (t *issuesTab) defectLines(w int) []string {
	if t.s.read.state != readDone || len(t.s.facts.defects) == 0 {
		return nil
	}
	st := t.s.env.Styles
	lines := []string{present.Heading(st, "Defects of this item", w), ""}
	for _, d := range t.s.facts.defects {
		lines = append(append(lines, present.DefectLines(st, d, w)...), "")
	}
	return lines
}

func (t *issuesTab) issueLines(w int) []string {
	st := t.s.env.Styles
	text := min(w-2, 96) // Long lines are hard to read.
	lines := t.defectLines(text)
	if len(t.s.facts.findings) == 0 {
		return append(lines, st.Paint(widget.RoleGood, "✓ No known issues of the schema"))
	}
	own := func(f *accesspatterns.Finding) bool {
		return t.s.facts.entity != nil && slices.Contains(f.Entities, t.s.facts.entity.Name)
	}
	list := slices.Clone(t.s.facts.findings)
	slices.SortStableFunc(list, func(a, b *accesspatterns.Finding) int { return rankOf(own(a)) - rankOf(own(b)) })
	for i, f := range list {
		if i > 0 {
			lines = append(lines, "")
		}
		switch {
		case i == 0 && own(f):
			lines = append(lines, present.Heading(st, "Schema issues of "+t.s.facts.name, text), "")
		case !own(f) && (i == 0 || own(list[i-1])):
			lines = append(lines, present.Heading(st, "Schema issues of patterns that return it", text), "")
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

func rankOf(first bool) int {
	if first {
		return 0
	}
	return 1
}
