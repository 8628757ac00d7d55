package present

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Facts is a list of labels with texts. Set Label and Width before adding the first text. The caller may change Lines
// between calls.
type Facts struct {
	Styles *widget.Styles
	Label  int // width of the labels in cells
	Width  int // width of the lines in cells
	Lines  []string
}

func (f *Facts) room() int { return max(f.Width-f.Label, 8) }

// Text adds a label and a text, which wraps over as many lines as needed. It ignores an empty text.
func (f *Facts) Text(label string, role widget.Role, text string) {
	if text == "" {
		return
	}
	for _, line := range widget.Wrap(f.Styles, role, text, f.room()) {
		f.Styled(label, line)
		label = ""
	}
}

// Styled adds a label and a styled line. The line must fit into Width minus Label, because Styled does not cut it.
func (f *Facts) Styled(label, line string) {
	f.Lines = append(f.Lines, f.Styles.PaintCell(widget.RoleMuted, widget.SurfacePlain, label, f.Label, widget.AlignLeft)+line)
}

// Paragraph adds a text of the whole width, without a label.
func (f *Facts) Paragraph(role widget.Role, text string) {
	f.Lines = append(f.Lines, widget.Wrap(f.Styles, role, text, f.Width)...)
}

// Blank adds an empty line.
func (f *Facts) Blank() { f.Lines = append(f.Lines, "") }

// String returns all lines as one text.
func (f *Facts) String() string { return strings.Join(f.Lines, "\n") }

// fewAttributes is the maximum number of attributes to show without headings.
const fewAttributes = 5

// GroupsOf returns an entity's attributes by group: the documented groups, or groups derived from types and formats.
// The remaining attributes come last. Every stored attribute is in at least one group; attributes that exist only in
// keys are in none. The caller may change the slice.
func GroupsOf(e *models.Entity) []models.Group {
	if len(e.Groups) > 0 {
		return withRest(e, slices.Clone(e.Groups), sectionOther)
	}
	stored := 0
	for _, a := range e.Attributes {
		if !a.KeyOnly {
			stored++
		}
	}
	if stored <= fewAttributes {
		return withRest(e, nil, SectionUnknown)
	}
	return withRest(e, derivedGroups(e), sectionOther)
}

func withRest(e *models.Entity, groups []models.Group, title string) []models.Group {
	listed := map[string]bool{}
	for _, g := range groups {
		for _, path := range g.Attributes {
			listed[path] = true
		}
	}
	rest := models.Group{Title: title}
	for _, a := range e.Attributes {
		if !listed[a.Name] && !a.KeyOnly {
			rest.Attributes = append(rest.Attributes, a.Name)
		}
	}
	if len(rest.Attributes) == 0 {
		return groups
	}
	return append(groups, rest)
}

func derivedGroups(e *models.Entity) []models.Group {
	groups := []models.Group{
		{Title: "Identity"},
		{Title: "State"},
		{Title: "People"},
		{Title: "Money"},
		{Title: "Times"},
		{Title: "Documents"},
	}
	const identity, state, people, money, times, documents = 0, 1, 2, 3, 4, 5
	inKey := map[string]bool{}
	for _, name := range e.KeyNames() {
		if t, ok := e.KeyTemplate(name); ok && (name == e.Table.PartitionKey.Name || name == e.Table.SortKey.Name) {
			for _, placeholder := range t.Placeholders() {
				inKey[placeholder] = true
			}
		}
	}
	for _, a := range e.Attributes {
		group := -1
		switch {
		case a.KeyOnly:
		case e.Lifecycle(a.Name) != nil, len(a.Enum) > 0, a.Type == models.TypeBOOL:
			group = state
		case a.Format.IsTime(), a.Name == e.Table.TTL:
			group = times
		case a.Format == models.Cents:
			group = money
		case a.Format == models.Email, a.Format == models.E164, a.Sensitive == models.PII && a.Type == models.TypeS && !inKey[a.Name]:
			group = people
		case a.Type == models.TypeM, a.Type == models.TypeL, a.Type == models.TypeSS, a.Type == models.TypeNS, a.Type == models.TypeBS:
			group = documents
		case inKey[a.Name], a.Refers != "", a.Prefix != "", a.Format == models.UUID, a.Format.IsTimedID():
			group = identity
		}
		if group >= 0 {
			groups[group].Attributes = append(groups[group].Attributes, a.Name)
		}
	}
	return slices.DeleteFunc(groups, func(g models.Group) bool { return len(g.Attributes) == 0 })
}
