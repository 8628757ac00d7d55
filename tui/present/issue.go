package present

import (
	"cmp"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// FindingTitle returns the title of an issue, or else the first sentence of its text.
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

// A findingKind describes a kind of schema issue.
type findingKind struct {
	sign  string
	words string // meaning for the data
	role  widget.Role
	risk  string // one sentence about the consequence
}

var findingKinds = map[accesspatterns.FindingKind]findingKind{
	accesspatterns.Impossible: {"✗", "cannot work as written", widget.RoleBad, "The documented request returns no result."},
	accesspatterns.Wrong: {
		"✗", "returns wrong or incomplete results", widget.RoleBad,
		"The documented request returns wrong or incomplete results.",
	},
	accesspatterns.Integrity: {
		"!", "can leave the data inconsistent", widget.RoleWarn,
		"Stored values can contradict each other, without an error.",
	},
	accesspatterns.Security: {"!", "can expose data", widget.RoleBad, "Someone can see data without permission."},
	accesspatterns.Cost: {
		"$", "reads far more than it returns", widget.RoleWarn,
		"The request is slow and expensive, more so as the table grows.",
	},
	accesspatterns.Latent: {
		"·", "works today, breaks with a small change", widget.RoleInfo,
		"It works today and stops working after a small change.",
	},
	accesspatterns.Contradiction: {
		"≠", "the document contradicts itself", widget.RoleInfo,
		"Two places in the document disagree, so programs can behave differently.",
	},
	accesspatterns.Gap: {
		"?", "the document omits something", widget.RoleMuted,
		"The document does not specify this, so programs can behave differently.",
	},
}

// DescribeFinding returns the symbol of a kind of schema issue, its meaning for the data, and the role of both. For an
// unknown kind, for example from a later version, it returns a neutral symbol and the name of the kind.
func DescribeFinding(k accesspatterns.FindingKind) (sign, words string, role widget.Role) {
	if known, ok := findingKinds[k]; ok {
		return known.sign, known.words, known.role
	}
	return "·", strings.ToLower(string(k)), widget.RoleMuted
}

// FindingRisk returns the consequence of a kind of schema issue, or "" for an unknown kind.
func FindingRisk(k accesspatterns.FindingKind) string { return findingKinds[k].risk }

// FindingRole returns the role of a kind of schema issue.
func FindingRole(k accesspatterns.FindingKind) widget.Role {
	_, _, role := DescribeFinding(k)
	return role
}

// FindingBlock describes an issue in lines of at most w cells: its title, kind, text and workaround. It uses at least 8
// cells.
func FindingBlock(s *widget.Styles, f *accesspatterns.Finding, w int) []string {
	sign, words, role := DescribeFinding(f.Kind)
	w = max(w, 8)
	lines := prependLead(s.Paint(role, sign+" "), widget.Wrap(s, widget.RoleStrong, FindingTitle(f), w-2))
	about := f.ID + " · " + strings.ToLower(string(f.Kind)) + ": " + words
	lines = append(lines, IndentLines(widget.Wrap(s, role, about, w-2), 2)...)
	lines = append(lines, IndentLines(widget.Wrap(s, widget.RoleText, f.Text, w-2), 2)...)
	if f.Workaround != "" {
		workaround := prependLead(s.Paint(widget.RoleGood, "→ "), widget.Wrap(s, widget.RoleGood, "Workaround: "+f.Workaround, w-4))
		lines = append(lines, IndentLines(workaround, 2)...)
	}
	if f.Source != "" {
		lines = append(lines, "  "+s.Paint(widget.RoleFaint, models.PrintableCell("document "+f.Source, w-2)))
	}
	return lines
}

// IndentLines returns the lines indented by a number of cells.
func IndentLines(lines []string, by int) []string {
	return models.MapSlice(lines, func(line string) string { return strings.Repeat(" ", by) + line })
}

// ReadLine describes a read with its placeholders: the operation and the conditions. The line needs no masking, because
// it contains no values. ReadLine does not cut it.
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
			widget.RoleMuted, " "+OperatorText(c.Compare)+" ",
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

// operatorTexts maps comparison operators to the console's spelling.
var operatorTexts = map[accesspatterns.Operator]string{
	accesspatterns.Matches: "=", accesspatterns.Equal: "=", accesspatterns.BeginsWith: "begins with",
	accesspatterns.Less: "<", accesspatterns.LessOrEqual: "≤", accesspatterns.Greater: ">", accesspatterns.GreaterOrEqual: "≥",
	accesspatterns.NotEqual: "≠", accesspatterns.Range: "with", accesspatterns.Between: "between",
}

// OperatorText returns a comparison operator as a sign or a word.
func OperatorText(c accesspatterns.Operator) string { return cmp.Or(operatorTexts[c], string(c)) }

// DefectDescription describes a kind of defect: its symbol in lists, and its meaning.
type DefectDescription struct {
	Sign    string
	Role    widget.Role
	Meaning string
}

var defectDescriptions = map[change.DefectKind]DefectDescription{
	change.Unknown: {"?", widget.RoleWarn, "The keys match no entity of the table."},
	change.Ghost: {
		"∅", widget.RoleBad,
		"Required attributes are missing, for example after an update without a condition.",
	},
	change.StaleKey: {
		"≠", widget.RoleWarn,
		"An index key does not match the attributes that it is derived from. Queries of the index miss the item or misplace it.",
	},
	change.StaleTTL: {
		"≠", widget.RoleWarn,
		"A time, such as the TTL, has the wrong value, type or format.",
	},
	change.WrongValue: {
		"≠", widget.RoleWarn,
		"A value has the wrong type or format, or is not one of the values that the schema allows.",
	},
}

// DescribeDefect returns the description of a kind of defect.
func DescribeDefect(k change.DefectKind) DefectDescription { return defectDescriptions[k] }

// DefectBadge returns the symbol and the word for a kind of defect.
func DefectBadge(k change.DefectKind) widget.Cell {
	d := defectDescriptions[k]
	return widget.Cell{Text: d.Sign + " " + k.Word(), Role: d.Role}
}

// DefectValues returns the stored and the expected value of a defect of entity e, with times in readable form. ok is
// false if it has neither. e may be nil.
func DefectValues(e *models.Entity, d change.Defect) (stored, expected string, ok bool) {
	f := ValueOf(e, d.Attribute).Format
	return cmp.Or(f.ReadableText(d.Stored), NoValue), cmp.Or(f.ReadableText(d.Expected), NoValue), d.Stored != "" || d.Expected != ""
}

// DefectLines describes a masked defect in lines of w cells: its attribute, the problem, and the expected value.
func DefectLines(st *widget.Styles, e *models.Entity, d change.Defect, w int) []string {
	name := cmp.Or(d.Attribute, d.Kind.Word())
	lines := widget.Wrap(st, widget.RoleText, d.Text, max(w-1-models.Width(name), 8))
	lines[0] = st.Paint(widget.RoleKey, name) + " " + lines[0]
	for i := 1; i < len(lines); i++ {
		lines[i] = "  " + lines[i]
	}
	if stored, expected, ok := DefectValues(e, d); ok {
		lines = append(lines, "  "+st.Paint(widget.RoleBad, stored)+st.Paint(widget.RoleFaint, " → ")+st.Paint(widget.RoleGood, expected))
	}
	return lines
}
