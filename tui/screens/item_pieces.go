// This file draws keys taken apart: each placeholder in its colour, with its
// name below, so that the reading holds without colours too.

package screens

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// pieceRole is the colour of the n-th placeholder of a template.
func pieceRole(n int) widget.Role {
	roles := [...]widget.Role{widget.RoleInfo, widget.RoleKey, widget.RoleGood, widget.RoleAccent}
	return roles[n%len(roles)]
}

// paintTemplate draws a template with its placeholders in their colours.
func paintTemplate(st *widget.Styles, t models.Template) string {
	var b strings.Builder
	n := 0
	for _, g := range t.Segments() {
		if g.Name == "" {
			b.WriteString(st.Paint(widget.RoleMuted, g.Literal))
			continue
		}
		text := "{" + g.Name + "}"
		if g.Format != models.NoFormat {
			text = "{" + g.Name + ":" + string(g.Format) + "}"
		}
		b.WriteString(st.Paint(pieceRole(n), text))
		n++
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

// paintPieces draws a key behind a lead: one line of the key with the names of
// its parts below, or a line for each part when the key is too long.
func paintPieces(st *widget.Styles, lead string, pieces []keyPiece, w int) []string {
	indent := ansi.StringWidth(lead)
	room := max(w-indent, 8)
	width := 0
	for _, p := range pieces {
		width += ansi.StringWidth(models.PrintableCell(p.text, room+1))
	}
	if width > room {
		return listPieces(st, lead, pieces, room)
	}
	var key strings.Builder
	key.WriteString(st.Paint(widget.RoleFaint, lead))
	var labels []label
	at, n := 0, 0
	for _, p := range pieces {
		text := models.Printable(p.text)
		role := widget.RoleMuted
		if p.name != "" {
			role = pieceRole(n)
			labels = append(labels, label{at, p.name, role})
			n++
		}
		key.WriteString(st.Paint(role, text))
		at += ansi.StringWidth(text)
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
		text := models.PrintableCell("╰ "+l.name, max(room-l.at, 4))
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

// listPieces names each part on a line of its own.
func listPieces(st *widget.Styles, lead string, pieces []keyPiece, room int) []string {
	blank := strings.Repeat(" ", ansi.StringWidth(lead))
	lines := []string{st.Paint(widget.RoleFaint, lead) + st.Paint(widget.RoleText, models.PrintableCell(joinSome(pieces, room), room))}
	n := 0
	for _, p := range pieces {
		if p.name == "" {
			continue
		}
		role := pieceRole(n)
		n++
		lines = append(lines, blank+st.Paint(role, models.PrintableCell("╰ "+p.name+" ", room))+
			st.Paint(widget.RoleText, models.PrintableCell(p.text, max(room-len(p.name)-3, 1))))
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
