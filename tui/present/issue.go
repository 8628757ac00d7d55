package present

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// FindingTitle says in a few words what goes wrong: the title of the finding, or
// the first sentence of its text.
func FindingTitle(f *accesspatterns.Finding) string {
	if f.Title != "" {
		return f.Title
	}
	first, _, more := strings.Cut(strings.TrimSpace(f.Text), ". ")
	if more {
		return first
	}
	return strings.TrimSuffix(first, ".")
}

// A findingKind is how a kind of schema issue is shown.
type findingKind struct {
	sign  string
	words string // what it means for the data
	role  widget.Role
	risk  string // what follows from it, a sentence
}

var findingKinds = map[accesspatterns.FindingKind]findingKind{
	accesspatterns.Impossible:    {"✗", "cannot work as written", widget.RoleBad, "The documented request gets no result."},
	accesspatterns.Wrong:         {"✗", "gives wrong or incomplete answers", widget.RoleBad, "The documented request gets a wrong or incomplete result."},
	accesspatterns.Integrity:     {"!", "can leave the data inconsistent", widget.RoleWarn, "Two places can disagree afterwards, without an error."},
	accesspatterns.Security:      {"!", "can expose data", widget.RoleBad, "Someone can see data without permission."},
	accesspatterns.Cost:          {"$", "reads far more than it returns", widget.RoleWarn, "The request is slow and expensive, more so as the table grows."},
	accesspatterns.Latent:        {"·", "right today, breaks with a small change", widget.RoleInfo, "It works today and stops working after a small change."},
	accesspatterns.Contradiction: {"≠", "the document says two things", widget.RoleInfo, "Two places in the document disagree, so programs can differ."},
	accesspatterns.Gap:           {"?", "the document leaves something out", widget.RoleMuted, "The document does not specify it, so programs can differ."},
}

// FindingWords say what a kind of schema issue means for the data.
func FindingWords(k accesspatterns.FindingKind) (sign, words string, role widget.Role) {
	if known, ok := findingKinds[k]; ok {
		return known.sign, known.words, known.role
	}
	return "·", strings.ToLower(string(k)), widget.RoleMuted
}

// FindingDanger says what follows from a kind of schema issue, "" for an unknown one.
func FindingDanger(k accesspatterns.FindingKind) string { return findingKinds[k].risk }

// FindingBlock tells a finding in lines of at most w cells: what goes wrong, why,
// and what ddbdesk does instead.
func FindingBlock(s *widget.Styles, f *accesspatterns.Finding, w int) []string {
	sign, words, role := FindingWords(f.Kind)
	w = max(w, 8)
	var lines []string
	for i, line := range widget.Wrap(s, widget.RoleStrong, FindingTitle(f), w-2) {
		mark := "  "
		if i == 0 {
			mark = s.Paint(role, sign+" ")
		}
		lines = append(lines, mark+line)
	}
	about := f.ID + " · " + strings.ToLower(string(f.Kind)) + ": " + words
	lines = append(lines, Indented(widget.Wrap(s, role, about, w-2))...)
	lines = append(lines, Indented(widget.Wrap(s, widget.RoleText, f.Text, w-2))...)
	lines = append(lines, Indented(behaviourLines(s, f, w-2))...)
	if f.Source != "" {
		lines = append(lines, "  "+s.Paint(widget.RoleFaint, models.PrintableCell("document "+f.Source, w-2)))
	}
	return lines
}

// behaviourLines say what ddbdesk does instead.
func behaviourLines(s *widget.Styles, f *accesspatterns.Finding, w int) []string {
	if f.Workaround == "" {
		return nil
	}
	lines := widget.Wrap(s, widget.RoleGood, "Workaround: "+f.Workaround, w-2)
	for i := range lines {
		mark := "  "
		if i == 0 {
			mark = s.Paint(widget.RoleGood, "→ ")
		}
		lines[i] = mark + lines[i]
	}
	return lines
}

// Indented moves lines two cells to the right, in place.
func Indented(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// ReadLine spells a request with its placeholders.
func ReadLine(s *widget.Styles, r accesspatterns.Read) string {
	line := s.Paint(widget.RoleStrong, strings.ToUpper(string(r.Operation)))
	if r.Index != nil {
		line += s.Paint(widget.RoleStrong, " "+r.Index.Name)
	}
	for i, c := range r.Key {
		sep := "  "
		if i > 0 {
			sep = "  ·  "
		}
		line += s.Paint(widget.RoleFaint, sep) + s.Paint(widget.RoleKey, c.Attribute.Name) + s.Paint(
			widget.RoleMuted, " "+CompareWord(c.Compare)+" ",
		)
		switch c.Compare {
		case accesspatterns.Range:
			line += rangeLine(s, c)
		case accesspatterns.Between:
			line += Template(s, c.Template) + s.Paint(widget.RoleMuted, " and ") + Template(s, c.Upper)
		default:
			line += Template(s, c.Template)
		}
	}
	return line
}

// rangeLine spells a range on a part of a key; it may be open at one end.
func rangeLine(s *widget.Styles, c accesspatterns.KeyCondition) string {
	on := s.Paint(widget.RoleInfo, "{"+c.On+"}")
	switch {
	case c.From.IsZero():
		return on + s.Paint(widget.RoleMuted, " ≤ ") + Template(s, c.To)
	case c.To.IsZero():
		return on + s.Paint(widget.RoleMuted, " ≥ ") + Template(s, c.From)
	}
	return on + s.Paint(widget.RoleMuted, " from ") + Template(s, c.From) + s.Paint(widget.RoleMuted, " to ") + Template(s, c.To)
}

// CompareWord spells a comparison for people.
func CompareWord(c accesspatterns.Operator) string {
	switch c {
	case accesspatterns.Matches, accesspatterns.Equal:
		return "="
	case accesspatterns.BeginsWith:
		return "begins with"
	case accesspatterns.Less:
		return "<"
	case accesspatterns.LessOrEqual:
		return "≤"
	case accesspatterns.Greater:
		return ">"
	case accesspatterns.GreaterOrEqual:
		return "≥"
	case accesspatterns.Range:
		return "with"
	case accesspatterns.Between:
		return "between"
	default:
		return string(c)
	}
}
