package item

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (tx *itemTexts) findingLines(w int) []string {
	st := tx.s.env.Styles
	if len(tx.s.facts.findings) == 0 {
		return []string{st.Paint(widget.RoleGood, "✓ nothing is known to be wrong with this entity and its patterns")}
	}
	text := min(w-2, 96) // Long lines are hard to read.
	var lines []string
	for i, f := range tx.s.facts.findings {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, present.FindingBlock(st, f, text)...)
		own := tx.s.facts.entity != nil && slices.Contains(f.Entities, tx.s.facts.entity.Name)
		if !own && len(f.Patterns) > 0 {
			lines = append(
				lines,
				present.Indented(widget.Wrap(st, widget.RoleFaint, "patterns "+strings.Join(f.Patterns, ", "), text-2))...,
			)
		}
	}
	return lines
}
