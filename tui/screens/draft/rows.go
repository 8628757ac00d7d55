package draft

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (s *draftScreen) fill() {
	s.changes++
	if s.draft == nil {
		return
	}
	s.parts = s.draft.Parts()
	items := make([]widget.ListItem, len(s.parts))
	for i, p := range s.parts {
		sign, role := answerSign(p)
		items[i] = widget.ListItem{
			ID: p.ID, Section: "Entity " + models.Printable(s.entityName(p.Entity)), Lead: sign, Title: models.Printable(title(p)),
			Badge: models.Printable(badge(p)), BadgeRole: role, Search: sign + " " + models.Printable(p.Inferred),
		}
	}
	s.list.SetItems(items)
}

func answerSign(p draft.Part) (string, widget.Role) {
	switch {
	case p.Answer == draft.Confirmed:
		return "✓", widget.RoleGood
	case p.Answer == draft.Dropped, p.Answer == draft.Removed:
		return "✗", widget.RoleBad
	case p.Check:
		return "?", widget.RoleWarn
	}
	return "·", widget.RoleMuted
}

// kindWords name the kinds of parts.
var kindWords = map[draft.PartKind]string{
	draft.EntityPart: "entity", draft.DiscriminatorPart: "when", draft.VersionPart: "version", draft.UpdatedPart: "updated",
	draft.KeyPart: "key", draft.AttributePart: "", draft.PatternPart: "pattern",
}

func title(p draft.Part) string { return present.Join(kindWords[p.Kind], p.Name, " ") }

func badge(p draft.Part) string {
	masked := ""
	if p.Sensitivity != models.Open {
		masked = "◆ " + string(p.Sensitivity)
	}
	return present.Join(p.Inferred, masked, " · ")
}

func (s *draftScreen) selected() *draft.Part {
	it, ok := s.list.Selected()
	for i := range s.parts {
		if ok && s.parts[i].ID == it.ID {
			return &s.parts[i]
		}
	}
	return nil
}

func (s *draftScreen) entityName(entity int) string {
	for _, p := range s.parts {
		if p.Entity == entity && p.Kind == draft.EntityPart {
			return p.Name
		}
	}
	return ""
}

func (s *draftScreen) toCheck() (n int) {
	for _, p := range s.parts {
		if p.Check && p.Answer == draft.Unanswered {
			n++
		}
	}
	return n
}

func (s *draftScreen) preview() tea.Cmd {
	text := string(s.draft.Text())
	sheet := overlay.NewSheet(s.env.Styles, s.draft.Name()+".yaml", func(st *widget.Styles, w int) []string {
		return yamlLines(st, strings.Split(text, "\n"), w)
	})
	sheet.Key, sheet.Copy, sheet.What = "v", text, "the profile"
	s.Box = sheet
	return nil
}

func yamlLines(st *widget.Styles, lines []string, w int) []string {
	var out []string
	for _, line := range lines {
		code, comment, commented := strings.Cut(line, "# ")
		room := max(w-ansi.StringWidth(code), 0)
		text := st.Paint(widget.RoleText, ansi.Truncate(code, w, "…"))
		role := widget.RoleFaint
		if strings.Contains(comment, "CHECK") {
			role = widget.RoleWarn
		}
		if commented {
			text += st.Paint(role, ansi.Truncate("# "+comment, room, "…"))
		}
		out = append(out, text)
	}
	return out
}

// View draws the list and the details.
func (s *draftScreen) View() string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	st := s.env.Styles
	it, _ := s.list.Selected()
	list := widget.Panel{Title: "Inferred", Note: present.Plural(s.toCheck(), "part") + " to check", Focused: !s.OnDetails}.
		Render(st, s.list.View(), s.Rows.W, s.Rows.H)
	about := widget.Panel{Title: "Details", Focused: s.OnDetails}
	details := s.Details.Panel(about, s.Text.W, s.Text.H, struct {
		id      string
		changes int
	}{it.ID, s.changes}, s.detailLines)
	view := widget.Rows(list, details)
	if s.Text.X > 0 {
		view = widget.Columns(list, details)
	}
	return s.DrawBox(st, view, s.W, s.H)
}

func (s *draftScreen) detailLines(w int) []string {
	t := &present.Facts{Styles: s.env.Styles, Label: 10, Width: w}
	p := s.selected()
	if p == nil || s.draft == nil {
		return nil
	}
	sign, role := answerSign(*p)
	t.Paragraph(widget.RoleTitle, title(*p))
	t.Text("inferred", widget.RoleText, p.Inferred)
	if p.Kind == draft.AttributePart {
		t.Text("masking", widget.RoleText, maskingWords[p.Sensitivity])
	}
	t.Text("evidence", widget.RoleText, p.Evidence)
	t.Text("answer", role, sign+" "+answerWords(p))
	t.Blank()
	if p.Answer == draft.Removed && p.Kind != draft.AttributePart { // nothing of it is in the file
		return t.Lines
	}
	t.Lines = append(t.Lines, present.Heading(s.env.Styles, "In the file", w))
	t.Lines = append(t.Lines, yamlLines(s.env.Styles, s.fileLines(p), w)...)
	return t.Lines
}

// maskingWords explain a sensitivity.
var maskingWords = map[models.Sensitivity]string{
	models.Open:   "shown",
	models.PII:    "personal data: masked until revealed with a reason",
	models.Secret: "secret: never shown",
}

func answerWords(p *draft.Part) string {
	switch {
	case p.Answer == draft.Confirmed:
		return "confirmed"
	case p.Answer == draft.Dropped:
		return "dropped: not written to the profile"
	case p.Answer == draft.Removed:
		return "removed: not written to the profile; press x to restore it"
	case p.Kind == draft.PatternPart:
		return "none needed"
	case p.Check && p.CanDrop():
		return "open: press enter to confirm or d to drop"
	case p.Check:
		return "open: press enter to confirm"
	}
	return "none needed: it holds for the whole sample"
}

func (s *draftScreen) fileLines(p *draft.Part) []string {
	lines := strings.Split(string(s.draft.Text()), "\n")
	head := "  " + s.entityName(p.Entity) + ":"
	if p.Kind == draft.PatternPart {
		head = "  " + p.Name + ":"
	}
	var out []string
	inside := false
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, head):
			inside = true
		case inside && (line == "" || !strings.HasPrefix(line, "   ")):
			return out
		}
		if inside {
			out = append(out, line)
		}
	}
	return out
}

var _ screen.ProfileEditor = (*draftScreen)(nil)
