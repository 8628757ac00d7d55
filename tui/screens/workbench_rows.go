package screens

import (
	"fmt"
	"slices"
	"time"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	rowset "github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rows is the source of a grid.
type rows struct {
	env     *Env
	pattern *accesspatterns.Pattern
	items   rowset.Store // as stored
	layout  []column     // all columns, in the order that a person gave them
	shown   []column     // those that are seen, pinned ones first
	paths   []string     // the attributes among them

	arranged
	typed typedFilter
	marks marks

	kept   rowCache
	masker *models.Masker
	minute time.Time // ages were spelled as of
}

// row is an item as it may be shown.
type row struct {
	item   models.Item
	entity *models.Entity
	cells  []widget.Cell
}

func newRows(env *Env, p *accesspatterns.Pattern) *rows {
	r := &rows{env: env, pattern: p}
	r.setLayout(defaultColumns(p))
	return r
}

// clear drops the items. What was marked is marked again when it comes back, or
// it is said that it will not be.
func (r *rows) clear() (lost tea.Cmd) {
	if n := r.marks.count; n > marksAgain {
		lost = Send(NoticeMsg{Text: fmt.Sprintf("%s marks are gone: up to %s come back when rows are read again", thousands(n), thousands(marksAgain))})
	}
	r.marks.dropped(r)
	r.items.Clear()
	r.stopArranging()
	r.show, r.view, r.work, r.full = nil, nil, nil, nil
	r.kept.clear()
	return lost
}

// add takes a page in. The caller arranges the rows anew.
func (r *rows) add(items []models.Item) {
	r.take(r.items.Packer().Pack(items), r.keysOf(items))
}

// take takes a page in that was packed elsewhere, with what keysOf says of it.
func (r *rows) take(page rowset.Batch, keys []string) {
	from := r.items.Len()
	r.items.Append(page)
	if at, ok := r.marks.returned(from, keys); ok {
		r.marks.found = at + 1
	}
}

// keysOf are the keys of items when some are known by them, else none.
func (r *rows) keysOf(items []models.Item) []string {
	if !r.marks.awaits() {
		return nil
	}
	return keyTexts(r.pattern.Table, items)
}

func keyTexts(t *models.Table, items []models.Item) []string {
	keys := make([]string, len(items))
	for i, it := range items {
		keys[i] = t.KeyText(it)
	}
	return keys
}

// Len is the number of rows that the filter lets through.
func (r *rows) Len() int {
	if r.show != nil {
		return len(r.show)
	}
	return r.items.Len()
}

// at is the place among the items of a row of the grid.
func (r *rows) at(i int) int {
	if r.show != nil {
		return int(r.show[i])
	}
	return i
}

// find is the row of the grid that shows an item, -1 when none does.
func (r *rows) find(at int) int {
	if r.show == nil {
		if at < r.items.Len() {
			return at
		}
		return -1
	}
	if r.view == nil || !r.view.keyed() {
		if i, ok := slices.BinarySearch(r.show, int32(at)); ok {
			return i
		}
		return -1
	}
	return slices.Index(r.show, int32(at))
}

// Cell presents a value.
func (r *rows) Cell(i, col int) widget.Cell {
	if r.shown[col].key == queryColumn {
		if r.view == nil || r.view.stale(r) { // It was made of what is hidden by now.
			return queryCell("")
		}
		return queryCell(r.view.values.at(r.at(i)))
	}
	return r.row(i).cells[col]
}

// row presents a row of the grid, once a minute.
func (r *rows) row(i int) *row {
	masker, minute := r.env.Session.Masker(), r.env.Session.Now().Truncate(time.Minute)
	if masker != r.masker || !minute.Equal(r.minute) {
		r.kept.clear()
		r.masker, r.minute = masker, minute
	}
	at := r.at(i)
	shown, ok := r.kept.find(at)
	if !ok {
		shown = r.lens().row(r.items.At(at))
		r.kept.keep(at, shown)
	}
	return shown
}

// A lens shows items: masked, in the columns that are seen, as of one moment. It
// does not change, so rows can be searched while others are looked at.
type lens struct {
	env     *Env
	pattern *accesspatterns.Pattern
	shown   []column
	masker  *models.Masker
	now     time.Time
}

// lens is how rows are shown now.
func (r *rows) lens() lens {
	return lens{r.env, r.pattern, r.shown, r.env.Session.Masker(), r.env.Session.Now()}
}

// row presents an item.
func (l lens) row(it models.Item) *row {
	v := l.masker.Lazy(l.pattern.Table, it)
	out := &row{item: v.Item(), entity: v.Entity}
	out.cells = l.cells(out)
	return out
}

// A glimpse is an item of which only what a filter or an order asks for is made.
type glimpse struct {
	lens *lens
	models.LazyItem
}

// Kind is what the item is, nil for unknown.
func (g *glimpse) Kind() *models.Entity { return g.Entity }

// Cells are the texts of the cells.
func (g *glimpse) Cells() []string {
	cells := g.lens.cells(&row{item: g.Item(), entity: g.Entity})
	texts := make([]string, len(cells), len(cells)+len(g.Item()))
	for i, c := range cells {
		texts[i] = c.Text
	}
	return texts
}

func (l lens) cells(r *row) []widget.Cell {
	cells := make([]widget.Cell, len(l.shown))
	p := Presenter{Now: l.now}
	for i, c := range l.shown {
		cells[i] = c.cell(p, l.pattern, r)
	}
	return cells
}

// selected is the row under the cursor, raw and as it may be shown.
func (j *job) selected() (models.Item, *row, bool) {
	i := j.grid.Cursor()
	if i < 0 || i >= j.rows.Len() {
		return nil, nil, false
	}
	return j.rows.items.At(j.rows.at(i)), j.rows.row(i), true
}
