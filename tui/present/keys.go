package present

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A KeyPiece is the part of a key that matches one segment of its template.
type KeyPiece struct {
	Text string
	Name string // name of the placeholder, "" for a literal
}

// KeyPieces splits a key into the parts of its template and masks the sensitive ones. If the key does not match the
// template, or is ambiguous and has a sensitive part, KeyPieces returns one fully masked piece, because it cannot
// determine where the sensitive part ends.
func KeyPieces(e *models.Entity, masker *models.Masker, t models.Template, key string) []KeyPiece {
	m, err := t.Parse(key)
	if err != nil || m.Ambiguous && masker.Hides(e.TemplateSensitivity(t)) {
		return []KeyPiece{{Text: masker.Key(e, t, key)}}
	}
	pieces := make([]KeyPiece, 0, len(m.Spans))
	for _, span := range m.Spans {
		p := KeyPiece{Text: key[span.Start:span.End], Name: span.Segment.PartName()}
		if a := e.Attribute(p.Name); a != nil && p.Name != "" {
			p.Text = masker.MaskText(p.Text, a.Sensitive, a.Format)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// KeyUses lists the keys that contain an attribute, such as "sort key, partition key of GSI1". It may return "".
func KeyUses(t *models.Table, name string) string {
	var uses []string
	add := func(x *models.Index, keyName string) {
		partition, sort := t.KeysOf(x)
		switch {
		case models.KeyPosition(partition, name) >= 0:
			uses = append(uses, "partition key"+keyName)
		case models.KeyPosition(sort, name) >= 0:
			uses = append(uses, "sort key"+keyName)
		}
	}
	add(nil, "")
	for _, x := range t.Indexes {
		add(x, " of "+x.Name)
	}
	return strings.Join(uses, ", ")
}

// Lines returns the legend, with the number and the color of each placeholder, in lines of w cells.
func (l Legend) Lines(st *widget.Styles, e *models.Entity, w int) []string {
	lines := []string{""}
	room := w
	for i, name := range l {
		note := ""
		if a := e.Attribute(name); a == nil || a.KeyOnly {
			note = " (in keys only)"
		}
		number, name := strconv.Itoa(i+1)+" ", models.PrintableCell(name, max(w-6, 1))
		width := ansi.StringWidth(number+name+note) + 3
		if width > room && room < w {
			lines, room = append(lines, ""), w
		}
		lines[len(lines)-1] += st.Paint(
			widget.RoleMuted, number,
		) + st.Paint(l.Role(st, name), name) + st.Paint(widget.RoleFaint, note) + "   "
		room -= width
	}
	return lines
}

// PieceRole returns the color of the n-th placeholder, counting from 0. Colors repeat.
func PieceRole(n int) widget.Role {
	roles := [...]widget.Role{widget.RoleInfo, widget.RoleKey, widget.RoleGood, widget.RoleAccent}
	return roles[n%len(roles)]
}

// A Legend numbers the placeholders in an item's keys. A placeholder has the same color and number in every key.
type Legend []string

// LegendOf numbers the placeholders of templates in order of first occurrence. A placeholder in several templates gets
// one number.
func LegendOf(templates ...models.Template) Legend {
	var l Legend
	for _, t := range templates {
		for _, name := range t.Placeholders() {
			l = models.AppendOnce(l, name)
		}
	}
	return l
}

// Role returns the color of a placeholder, or an underlined role if colors are off.
func (l Legend) Role(st *widget.Styles, name string) widget.Role {
	if st.NoColor() {
		return widget.RoleMatch
	}
	return PieceRole(max(slices.Index(l, name), 0))
}

// PaintTemplate draws a template with each placeholder in its own color.
func PaintTemplate(st *widget.Styles, t models.Template) string { return LegendOf(t).Template(st, t) }

// Template draws a template with the placeholders in the colors of the legend.
func (l Legend) Template(st *widget.Styles, t models.Template) string {
	return paintSegments(st, t, widget.RoleMuted, func(name string) widget.Role { return l.Role(st, name) })
}

// Template draws a template with plain literals and all placeholders in one color.
func Template(st *widget.Styles, t models.Template) string {
	return paintSegments(st, t, widget.RoleText, func(string) widget.Role { return widget.RoleInfo })
}

func paintSegments(st *widget.Styles, t models.Template, literal widget.Role, role func(name string) widget.Role) string {
	var b strings.Builder
	for _, g := range t.Segments() {
		switch {
		case g.Name == "":
			b.WriteString(st.Paint(literal, g.Literal))
		case g.Format == models.NoFormat:
			b.WriteString(st.Paint(role(g.Name), "{"+g.Name+"}"))
		default:
			b.WriteString(st.Paint(role(g.Name), "{"+g.Name+":"+string(g.Format)+"}"))
		}
	}
	return b.String()
}

// JoinPieces returns the whole key.
func JoinPieces(pieces []KeyPiece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// PaintPieces draws a key after a lead in lines of w cells, with each part in its own color.
func PaintPieces(st *widget.Styles, lead string, pieces []KeyPiece, w int) []string {
	var l Legend
	for _, p := range pieces {
		if p.Name != "" && !slices.Contains(l, p.Name) {
			l = append(l, p.Name)
		}
	}
	return l.Pieces(st, lead, pieces, w, false)
}

// Pieces draws a key after a lead in lines of w cells: the key with the names of its parts below it, or one line per
// part if the key is too long. If numbered is true, it adds the legend's numbers to the names.
func (l Legend) Pieces(st *widget.Styles, lead string, pieces []KeyPiece, w int, numbered bool) []string {
	labelText := func(name string) string {
		if numbered && len(l) > 1 {
			return "╰" + strconv.Itoa(slices.Index(l, name)+1) + " " + name
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
		return l.pieceLines(st, lead, pieces, room, labelText)
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
			labels = append(labels, label{at, labelText(p.Name), role})
		}
		key.WriteString(st.Paint(role, text))
		at += ansi.StringWidth(text)
	}
	if st.NoColor() { // The corner marks the part, so the name needs no underline.
		for i := range labels {
			labels[i].role = widget.RoleMuted
		}
	}
	return append([]string{key.String()}, placeLabels(st, labels, indent, room)...)
}

// A label is the name of a key part, with its column.
type label struct {
	at   int
	name string
	role widget.Role
}

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

func (l Legend) pieceLines(st *widget.Styles, lead string, pieces []KeyPiece, room int, labelText func(string) string) []string {
	blank := strings.Repeat(" ", ansi.StringWidth(lead))
	lines := []string{st.Paint(widget.RoleFaint, lead) + st.Paint(widget.RoleText, models.PrintableCell(JoinFitting(pieces, room), room))}
	for _, p := range pieces {
		if p.Name == "" {
			continue
		}
		name := models.PrintableCell(labelText(p.Name)+" ", room)
		role := l.Role(st, p.Name)
		lines = append(lines, blank+st.Paint(widget.RoleMuted, name)+
			st.Paint(role, models.PrintableCell(p.Text, max(room-ansi.StringWidth(name), 1))))
	}
	return lines
}

// JoinFitting returns the start of a key, long enough to fill a line of the given number of cells.
func JoinFitting(pieces []KeyPiece, cells int) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text[:min(len(p.Text), 4*cells+4)])
	}
	return b.String()
}

// PaintDifference draws a text and highlights it from the first character that differs from other. It highlights
// nothing if the texts are equal.
func PaintDifference(st *widget.Styles, text, other string) string {
	n := 0
	a, b := []rune(text), []rune(other)
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return st.Paint(widget.RoleText, string(a[:n])) + st.Paint(widget.RoleWarn, string(a[n:]))
}

// MaxKeyLength is the maximum length of a partition key in bytes; a sort key has at most 1,024. Source: Amazon DynamoDB
// Developer Guide, "Quotas", partition key length.
const MaxKeyLength = 2048

// LooksLikeKey reports whether a text looks more like a key or an ID than like a name. It only affects the first
// suggestion, so a wrong answer costs one key press.
func LooksLikeKey(text string) bool { return strings.ContainsAny(text, "#_-:0123456789") }
