package results

import (
	"encoding/json"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// NarrowestColumn is the minimum width of a column that the user resized, in cells.
	NarrowestColumn = 4
	// WidestColumn is the maximum width of a column that the user resized, in cells.
	WidestColumn = 200
)

// A Layout is the columns of the rows of a pattern.
type Layout struct {
	pattern *accesspatterns.Pattern
	All     []Column // in the order that the user gave them
	Shown   []Column // the visible ones, pinned ones first
	Paths   []string // the attributes among Shown
}

func (l *Layout) set(cols []Column) {
	l.All, l.Shown, l.Paths = cols, nil, nil
	for _, pinned := range []bool{true, false} {
		for _, c := range cols {
			if !c.Hidden && c.Pinned == pinned {
				l.Shown = append(l.Shown, c)
			}
		}
	}
	for _, c := range l.Shown {
		if c.path() != "" {
			l.Paths = append(l.Paths, c.path())
		}
	}
}

func (l *Layout) name() string { return "rows " + l.pattern.ID }

// SetLayout changes the columns.
func (r *Rows) SetLayout(cols []Column) {
	r.Layout.set(cols)
	r.cache.clear()
}

// LoadLayout restores the columns as the user left them.
func (r *Rows) LoadLayout() {
	var saved []Column
	// Invalid JSON was written by another version: the default applies.
	if json.Unmarshal(r.env.History.Layout(r.Layout.name()), &saved) == nil && len(saved) > 0 {
		r.SetLayout(Restored(saved, DefaultColumns(r.Pattern)))
	}
}

// SaveLayout remembers the columns, or forgets them when they are the default.
func (r *Rows) SaveLayout() {
	var text []byte
	if !slices.Equal(r.Layout.All, DefaultColumns(r.Pattern)) {
		text, _ = json.Marshal(r.Layout.All) // Plain fields always encode.
	}
	r.env.History.SetLayout(r.Layout.name(), text)
}

// Restored returns saved columns as far as the profile still has them. New columns
// come last.
func Restored(saved, known []Column) []Column {
	var cols []Column
	for _, s := range saved {
		if hasColumn(known, s.Key) && !hasColumn(cols, s.Key) {
			if s.Width != 0 {
				s.Width = min(max(s.Width, NarrowestColumn), WidestColumn)
			}
			cols = append(cols, s)
		}
	}
	for _, c := range known {
		if !hasColumn(cols, c.Key) {
			cols = append(cols, c)
		}
	}
	if !slices.ContainsFunc(cols, func(c Column) bool { return !c.Hidden }) {
		return known // A grid without columns shows nothing.
	}
	return cols
}

func hasColumn(cols []Column, key string) bool {
	return slices.ContainsFunc(cols, func(c Column) bool { return c.Key == key })
}

// Columns returns the visible columns for the grid. Unless the user sorts, the
// column that the result is ordered by has an arrow in its title.
func (r *Rows) Columns() []widget.Column {
	cols := make([]widget.Column, len(r.Layout.Shown))
	by := orderedBy(r.Pattern)
	for i, c := range r.Layout.Shown {
		a := r.Layout.attribute(c.path())
		w := widget.Column{Title: c.Title(), Weight: 1, Max: 40, Width: c.Width, Frozen: c.Pinned, Whole: r.Layout.whole(a)}
		switch {
		case c.Key == r.By.Key:
			w.Sorted = r.By.Order
		case r.By.Order == widget.Unsorted && len(by) > 0 && c.Key == by[0]:
			w.Title += map[bool]string{true: " ↓", false: " ↑"}[r.Pattern.Read.Descending]
		}
		switch c.Key {
		case kindColumn:
			w.Max, w.Whole = 24, true
		case nameColumn:
			w.Max = 28
		case aboutColumn:
			w.Min, w.Max = 36, 80
		}
		if i == 0 && !w.Whole {
			w.Min = 20
		}
		if a != nil && a.Type == models.TypeN && !a.Format.IsTime() {
			w.Align = widget.AlignRight
		}
		w.Middle = a != nil && !w.Whole && r.Layout.inKey(a)
		cols[i] = w
	}
	return cols
}

func (l *Layout) whole(a *models.Attribute) bool {
	if a == nil {
		return false
	}
	isState := func(e *models.Entity) bool { return e.Lifecycle(a.Path) != nil }
	return slices.ContainsFunc(l.pattern.Returns, isState) ||
		a.Format.IsTime() || a.Type == models.TypeN || a.Type == models.TypeBOOL || len(a.Enum) > 0
}

func (l *Layout) inKey(a *models.Attribute) bool {
	return slices.ContainsFunc(l.pattern.Returns, func(e *models.Entity) bool {
		pk, _ := e.KeyTemplate(e.Table.PartitionKey.Name)
		sk, _ := e.KeyTemplate(e.Table.SortKey.Name)
		return slices.Contains(append(pk.Placeholders(), sk.Placeholders()...), a.Path)
	})
}

func (l *Layout) attribute(path string) *models.Attribute {
	for _, e := range l.pattern.Returns {
		if a := e.Attribute(path); a != nil {
			return a
		}
	}
	return nil
}
