// This file holds the rows of a job: raw as they were read, masked and
// presented when they come on the screen, and narrowed by a filter.

package screens

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rowsKept is how many presented rows are kept: several screens of them.
const rowsKept = 512

// rows is the source of a grid.
type rows struct {
	env     *Env
	pattern *accesspatterns.Pattern
	paths   []string      // of the columns
	mixed   bool          // the first column says what a row is
	items   []models.Item // as stored
	filter  string
	view    []int // the rows that the filter lets through, nil for all

	kept   map[int]*row
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
	r := &rows{env: env, pattern: p, mixed: len(p.Returns) > 1, kept: map[int]*row{}}
	for _, e := range p.Returns {
		for _, path := range columnsOf(e) {
			if !slices.Contains(r.paths, path) {
				r.paths = append(r.paths, path)
			}
		}
	}
	r.rank()
	if len(r.paths) == 0 && p.Table != nil {
		for _, k := range []models.Key{p.Table.PartitionKey, p.Table.SortKey} {
			if k.Name != "" {
				r.paths = append(r.paths, k.Name)
			}
		}
	}
	return r
}

// rank puts the columns first that tell the rows of an answer apart: the id, the
// state and what the rows are ordered by. What is the same in all of them,
// because it was asked for, comes last.
func (r *rows) rank() {
	if len(r.paths) == 0 || len(r.pattern.Returns) == 0 || r.pattern.Read.Operation == accesspatterns.Get {
		return
	}
	by := orderedBy(r.pattern)
	place := func(path string) int {
		q := r.pattern.Param(path)
		switch {
		case path == r.paths[0]:
			return 0
		case q != nil && q.Required && q.Attribute != nil && len(r.pattern.Read.Key) > 0:
			return 4
		case r.pattern.Returns[0].Lifecycle(path) != nil:
			return 1
		case slices.Contains(by, path):
			return 2
		}
		return 3
	}
	first := slices.Clone(r.paths)
	slices.SortStableFunc(first, func(a, b string) int { return place(a) - place(b) })
	r.paths = first
}

// columnsOf are the entity's columns, or what comes first in it.
func columnsOf(e *models.Entity) []string {
	if len(e.Columns) > 0 {
		return e.Columns
	}
	var paths []string
	for _, a := range e.Attributes {
		if !a.KeyOnly && len(paths) < 6 {
			paths = append(paths, a.Path)
		}
	}
	return append(paths, e.KeyNames()...)
}

// columns are the grid's. The first stays when the others scroll; the one that
// the answer is ordered by says so.
func (r *rows) columns() []widget.Column {
	var cols []widget.Column
	if r.mixed {
		cols = append(cols, widget.Column{Title: "is a", Max: 24})
	}
	by := orderedBy(r.pattern)
	for i, path := range r.paths {
		c := widget.Column{Title: path, Weight: 1, Max: 40}
		if i == 0 && !r.mixed {
			c.Frozen, c.Min = true, 12
		}
		if len(by) > 0 && path == by[0] {
			c.Title += map[bool]string{true: " ↓", false: " ↑"}[r.pattern.Read.Descending]
		}
		if len(r.pattern.Returns) > 0 {
			if a := r.pattern.Returns[0].Attribute(path); a != nil && a.Type == models.TypeN && !a.Format.IsTime() {
				c.Align = widget.AlignRight
			}
		}
		cols = append(cols, c)
	}
	return cols
}

// orderedBy are the attributes that put the rows of one answer in order: the
// placeholders of the sort key that are not given.
func orderedBy(p *accesspatterns.Pattern) []string {
	if p.Table == nil || len(p.Returns) != 1 || p.Read.Operation != accesspatterns.Query {
		return nil
	}
	_, sort := p.Table.KeysOf(p.Read.Index)
	t, ok := p.Returns[0].KeyTemplate(sort.Name)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(t.Placeholders(), func(name string) bool {
		q := p.Param(name)
		return q != nil && q.Required
	})
}

func (r *rows) clear() {
	r.items, r.view, r.filter = nil, nil, ""
	clear(r.kept)
}

func (r *rows) add(items []models.Item) { r.items = append(r.items, items...) }

// Len is the number of rows that the filter lets through.
func (r *rows) Len() int {
	if r.view != nil {
		return len(r.view)
	}
	return len(r.items)
}

// at is the place among the items of a row of the grid.
func (r *rows) at(i int) int {
	if r.view != nil {
		return r.view[i]
	}
	return i
}

// Cell presents a value.
func (r *rows) Cell(i, col int) widget.Cell { return r.row(i).cells[col] }

// row presents a row of the grid, once a minute.
func (r *rows) row(i int) *row {
	masker, minute := r.env.Session.Masker(), r.env.Session.Now().Truncate(time.Minute)
	if masker != r.masker || !minute.Equal(r.minute) || len(r.kept) > rowsKept {
		clear(r.kept)
		r.masker, r.minute = masker, minute
	}
	at := r.at(i)
	if kept := r.kept[at]; kept != nil {
		return kept
	}
	shown := r.present(masker, r.items[at], r.env.Session.Now())
	r.kept[at] = shown
	return shown
}

func (r *rows) present(masker *models.Masker, it models.Item, now time.Time) *row {
	out := &row{item: masker.Item(r.pattern.Table, it)}
	if found, ok := r.env.Session.Recognise(r.pattern.Table, it); ok {
		out.entity = found.Entity
	}
	if r.mixed {
		out.cells = append(out.cells, kindCell(out.entity))
	}
	p := Presenter{Now: now}
	for _, path := range r.paths {
		out.cells = append(out.cells, p.Cell(out.entity, path, out.item))
	}
	return out
}

// kindCell says what a row is.
func kindCell(e *models.Entity) widget.Cell {
	if e == nil {
		return widget.Cell{Text: "? unknown", Role: widget.RoleWarn}
	}
	return widget.Cell{Text: e.Name, Role: widget.RoleKey}
}

// rowsFilteredMsg is what a filter found among the first n rows.
type rowsFilteredMsg struct {
	pattern *accesspatterns.Pattern
	filter  string
	n       int
	view    []int
}

// refilter looks for the filter's text in the rows, off the screen's time.
func (b *Workbench) refilter(j *job) tea.Cmd {
	text := j.rows.filter
	if text == "" {
		if j.rows.view != nil {
			j.rows.view = nil
			j.grid.SetSource(j.rows)
		}
		return nil
	}
	r := *j.rows
	r.items = slices.Clip(r.items)
	r.masker = r.env.Session.Masker()
	now := r.env.Session.Now()
	return func() tea.Msg { return r.search(text, now) }
}

// search looks only at what is shown: a hidden value cannot be probed.
func (r *rows) search(text string, now time.Time) rowsFilteredMsg {
	msg := rowsFilteredMsg{pattern: r.pattern, filter: text, n: len(r.items), view: []int{}}
	text = strings.ToLower(text)
	for i, it := range r.items {
		if shows(r.present(r.masker, it, now), text) {
			msg.view = append(msg.view, i)
		}
	}
	return msg
}

func shows(r *row, text string) bool {
	for _, c := range r.cells {
		if strings.Contains(strings.ToLower(c.Text), text) {
			return true
		}
	}
	for _, v := range r.item {
		if t, ok := models.ValueText(v); ok && strings.Contains(strings.ToLower(t), text) {
			return true
		}
	}
	return false
}

// filtered takes in what a filter found, unless another is asked for by now.
func (b *Workbench) filtered(msg rowsFilteredMsg) {
	j := b.jobs[msg.pattern]
	if j == nil || j.rows.filter != msg.filter || msg.n != len(j.rows.items) {
		return
	}
	at := max(j.grid.Cursor(), 0)
	j.rows.view = msg.view
	j.grid.SetSource(j.rows)
	j.grid.SetCursor(min(at, max(len(msg.view)-1, 0)))
	b.preview.forget()
}

// selected is the row under the cursor, raw and as it may be shown.
func (j *job) selected() (models.Item, *row, bool) {
	i := j.grid.Cursor()
	if i < 0 || i >= j.rows.Len() {
		return nil, nil, false
	}
	return j.rows.items[j.rows.at(i)], j.rows.row(i), true
}
