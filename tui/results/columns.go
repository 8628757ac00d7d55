package results

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Columns that are no attribute. Attributes have their path as a key, which
// never starts with a blank.
const (
	kindColumn  = " is"            // what kind of item a row is
	nameColumn  = " name"          // what tells an item from others of its kind
	aboutColumn = " about"         // what only this kind of item has
	QueryColumn = rows.ValueColumn // jq results
)

// A Column is one that rows can be shown in, and how a person laid it out.
type Column struct {
	Key    string
	Width  int // in cells, 0 for what suits the content
	Hidden bool
	Pinned bool // stays while the others scroll
}

// Title is what stands over the column.
func (c Column) Title() string {
	switch c.Key {
	case kindColumn:
		return "is a"
	case nameColumn:
		return "name"
	case aboutColumn:
		return "what else"
	case QueryColumn:
		return "jq"
	}
	return c.Key
}

// path is the attribute's, "" for a column that is none.
func (c Column) path() string {
	if strings.HasPrefix(c.Key, " ") {
		return ""
	}
	return c.Key
}

// DefaultColumns are the columns of a pattern as nobody has touched them.
func DefaultColumns(p *accesspatterns.Pattern) []Column {
	var cols []Column
	if len(p.Returns) > 1 {
		cols = mixedColumns(p)
	} else {
		for i, path := range rankedPaths(p) {
			cols = append(cols, Column{Key: path, Pinned: i == 0})
		}
	}
	return append(cols, otherColumns(p, cols)...)
}

// mixedColumns are for items of several kinds: what each is, its name, what they
// have in common, and the rest in one column.
func mixedColumns(p *accesspatterns.Pattern) []Column {
	cols := []Column{{Key: kindColumn, Pinned: true}, {Key: nameColumn, Pinned: true}}
	var special []Column
	for _, e := range p.Returns {
		for _, path := range columnsOf(e) {
			c := Column{Key: path}
			switch {
			case slices.ContainsFunc(append(cols, special...), func(have Column) bool { return have.Key == path }):
			case inAll(p, path) && !asked(p, path):
				cols = append(cols, c)
			default:
				c.Hidden = true
				special = append(special, c)
			}
		}
	}
	return append(append(cols, Column{Key: aboutColumn}), special...)
}

// inAll reports whether every kind has the column, and none as its name.
func inAll(p *accesspatterns.Pattern, path string) bool {
	return !slices.ContainsFunc(p.Returns, func(e *models.Entity) bool {
		paths := columnsOf(e)
		return paths[0] == path || !slices.Contains(paths, path)
	})
}

// asked reports whether the attribute is a parameter that must be given: it is
// the same in all rows.
func asked(p *accesspatterns.Pattern, path string) bool {
	q := p.Param(path)
	return q != nil && q.Required
}

// otherColumns are the documented attributes that are no columns by themselves;
// they are hidden until somebody wants them.
func otherColumns(p *accesspatterns.Pattern, have []Column) []Column {
	seen := map[string]bool{}
	for _, c := range have {
		seen[c.Key] = true
	}
	var cols []Column
	add := func(path string) {
		if path != "" && !seen[path] {
			seen[path] = true
			cols = append(cols, Column{Key: path, Hidden: true})
		}
	}
	for _, e := range p.Returns {
		for _, a := range e.Attributes {
			if !a.KeyOnly {
				add(a.Path)
			}
		}
	}
	if p.Table != nil {
		for _, k := range p.Table.KeyAttributes() {
			add(k.Name)
		}
		add(p.Table.TTL)
	}
	return cols
}

// rankedPaths puts the columns first that tell the rows of an answer apart: the
// id, the state and what the rows are ordered by. What is the same in all of
// them, because it was asked for, comes last.
func rankedPaths(p *accesspatterns.Pattern) []string {
	if len(p.Returns) == 0 {
		return tableKeys(p.Table)
	}
	e := p.Returns[0]
	paths := slices.Clone(columnsOf(e))
	if len(paths) == 0 || p.Read.Operation == accesspatterns.Get {
		return paths
	}
	by := orderedBy(p)
	place := func(path string) int {
		q := p.Param(path)
		switch {
		case path == columnsOf(e)[0]:
			return 0
		case q != nil && q.Required && q.Attribute != nil && len(p.Read.Key) > 0:
			return 4
		case e.Lifecycle(path) != nil:
			return 1
		case slices.Contains(by, path):
			return 2
		}
		return 3
	}
	slices.SortStableFunc(paths, func(a, b string) int { return place(a) - place(b) })
	return paths
}

// tableKeys are the names of a table's keys.
func tableKeys(t *models.Table) []string {
	var names []string
	if t == nil {
		return nil
	}
	for _, k := range []models.Key{t.PartitionKey, t.SortKey} {
		if k.Name != "" {
			names = append(names, k.Name)
		}
	}
	return names
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

// cell is what stands in the column for a row.
func (c Column) cell(p present.Presenter, pattern *accesspatterns.Pattern, r *Row) widget.Cell {
	switch c.Key {
	case kindColumn:
		return KindCell(r.Entity)
	case nameColumn:
		return nameCell(p, pattern, r)
	case aboutColumn:
		return aboutCell(p, pattern, r)
	case QueryColumn:
		return widget.Cell{} // It depends on the filter, not on the item.
	}
	return p.Cell(r.Entity, c.Key, r.Item)
}

// KindCell says what a row is.
func KindCell(e *models.Entity) widget.Cell {
	if e == nil {
		return widget.Cell{Text: "? unknown", Role: widget.RoleWarn}
	}
	return widget.Cell{Text: e.Name, Role: widget.RoleKey}
}

// nameCell is what tells an item from others of its kind.
func nameCell(p present.Presenter, pattern *accesspatterns.Pattern, r *Row) widget.Cell {
	if r.Entity == nil {
		return widget.Cell{Text: models.PrintableCell(pattern.Table.KeyText(r.Item), present.CellRunes)}
	}
	return p.Cell(r.Entity, columnsOf(r.Entity)[0], r.Item)
}

// aboutCell lists what only this kind of item has, each with its name.
func aboutCell(p present.Presenter, pattern *accesspatterns.Pattern, r *Row) widget.Cell {
	if r.Entity == nil {
		return widget.Cell{Text: "enter shows why", Role: widget.RoleMuted}
	}
	var parts []string
	for i, path := range columnsOf(r.Entity) {
		if i == 0 || asked(pattern, path) || inAll(pattern, path) {
			continue // It has a column, or is the same in all rows.
		}
		if c := p.Cell(r.Entity, path, r.Item); c.Text != present.NoValue {
			parts = append(parts, path+" "+c.Text)
		}
	}
	return widget.Cell{Text: models.PrintableCell(strings.Join(parts, " · "), present.CellRunes), Role: widget.RoleMuted}
}

// sortKey is what the column orders a row by.
func (c Column) sortKey(g *glimpse) rows.SortKey {
	switch c.Key {
	case kindColumn:
		return rows.TextKey(KindCell(g.Entity).Text)
	case nameColumn:
		if g.Entity == nil {
			return rows.TextKey(g.lens.pattern.Table.KeyText(g.Item()))
		}
		return rows.KeyOf(g, columnsOf(g.Entity)[0])
	case aboutColumn:
		r := &Row{Item: g.Item(), Entity: g.Entity}
		return rows.TextKey(aboutCell(present.Presenter{Now: g.lens.now}, g.lens.pattern, r).Text)
	}
	return rows.KeyOf(g, c.Key)
}
