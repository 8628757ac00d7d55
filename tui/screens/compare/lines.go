package compare

import (
	"strings"
	"time"
	"unicode/utf8"

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

func (c *compareLines) detail(r *compareRow, w, h int) string {
	st := c.env.Styles
	if r == nil {
		return widget.Place(widget.Rule(st, "", "", w), w, h)
	}
	lines := []string{widget.Rule(st, r.path, c.between(r), w)}
	left, right := detailText(r.left, w*h), detailText(r.right, w*h)
	from, back := sharedEnds(left, right)
	rows := max((h-1)/2, 1)
	if r.state == compareSame || r.state == compareOnlyRight {
		left = ""
	}
	if left != "" {
		lines = append(lines, c.detailLines("◂", left, from, back, w, rows)...)
	}
	if right != "" && r.state != compareOnlyLeft {
		lines = append(lines, c.detailLines("▸", right, from, back, w, rows)...)
	}
	if e := c.left.entity; e != nil && len(lines) < h {
		if a := e.Attribute(r.path); a != nil && a.Description != "" {
			lines = append(lines, " "+st.Paint(widget.RoleMuted, models.PrintableCell(a.Description, max(w-2, 1))))
		}
	}
	return widget.Place(strings.Join(lines[:min(len(lines), h)], "\n"), w, h)
}

func detailText(p comparePart, cells int) string {
	if p.stored == nil {
		return ""
	}
	if text, ok := models.ValueText(p.shown); ok {
		return models.PrintableCell(text, cells)
	}
	return models.PrintableCell(present.Summary(p.shown), cells)
}

func (c *compareLines) detailLines(glyph, text string, from, back, w, n int) []string {
	st := c.env.Styles
	var lines []string
	for at := 0; at < len(text) && len(lines) < n; {
		part, _ := present.CutCells(text[at:], max(w-5, 1))
		t := widget.NewStrip(st, widget.SurfacePlain, w)
		t.Cell(widget.RoleFaint, " "+glyph, 3, widget.AlignLeft)
		glyph = ""
		put := func(a, b int, role widget.Role) {
			a, b = max(a-at, 0), min(b-at, len(part))
			if a < b {
				t.Put(role, part[a:b])
			}
		}
		put(0, from, widget.RoleMuted)
		put(from, len(text)-back, widget.RoleStrong)
		put(len(text)-back, len(text), widget.RoleMuted)
		lines = append(lines, t.String())
		at += len(part)
	}
	return lines
}

func sharedEnds(a, b string) (from, back int) {
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	for from > 0 && from < len(a) && !utf8.RuneStart(a[from]) {
		from--
	}
	for back < len(a)-from && back < len(b)-from && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	for back > 0 && !utf8.RuneStart(a[len(a)-back]) {
		back--
	}
	return from, back
}

func (c *compareLines) between(r *compareRow) string {
	if r.left.stored == nil || r.right.stored == nil || r.hidden {
		_, words := r.state.words(r.hidden)
		return words
	}
	a, b := models.ValueType(r.left.stored), models.ValueType(r.right.stored)
	if a != b {
		return string(a) + " and " + string(b)
	}
	t, ok := timeOf(c.left.entity, r.path, r.left)
	u, also := timeOf(c.right.entity, r.path, r.right)
	if ok && also && !t.Equal(u) {
		side := "right is "
		if u.Before(t) {
			t, u, side = u, t, "left is "
		}
		if u.Sub(t) < time.Minute {
			return side + u.Sub(t).String() + " later"
		}
		return side + strings.TrimPrefix(present.Age(u, t), "in ") + " later"
	}
	return string(a)
}

func timeOf(e *models.Entity, path string, p comparePart) (time.Time, bool) {
	f := present.ValueOf(e, path).Format
	text, ok := models.ValueText(p.shown)
	if !ok || !f.IsTime() {
		return time.Time{}, false
	}
	return f.ReadTime(text)
}
