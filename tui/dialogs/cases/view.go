package cases

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// width is how wide the dialog's text is at most.
	width = 96
	// around is how many lines of the screen the tree leaves to what is around it.
	around = 12
)

// Over draws the dialog over a screen of w by h cells.
func (d *Dialog) Over(s *widget.Styles, background string, w, h int) string {
	wide := max(min(w-8, width), 1)
	draw := func(note string, above, below []string) string {
		d.Dialog.Note, d.Dialog.Buttons = note, d.buttons()
		return d.Draw(s, background, w, h, wide, above, below)
	}
	switch {
	case d.phase == names:
		return draw("esc goes back to the tree", d.summary(s, wide), d.problem(s, wide))
	case d.phase == chooses && d.tree == nil:
		return draw("", nil, d.problem(s, wide))
	case d.phase == chooses:
		lines := append(d.lines(s, wide, max(h-around, 3)), "")
		return draw("space leaves out · + - depth "+present.Plural(d.limits.Depth, "step"), append(lines, d.summary(s, wide)...),
			d.problem(s, wide))
	case d.phase == saved:
		return draw("enter closes · y copies the path", d.result(s, wide, max(h-around, 3)), nil)
	}
	return draw("esc stops", d.working(s, wide), nil)
}

// lines are the branches in view.
func (d *Dialog) lines(s *widget.Styles, w, h int) []string {
	rows := d.tree.Rows()
	d.rows = min(h, len(rows))
	d.top = max(min(d.top, d.cursor), d.cursor-d.rows+1)
	d.top = max(0, min(d.top, len(rows)-d.rows))
	nameWidth := 0
	for _, r := range rows {
		nameWidth = max(nameWidth, ansi.StringWidth(r.Indent+r.Name))
	}
	nameWidth = min(nameWidth, w/2)
	var lines []string
	for i, r := range rows[d.top : d.top+d.rows] {
		lines = append(lines, d.line(s, r, d.top+i == d.cursor, nameWidth, w))
	}
	return lines
}

// line is a branch: whether it is taken, its name, its items and what is to be known about them.
func (d *Dialog) line(s *widget.Styles, r casefile.Row, current bool, nameWidth, w int) string {
	box, role := "✓ ", widget.RoleText
	if r.Left {
		box, role = "· ", widget.RoleFaint
	}
	mark := "  "
	if current {
		mark = s.Paint(widget.RoleAccent, "▌") + " "
	}
	name := models.Truncate(r.Indent+r.Name, nameWidth)
	name += strings.Repeat(" ", nameWidth-ansi.StringWidth(name))
	left := mark + s.Paint(role, box+name) + "  "
	rest := models.Truncate(models.Printable(present.Join(r.Counts(), r.Note(), " · ")), max(w-ansi.StringWidth(left), 1))
	return left + s.Paint(widget.RoleMuted, rest)
}

// summary are the totals.
func (d *Dialog) summary(s *widget.Styles, w int) []string {
	return append(widget.Wrap(s, widget.RoleStrong, d.tree.Summary(), w), "")
}

// problem is the error, or what a case contains.
func (d *Dialog) problem(s *widget.Styles, w int) []string {
	if d.err != nil {
		return append([]string{""}, widget.Wrap(s, widget.RoleBad, "✗ "+d.err.Error(), w)...)
	}
	return widget.Wrap(s, widget.RoleMuted, "Personal data is replaced by pseudonyms. Secrets and unknown attributes are left out.", w)
}

// working are the figures of what is under way.
func (d *Dialog) working(s *widget.Styles, w int) []string {
	text := "Reading related items"
	if d.phase == saves {
		text = "Reading the items again, strongly consistent"
	}
	n, capacity := d.progress.Requests()
	return []string{
		s.Paint(widget.RoleText, models.Truncate(text, w)), "",
		s.Paint(widget.RoleMuted, models.Truncate(present.Join(d.progress.Retrying(), present.Spent(n, "request", capacity),
			" · "), w)), "",
	}
}

// result says what was written, and where.
func (d *Dialog) result(s *widget.Styles, w, h int) []string {
	lines := []string{s.Paint(widget.RoleGood, "✓ ") + s.Paint(widget.RoleText, "Saved")}
	lines = append(lines, widget.Wrap(s, widget.RoleStrong, d.path, w)...)
	lines = append(lines, widget.Wrap(s, widget.RoleMuted, "Open it with ddbdesk open FILE.", w)...)
	lines = append(lines, "")
	report := d.report
	if room := max(h-len(lines)-1, 0); len(report) > room {
		report = append(report[:room:room], present.Plural(len(d.report)-room, "more line"))
	}
	for _, l := range report {
		lines = append(lines, s.Paint(widget.RoleMuted, models.Truncate(models.Printable(l), w)))
	}
	return append(lines, "")
}
