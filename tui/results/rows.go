// Package results shows the rows that a pattern returned: columns, order, filter, marks and the
// preview of a row. The workbench and the queues share it; how rows are read belongs to them.
package results

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Rows is the source of a grid.
type Rows struct {
	env     *screen.Env
	Pattern *accesspatterns.Pattern
	Items   rows.Store // as stored
	Layout  []Column   // all columns, in the order that a person gave them
	Shown   []Column   // those that are seen, pinned ones first
	Paths   []string   // the attributes among them

	arranged
	Typed   typedFilter
	Marks   rows.Marks
	awaited awaited

	Kept   rowCache
	masker *models.Masker
	minute time.Time // ages were spelled as of
}

// Row is an item as it may be shown.
type Row struct {
	Item   models.Item
	Entity *models.Entity
	cells  []widget.Cell
}

// NewRows returns the rows of a pattern, none yet.
func NewRows(env *screen.Env, p *accesspatterns.Pattern) *Rows {
	r := &Rows{env: env, Pattern: p}
	r.SetLayout(DefaultColumns(p))
	return r
}

// Clear drops the items. What was marked is marked again when it comes back, or
// it is said that it will not be.
func (r *Rows) Clear() (lost tea.Cmd) {
	if n := r.Marks.Len(); n > maxKeys {
		lost = screen.Send(screen.NoticeMsg{Text: fmt.Sprintf("%s marks are gone: up to %s come back when rows are read again",
			present.Thousands(n), present.Thousands(maxKeys))})
	}
	r.dropMarks()
	r.Items.Clear()
	r.stopArranging()
	r.Show, r.View, r.Work, r.full = nil, nil, nil, nil
	r.Kept.Clear()
	return lost
}

// Add takes a page in. The caller arranges the rows anew.
func (r *Rows) Add(items []models.Item) {
	r.Take(r.Items.Packer().Pack(items), r.keysOf(items))
}

// Take takes a page in that was packed elsewhere, with what keysOf says of it.
func (r *Rows) Take(page rows.Batch, keys []string) {
	from := r.Items.Len()
	r.Items.Append(page)
	r.arrived(from, keys)
}

// keysOf are the keys of items when some are known by them, else none.
func (r *Rows) keysOf(items []models.Item) []string {
	if !r.AwaitsKeys() {
		return nil
	}
	return KeyTexts(r.Pattern.Table, items)
}

// KeyTexts are the primary keys of items as text.
func KeyTexts(t *models.Table, items []models.Item) []string {
	keys := make([]string, len(items))
	for i, it := range items {
		keys[i] = t.KeyText(it)
	}
	return keys
}

// Len is the number of rows that the filter lets through.
func (r *Rows) Len() int {
	if r.Show != nil {
		return len(r.Show)
	}
	return r.Items.Len()
}

// At is the place among the items of a row of the grid.
func (r *Rows) At(i int) int {
	if r.Show != nil {
		return int(r.Show[i])
	}
	return i
}

// Find is the row of the grid that shows an item, -1 when none does.
func (r *Rows) Find(at int) int {
	if r.Show == nil {
		if at < r.Items.Len() {
			return at
		}
		return -1
	}
	if r.View == nil || !r.View.search.Sorts() {
		if i, ok := slices.BinarySearch(r.Show, int32(at)); ok {
			return i
		}
		return -1
	}
	return slices.Index(r.Show, int32(at))
}

// Cell presents a value.
func (r *Rows) Cell(i, col int) widget.Cell {
	if r.Shown[col].Key == QueryColumn {
		if r.View == nil || r.View.stale(r) { // It was made of what is hidden by now.
			return queryCell("")
		}
		return queryCell(r.View.search.Value(r.At(i)))
	}
	return r.Row(i).cells[col]
}

// Row presents a row of the grid, once a minute.
func (r *Rows) Row(i int) *Row {
	masker, minute := r.env.Session.Masker(), r.env.Session.Now().Truncate(time.Minute)
	if masker != r.masker || !minute.Equal(r.minute) {
		r.Kept.Clear()
		r.masker, r.minute = masker, minute
	}
	at := r.At(i)
	shown, ok := r.Kept.Find(at)
	if !ok {
		shown = r.lens().Row(r.Items.At(at))
		r.Kept.keep(at, shown)
	}
	return shown
}

// A lens shows items: masked, in the columns that are seen, as of one moment. It
// does not change, so rows can be searched while others are looked at.
type lens struct {
	env     *screen.Env
	pattern *accesspatterns.Pattern
	shown   []Column
	masker  *models.Masker
	now     time.Time
}

// lens is how rows are shown now.
func (r *Rows) lens() lens {
	return lens{r.env, r.Pattern, r.Shown, r.env.Session.Masker(), r.env.Session.Now()}
}

// row presents an item.
func (l lens) Row(it models.Item) *Row {
	v := l.masker.Lazy(l.pattern.Table, it)
	out := &Row{Item: v.Item(), Entity: v.Entity}
	out.cells = l.cells(out)
	return out
}

// preview returns an item as a row of a search.
func (l *lens) preview(it models.Item) *glimpse {
	return &glimpse{l, l.masker.Lazy(l.pattern.Table, it)}
}

// A glimpse is an item whose values are masked on request; see rows.Row.
type glimpse struct {
	lens *lens
	models.LazyItem
}

// SortKey implements rows.Row.
func (g *glimpse) SortKey(column string) rows.SortKey { return Column{Key: column}.sortKey(g) }

// Kind is what the item is, nil for unknown.
func (g *glimpse) Kind() *models.Entity { return g.Entity }

// Cells are the texts of the cells.
func (g *glimpse) Cells() []string {
	cells := g.lens.cells(&Row{Item: g.Item(), Entity: g.Entity})
	texts := make([]string, len(cells), len(cells)+len(g.Item()))
	for i, c := range cells {
		texts[i] = c.Text
	}
	return texts
}

func (l lens) cells(r *Row) []widget.Cell {
	cells := make([]widget.Cell, len(l.shown))
	p := present.Presenter{Now: l.now}
	for i, c := range l.shown {
		cells[i] = c.cell(p, l.pattern, r)
	}
	return cells
}

// AskSize asks DynamoDB how large a table, or its index x, is; a tableSizedMsg
// answers.
func AskSize(ctx context.Context, s *workspace.Workspace, t *models.Table, x *models.Index) tea.Cmd {
	return func() tea.Msg {
		e, err := s.Reading.Estimate(ctx, t, x)
		switch {
		case err == nil:
			return overlay.TableSizedMsg{Text: e.String(), Estimate: e}
		case tables.Missing(err):
			return overlay.TableSizedMsg{Text: err.Error(), Missing: true}
		}
		return overlay.TableSizedMsg{Text: "how large it is could not be asked: " + err.Error()}
	}
}
