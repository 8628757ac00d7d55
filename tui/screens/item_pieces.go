package screens

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// pieceRole is the colour of the n-th placeholder.
func pieceRole(n int) widget.Role {
	roles := [...]widget.Role{widget.RoleInfo, widget.RoleKey, widget.RoleGood, widget.RoleAccent}
	return roles[n%len(roles)]
}

// A legend numbers the placeholders of an item's keys: each has one colour and
// one number wherever it stands.
type legend []string

// legendOf numbers the placeholders of templates in the order of their first
// place.
func legendOf(templates ...models.Template) legend {
	var l legend
	for _, t := range templates {
		for _, name := range t.Placeholders() {
			if !slices.Contains(l, name) {
				l = append(l, name)
			}
		}
	}
	return l
}

// role is the colour of a placeholder; without colours it is underlined.
func (l legend) role(st *widget.Styles, name string) widget.Role {
	if st.NoColor() {
		return widget.RoleMatch
	}
	return pieceRole(max(slices.Index(l, name), 0))
}

// mark is how a placeholder is named below its part: with its number, when there
// are several.
func (l legend) mark(name string) string {
	if len(l) < 2 {
		return "╰ " + name
	}
	return "╰" + strconv.Itoa(slices.Index(l, name)+1) + " " + name
}

// paintTemplate draws a template with its placeholders in their own colours.
func paintTemplate(st *widget.Styles, t models.Template) string { return legendOf(t).template(st, t) }

// template draws a template with its placeholders in their colours.
func (l legend) template(st *widget.Styles, t models.Template) string {
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
		b.WriteString(st.Paint(l.role(st, g.Name), text))
	}
	return b.String()
}

func joinPieces(pieces []keyPiece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// paintPieces draws a key behind a lead, its parts in their own colours.
func paintPieces(st *widget.Styles, lead string, pieces []keyPiece, w int) []string {
	var l legend
	for _, p := range pieces {
		if p.name != "" && !slices.Contains(l, p.name) {
			l = append(l, p.name)
		}
	}
	return l.pieces(st, lead, pieces, w, false)
}

// pieces draws a key behind a lead: one line of the key with the names of its
// parts below, or a line for each part when the key is too long. With numbers
// the names carry those of the legend.
func (l legend) pieces(st *widget.Styles, lead string, pieces []keyPiece, w int, numbers bool) []string {
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
		width += ansi.StringWidth(models.PrintableCell(p.text, room+1))
	}
	if width > room {
		return l.list(st, lead, pieces, room, mark)
	}
	var key strings.Builder
	key.WriteString(st.Paint(widget.RoleFaint, lead))
	var labels []label
	at := 0
	for _, p := range pieces {
		text := models.Printable(p.text)
		role := widget.RoleMuted
		if p.name != "" {
			role = l.role(st, p.name)
			labels = append(labels, label{at, mark(p.name), role})
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
func (l legend) list(st *widget.Styles, lead string, pieces []keyPiece, room int, mark func(string) string) []string {
	blank := strings.Repeat(" ", ansi.StringWidth(lead))
	lines := []string{st.Paint(widget.RoleFaint, lead) + st.Paint(widget.RoleText, models.PrintableCell(joinSome(pieces, room), room))}
	for _, p := range pieces {
		if p.name == "" {
			continue
		}
		name := models.PrintableCell(mark(p.name)+" ", room)
		role := l.role(st, p.name)
		lines = append(lines, blank+st.Paint(widget.RoleMuted, name)+
			st.Paint(role, models.PrintableCell(p.text, max(room-ansi.StringWidth(name), 1))))
	}
	return lines
}

// joinSome is the start of the key: enough to fill a line, even of a long one.
func joinSome(pieces []keyPiece, cells int) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text[:min(len(p.text), 4*cells+4)])
	}
	return b.String()
}

// paintDifference draws text and lights what differs from other.
func paintDifference(st *widget.Styles, text, other string) string {
	n := 0
	a, b := []rune(text), []rune(other)
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return st.Paint(widget.RoleText, string(a[:n])) + st.Paint(widget.RoleWarn, string(a[n:]))
}
