package cases

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
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
		d.Dialog.Note = note
		return d.Draw(s, background, w, h, wide, above, below)
	}
	switch {
	case d.phase == names:
		return draw("esc goes back to the tree", d.summary(s, wide), d.problem(s, wide))
	case d.phase == chooses && d.tree == nil:
		return draw("", nil, d.problem(s, wide))
	case d.phase == chooses:
		d.lines.SetSize(wide, min(max(h-around, 3), len(d.tree.Rows())))
		lines := append(strings.Split(d.lines.View(), "\n"), "")
		return draw("space leaves out · + - depth "+present.Plural(d.limits.Depth, "step"), append(lines, d.summary(s, wide)...),
			d.problem(s, wide))
	case d.phase == saved:
		return draw("enter closes · y copies the path", d.result(s, wide, max(h-around, 3)), nil)
	}
	return draw("esc stops", d.working(s, wide), nil)
}

// branches draws the rows of a tree.
type branches struct {
	env       *screen.Env // has the theme
	rows      []cases.Row
	nameWidth int
}

func (d *Dialog) showTree() {
	b := branches{env: d.env}
	if d.tree != nil {
		b.rows = d.tree.Rows()
	}
	for _, r := range b.rows {
		b.nameWidth = max(b.nameWidth, ansi.StringWidth(r.Indent+r.Name))
	}
	d.lines.SetSource(b)
}

// Len returns the number of branches.
func (b branches) Len() int { return len(b.rows) }

// Skip reports that the cursor passes over no branch.
func (branches) Skip(int) bool { return false }

// Line draws whether a branch is saved, its name, its items and what is to be known about them.
func (b branches) Line(i int, on widget.Surface, w int) string {
	r, t := b.rows[i], widget.NewStrip(b.env.Styles, on, w)
	mark, box, role := "  ", "✓ ", widget.RoleText
	if on != widget.SurfacePlain {
		mark = "▌ "
	}
	if r.Left {
		box, role = "· ", widget.RoleFaint
	}
	t.Put(widget.RoleAccent, mark)
	t.Put(role, box)
	t.Cell(role, r.Indent+r.Name, min(b.nameWidth, w/2)+2, widget.AlignLeft)
	t.Put(widget.RoleMuted, present.Join(r.Counts(), r.Note(), " · "))
	return t.String()
}

func (d *Dialog) summary(s *widget.Styles, w int) []string {
	return append(widget.Wrap(s, widget.RoleStrong, d.tree.Summary(), w), "")
}

func (d *Dialog) problem(s *widget.Styles, w int) []string {
	if d.err != nil {
		return append([]string{""}, widget.Wrap(s, widget.RoleBad, "✗ "+d.err.Error(), w)...)
	}
	return widget.Wrap(s, widget.RoleMuted, "Personal data is replaced by pseudonyms. Secrets and unknown attributes are left out.", w)
}

func (d *Dialog) working(s *widget.Styles, w int) []string {
	text := "Reading related items"
	if d.phase == saves {
		text = "Reading the items again, strongly consistent"
	}
	n, capacity := d.task.Progress.Requests()
	return []string{
		s.Paint(widget.RoleText, models.Truncate(text, w)), "",
		s.Paint(widget.RoleMuted, models.Truncate(present.Join(d.task.Progress.Retrying(), present.Spent(n, "request", capacity),
			" · "), w)), "",
	}
}

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
