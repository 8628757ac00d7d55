// This file draws a comparison: two columns side by side, or, where there is no
// room for them, the two values under each other.

package screens

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	compareHead = 2   // lines above the panel: what is compared, and what is waited for
	compareWide = 100 // from this width the sides stand side by side
	// compareWords is the width of the column between the sides.
	compareWords = 21
)

// compareLines are the lines of the comparison: a heading before each group, a
// line for each row, and two more for the values where the sides stand under
// each other.
type compareLines struct {
	s     *compareScreen
	lines []compareLine
	label int
}

// compareLine is one line: of a row, or a heading.
type compareLine struct {
	row     int // -1 for a heading or a blank line
	heading string
	part    comparePartLine
}

// comparePartLine is what of a row a line shows.
type comparePartLine uint8

const (
	compareWhole comparePartLine = iota // all of it
	compareName                         // its name and what is the matter
	compareLeft                         // the left value, below the name
	compareRight
)

func (s *compareScreen) wide() bool { return s.w >= compareWide }

// arrange makes the lines of the rows. It draws nothing.
func (c *compareLines) arrange() {
	c.lines, c.label = c.lines[:0], 8
	section := ""
	for i := range c.s.diff.rows {
		r := &c.s.diff.rows[i]
		if r.depth == 0 && r.section != section {
			section = r.section
			if len(c.lines) > 0 {
				c.lines = append(c.lines, compareLine{row: -1})
			}
			c.lines = append(c.lines, compareLine{row: -1, heading: section})
		}
		if i < 500 { // Enough to find a width that suits.
			c.label = max(c.label, ansi.StringWidth(models.PrintableCell(r.label, 26))+2*min(r.depth, deepestIndent)+2)
		}
		if c.s.wide() || r.fold || r.state != compareDiffers {
			c.lines = append(c.lines, compareLine{row: i})
			continue
		}
		c.lines = append(
			c.lines, compareLine{row: i, part: compareName},
			compareLine{row: i, part: compareLeft}, compareLine{row: i, part: compareRight},
		)
	}
	c.label = min(c.label, 28, max(c.s.w/4, 12))
}

// Len is how many lines there are.
func (c *compareLines) Len() int { return len(c.lines) }

// Skip reports the lines that the cursor passes over.
func (c *compareLines) Skip(i int) bool {
	return c.lines[i].row < 0 || c.lines[i].part > compareName
}

// Line draws a line.
func (c *compareLines) Line(i int, on widget.Surface, w int) string {
	l := c.lines[i]
	t := widget.NewStrip(c.s.env.Styles, on, w)
	if l.row < 0 {
		t.Put(widget.RoleTitle, " "+l.heading)
		return t.String()
	}
	r := &c.s.diff.rows[l.row]
	bar := "  "
	if on != widget.SurfacePlain {
		bar = "▌ "
	}
	switch l.part {
	case compareLeft, compareRight:
		side, glyph, e := r.left, "◂ ", c.s.left.entity
		if l.part == compareRight {
			side, glyph, e = r.right, "▸ ", c.s.right.entity
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
	if !c.s.wide() {
		c.words(t, r, map[bool]int{true: compareWords - 2, false: 14}[r.hidden])
		side, e := r.left, c.s.left.entity
		if r.state == compareOnlyRight {
			side, e = r.right, c.s.right.entity
		}
		c.value(t, r, side, e, t.Room())
		return t.String()
	}
	half := c.half(w)
	c.value(t, r, r.left, c.s.left.entity, half)
	t.Put(widget.RoleText, " ")
	c.words(t, r, compareWords-2)
	t.Put(widget.RoleText, " ")
	c.value(t, r, r.right, c.s.right.entity, t.Room())
	return t.String()
}

// half is the width of the left side when the sides stand side by side.
func (c *compareLines) half(w int) int { return max((w-2-c.label-2-compareWords)/2, 1) }

func (c *compareLines) name(t *widget.Strip, r *compareRow) {
	sign := "  "
	switch {
	case r.fold && c.s.diff.unfolded(r):
		sign = "▾ "
	case r.fold:
		sign = "▸ "
	}
	indent := 2 * min(r.depth, deepestIndent)
	role := widget.RoleMuted
	if r.state != compareSame {
		role = widget.RoleStrong
	}
	t.Cell(widget.RoleText, "", indent, widget.AlignLeft)
	t.Put(widget.RoleAccent, sign)
	t.Cell(role, r.label, max(c.label-indent-2, 4), widget.AlignLeft)
	t.Cell(widget.RoleText, "", 2, widget.AlignLeft)
}

// words say what is the matter with a row.
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
	case compareSame:
	}
	t.Cell(role, glyph+" "+words, w, widget.AlignLeft)
}

// value draws the value of one side in exactly w cells, or as much as is left.
func (c *compareLines) value(t *widget.Strip, r *compareRow, side comparePart, e *models.Entity, w int) {
	end := t.Room() - min(w, t.Room())
	if side.stored == nil {
		t.Cell(widget.RoleFaint, noValue, w, widget.AlignLeft)
	} else {
		shown := Presenter{Now: c.s.env.Now()}.Show(e, r.path, side.shown)
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

// detailHeight is how many lines tell all about the row under the cursor.
func (s *compareScreen) detailHeight() int {
	switch body := s.h - compareHead; {
	case body < 14:
		return 0
	case body < 28:
		return 3
	default:
		return 7
	}
}

// SetSize lays the screen out.
func (s *compareScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.checkMasker()
	iw, ih := widget.PanelInner(s.w, s.h-compareHead)
	s.choices.SetSize(iw, ih)
	at, _ := s.selectedRow()
	s.draw.arrange()
	s.lines.SetSource(s.draw)
	s.lines.SetSize(iw, ih-s.detailHeight()-s.titlesHeight())
	s.goTo(at)
}

// titlesHeight is the line that names the sides, where each has its column.
func (s *compareScreen) titlesHeight() int { return 1 }

// View draws the screen.
func (s *compareScreen) View() string {
	s.checkMasker()
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st := s.env.Styles
	iw, _ := widget.PanelInner(s.w, s.h-compareHead)
	view := widget.Rows(s.headLine(), s.noticeLine())
	if s.h > compareHead {
		p := widget.Panel{Focused: true, Title: "Compare with", Note: "↑↓ choose · enter compares"}
		content := ""
		if s.picking {
			content = s.choices.View()
		} else {
			p.Title, p.Note = "", s.onlyNote()
			rows := s.lines.View()
			if len(s.draw.lines) == 0 {
				_, ih := widget.PanelInner(s.w, s.h-compareHead)
				rows = widget.Place("  "+st.Paint(widget.RoleMuted, "nothing differs; d shows all attributes"), iw, max(ih-s.detailHeight()-s.titlesHeight(), 0))
			}
			content = widget.Rows(s.titles(iw), rows)
			if h := s.detailHeight(); h > 0 {
				content = widget.Rows(content, s.detail(iw, h))
			}
		}
		view = widget.Rows(view, p.Render(st, content, s.w, s.h-compareHead))
	}
	return s.drawBox(st, widget.Place(view, s.w, s.h), s.w, s.h)
}

func (s *compareScreen) onlyNote() string {
	if s.diff.only {
		return "differences only · d shows all"
	}
	return "all attributes · d shows differences only"
}

// headLine says what is compared.
func (s *compareScreen) headLine() string {
	t := widget.NewStrip(s.env.Styles, widget.SurfacePlain, s.w)
	t.Put(widget.RoleTitle, " "+models.PrintableCell(s.left.name(s.env), max(s.w-20, 8)))
	if s.right.table != nil && !s.picking {
		if other := s.right.name(s.env); other != s.left.name(s.env) {
			t.Put(widget.RoleFaint, "  and  ")
			t.Put(widget.RoleTitle, other)
		}
	}
	return t.String()
}

// noticeLine says what is waited for or what went wrong, else what was found.
func (s *compareScreen) noticeLine() string {
	st := s.env.Styles
	switch {
	case s.load.what != "":
		busy := widget.Busy{What: s.load.what, Cancel: "esc stops", Elapsed: s.load.elapsed, Fraction: -1}
		return " " + busy.Render(st, max(s.w-1, 0))
	case s.load.err != nil:
		return " " + st.PaintCell(widget.RoleBad, widget.SurfacePlain, "✗ "+s.load.err.Error(), max(s.w-1, 0), widget.AlignLeft)
	case s.picking:
		return " " + st.PaintCell(widget.RoleMuted, widget.SurfacePlain, "Choose another state of it, or another item. Nothing is written.", max(s.w-1, 0), widget.AlignLeft)
	}
	t := widget.NewStrip(st, widget.SurfacePlain, s.w)
	t.Put(widget.RoleText, " ")
	if n := s.diff.counts[compareSame]; n > 0 && len(s.diff.counts) == 1 {
		t.Put(widget.RoleGood, "✓ nothing differs: the same in "+countOf(n, "attribute"))
		return t.String()
	}
	for _, state := range compareStates() {
		n := s.diff.counts[state]
		glyph, words := state.words(false)
		role := widget.RoleText
		if n == 0 || state == compareSame {
			role = widget.RoleFaint
		}
		t.Put(role, glyph+" "+itoa(n)+" "+words+"   ")
	}
	return t.String()
}

// titles name the sides above their columns.
func (s *compareScreen) titles(w int) string {
	t := widget.NewStrip(s.env.Styles, widget.SurfacePlain, w)
	left, right := s.sideTitles()
	if !s.wide() {
		t.Put(widget.RoleFaint, " ◂ ")
		t.Put(widget.RoleHeader, models.PrintableCell(left, max(w/2-4, 1)))
		t.Put(widget.RoleFaint, "   ▸ ")
		t.Put(widget.RoleHeader, right)
		return t.String()
	}
	t.Cell(widget.RoleText, "", 2+s.draw.label+2, widget.AlignLeft)
	t.Cell(widget.RoleHeader, left, s.draw.half(w-1), widget.AlignLeft)
	t.Cell(widget.RoleText, "", compareWords, widget.AlignLeft)
	t.Put(widget.RoleHeader, right)
	return t.String()
}

// sideTitles are what tells the sides apart.
func (s *compareScreen) sideTitles() (left, right string) {
	left, right = s.left.title, s.right.title
	switch a, b := s.left.name(s.env), s.right.name(s.env); {
	case a != b && right == b:
		left = a
	case a != b && left == a: // They were exchanged.
		right = b
	case a == b && right == b:
		right = "read again"
	}
	return left, right
}

// Cursor is the terminal's cursor while something is typed.
func (s *compareScreen) Cursor() *tea.Cursor {
	switch {
	case s.box != nil:
		return s.box.cursor()
	case s.picking:
		return moved(s.choices.Cursor(), 1, compareHead+1)
	}
	return nil
}

// Click chooses a row; a second click folds it, or takes the choice.
func (s *compareScreen) Click(x, y int) tea.Cmd {
	switch {
	case s.box != nil:
		return s.clickBox(x, y)
	case s.picking:
		before, _ := s.choices.Selected()
		if s.choices.Click(x-1, y-compareHead-1) {
			if after, ok := s.choices.Selected(); ok && after.ID == before.ID {
				return s.choose()
			}
		}
	default:
		if again, ok := s.lines.Click(x-1, y-compareHead-1-s.titlesHeight()); ok && again {
			s.toggle()
		}
	}
	return nil
}

// Wheel scrolls what is in view.
func (s *compareScreen) Wheel(_, _ int, up bool) tea.Cmd {
	switch {
	case s.box != nil:
		s.wheelBox(up)
	case s.picking:
		s.choices.Wheel(up)
	default:
		s.lines.Wheel(up)
	}
	return nil
}

// selectedRow is the index of the row under the cursor.
func (s *compareScreen) selectedRow() (int, bool) {
	at, ok := s.lines.At()
	if !ok || at >= len(s.draw.lines) {
		return 0, false
	}
	return s.draw.lines[at].row, true
}

// goTo moves the cursor to a row.
func (s *compareScreen) goTo(row int) {
	i := slices.IndexFunc(s.draw.lines, func(l compareLine) bool { return l.row == row })
	if i >= 0 {
		s.lines.Go(i)
	}
}
