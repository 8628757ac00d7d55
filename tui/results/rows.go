// Package results shows the rows that a pattern returned: columns, order, filter, marks and the preview of a row. The
// workbench and the queues share it, and read the rows themselves.
package results

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Rows contains the items of a pattern, and is the source of a grid that shows them filtered, sorted and masked. A row
// has two numbers: its position in the grid, and the number of its item in the store.
type Rows struct {
	env             *screen.Env
	Pattern         *accesspatterns.Pattern
	Items           rows.Store // unmasked items as stored
	Layout          Layout
	undeclaredPaths []string // undeclared attributes of the first rows; some of them have columns

	arrangedRows
	selection
	Typed typedFilter
	// Request is the request that returned the items, or nil. Rows whose index key does not match have a sign.
	Request *accesspatterns.Request
	// Signs contains, by unmasked key, the signs for items that appeared, changed or left during a watch. Removed contains
	// the items that left.
	Signs   map[string]string
	Removed rows.Marks
	// GivenKeys contains the values of key attributes that the user entered; see models.Masker.WithGivenKeys.
	GivenKeys map[string][]string

	cache       rowCache
	masker      *models.Masker // masker that the cached rows used
	minute      time.Time      // time that the cached rows' ages refer to
	times       present.TimeForm
	showsExpiry bool // append "expired" to the state of an expired item
}

// A Row is an item in displayable form.
type Row struct {
	Item   models.Item    // masked
	Entity *models.Entity // nil if unknown
	cells  []widget.Cell
}

// NewRows returns the rows of a pattern, initially without items.
func NewRows(env *screen.Env, p *accesspatterns.Pattern) *Rows {
	r := &Rows{env: env, Pattern: p, Layout: Layout{pattern: p}}
	r.selection = selection{r: r}
	r.arrangedRows = arrangedRows{env: env, pattern: p, items: &r.Items, snapshot: r.snapshot}
	r.SetLayout(DefaultColumns(p))
	return r
}

// Reset removes the filter and the marks of an earlier request.
func (r *Rows) Reset() {
	r.SetFilter("")
	r.reset()
}

// Clear removes the items. It remembers up to maxKeys marked items and marks them again when they return. If there are
// more, the returned command shows a notice.
func (r *Rows) Clear() (lost tea.Cmd) {
	if n := r.Marks.Len(); n > maxKeys {
		lost = screen.Send(screen.NoticeMsg{Text: fmt.Sprintf("Removed %s marks: a reload keeps at most %s",
			present.Thousands(n), present.Thousands(maxKeys))})
	}
	r.dropMarks()
	r.Items.Clear()
	r.Removed.Clear()
	r.Signs = nil
	r.clearArrangement()
	r.cache.clear()
	return lost
}

// Add appends a page of items. The caller must arrange the rows afterward.
func (r *Rows) Add(items []models.Item) {
	var keys []string
	if r.AwaitsKeys() {
		keys = Keys(r.Pattern.Table, items)
	}
	r.AddPage(r.Items.Packer().Pack(items), keys)
}

// AddPage appends a packed page. keys contains the keys of its items if AwaitsKeys is true, otherwise nil.
func (r *Rows) AddPage(page rows.Batch, keys []string) {
	from := r.Items.Len()
	r.Items.Append(page)
	r.restore(from, keys)
}

// Replace replaces an item after a change.
func (r *Rows) Replace(at int, it models.Item) {
	r.Items.Set(at, it)
	r.cache.clear()
}

// Len returns the number of rows in the grid.
func (r *Rows) Len() int {
	if r.Visible != nil {
		return len(r.Visible)
	}
	return r.Items.Len()
}

// At returns the item number of a grid row.
func (r *Rows) At(i int) int {
	if r.Visible != nil {
		return int(r.Visible[i])
	}
	return i
}

// Find returns the grid row of an item number, or -1.
func (r *Rows) Find(at int) int {
	switch {
	case r.Visible == nil && at < r.Items.Len():
		return at
	case r.Visible == nil:
		return -1
	case r.Applied != nil && r.Applied.search.Sorts():
		return slices.Index(r.Visible, int32(at))
	}
	if i, ok := slices.BinarySearch(r.Visible, int32(at)); ok {
		return i
	}
	return -1
}

// Cell returns the cell in a row and a column.
func (r *Rows) Cell(i, col int) widget.Cell {
	return r.Row(i).cells[col]
}

// Row returns a grid row in displayable form. It formats each row at most once a minute, because cells contain ages.
func (r *Rows) Row(i int) *Row {
	masker, minute := r.env.Session.Masker(), r.env.Session.Now().Truncate(time.Minute)
	if masker != r.masker || !minute.Equal(r.minute) {
		r.cache.clear()
		r.masker, r.minute = masker, minute
	}
	at := r.At(i)
	shown, ok := r.cache.find(at)
	if !ok {
		shown = r.snapshot().row(r.Items.At(at))
		r.cache.add(at, shown)
	}
	return shown
}

// Present returns an item in displayable form. The item does not have to be one of the rows.
func (r *Rows) Present(it models.Item) *Row { return r.snapshot().row(it) }

// Cells returns the row's cells, one per column.
func (r *Row) Cells() []widget.Cell { return r.cells }

// Compare compares two items by a visible column.
func (r *Rows) Compare(col int, a, b models.Item) int {
	s, c := r.snapshot(), r.Layout.Shown[col]
	return bytes.Compare(c.sortKey(s.searchRow(a)).Append(nil), c.sortKey(s.searchRow(b)).Append(nil))
}

// Marked reports whether the item in a grid row is marked.
func (r *Rows) Marked(row int) bool { return r.Marks.Has(r.At(row)) }

// Sign returns the sign of a grid row, or "".
func (r *Rows) Sign(row int) string {
	it := r.Items.At(r.At(row))
	if sign := r.Signs[r.Pattern.Table.KeyText(it)]; sign != "" {
		return sign
	}
	if len(r.env.Reading.StaleKeys(r.Request, it)) > 0 {
		return "≠"
	}
	return ""
}

// SetMarked marks or unmarks the item in a grid row.
func (r *Rows) SetMarked(row int, on bool) { r.Marks.Set(r.At(row), on) }

// MarkCount returns the number of marked items, including items that the filter hides.
func (r *Rows) MarkCount() int { return r.Marks.Len() }

var _ widget.Marker = (*Rows)(nil)

// MarkedItems returns the marked items: visible ones in screen order, then the ones that the filter hides.
func (r *Rows) MarkedItems() rows.Selection { return rows.SelectMarked(r.Items, r.Visible, &r.Marks) }

// FilteredItems returns the filtered items in screen order, without removed ones.
func (r *Rows) FilteredItems() rows.Selection { return r.selectPresent(r.Visible) }

// LoadedItems returns all items in store order, without removed ones.
func (r *Rows) LoadedItems() rows.Selection { return r.selectPresent(nil) }

func (r *Rows) selectPresent(numbers []int32) rows.Selection {
	if r.Removed.Len() == 0 {
		return rows.SelectShown(r.Items, numbers)
	}
	existing := []int32{}
	for at := range rows.SelectShown(r.Items, numbers).Numbers() {
		if !r.Removed.Has(at) {
			existing = append(existing, int32(at))
		}
	}
	return rows.SelectShown(r.Items, existing)
}

// MaxComparedRows is the maximum number of rows to offer for a comparison.
const MaxComparedRows = 200

// ComparisonItems returns the items to offer for a comparison: the marked ones, then the visible ones.
func (r *Rows) ComparisonItems() []models.Item {
	list := r.MarkedItems().First(MaxComparedRows).Items()
	for i := range min(r.Len(), MaxComparedRows) {
		list = append(list, r.Items.At(r.At(i)))
	}
	return list
}

// OpenComparison compares two marked items, or lets the user choose the item to compare the current one with.
func OpenComparison(table *models.Table, current models.Item, marked, candidates []models.Item) tea.Cmd {
	to := screen.Compare{Table: table, Item: current, As: "as the list showed it", Rows: candidates}
	if len(marked) == 2 {
		to.Item, to.With = marked[0], marked[1]
	}
	return screen.Open(to)
}

// A snapshot is the presentation of items at one time. It is immutable, so that another goroutine can search rows while
// the screen shows them.
type snapshot struct {
	pattern *accesspatterns.Pattern
	shown   []Column
	masker  *models.Masker
	shows   present.Presenter

	showsExpiry bool
}

func (r *Rows) snapshot() snapshot {
	shows := present.NewPresenter(r.env)
	shows.Times = r.times
	return snapshot{r.Pattern, r.Layout.Shown, r.env.Session.Masker().WithGivenKeys(r.GivenKeys), shows, r.showsExpiry}
}

func (s snapshot) row(it models.Item) *Row {
	v := s.masker.Lazy(s.pattern.Table, it)
	out := &Row{Item: v.Item(), Entity: v.Entity}
	out.cells = s.cells(out)
	return out
}

func (s snapshot) cells(r *Row) []widget.Cell {
	return models.MapSlice(s.shown, func(c Column) widget.Cell { return c.cell(s, r) })
}

func (s *snapshot) searchRow(it models.Item) *searchRow {
	return &searchRow{s, s.masker.Lazy(s.pattern.Table, it)}
}

// A searchRow implements rows.Row for an item and masks its values on request.
type searchRow struct {
	snapshot *snapshot
	models.LazyItem
}

func (r *searchRow) SortKey(column string) rows.SortKey { return Column{Key: column}.sortKey(r) }

func (r *searchRow) Kind() *models.Entity { return r.Entity }

func (r *searchRow) Cells() []string {
	cells := r.snapshot.cells(&Row{Item: r.Item(), Entity: r.Entity})
	texts := make([]string, len(cells), len(cells)+len(r.Item()))
	for i, c := range cells {
		texts[i] = c.Text
	}
	return texts
}

// cachedRows is the minimum number of formatted rows in the cache, enough for several screens.
const cachedRows = 256

// A rowCache keeps formatted rows by item number, in two generations: when the first one is full, it replaces the
// second one.
type rowCache struct{ recent, older map[int]*Row }

func (c *rowCache) find(at int) (*Row, bool) {
	if r, ok := c.recent[at]; ok {
		return r, true
	}
	r, ok := c.older[at]
	if ok {
		c.add(at, r)
	}
	return r, ok
}

func (c *rowCache) add(at int, r *Row) {
	if c.recent == nil || len(c.recent) >= cachedRows {
		c.recent, c.older = make(map[int]*Row, cachedRows), c.recent
	}
	c.recent[at] = r
}

func (c *rowCache) clear() { *c = rowCache{} }
