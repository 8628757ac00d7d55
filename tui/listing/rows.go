package listing

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A row is a value of the list with its state on the screen. The state survives when the screen reads the list again.
type row[R any] struct {
	value  R
	id     string
	marked bool
	result ActionResult   // result of the last action
	extra  *rowDetails[R] // result of Spec.Read, or nil

	cells  []widget.Cell // nil before the first drawing
	minute int64         // minute in which the cells were drawn, because they contain ages
	text   string        // text to filter, "" before the first use
}

// rows contains all rows read so far, and the tab's sorted rows that match the filter. The grid draws them.
type rows[R any] struct {
	env  *screen.Env
	spec *Spec[R]
	grid *widget.Grid
	tabs widget.Tabs

	all        []*row[R]
	missing    map[string]*row[R] // marked rows that the last read did not return
	lostNames  []string           // names of marked rows that disappeared, until the user confirms or marks others
	list       []*row[R]          // rows of the tab that match the filter
	tabCount   int                // number of rows in the tab
	filter     string
	origin     string // ID of the row that the user selected before typing the filter; "" if the user moved since
	sortColumn int    // column to sort by; -1 keeps the order of Load
	descending bool   // descending order
	// removedRow is a row that no longer belongs to the list, or nil. It stays until the cursor leaves it, so that no key
	// acts on the row that would take its place.
	removedRow *row[R]
}

func newRows[R any](env *screen.Env, spec *Spec[R]) *rows[R] {
	l := &rows[R]{env: env, spec: spec, sortColumn: -1}
	l.grid = widget.NewGrid(env.Styles, l.columns()...)
	l.grid.SetMarkable(true)
	l.grid.SetSource(l)
	l.tabs.Plain = spec.Inner
	for _, t := range spec.Tabs {
		l.tabs.Titles = append(l.tabs.Titles, t.Title)
	}
	return l
}

func (l *rows[R]) columns() []widget.Column {
	list := make([]widget.Column, len(l.spec.Columns))
	for i, c := range l.spec.Columns {
		if list[i] = c.Column; c.Heading != nil {
			list[i].Title = c.Heading()
		}
		switch {
		case i == l.sortColumn && l.descending:
			list[i].Sorted = widget.Descending
		case i == l.sortColumn:
			list[i].Sorted = widget.Ascending
		case l.sortColumn >= 0:
			list[i].Sorted = widget.Unsorted // The order of Load no longer applies.
		}
	}
	return list
}

func (l *rows[R]) Len() int { return len(l.list) }

func (l *rows[R]) Cell(i, col int) widget.Cell {
	c := l.cells(l.list[i])[col]
	if l.list[i] == l.removedRow {
		c.Role = widget.RoleFaint
	}
	return c
}

// Groups returns the titles of the groups, which only the order of Load keeps together.
func (l *rows[R]) Groups() func(i int) string {
	if l.spec.Group == nil || l.sortColumn >= 0 {
		return nil
	}
	return func(i int) string {
		title := l.spec.Group(l.list[i].value)
		if i > 0 && l.spec.Group(l.list[i-1].value) == title {
			return ""
		}
		return title
	}
}

// Sign distinguishes a row that left the list even without colors.
func (l *rows[R]) Sign(i int) string {
	switch x := l.list[i]; {
	case x == l.removedRow:
		return "-"
	case l.spec.Sign != nil:
		return l.spec.Sign(x.value)
	}
	return ""
}

func (l *rows[R]) cells(x *row[R]) []widget.Cell {
	if now := l.env.Now().Unix() / 60; x.cells == nil || x.minute != now {
		x.cells, x.minute = make([]widget.Cell, len(l.spec.Columns)), now
		for i, c := range l.spec.Columns {
			x.cells[i] = c.Cell(l.env, x.value)
		}
	}
	return x.cells
}

func (l *rows[R]) Marked(i int) bool { return l.list[i].marked }

func (l *rows[R]) SetMarked(i int, on bool) {
	l.list[i].marked, l.lostNames = on && l.list[i] != l.removedRow, nil
}

// name does not use the ID, which can contain keys that the role may not see.
func (l *rows[R]) name(x *row[R]) string {
	if l.spec.Label != nil {
		return models.Printable(l.spec.Label(l.env, x.value))
	}
	i := slices.IndexFunc(l.spec.Columns, func(c Column[R]) bool { return c.Title != "" })
	return models.Printable(strings.TrimSpace(l.spec.Columns[i].Cell(l.env, x.value).Text))
}

// MarkCount returns the number of marked rows, including rows that the filter hides.
func (l *rows[R]) MarkCount() (n int) {
	for _, x := range l.all {
		if x.marked {
			n++
		}
	}
	return n
}

var _ widget.Marker = (*rows[int])(nil)

// marked returns the marked rows of all tabs, except rows that the filter hides. Actions apply only to these rows.
func (l *rows[R]) marked() []*row[R] {
	words := l.filterWords()
	return models.Filter(l.all, func(x *row[R]) bool { return x.marked && l.matches(x, words) })
}

// filterWords returns the texts that a row must contain: the whole filter if any row contains it, otherwise its words.
func (l *rows[R]) filterWords() []string {
	words := strings.Fields(strings.ToLower(l.filter))
	phrase := []string{strings.Join(words, " ")}
	if len(words) > 1 && slices.ContainsFunc(l.all, func(x *row[R]) bool { return l.matches(x, phrase) }) {
		return phrase
	}
	return words
}

func (l *rows[R]) selected() *row[R] {
	if l.grid != nil {
		if i := l.grid.Cursor(); i >= 0 && i < len(l.list) {
			return l.list[i]
		}
	}
	return nil
}

func (l *rows[R]) selectedID() string {
	if x := l.selected(); x != nil {
		return x.id
	}
	return ""
}

func (l *rows[R]) chosen() []*row[R] {
	list := l.marked()
	if x := l.selected(); x != nil && len(list) == 0 {
		list = append(list, x)
	}
	return list
}

// set replaces the rows and keeps the cursor on its row. If keepCurrent is true, that row stays even if it left the
// list.
func (l *rows[R]) set(all []R, keepCurrent, partial bool) {
	if slices.ContainsFunc(l.spec.Columns, func(c Column[R]) bool { return c.Heading != nil }) {
		l.grid.SetColumns(l.columns()...)
	}
	followsNewest := l.spec.FollowsNewest && l.sortColumn < 0 && l.grid.Cursor() <= 0
	oldRows := make(map[string]*row[R], len(l.all))
	maps.Copy(oldRows, l.missing)
	for _, x := range l.all {
		oldRows[x.id] = x
	}
	l.all = make([]*row[R], len(all))
	for i, r := range all {
		x := &row[R]{value: r, id: l.spec.ID(r)}
		if old := oldRows[x.id]; old != nil {
			x.marked, x.result, x.extra = old.marked, old.result, old.extra
			x.extra.addTo(&x.value)
			delete(oldRows, x.id)
		}
		l.all[i] = x
	}
	l.missing = map[string]*row[R]{}
	for id, x := range oldRows {
		switch {
		case !x.marked:
		case partial:
			l.missing[id] = x
		default:
			l.lostNames = append(l.lostNames, l.name(x))
		}
	}
	if l.fill(keepCurrent && !followsNewest); followsNewest {
		l.grid.SetCursor(0)
	}
	if l.spec.Every == 0 {
		l.measure()
	}
}

func (l *rows[R]) update(change func(r R) (R, bool)) {
	l.clearCells()
	l.all = slices.DeleteFunc(l.all, func(x *row[R]) bool {
		changed, keep := change(x.value)
		if keep {
			x.value = changed
		} else if x.marked {
			l.lostNames = append(l.lostNames, l.name(x))
		}
		return !keep
	})
	l.fill(true)
}

func (l *rows[R]) selectTab(all []R) {
	if len(l.spec.Tabs) == 0 || slices.ContainsFunc(all, l.spec.Tabs[l.tabs.Active].Has) {
		return
	}
	i := slices.IndexFunc(l.spec.Tabs, func(t Tab[R]) bool { return !t.Ended && slices.ContainsFunc(all, t.Has) })
	if i >= 0 {
		l.tabs.Active = i
	}
}

func (l *rows[R]) fill(keepCurrent bool) {
	old, at, before := l.selected(), max(l.grid.Cursor(), 0), len(l.list)
	l.list, l.removedRow = l.filtered(), nil
	if old != nil {
		if i := l.find(old.id); i >= 0 {
			at = i
		} else if keepCurrent {
			if i := slices.IndexFunc(l.all, func(x *row[R]) bool { return x.id == old.id }); i >= 0 {
				old = l.all[i]
			}
			at = min(at, len(l.list))
			l.removedRow, l.list = old, slices.Insert(l.list, at, old)
		}
	}
	l.grid.SetCursor(at)
	if before == 0 {
		l.measure()
	}
}

func (l *rows[R]) measure() {
	at := l.grid.Cursor()
	l.grid.SetSource(l)
	l.grid.SetCursor(max(at, 0))
}

func (l *rows[R]) filtered() (list []*row[R]) {
	counts, words := make([]int, len(l.spec.Tabs)), l.filterWords()
	l.tabCount = 0
	for _, x := range l.all {
		inTab := len(l.spec.Tabs) == 0
		for i, t := range l.spec.Tabs {
			if t.Has(x.value) {
				counts[i]++
				inTab = inTab || i == l.tabs.Active
			}
		}
		if !inTab {
			continue
		}
		if l.tabCount++; l.matches(x, words) {
			list = append(list, x)
		}
	}
	for i, t := range l.spec.Tabs {
		l.tabs.Titles[i] = t.Title + " " + strconv.Itoa(counts[i])
	}
	if l.sortColumn >= 0 {
		slices.SortStableFunc(list, func(a, b *row[R]) int {
			if l.descending {
				a, b = b, a
			}
			if by := l.spec.Columns[l.sortColumn].By; by != nil {
				return by(a.value, b.value)
			}
			return cmp.Compare(strings.ToLower(l.cells(a)[l.sortColumn].Text), strings.ToLower(l.cells(b)[l.sortColumn].Text))
		})
	}
	return list
}

func (l *rows[R]) matches(x *row[R], words []string) bool {
	if len(words) > 0 && x.text == "" {
		for _, c := range l.cells(x) {
			x.text += strings.ToLower(c.Text) + " "
		}
		if l.spec.Search != nil {
			x.text += strings.ToLower(l.spec.Search(x.value))
		}
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(x.text, w) })
}

func (l *rows[R]) find(id string) int {
	return slices.IndexFunc(l.list, func(x *row[R]) bool { return x.id == id })
}

func (l *rows[R]) sortBy(col int) {
	l.descending = col >= 0 && col == l.sortColumn && !l.descending
	l.sortColumn = col
	l.grid.SetColumns(l.columns()...)
	l.fill(l.removedRow != nil)
}

// setFilter filters the rows. The cursor stays on its row, or moves to the first match while the filter hides that row.
func (l *rows[R]) setFilter(filter string) {
	if l.filter == "" {
		l.origin = l.selectedID()
	}
	before := cmp.Or(l.origin, l.selectedID())
	l.filter = filter
	l.fill(false)
	l.grid.SetCursor(max(l.find(before), 0))
}

func (l *rows[R]) clearCells() {
	for _, x := range l.all {
		x.cells, x.text = nil, ""
	}
	if l.removedRow != nil {
		l.removedRow.cells = nil
	}
}

func (l *rows[R]) markedOrAll() []*row[R] {
	if list := l.marked(); len(list) > 0 {
		return list
	}
	return l.list
}

func (l *rows[R]) table(list []*row[R]) [][]string {
	lines := make([][]string, len(list)+1)
	for i, c := range l.spec.Columns {
		lines[0] = append(lines[0], c.Title)
		for n, x := range list {
			lines[n+1] = append(lines[n+1], models.Printable(strings.TrimSpace(l.cells(x)[i].Text)))
		}
	}
	return lines
}

func rowValues[R any](list []*row[R]) []R {
	return models.MapSlice(list, func(x *row[R]) R { return x.value })
}
