package compare

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// differences are the rows of the comparison and the cursor in them.
type differences struct {
	diff  comparison
	rows  compareLines
	lines *widget.Lines
}

func (s *compareScreen) refresh() {
	path := ""
	if r, _ := s.row(); r != nil {
		path = r.path
	}
	if s.right.table != nil {
		s.found.diff.compareItems(s.left, s.right)
	}
	s.found.rows.arrange()
	s.found.lines.SetSource(&s.found.rows)
	if at := slices.IndexFunc(s.found.diff.rows, func(r compareRow) bool { return r.path == path }); at >= 0 {
		s.goTo(at)
	}
}

func (s *compareScreen) row() (*compareRow, int) {
	at, ok := s.found.lines.At()
	if !ok || at >= len(s.found.rows.lines) {
		return nil, 0
	}
	i := s.found.rows.lines[at].row
	return &s.found.diff.rows[i], i
}

func (s *compareScreen) goTo(row int) {
	if i := slices.IndexFunc(s.found.rows.lines, func(l compareLine) bool { return l.row == row }); i >= 0 {
		s.found.lines.Go(i)
	}
}

func (s *compareScreen) goToDifference(from, direction int) bool {
	for i := from; i >= 0 && i < len(s.found.diff.rows); i += direction {
		if r := &s.found.diff.rows[i]; r.state != compareSame && (!r.fold || !s.found.diff.unfolded(r)) {
			s.goTo(i)
			return true
		}
	}
	return false
}

func (s *compareScreen) toggle() {
	if r, _ := s.row(); r != nil && r.fold {
		s.found.diff.toggle(r)
		s.refresh()
	}
}

func (s *compareScreen) unfold() tea.Cmd {
	if r, _ := s.row(); r != nil && r.fold && !s.found.diff.unfolded(r) {
		s.toggle()
	}
	return nil
}

func (s *compareScreen) fold() tea.Cmd {
	r, i := s.row()
	if r == nil {
		return nil
	}
	if r.fold && s.found.diff.unfolded(r) {
		s.toggle()
		return nil
	}
	for parent := i - 1; parent >= 0 && r.depth > 0; parent-- {
		if s.found.diff.rows[parent].depth < r.depth {
			s.goTo(parent)
			break
		}
	}
	return nil
}

func (s *compareScreen) toggleOnly() tea.Cmd {
	s.found.diff.only = !s.found.diff.only
	s.refresh()
	return nil
}

func (s *compareScreen) search(direction int, none string) tea.Cmd {
	if _, i := s.row(); s.goToDifference(i+direction, direction) {
		return nil
	}
	return screen.Send(screen.NoticeMsg{Text: none})
}

func (s *compareScreen) viewRows() string {
	in := s.panel().Inner()
	rows, detail := s.found.lines.View(), s.detailHeight()
	if len(s.found.rows.lines) == 0 {
		none := "  " + s.env.Styles.Paint(widget.RoleMuted, "No differences. Press d to show all attributes.")
		rows = widget.Place(none, in.W, max(in.H-detail-compareTitles, 0))
	}
	view := widget.Rows(s.titles(in.W), rows)
	if detail > 0 {
		r, _ := s.row()
		view = widget.Rows(view, s.found.rows.detail(r, in.W, detail))
	}
	return view
}
