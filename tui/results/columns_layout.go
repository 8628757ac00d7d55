package results

import (
	"encoding/json"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// SavedColumn is a column as it is remembered.
type SavedColumn struct {
	Key    string `json:"key"`
	Width  int    `json:"width,omitempty"`
	Hidden bool   `json:"hidden,omitempty"`
	Pinned bool   `json:"pinned,omitempty"`
}

const (
	// NarrowestColumn is how many cells a column has at least.
	NarrowestColumn = 4
	// WidestColumn is how many cells a column has at most.
	WidestColumn = 200
)

// SetLayout takes the columns over and chooses those that are seen.
func (r *Rows) SetLayout(cols []Column) {
	r.Layout = cols
	r.Shown, r.Paths = nil, nil
	for _, pinned := range []bool{true, false} {
		for _, c := range cols {
			if !c.Hidden && c.Pinned == pinned {
				r.Shown = append(r.Shown, c)
			}
		}
	}
	for _, c := range r.Shown {
		if c.path() != "" {
			r.Paths = append(r.Paths, c.path())
		}
	}
	if r.HasValues() { // What was asked for is seen at once.
		pinned := slices.IndexFunc(r.Shown, func(c Column) bool { return !c.Pinned })
		if pinned < 0 {
			pinned = len(r.Shown)
		}
		r.Shown = slices.Insert(r.Shown, max(pinned, min(1, len(r.Shown))), Column{Key: QueryColumn})
	}
	r.Kept.Clear()
}

// layoutName is under which name the layout is kept.
func (r *Rows) layoutName() string { return "rows " + r.Pattern.ID }

// LoadLayout lays the columns out as they were left.
func (r *Rows) LoadLayout() {
	var saved []SavedColumn
	// What cannot be read was written by another version: the default stands.
	if json.Unmarshal(r.env.History.Layout(r.layoutName()), &saved) == nil && len(saved) > 0 {
		r.SetLayout(Restored(saved, DefaultColumns(r.Pattern)))
	}
}

// Restored are the columns as they were saved. Those that the profile no longer
// has are left out, new ones come last.
func Restored(saved []SavedColumn, known []Column) []Column {
	var cols []Column
	for _, s := range saved {
		has := func(c Column) bool { return c.Key == s.Key }
		if slices.ContainsFunc(known, has) && !slices.ContainsFunc(cols, has) {
			width := s.Width
			if width != 0 {
				width = min(max(width, NarrowestColumn), WidestColumn)
			}
			cols = append(cols, Column{s.Key, width, s.Hidden, s.Pinned})
		}
	}
	for _, c := range known {
		if !slices.ContainsFunc(cols, func(have Column) bool { return have.Key == c.Key }) {
			cols = append(cols, c)
		}
	}
	if !slices.ContainsFunc(cols, func(c Column) bool { return !c.Hidden }) {
		return known // A grid without columns shows nothing.
	}
	return cols
}

// SaveLayout keeps the layout, or forgets it when it is the default.
func (r *Rows) SaveLayout() {
	if slices.Equal(r.Layout, DefaultColumns(r.Pattern)) {
		r.env.History.SetLayout(r.layoutName(), nil)
		return
	}
	saved := make([]SavedColumn, len(r.Layout))
	for i, c := range r.Layout {
		saved[i] = SavedColumn(c)
	}
	if text, err := json.Marshal(saved); err == nil { // Plain fields always encode.
		r.env.History.SetLayout(r.layoutName(), text)
	}
}

// Columns are the grid's: those that are seen. One that the answer is ordered by
// says so, unless a person asked for another order.
func (r *Rows) Columns() []widget.Column {
	cols := make([]widget.Column, len(r.Shown))
	by := orderedBy(r.Pattern)
	for i, c := range r.Shown {
		w := widget.Column{Title: c.Title(), Weight: 1, Max: 40, Width: c.Width, Frozen: c.Pinned, Whole: r.whole(c)}
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
		if a := r.attribute(c.path()); a != nil && a.Type == models.TypeN && !a.Format.IsTime() {
			w.Align = widget.AlignRight
		}
		cols[i] = w
	}
	return cols
}

// whole reports whether half of the column's content tells nothing: a date, a
// state, a number.
func (r *Rows) whole(c Column) bool {
	a := r.attribute(c.path())
	if a == nil {
		return false
	}
	for _, e := range r.Pattern.Returns {
		if e.Lifecycle(a.Path) != nil {
			return true
		}
	}
	return a.Format.IsTime() || a.Type == models.TypeN || a.Type == models.TypeBOOL || len(a.Enum) > 0
}

// attribute is what the schema says of a path, by the first kind that has it.
func (r *Rows) attribute(path string) *models.Attribute {
	for _, e := range r.Pattern.Returns {
		if a := e.Attribute(path); a != nil {
			return a
		}
	}
	return nil
}
