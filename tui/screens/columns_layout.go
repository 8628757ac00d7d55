package screens

import (
	"encoding/json"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// savedColumn is a column as it is remembered.
type savedColumn struct {
	Key    string `json:"key"`
	Width  int    `json:"width,omitempty"`
	Hidden bool   `json:"hidden,omitempty"`
	Pinned bool   `json:"pinned,omitempty"`
}

const (
	narrowestColumn = 4
	widestColumn    = 200
)

// setLayout takes the columns over and chooses those that are seen.
func (r *rows) setLayout(cols []column) {
	r.layout = cols
	r.shown, r.paths = nil, nil
	for _, pinned := range []bool{true, false} {
		for _, c := range cols {
			if !c.hidden && c.pinned == pinned {
				r.shown = append(r.shown, c)
			}
		}
	}
	for _, c := range r.shown {
		if c.path() != "" {
			r.paths = append(r.paths, c.path())
		}
	}
	if r.valued() { // What was asked for is seen at once.
		pinned := slices.IndexFunc(r.shown, func(c column) bool { return !c.pinned })
		if pinned < 0 {
			pinned = len(r.shown)
		}
		r.shown = slices.Insert(r.shown, max(pinned, min(1, len(r.shown))), column{key: queryColumn})
	}
	r.kept.clear()
}

// layoutName is under which name the layout is kept.
func (r *rows) layoutName() string { return "rows " + r.pattern.ID }

// loadLayout lays the columns out as they were left.
func (r *rows) loadLayout() {
	var saved []savedColumn
	// What cannot be read was written by another version: the default stands.
	if json.Unmarshal(r.env.Session.Layout(r.layoutName()), &saved) == nil && len(saved) > 0 {
		r.setLayout(restored(saved, defaultColumns(r.pattern)))
	}
}

// restored are the columns as they were saved. Those that the profile no longer
// has are left out, new ones come last.
func restored(saved []savedColumn, known []column) []column {
	var cols []column
	for _, s := range saved {
		has := func(c column) bool { return c.key == s.Key }
		if slices.ContainsFunc(known, has) && !slices.ContainsFunc(cols, has) {
			width := s.Width
			if width != 0 {
				width = min(max(width, narrowestColumn), widestColumn)
			}
			cols = append(cols, column{s.Key, width, s.Hidden, s.Pinned})
		}
	}
	for _, c := range known {
		if !slices.ContainsFunc(cols, func(have column) bool { return have.key == c.key }) {
			cols = append(cols, c)
		}
	}
	if !slices.ContainsFunc(cols, func(c column) bool { return !c.hidden }) {
		return known // A grid without columns shows nothing.
	}
	return cols
}

// saveLayout keeps the layout, or forgets it when it is the default.
func (r *rows) saveLayout() {
	if slices.Equal(r.layout, defaultColumns(r.pattern)) {
		r.env.Session.SetLayout(r.layoutName(), nil)
		return
	}
	saved := make([]savedColumn, len(r.layout))
	for i, c := range r.layout {
		saved[i] = savedColumn{c.key, c.width, c.hidden, c.pinned}
	}
	if text, err := json.Marshal(saved); err == nil { // Plain fields always encode.
		r.env.Session.SetLayout(r.layoutName(), text)
	}
}

// columns are the grid's: those that are seen. One that the answer is ordered by
// says so, unless a person asked for another order.
func (r *rows) columns() []widget.Column {
	cols := make([]widget.Column, len(r.shown))
	by := orderedBy(r.pattern)
	for i, c := range r.shown {
		w := widget.Column{Title: c.title(), Weight: 1, Max: 40, Width: c.width, Frozen: c.pinned, Whole: r.whole(c)}
		switch {
		case c.key == r.by.key:
			w.Sorted = r.by.order
		case r.by.order == widget.Unsorted && len(by) > 0 && c.key == by[0]:
			w.Title += map[bool]string{true: " ↓", false: " ↑"}[r.pattern.Read.Descending]
		}
		switch c.key {
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
func (r *rows) whole(c column) bool {
	a := r.attribute(c.path())
	if a == nil {
		return false
	}
	for _, e := range r.pattern.Returns {
		if e.Lifecycle(a.Path) != nil {
			return true
		}
	}
	return a.Format.IsTime() || a.Type == models.TypeN || a.Type == models.TypeBOOL || len(a.Enum) > 0
}

// attribute is what the schema says of a path, by the first kind that has it.
func (r *rows) attribute(path string) *models.Attribute {
	for _, e := range r.pattern.Returns {
		if a := e.Attribute(path); a != nil {
			return a
		}
	}
	return nil
}

// relaid shows a layout.
func (j *job) relaid(cols []column) {
	j.rows.setLayout(cols)
	j.grid.SetColumns(j.rows.columns()...)
}
