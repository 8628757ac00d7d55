package present

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// KeyPiece is the part of a key that one segment of its template matched.
type KeyPiece struct {
	Text string
	Name string // the placeholder, "" for a literal
}

// KeyPieces takes a key apart and hides its sensitive parts.
func KeyPieces(e *models.Entity, masker *models.Masker, t models.Template, key string) []KeyPiece {
	m, err := t.Parse(key)
	if err != nil {
		return []KeyPiece{{Text: masker.Key(e, t, key)}}
	}
	pieces := make([]KeyPiece, 0, len(m.Spans))
	for _, span := range m.Spans {
		p := KeyPiece{Text: key[span.Start:span.End], Name: span.Segment.Name}
		if a := e.Attribute(p.Name); a != nil && p.Name != "" {
			p.Text = masker.MaskText(p.Text, a.Sensitive, a.Format)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// KeyUses says which keys the attribute is.
func KeyUses(t *models.Table, name string) string {
	var uses []string
	add := func(partition, sort models.Key, of string) {
		switch name {
		case partition.Name:
			uses = append(uses, "partition key"+of)
		case sort.Name:
			uses = append(uses, "sort key"+of)
		}
	}
	add(t.PartitionKey, t.SortKey, "")
	for _, x := range t.Indexes {
		add(x.PartitionKey, x.SortKey, " of "+x.Name)
	}
	return strings.Join(uses, ", ")
}

// Lines are the legend itself: what each colour and number stands for.
func (l Legend) Lines(st *widget.Styles, e *models.Entity, w int) []string {
	lines := []string{""}
	room := w
	for i, name := range l {
		note := ""
		if a := e.Attribute(name); a == nil || a.KeyOnly {
			note = " (in keys only)"
		}
		mark, name := strconv.Itoa(i+1)+" ", models.PrintableCell(name, max(w-6, 1))
		need := ansi.StringWidth(mark+name+note) + 3
		if need > room && room < w {
			lines, room = append(lines, ""), w
		}
		lines[len(lines)-1] += st.Paint(
			widget.RoleMuted, mark,
		) + st.Paint(l.Role(st, name), name) + st.Paint(widget.RoleFaint, note) + "   "
		room -= need
	}
	return lines
}

// PieceRoles is the number of colors for placeholders.
const PieceRoles = 4

// PieceRole returns the color of the n-th placeholder; colors repeat after PieceRoles.
func PieceRole(n int) widget.Role {
	return [PieceRoles]widget.Role{widget.RoleInfo, widget.RoleKey, widget.RoleGood, widget.RoleAccent}[n%PieceRoles]
}

// A Legend numbers the placeholders of an item's keys: each has one colour and
// one number wherever it stands.
type Legend []string

// LegendOf numbers the placeholders of templates in the order of their first
// place.
func LegendOf(templates ...models.Template) Legend {
	var l Legend
	for _, t := range templates {
		for _, name := range t.Placeholders() {
			if !slices.Contains(l, name) {
				l = append(l, name)
			}
		}
	}
	return l
}

// Role is the colour of a placeholder; without colours it is underlined.
func (l Legend) Role(st *widget.Styles, name string) widget.Role {
	if st.NoColor() {
		return widget.RoleMatch
	}
	return PieceRole(max(slices.Index(l, name), 0))
}

// mark is how a placeholder is named below its part: with its number, when there
// are several.
func (l Legend) mark(name string) string {
	if len(l) < 2 {
		return "╰ " + name
	}
	return "╰" + strconv.Itoa(slices.Index(l, name)+1) + " " + name
}

// PaintTemplate draws a template with its placeholders in their own colours.
func PaintTemplate(st *widget.Styles, t models.Template) string { return LegendOf(t).Template(st, t) }

// Template draws a template with its placeholders in their colours.
func (l Legend) Template(st *widget.Styles, t models.Template) string {
	var b strings.Builder
	for _, g := range t.Segments() {
		if g.Name == "" {
			b.WriteString(st.Paint(widget.RoleMuted, g.Literal))
			continue
		}
		text := "{" + g.Name + "}"
		if g.Format != models.NoFormat {
			text = "{" + g.Name + ":" + string(g.Format) + "}"
		}
		b.WriteString(st.Paint(l.Role(st, g.Name), text))
	}
	return b.String()
}

// JoinPieces is the text of a key.
func JoinPieces(pieces []KeyPiece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// PaintPieces draws a key behind a lead, its parts in their own colours.
func PaintPieces(st *widget.Styles, lead string, pieces []KeyPiece, w int) []string {
	var l Legend
	for _, p := range pieces {
		if p.Name != "" && !slices.Contains(l, p.Name) {
			l = append(l, p.Name)
		}
	}
	return l.Pieces(st, lead, pieces, w, false)
}

// Pieces draws a key behind a lead: one line of the key with the names of its
// parts below, or a line for each part when the key is too long. With numbers
// the names carry those of the legend.
func (l Legend) Pieces(st *widget.Styles, lead string, pieces []KeyPiece, w int, numbers bool) []string {
	mark := func(name string) string {
		if numbers {
			return l.mark(name)
		}
		return "╰ " + name
	}
	indent := ansi.StringWidth(lead)
	room := max(w-indent, 8)
	width := 0
	for _, p := range pieces {
		width += ansi.StringWidth(models.PrintableCell(p.Text, room+1))
	}
	if width > room {
		return l.list(st, lead, pieces, room, mark)
	}
	var key strings.Builder
	key.WriteString(st.Paint(widget.RoleFaint, lead))
	var labels []label
	at := 0
	for _, p := range pieces {
		text := models.Printable(p.Text)
		role := widget.RoleMuted
		if p.Name != "" {
			role = l.Role(st, p.Name)
			labels = append(labels, label{at, mark(p.Name), role})
		}
		key.WriteString(st.Paint(role, text))
		at += ansi.StringWidth(text)
	}
	if st.NoColor() { // Names need no underline: the corner leads to the part.
		for i := range labels {
			labels[i].role = widget.RoleMuted
		}
	}
	return append([]string{key.String()}, placeLabels(st, labels, indent, room)...)
}

// label is the name of a part of a key, at a column.
type label struct {
	at   int
	name string
	role widget.Role
}

// placeLabels puts names under the columns where their parts start, in as many
// lines as it takes so that none covers another.
func placeLabels(st *widget.Styles, labels []label, indent, room int) []string {
	var lines []string
	var line strings.Builder
	end := 0
	flush := func() {
		if line.Len() > 0 {
			lines = append(lines, line.String())
			line.Reset()
		}
	}
	for _, l := range labels {
		text := models.PrintableCell(l.name, max(room-l.at, 4))
		if line.Len() == 0 || end+1 > l.at {
			flush()
			end = 0
			line.WriteString(strings.Repeat(" ", indent))
		}
		line.WriteString(strings.Repeat(" ", l.at-end))
		line.WriteString(st.Paint(l.role, text))
		end = l.at + ansi.StringWidth(text)
	}
	flush()
	return lines
}

// list names each part on a line of its own.
func (l Legend) list(st *widget.Styles, lead string, pieces []KeyPiece, room int, mark func(string) string) []string {
	blank := strings.Repeat(" ", ansi.StringWidth(lead))
	lines := []string{st.Paint(widget.RoleFaint, lead) + st.Paint(widget.RoleText, models.PrintableCell(JoinSome(pieces, room), room))}
	for _, p := range pieces {
		if p.Name == "" {
			continue
		}
		name := models.PrintableCell(mark(p.Name)+" ", room)
		role := l.Role(st, p.Name)
		lines = append(lines, blank+st.Paint(widget.RoleMuted, name)+
			st.Paint(role, models.PrintableCell(p.Text, max(room-ansi.StringWidth(name), 1))))
	}
	return lines
}

// JoinSome is the start of the key: enough to fill a line, even of a long one.
func JoinSome(pieces []KeyPiece, cells int) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text[:min(len(p.Text), 4*cells+4)])
	}
	return b.String()
}

// PaintDifference draws text and lights what differs from other.
func PaintDifference(st *widget.Styles, text, other string) string {
	n := 0
	a, b := []rune(text), []rune(other)
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return st.Paint(widget.RoleText, string(a[:n])) + st.Paint(widget.RoleWarn, string(a[n:]))
}

// LongestKey is the longest key in bytes that DynamoDB takes: 2,048 for a
// partition key, 1,024 for a sort key.
// Source: Amazon DynamoDB Developer Guide, "Quotas", partition key length.
const LongestKey = 2048

// LooksLikeKey reports whether a text may be a key or an id, and is no name.
func LooksLikeKey(text string) bool { return strings.ContainsAny(text, "#_-:0123456789") }

// EntityTitle is what people call items of an entity; "" for nil.
func EntityTitle(e *models.Entity) string {
	if e == nil {
		return ""
	}
	return EntityName(e)
}

// IsBlank reports whether a text holds nothing that can be seen.
func IsBlank(text string) bool { return strings.TrimSpace(text) == "" }
