package compare

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	compareHead   = 2   // lines above the panel: the items, and progress or the result
	compareTitles = 1   // line above the rows that names the sides
	compareWide   = 100 // from this width on the sides are beside each other
	compareWords  = 21  // width of the column between the sides
)

func (s *compareScreen) panel() widget.Rect {
	return widget.Rect{Y: compareHead, W: s.w, H: max(s.h-compareHead, 0)}
}

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

// SetSize sets the rectangle.
func (s *compareScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.checkMasker()
	in := s.panel().Inner()
	s.choice.choices.SetSize(in.W, in.H)
	_, at := s.row()
	s.found.rows.w = s.w
	s.found.rows.arrange()
	s.found.lines.SetSource(&s.found.rows)
	s.found.lines.SetSize(in.W, in.H-s.detailHeight()-compareTitles)
	s.goTo(at)
}

func (s *compareScreen) panes() widget.Panes {
	if s.choice.picking {
		return widget.Panes{{Rect: s.panel(), Framed: true, Content: s.choice.choices, Open: s.choose}}
	}
	in := s.panel().Inner()
	in.Y += compareTitles
	return widget.Panes{{Rect: in, Content: s.found.lines, Open: func() tea.Cmd { s.toggle(); return nil }}}
}

// View draws the screen.
func (s *compareScreen) View() string {
	s.checkMasker()
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st := s.env.Styles
	p := widget.Panel{Focused: true, Title: "Compare with", Note: "↑↓ select · enter compares"}
	content := s.choice.choices.View()
	if !s.choice.picking {
		p.Title, p.Note = "", "all attributes · d shows differences only"
		if s.found.diff.only {
			p.Note = "differences only · d shows all"
		}
		content = s.viewRows()
	}
	r := s.panel()
	view := widget.Rows(s.headLine(), s.noticeLine(), p.Render(st, content, r.W, r.H))
	return s.DrawBox(st, widget.Place(view, s.w, s.h), s.w, s.h)
}

func (s *compareScreen) headLine() string {
	t := widget.NewStrip(s.env.Styles, widget.SurfacePlain, s.w)
	left := s.left.name(s.env)
	t.Put(widget.RoleTitle, " "+models.PrintableCell(left, max(s.w-20, 8)))
	if s.right.table != nil && !s.choice.picking {
		if right := s.right.name(s.env); right != left {
			t.Put(widget.RoleFaint, "  and  ")
			t.Put(widget.RoleTitle, right)
		}
	}
	return t.String()
}

func (s *compareScreen) noticeLine() string {
	if s.choice.load.what != "" {
		busy := widget.Busy{What: s.choice.load.what, Cancel: "esc stops", Elapsed: s.choice.load.elapsed, Fraction: -1}
		return " " + busy.Render(s.env.Styles, max(s.w-1, 0))
	}
	t := widget.NewStrip(s.env.Styles, widget.SurfacePlain, s.w)
	t.Put(widget.RoleText, " ")
	same := s.found.diff.counts[compareSame]
	switch {
	case s.choice.load.err != nil:
		t.Put(widget.RoleBad, "✗ "+s.choice.load.err.Error())
		return t.String()
	case s.choice.picking:
		t.Put(widget.RoleMuted, "Choose another state of the item, or another item. Nothing is written.")
		return t.String()
	case same > 0 && len(s.found.diff.counts) == 1:
		t.Put(widget.RoleGood, "✓ No differences in "+present.Plural(same, "attribute"))
		return t.String()
	}
	for _, state := range compareStates() {
		n := s.found.diff.counts[state]
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

func (s *compareScreen) titles(w int) string {
	t := widget.NewStrip(s.env.Styles, widget.SurfacePlain, w)
	left, right := s.sideTitles()
	if !s.found.rows.wide() {
		t.Put(widget.RoleFaint, " ◂ ")
		t.Put(widget.RoleHeader, models.PrintableCell(left, max(w/2-4, 1)))
		t.Put(widget.RoleFaint, "   ▸ ")
		t.Put(widget.RoleHeader, right)
		return t.String()
	}
	t.Cell(widget.RoleText, "", 2+s.found.rows.label+2, widget.AlignLeft)
	t.Cell(widget.RoleHeader, left, s.found.rows.half(w-1), widget.AlignLeft)
	t.Cell(widget.RoleText, "", compareWords, widget.AlignLeft)
	t.Put(widget.RoleHeader, right)
	return t.String()
}

func (s *compareScreen) sideTitles() (left, right string) {
	left, right = s.left.title, s.right.title
	switch a, b := s.left.name(s.env), s.right.name(s.env); {
	case a != b && right == b:
		left = a
	case a != b && left == a: // The sides were swapped.
		right = b
	case a == b && right == b:
		right = "refreshed"
	}
	return left, right
}
