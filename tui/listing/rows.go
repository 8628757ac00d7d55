package listing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rows are what was read, and of these the ones in view: those of the tab that match the filter, sorted. They are the source
// of the grid.
type rows[R any] struct {
	env  *screen.Env
	spec *Spec[R]
	grid *widget.Grid
	tabs widget.Tabs

	all    []R
	list   []R // in view
	marks  map[string]bool
	filter string
	origin string // ID of the row where the filter began
	by     int    // column to sort by, -1 for the order of Load
	down   bool   // the last row first
	// left is the ID of a row that is not in view any longer but stays until the cursor leaves it, so that no key acts on the
	// row that would take its place. "" for none.
	left string

	cells  [][]widget.Cell // of the rows in view, nil where they were not drawn yet
	minute int64           // for which they were made: they have ages
	texts  map[string]string
}

func newRows[R any](env *screen.Env, spec *Spec[R]) *rows[R] {
	l := &rows[R]{env: env, spec: spec, by: -1, marks: map[string]bool{}}
	l.grid = widget.NewGrid(env.Styles, l.columns()...)
	l.grid.SetMarkable(true)
	l.grid.SetSource(l)
	l.tabs.Active = spec.Start
	l.titleTabs(nil)
	return l
}

// columns are those of the grid, with the arrow of the sorted one.
func (l *rows[R]) columns() []widget.Column {
	list := make([]widget.Column, len(l.spec.Columns))
	for i, c := range l.spec.Columns {
		if list[i] = c.Column; i == l.by {
			list[i].Sorted = widget.Ascending
			if l.down {
				list[i].Sorted = widget.Descending
			}
		}
	}
	return list
}

// Len returns the number of rows in view.
func (l *rows[R]) Len() int { return len(l.list) }

// Cell returns a cell of a row in view.
func (l *rows[R]) Cell(row, col int) widget.Cell {
	if now := l.env.Now().Unix() / 60; now != l.minute {
		l.minute, l.cells = now, make([][]widget.Cell, len(l.list))
	}
	if l.cells[row] == nil {
		l.cells[row] = l.draw(l.list[row])
	}
	return l.cells[row][col]
}

func (l *rows[R]) draw(r R) []widget.Cell {
	cells := make([]widget.Cell, len(l.spec.Columns))
	for i, c := range l.spec.Columns {
		if cells[i] = c.Cell(l.env, r); l.left != "" && l.spec.ID(r) == l.left {
			cells[i].Role = widget.RoleFaint
		}
	}
	return cells
}

// Marked reports whether a row in view is marked.
func (l *rows[R]) Marked(row int) bool { return l.marks[l.spec.ID(l.list[row])] }

// SetMarked marks a row in view, or removes its mark.
func (l *rows[R]) SetMarked(row int, on bool) {
	if id := l.spec.ID(l.list[row]); on {
		l.marks[id] = true
	} else {
		delete(l.marks, id)
	}
}

// MarkCount returns the number of marks, including those of rows that are not in view.
func (l *rows[R]) MarkCount() int { return len(l.marks) }

var _ widget.Marker = (*rows[int])(nil)

// at returns the position of the cursor, -1 for none.
func (l *rows[R]) at() int {
	if l.grid == nil {
		return -1
	}
	return l.grid.Cursor()
}

// selected returns the row under the cursor.
func (l *rows[R]) selected() (r R, ok bool) {
	if i := l.at(); i >= 0 && i < len(l.list) {
		return l.list[i], true
	}
	return r, false
}

// selectedID returns the ID of the row under the cursor, "" for none.
func (l *rows[R]) selectedID() string {
	if r, ok := l.selected(); ok {
		return l.spec.ID(r)
	}
	return ""
}

// chosen returns the marked rows in the order of the list, or the selected one.
func (l *rows[R]) chosen() []R {
	list := make([]R, 0, len(l.marks))
	for _, r := range l.all {
		if l.marks[l.spec.ID(r)] {
			list = append(list, r)
		}
	}
	if r, ok := l.selected(); ok && len(list) == 0 {
		list = append(list, r)
	}
	return list
}

// set replaces what was read. The cursor stays on its row; with keep, that row stays although it is not in view any longer.
func (l *rows[R]) set(all []R, keep bool) {
	newest := l.spec.Follows && l.by < 0 && l.at() <= 0
	l.all, l.texts = all, nil
	known := map[string]bool{}
	for _, r := range all {
		known[l.spec.ID(r)] = true
	}
	for id := range l.marks {
		if !known[id] {
			delete(l.marks, id)
		}
	}
	if l.fill(keep && !newest); newest {
		l.grid.SetCursor(0)
	}
}

// begin goes from an empty tab to the first that has rows.
func (l *rows[R]) begin(all []R) {
	if len(l.spec.Tabs) == 0 || slices.ContainsFunc(all, l.spec.Tabs[l.tabs.Active].Has) {
		return
	}
	for i, t := range l.spec.Tabs {
		if !t.Ended && slices.ContainsFunc(all, t.Has) {
			l.tabs.Active = i
			return
		}
	}
}

// fill lists the rows in view again. The cursor stays on its row. With keep, that row stays although it is not in view any
// longer.
func (l *rows[R]) fill(keep bool) {
	was, had := l.selected()
	at, before := l.at(), len(l.list)
	counts := make([]int, len(l.spec.Tabs))
	words := strings.Fields(strings.ToLower(l.filter))
	var list []R
	for _, r := range l.all {
		in := len(l.spec.Tabs) == 0
		for i, t := range l.spec.Tabs {
			if t.Has(r) {
				counts[i]++
				in = in || i == l.tabs.Active
			}
		}
		if in && l.matches(r, words) {
			list = append(list, r)
		}
	}
	l.sort(list)
	l.left = ""
	if had {
		id := l.spec.ID(was)
		is := func(r R) bool { return l.spec.ID(r) == id }
		if i := slices.IndexFunc(list, is); i >= 0 {
			at = i
		} else if keep {
			if i := slices.IndexFunc(l.all, is); i >= 0 {
				was = l.all[i]
			}
			at = min(at, len(list))
			l.left, list = id, slices.Insert(list, at, was)
		}
	}
	l.list, l.cells = list, make([][]widget.Cell, len(list))
	if before == 0 {
		l.grid.SetSource(l) // The widths of the columns fit the first rows, and stay.
	}
	l.grid.SetCursor(max(at, 0))
	l.titleTabs(counts)
}

// moved drops the row that is not in view any longer once the cursor is elsewhere.
func (l *rows[R]) moved() {
	if l.left != "" && l.selectedID() != l.left {
		l.fill(false)
	}
}

// matches reports whether a row has all words.
func (l *rows[R]) matches(r R, words []string) bool {
	if len(words) == 0 {
		return true
	}
	id := l.spec.ID(r)
	text, known := l.texts[id]
	if !known {
		for _, c := range l.spec.Columns {
			text += c.Cell(l.env, r).Text + " "
		}
		if l.spec.Search != nil {
			text += l.spec.Search(r)
		}
		if text = strings.ToLower(text); l.texts == nil {
			l.texts = map[string]string{}
		}
		l.texts[id] = text
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

func (l *rows[R]) sort(list []R) {
	if l.by < 0 {
		return
	}
	c := l.spec.Columns[l.by]
	by := c.By
	if by == nil {
		by = func(a, b R) int {
			return cmp.Compare(strings.ToLower(c.Cell(l.env, a).Text), strings.ToLower(c.Cell(l.env, b).Text))
		}
	}
	slices.SortStableFunc(list, func(a, b R) int {
		if l.down {
			a, b = b, a
		}
		return by(a, b)
	})
}

// sortBy sorts by a column, or the other way if it is sorted by it; -1 is the order of Load.
func (l *rows[R]) sortBy(col int) {
	l.down = col >= 0 && col == l.by && !l.down
	l.by = col
	l.grid.SetColumns(l.columns()...)
	l.fill(l.left != "")
}

// narrow limits the rows in view to those that match a filter. Without a match that the cursor is on, it goes to the first one,
// and after the filter back to where it began.
func (l *rows[R]) narrow(filter string) {
	if l.filter == "" {
		l.origin = l.selectedID()
	}
	before := cmp.Or(l.selectedID(), l.origin)
	l.filter = filter
	l.fill(false)
	l.grid.SetCursor(max(slices.IndexFunc(l.list, func(r R) bool { return l.spec.ID(r) == before }), 0))
}

// remask draws the rows again after personal data was revealed or masked.
func (l *rows[R]) remask() {
	l.texts = nil
	l.fill(l.left != "")
	at := l.at()
	l.grid.SetSource(l)
	l.grid.SetCursor(max(at, 0))
}

// show goes to a tab.
func (l *rows[R]) show(tab int) {
	l.tabs.Active = tab
	l.list, l.left = nil, "" // The cursor of another tab says nothing here.
	l.fill(false)
	l.grid.SetCursor(0)
}

// titleTabs puts the number of rows on each tab, once they are known.
func (l *rows[R]) titleTabs(counts []int) {
	l.tabs.Titles = l.tabs.Titles[:0]
	for i, t := range l.spec.Tabs {
		title := t.Title
		if counts != nil {
			title += " " + strconv.Itoa(counts[i])
		}
		l.tabs.Titles = append(l.tabs.Titles, title)
	}
}

// table returns rows as lines of their cells after the titles of the columns.
func (l *rows[R]) table(of []R) [][]string {
	line := make([]string, len(l.spec.Columns))
	for i, c := range l.spec.Columns {
		line[i] = c.Title
	}
	lines := [][]string{line}
	for _, r := range of {
		line := make([]string, len(l.spec.Columns))
		for i, c := range l.draw(r) {
			line[i] = models.Printable(strings.TrimSpace(c.Text))
		}
		lines = append(lines, line)
	}
	return lines
}
