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

func (s *compareScreen) wide() bool { return s.w >= compareWide }

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
	s.draw.Arrange()
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
	return s.DrawBox(st, widget.Place(view, s.w, s.h), s.w, s.h)
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
		t.Put(widget.RoleGood, "✓ nothing differs: the same in "+present.CountOf(n, "attribute"))
		return t.String()
	}
	for _, state := range compareStates() {
		n := s.diff.counts[state]
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
	case s.Box != nil:
		return s.Box.Cursor()
	case s.picking:
		return widget.MoveCursor(s.choices.Cursor(), 1, compareHead+1)
	}
	return nil
}

// Click chooses a row; a second click folds it, or takes the choice.
func (s *compareScreen) Click(x, y int) tea.Cmd {
	switch {
	case s.Box != nil:
		return s.ClickBox(x, y)
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
	case s.Box != nil:
		s.WheelBox(up)
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
