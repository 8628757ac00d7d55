// This file is the tab with what the schema document gets wrong about the item
// and its patterns, in plain words.

package screens

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// findingWords say what a kind of finding means to who uses the data.
func findingWords(k accesspatterns.FindingKind) (sign, words string, role widget.Role) {
	switch k {
	case accesspatterns.Impossible:
		return "✗", "cannot work as written", widget.RoleBad
	case accesspatterns.Wrong:
		return "✗", "gives wrong or incomplete answers", widget.RoleBad
	case accesspatterns.Integrity:
		return "!", "can leave the data inconsistent", widget.RoleWarn
	case accesspatterns.Security:
		return "!", "can expose data", widget.RoleBad
	case accesspatterns.Cost:
		return "$", "reads far more than it returns", widget.RoleWarn
	case accesspatterns.Latent:
		return "·", "right today, breaks with a small change", widget.RoleInfo
	case accesspatterns.Contradiction:
		return "≠", "the document says two things", widget.RoleInfo
	case accesspatterns.Gap:
		return "?", "the document leaves something out", widget.RoleMuted
	}
	return "·", strings.ToLower(string(k)), widget.RoleMuted
}

func (s *itemScreen) findingLines(w int) []string {
	st := s.env.Styles
	if len(s.facts.findings) == 0 {
		return []string{st.Paint(widget.RoleGood, "✓ nothing is known to be wrong with this entity and its patterns")}
	}
	text := min(w-2, 96) // Long lines are hard to read.
	var lines []string
	for i, f := range s.facts.findings {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, findingLine(st, f, text, s.facts.entity != nil && concerns(f, s.facts.entity.Name))...)
	}
	return lines
}

func concerns(f *accesspatterns.Finding, entity string) bool {
	for _, n := range f.Entities {
		if n == entity {
			return true
		}
	}
	return false
}

func findingLine(st *widget.Styles, f *accesspatterns.Finding, w int, own bool) []string {
	sign, words, role := findingWords(f.Kind)
	head := st.Paint(role, sign+" "+words) + st.Paint(widget.RoleFaint, "  "+f.ID+" "+string(f.Kind))
	lines := []string{head}
	lines = append(lines, indented(widget.Wrap(st, widget.RoleText, strings.TrimSpace(f.Text), w-2))...)
	if f.Behaviour != "" {
		does := indented(widget.Wrap(st, widget.RoleMuted, strings.TrimSpace(f.Behaviour), w-4))
		for i := range does {
			sign := "  "
			if i == 0 {
				sign = st.Paint(widget.RoleGood, "→ ")
			}
			does[i] = "  " + sign + strings.TrimPrefix(does[i], "  ")
		}
		lines = append(lines, does...)
	}
	where := ""
	if !own && len(f.Patterns) > 0 {
		where = "patterns " + strings.Join(f.Patterns, ", ")
	}
	if f.Source != "" {
		if where != "" {
			where += " · "
		}
		where += "document " + f.Source
	}
	if where != "" {
		lines = append(lines, indented(widget.Wrap(st, widget.RoleFaint, where, w-2))...)
	}
	return lines
}

func indented(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}
