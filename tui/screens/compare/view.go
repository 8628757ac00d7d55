package compare

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	compareHead = 2   // lines above the panel: what is compared, and what is waited for
	compareWide = 100 // from this width the sides stand side by side
	// compareWords is the width of the column between the sides.
	compareWords = 21
)

func (dr *compareDrawing) wide() bool { return dr.s.w >= compareWide }

// detailHeight is how many lines tell all about the row under the cursor.
func (dr *compareDrawing) detailHeight() int {
	switch body := dr.s.h - compareHead; {
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
	s.choose.choices.SetSize(iw, ih)
	at, _ := s.moves.selectedRow()
	s.draw.Arrange()
	s.lines.SetSource(s.draw)
	s.lines.SetSize(iw, ih-s.drawing.detailHeight()-s.drawing.titlesHeight())
	s.moves.goTo(at)
}

// titlesHeight is the line that names the sides, where each has its column.
func (dr *compareDrawing) titlesHeight() int { return 1 }

// View draws the screen.
func (s *compareScreen) View() string {
	s.checkMasker()
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st := s.env.Styles
	iw, _ := widget.PanelInner(s.w, s.h-compareHead)
	view := widget.Rows(s.drawing.headLine(), s.drawing.noticeLine())
	if s.h > compareHead {
		p := widget.Panel{Focused: true, Title: "Compare with", Note: "↑↓ choose · enter compares"}
		content := ""
		if s.choose.picking {
			content = s.choose.choices.View()
		} else {
			p.Title, p.Note = "", s.drawing.onlyNote()
			rows := s.lines.View()
			if len(s.draw.lines) == 0 {
				_, ih := widget.PanelInner(s.w, s.h-compareHead)
				rows = widget.Place(
					"  "+st.Paint(widget.RoleMuted, "nothing differs; d shows all attributes"), iw,
					max(ih-s.drawing.detailHeight()-s.drawing.titlesHeight(), 0),
				)
			}
			content = widget.Rows(s.drawing.titles(iw), rows)
			if h := s.drawing.detailHeight(); h > 0 {
				content = widget.Rows(content, s.drawing.detail(iw, h))
			}
		}
		view = widget.Rows(view, p.Render(st, content, s.w, s.h-compareHead))
	}
	return s.DrawBox(st, widget.Place(view, s.w, s.h), s.w, s.h)
}

func (dr *compareDrawing) onlyNote() string {
	if dr.s.diff.only {
		return "differences only · d shows all"
	}
	return "all attributes · d shows differences only"
}

// headLine says what is compared.
func (dr *compareDrawing) headLine() string {
	t := widget.NewStrip(dr.s.env.Styles, widget.SurfacePlain, dr.s.w)
	t.Put(widget.RoleTitle, " "+models.PrintableCell(dr.s.left.name(dr.s.env), max(dr.s.w-20, 8)))
	if dr.s.right.table != nil && !dr.s.choose.picking {
		if other := dr.s.right.name(dr.s.env); other != dr.s.left.name(dr.s.env) {
			t.Put(widget.RoleFaint, "  and  ")
			t.Put(widget.RoleTitle, other)
		}
	}
	return t.String()
}

// noticeLine says what is waited for or what went wrong, else what was found.
func (dr *compareDrawing) noticeLine() string {
	st := dr.s.env.Styles
	switch {
	case dr.s.reading.load.what != "":
		busy := widget.Busy{What: dr.s.reading.load.what, Cancel: "esc stops", Elapsed: dr.s.reading.load.elapsed, Fraction: -1}
		return " " + busy.Render(st, max(dr.s.w-1, 0))
	case dr.s.reading.load.err != nil:
		return " " + st.PaintCell(
			widget.RoleBad, widget.SurfacePlain, "✗ "+dr.s.reading.load.err.Error(), max(dr.s.w-1, 0), widget.AlignLeft,
		)
	case dr.s.choose.picking:
		return " " + st.PaintCell(
			widget.RoleMuted, widget.SurfacePlain, "Choose another state of it, or another item. Nothing is written.",
			max(dr.s.w-1, 0), widget.AlignLeft,
		)
	}
	t := widget.NewStrip(st, widget.SurfacePlain, dr.s.w)
	t.Put(widget.RoleText, " ")
	if n := dr.s.diff.counts[compareSame]; n > 0 && len(dr.s.diff.counts) == 1 {
		t.Put(widget.RoleGood, "✓ nothing differs: the same in "+present.Plural(n, "attribute"))
		return t.String()
	}
	for _, state := range compareStates() {
		n := dr.s.diff.counts[state]
		if n == 0 && state == compareUntold {
			continue
		}
		glyph, words := state.words(false)
		role := widget.RoleText
		if n == 0 || state == compareSame {
			role = widget.RoleFaint
		}
		t.Put(role, glyph+" "+strconv.Itoa(n)+" "+words+"   ")
	}
	return t.String()
}

// titles name the sides above their columns.
func (dr *compareDrawing) titles(w int) string {
	t := widget.NewStrip(dr.s.env.Styles, widget.SurfacePlain, w)
	left, right := dr.sideTitles()
	if !dr.wide() {
		t.Put(widget.RoleFaint, " ◂ ")
		t.Put(widget.RoleHeader, models.PrintableCell(left, max(w/2-4, 1)))
		t.Put(widget.RoleFaint, "   ▸ ")
		t.Put(widget.RoleHeader, right)
		return t.String()
	}
	t.Cell(widget.RoleText, "", 2+dr.s.draw.label+2, widget.AlignLeft)
	t.Cell(widget.RoleHeader, left, dr.s.draw.half(w-1), widget.AlignLeft)
	t.Cell(widget.RoleText, "", compareWords, widget.AlignLeft)
	t.Put(widget.RoleHeader, right)
	return t.String()
}

// sideTitles are what tells the sides apart.
func (dr *compareDrawing) sideTitles() (left, right string) {
	left, right = dr.s.left.title, dr.s.right.title
	switch a, b := dr.s.left.name(dr.s.env), dr.s.right.name(dr.s.env); {
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
	case s.Box != nil:
		return s.Box.Cursor()
	case s.choose.picking:
		return widget.MoveCursor(s.choose.choices.Cursor(), 1, compareHead+1)
	}
	return nil
}

// Click chooses a row; a second click folds it, or takes the choice.
func (s *compareScreen) Click(x, y int) tea.Cmd {
	switch {
	case s.Box != nil:
		return s.ClickBox(x, y)
	case s.choose.picking:
		if again, _ := s.choose.choices.Click(x-1, y-compareHead-1); again {
			return s.choose.choose()
		}
	default:
		if again, ok := s.lines.Click(x-1, y-compareHead-1-s.drawing.titlesHeight()); ok && again {
			s.moves.toggle()
		}
	}
	return nil
}

// Wheel scrolls what is in view.
func (s *compareScreen) Wheel(_, _ int, up bool) tea.Cmd {
	switch {
	case s.Box != nil:
		s.WheelBox(up)
	case s.choose.picking:
		s.choose.choices.Wheel(up)
	default:
		s.lines.Wheel(up)
	}
	return nil
}

// selectedRow is the index of the row under the cursor.
func (mv *compareMoves) selectedRow() (int, bool) {
	at, ok := mv.s.lines.At()
	if !ok || at >= len(mv.s.draw.lines) {
		return 0, false
	}
	return mv.s.draw.lines[at].row, true
}

// goTo moves the cursor to a row.
func (mv *compareMoves) goTo(row int) {
	i := slices.IndexFunc(mv.s.draw.lines, func(l compareLine) bool { return l.row == row })
	if i >= 0 {
		mv.s.lines.Go(i)
	}
}
