package compare

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// compareLines draws the rows of a comparison: a heading before each group, a line for
// each row and, on a narrow screen, two more lines for the values of a difference.
type compareLines struct {
	env         *screen.Env
	diff        *comparison
	left, right *compareSide
	w           int // width of the screen
	lines       []compareLine
	label       int // width of the column of names
}

// compareLine is a heading or a line of a row.
type compareLine struct {
	row     int // -1 for a heading or a blank line
	heading string
	part    comparePartLine
}

// comparePartLine is the part of a row that a line shows.
type comparePartLine uint8

const (
	compareWhole comparePartLine = iota // the whole row
	compareName                         // the name and the state
	compareLeft                         // the left value
	compareRight                        // the right value
)

func (c *compareLines) wide() bool { return c.w >= compareWide }

func (c *compareLines) arrange() {
	c.lines, c.label = c.lines[:0], 8
	section := ""
	for i := range c.diff.rows {
		r := &c.diff.rows[i]
		if r.depth == 0 && r.section != section {
			section = r.section
			if len(c.lines) > 0 {
				c.lines = append(c.lines, compareLine{row: -1})
			}
			c.lines = append(c.lines, compareLine{row: -1, heading: section})
		}
		if i < 500 { // A sample is enough for the width.
			c.label = max(c.label, ansi.StringWidth(models.PrintableCell(r.label, 26))+2*min(r.depth, present.DeepestIndent)+2)
		}
		if c.wide() || r.fold || r.state != compareDiffers {
			c.lines = append(c.lines, compareLine{row: i})
			continue
		}
		c.lines = append(
			c.lines, compareLine{row: i, part: compareName},
			compareLine{row: i, part: compareLeft}, compareLine{row: i, part: compareRight},
		)
	}
	c.label = min(c.label, 28, max(c.w/4, 12))
}

// Len returns the number of lines.
func (c *compareLines) Len() int { return len(c.lines) }

// Skip reports the lines that the cursor passes over.
func (c *compareLines) Skip(i int) bool {
	return c.lines[i].row < 0 || c.lines[i].part > compareName
}

// Line draws a line.
func (c *compareLines) Line(i int, on widget.Surface, w int) string {
	l := c.lines[i]
	t := widget.NewStrip(c.env.Styles, on, w)
	if l.row < 0 {
		t.Put(widget.RoleTitle, " "+l.heading)
		return t.String()
	}
	r := &c.diff.rows[l.row]
	bar := "  "
	if on != widget.SurfacePlain {
		bar = "▌ "
	}
	switch l.part {
	case compareLeft, compareRight:
		side, glyph, e := r.left, "◂ ", c.left.entity
		if l.part == compareRight {
			side, glyph, e = r.right, "▸ ", c.right.entity
		}
		t.Put(widget.RoleText, "      ")
		t.Put(widget.RoleFaint, glyph)
		c.value(t, r, side, e, t.Room())
		return t.String()
	case compareWhole, compareName:
	}
	t.Put(widget.RoleAccent, bar)
	c.name(t, r)
	if l.part == compareName {
		c.words(t, r, t.Room())
		return t.String()
	}
	if !c.wide() {
		c.words(t, r, map[bool]int{true: compareWords - 2, false: 14}[r.hidden])
		side, e := r.left, c.left.entity
		if r.state == compareOnlyRight {
			side, e = r.right, c.right.entity
		}
		c.value(t, r, side, e, t.Room())
		return t.String()
	}
	half := c.half(w)
	c.value(t, r, r.left, c.left.entity, half)
	t.Put(widget.RoleText, " ")
	c.words(t, r, compareWords-2)
	t.Put(widget.RoleText, " ")
	c.value(t, r, r.right, c.right.entity, t.Room())
	return t.String()
}

func (c *compareLines) half(w int) int { return max((w-2-c.label-2-compareWords)/2, 1) }

func (c *compareLines) name(t *widget.Strip, r *compareRow) {
	sign := "  "
	switch {
	case r.fold && c.diff.unfolded(r):
		sign = "▾ "
	case r.fold:
		sign = "▸ "
	}
	indent := 2 * min(r.depth, present.DeepestIndent)
	role := widget.RoleMuted
	if r.state != compareSame {
		role = widget.RoleStrong
	}
	t.Cell(widget.RoleText, "", indent, widget.AlignLeft)
	t.Put(widget.RoleAccent, sign)
	t.Cell(role, r.label, max(c.label-indent-2, 4), widget.AlignLeft)
	t.Cell(widget.RoleText, "", 2, widget.AlignLeft)
}

func (c *compareLines) words(t *widget.Strip, r *compareRow, w int) {
	glyph, words := r.state.words(r.hidden)
	role := widget.RoleFaint
	switch r.state {
	case compareDiffers:
		role = widget.RoleWarn
	case compareOnlyLeft:
		role = widget.RoleBad
	case compareOnlyRight:
		role = widget.RoleGood
	case compareSame, compareUntold:
	}
	t.Cell(role, glyph+" "+words, w, widget.AlignLeft)
}

func (c *compareLines) value(t *widget.Strip, r *compareRow, side comparePart, e *models.Entity, w int) {
	end := t.Room() - min(w, t.Room())
	if side.stored == nil {
		t.Cell(widget.RoleFaint, present.NoValue, w, widget.AlignLeft)
	} else {
		shown := present.Presenter{Now: c.env.Now()}.Show(e, r.path, side.shown)
		role := shown.Role
		if r.state == compareSame {
			role = widget.RoleMuted
		}
		text := models.PrintableCell(shown.Text, t.Room()-end)
		t.Put(role, text)
		if shown.Note != "" && t.Room()-end > 4 {
			note := models.PrintableCell("  "+shown.Note, t.Room()-end)
			t.Put(widget.RoleFaint, note)
		}
	}
	t.Cell(widget.RoleText, "", t.Room()-end, widget.AlignLeft)
}
