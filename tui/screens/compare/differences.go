package compare

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// differences are the rows of the comparison and the cursor in them.
type differences struct {
	s *compareScreen

	diff  comparison
	rows  compareLines
	lines *widget.Lines
}

func (d *differences) refresh() {
	path := ""
	if r, _ := d.row(); r != nil {
		path = r.path
	}
	if d.s.right.table != nil {
		d.diff.compareItems(d.s.left, d.s.right)
	}
	d.rows.arrange()
	d.lines.SetSource(&d.rows)
	if at := slices.IndexFunc(d.diff.rows, func(r compareRow) bool { return r.path == path }); at >= 0 {
		d.goTo(at)
	}
}

func (d *differences) row() (*compareRow, int) {
	at, ok := d.lines.At()
	if !ok || at >= len(d.rows.lines) {
		return nil, 0
	}
	i := d.rows.lines[at].row
	return &d.diff.rows[i], i
}

func (d *differences) goTo(row int) {
	if i := slices.IndexFunc(d.rows.lines, func(l compareLine) bool { return l.row == row }); i >= 0 {
		d.lines.Go(i)
	}
}

func (d *differences) goToDifference(from, direction int) bool {
	for i := from; i >= 0 && i < len(d.diff.rows); i += direction {
		if r := &d.diff.rows[i]; r.state != compareSame && (!r.fold || !d.diff.unfolded(r)) {
			d.goTo(i)
			return true
		}
	}
	return false
}

func (d *differences) toggle() {
	if r, _ := d.row(); r != nil && r.fold {
		d.diff.toggle(r)
		d.refresh()
	}
}

func (d *differences) unfold() tea.Cmd {
	if r, _ := d.row(); r != nil && r.fold && !d.diff.unfolded(r) {
		d.toggle()
	}
	return nil
}

func (d *differences) fold() tea.Cmd {
	r, i := d.row()
	if r == nil {
		return nil
	}
	if r.fold && d.diff.unfolded(r) {
		d.toggle()
		return nil
	}
	for parent := i - 1; parent >= 0 && r.depth > 0; parent-- {
		if d.diff.rows[parent].depth < r.depth {
			d.goTo(parent)
			break
		}
	}
	return nil
}

func (d *differences) toggleOnly() tea.Cmd {
	d.diff.only = !d.diff.only
	d.refresh()
	return nil
}

func (d *differences) search(direction int, none string) tea.Cmd {
	if _, i := d.row(); d.goToDifference(i+direction, direction) {
		return nil
	}
	return screen.Send(screen.NoticeMsg{Text: none})
}

func (d *differences) viewRows() string {
	in := d.s.panel().Inner()
	rows, detail := d.lines.View(), d.s.detailHeight()
	if len(d.rows.lines) == 0 {
		none := "  " + d.s.env.Styles.Paint(widget.RoleMuted, "No differences. Press d to show all attributes.")
		rows = widget.Place(none, in.W, max(in.H-detail-compareTitles, 0))
	}
	view := widget.Rows(d.s.titles(in.W), rows)
	if detail > 0 {
		r, _ := d.row()
		view = widget.Rows(view, d.rows.detail(r, in.W, detail))
	}
	return view
}
