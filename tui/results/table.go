package results

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Table shows rows in a grid. The cursor stays on its item when the rows change.
type Table struct {
	*Rows
	Grid *widget.Grid
	// HideKeys omits the keys of items that a schema describes from the details, as for role support.
	HideKeys bool

	preview   preview
	sidePager *widget.Pager // shows the text of SideView
	anchor    *Position     // position of the cursor before the user typed a filter
}

// NewTable returns a table for a pattern, without rows and with the default columns.
func NewTable(env *screen.Env, p *accesspatterns.Pattern) *Table {
	t := &Table{Rows: NewRows(env, p), sidePager: widget.NewPager(env.Styles)}
	t.Grid = widget.NewGrid(env.Styles, t.Columns()...)
	t.Grid.SetSource(t.Rows)
	return t
}

// SetStyles sets the theme.
func (t *Table) SetStyles(s *widget.Styles) {
	t.Grid.SetStyles(s)
	t.sidePager.SetStyles(s)
	t.ForgetPreview()
}

// Selected returns the item under the cursor, as stored and in displayable form. ok is false if there is no row.
func (t *Table) Selected() (raw models.Item, shown *Row, ok bool) {
	i := t.Grid.Cursor()
	if i < 0 || i >= t.Len() {
		return nil, nil, false
	}
	return t.Items.At(t.At(i)), t.Row(i), true
}

func (t *Table) position() Position {
	row := t.Grid.Cursor()
	if row < 0 || row >= t.Len() {
		return Position{-1, -1}
	}
	return Position{row, t.At(row)}
}

// Anchor records the position of the cursor before the user types a filter, so that the final position does not depend
// on the typing speed.
func (t *Table) Anchor(on bool) {
	t.anchor = nil
	if on {
		position := t.position()
		t.anchor = &position
	}
}

// Rearrange filters and sorts the rows again and restores the cursor.
func (t *Table) Rearrange() tea.Cmd {
	position := t.position()
	if t.anchor != nil {
		position = *t.anchor
	}
	cmd := t.Arrange()
	if t.anchor != nil && t.Requested != nil {
		t.Requested.ReturnTo = &position
	}
	t.restoreCursor(position)
	return cmd
}

// ShowStep shows the result of a step, unless a newer arrangement has replaced it.
func (t *Table) ShowStep(msg ArrangedMsg) tea.Cmd {
	position := t.position()
	if w := t.Requested; w != nil && w.ID == msg.Arrangement.ID && w.ReturnTo != nil {
		position = *w.ReturnTo
	}
	cmd := t.ApplyStep(msg)
	t.restoreCursor(position)
	return cmd
}

// ArrangeAdded arranges new rows. While more rows are loading, it may postpone a few.
func (t *Table) ArrangeAdded(loading bool) tea.Cmd {
	t.ForgetPreview()
	at, found := t.CursorFound()
	if t.Requested == nil && (t.filter != nil || t.SortOrder.Order != widget.Unsorted) {
		cmd := t.Rearrange()
		if found {
			t.Requested.ReturnTo = &Position{at, at}
		}
		return cmd
	}
	if found {
		t.restoreCursor(Position{at, at})
	}
	if loading && t.CanWait() {
		return nil // The end of the load arranges them at the latest.
	}
	return t.Continue()
}

// ReplaceItems replaces items after a change. items maps item numbers to the new states.
func (t *Table) ReplaceItems(items map[int]models.Item) tea.Cmd {
	if len(items) == 0 {
		return nil
	}
	for at, it := range items {
		t.Replace(at, it)
	}
	t.ForgetPreview()
	if t.filter == nil && t.SortOrder.Order == widget.Unsorted {
		return nil
	}
	return t.Rearrange()
}

// AddUndeclaredColumns adds columns for undeclared attributes of the first rows, unless the user has changed the
// columns.
func (t *Table) AddUndeclaredColumns() {
	if slices.Equal(t.Layout.All, t.defaultColumns()) {
		t.undeclaredPaths = t.undeclaredAttributes()
		t.SetColumns(t.defaultColumns())
	}
}

func (t *Table) restoreCursor(old Position) {
	t.ForgetPreview()
	if old.At < 0 {
		return
	}
	row := t.Find(old.At)
	if row < 0 {
		row = min(old.Row, max(t.Len()-1, 0))
	}
	t.Grid.SetCursor(row)
}

// SetColumns sets the columns and their layout.
func (t *Table) SetColumns(cols []Column) {
	t.SetLayout(cols)
	t.Grid.SetColumns(t.Columns()...)
	t.ForgetPreview()
}

// nextOrder maps a sort order to the next one when the user chooses the same column again.
var nextOrder = map[widget.Order]widget.Order{
	widget.Unsorted: widget.Ascending, widget.Ascending: widget.Descending, widget.Descending: widget.Unsorted,
}

// SortOn sorts by a column: ascending, then descending, then in result order.
func (t *Table) SortOn(key string) tea.Cmd {
	by := SortBy{Key: key, Order: widget.Ascending}
	if t.SortOrder.Key == key {
		by.Order = nextOrder[t.SortOrder.Order]
	}
	return t.Sort(by)
}

// Sort sorts the rows.
func (t *Table) Sort(by SortBy) tea.Cmd {
	if by.Order == widget.Unsorted {
		by.Key = ""
	}
	if by == t.SortOrder {
		return nil
	}
	t.SortOrder = by
	t.Grid.SetColumns(t.Columns()...)
	return t.Rearrange()
}

// Mark toggles the mark of the row under the cursor, and moves to the next row.
func (t *Table) Mark() {
	t.Grid.ToggleMark(t.Grid.Cursor())
	t.Grid.SetCursor(t.Grid.Cursor() + 1)
}

// MarkAll marks all filtered rows. If all are marked, it unmarks them.
func (t *Table) MarkAll() {
	list, all := t.FilteredItems(), true
	if n := list.Len(); n == t.Items.Len() { // The grid shows every item.
		t.Marks.Toggle(n)
		return
	}
	for at := range list.Numbers() {
		all = all && t.Marks.Has(at)
	}
	for at := range list.Numbers() {
		t.Marks.Set(at, !all)
	}
}

// SortAt sorts by the column whose title is at position x of the grid.
func (t *Table) SortAt(x int) tea.Cmd {
	if col, ok := t.Grid.ColumnAt(x); ok && col < len(t.Layout.Shown) && t.Items.Len() > 0 {
		return t.SortOn(t.Layout.Shown[col].Key)
	}
	return nil
}

// errorHeight is the height of an error below rows.
const errorHeight = 3

// RowsHeight returns the height in cells that remains of h for n rows above an error.
func RowsHeight(h, n int, err error) int {
	if err != nil && n > 0 {
		return h - errorHeight
	}
	return h
}

// ViewGrid draws a grid of n rows in w by h cells, and below it the error that ended the read. Without rows it draws
// only the error. next describes how to continue.
func ViewGrid(s *widget.Styles, g *widget.Grid, w, h, n int, err error, next string) string {
	if h <= 0 {
		return ""
	}
	if err == nil {
		return g.View()
	}
	lines := strings.Join(present.ErrorLines(s, err, w-4, next), "\n")
	if n == 0 {
		return widget.Place("\n"+lines, w, h)
	}
	return widget.Rows(g.View(), widget.Place(lines, w, errorHeight))
}
