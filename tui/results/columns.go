package results

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// These columns are not attributes. An attribute's column uses its path as the key, which never starts with a space.
const (
	kindColumn  = " is"    // entity of the item
	nameColumn  = " name"  // name of the item within its entity
	aboutColumn = " about" // the attributes that only this entity has
)

// fixedTitles contains the headings of the columns above, the second for role support.
var fixedTitles = map[string][2]string{
	kindColumn: {"entity", "Entity"}, nameColumn: {"name", "Name"}, aboutColumn: {"details", "Details"},
}

// A Column is a column of the rows, with its layout. The history stores it as JSON.
type Column struct {
	Key    string `json:"key"`             // path of the attribute, or one of the constants above
	Width  int    `json:"width,omitempty"` // in cells; 0 fits the content
	Hidden bool   `json:"hidden,omitempty"`
	Pinned bool   `json:"pinned,omitempty"` // does not scroll
}

// Title returns the heading of a column.
func (r *Rows) Title(c Column) string {
	if titles, ok := fixedTitles[c.Key]; ok {
		if r.env.Plain() {
			return titles[1]
		}
		return titles[0]
	}
	if a := r.Layout.attribute(c.Key); a != nil && a.Title != "" && r.env.Plain() {
		return a.Title
	}
	return c.Key
}

func (c Column) path() string {
	if strings.HasPrefix(c.Key, " ") {
		return ""
	}
	return c.Key
}

// DefaultColumns returns a pattern's columns for users who have not changed them.
func DefaultColumns(p *accesspatterns.Pattern) []Column {
	var cols []Column
	if len(p.Returns) > 1 {
		cols = mixedColumns(p)
	} else {
		for _, path := range rankedPaths(p) {
			if p.ReadsAttribute(path) {
				cols = append(cols, Column{Key: path, Pinned: len(cols) == 0})
			}
		}
		if isSchemaless(p.Returns) {
			at := min(len(p.Table.PrimaryKeys()), len(cols))
			cols = slices.Insert(cols, at, Column{Key: aboutColumn}) // These rows have undeclared attributes.
		}
	}
	cols = append(cols, otherColumns(p, cols)...)
	cols = slices.DeleteFunc(cols, func(c Column) bool { return c.path() != "" && !p.ReadsAttribute(c.Key) })
	if !slices.ContainsFunc(cols, func(c Column) bool { return !c.Hidden }) { // A projection omits the usual columns.
		for i := range min(len(cols), maxFound) {
			cols[i].Hidden = false
		}
	}
	return cols
}

func mixedColumns(p *accesspatterns.Pattern) []Column {
	cols := []Column{{Key: kindColumn, Pinned: true}, {Key: nameColumn, Pinned: true}}
	var hidden []Column
	for _, e := range p.Returns {
		for _, path := range columnsOf(e) {
			c := Column{Key: path}
			switch {
			case slices.ContainsFunc(append(cols, hidden...), func(have Column) bool { return have.Key == path }):
			case isInAllEntities(p, path) && !isRequiredParam(p, path):
				cols = append(cols, c)
			default:
				c.Hidden = true
				hidden = append(hidden, c)
			}
		}
	}
	return append(append(cols, Column{Key: aboutColumn}), hidden...)
}

func isInAllEntities(p *accesspatterns.Pattern, path string) bool {
	return !slices.ContainsFunc(p.Returns, func(e *models.Entity) bool {
		paths := columnsOf(e)
		return paths[0] == path || !slices.Contains(paths, path)
	})
}

func isRequiredParam(p *accesspatterns.Pattern, path string) bool {
	q := p.Param(path)
	return q != nil && q.Required
}

func otherColumns(p *accesspatterns.Pattern, listed []Column) []Column {
	previous := map[string]bool{}
	for _, c := range listed {
		previous[c.Key] = true
	}
	var cols []Column
	add := func(path string) {
		if path != "" && !previous[path] {
			previous[path] = true
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

// rankedPaths puts the ID, state and sort order first, and required parameters, which are equal in all rows, last.
func rankedPaths(p *accesspatterns.Pattern) []string {
	if len(p.Returns) == 0 {
		return tableKeys(p.Table)
	}
	e := p.Returns[0]
	paths := slices.Clone(columnsOf(e))
	if len(paths) == 0 || p.Read.Operation == accesspatterns.Get {
		return paths
	}
	sortAttributes := sortKeyAttributes(p)
	rank := func(path string) int {
		q := p.Param(path)
		switch {
		case path == columnsOf(e)[0]:
			return 0
		case q != nil && q.Required && q.Attribute != nil && len(p.Read.Key) > 0:
			return 4
		case e.Lifecycle(path) != nil:
			return 1
		case slices.Contains(sortAttributes, path):
			return 2
		}
		return 3
	}
	slices.SortStableFunc(paths, func(a, b string) int { return rank(a) - rank(b) })
	return paths
}

func tableKeys(t *models.Table) []string {
	return models.MapSlice(t.PrimaryKeys(), func(k models.Key) string { return k.Name })
}

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
	for _, name := range e.KeyNames() {
		paths = models.AppendOnce(paths, name)
	}
	return paths
}

func sortKeyAttributes(p *accesspatterns.Pattern) []string {
	if p.Table == nil || len(p.Returns) != 1 || p.Read.Operation != accesspatterns.Query {
		return nil
	}
	_, sort := p.Table.KeysOf(p.Read.Index)
	var names []string
	for _, k := range sort {
		t, _ := p.Returns[0].KeyTemplate(k.Name)
		names = append(names, t.Placeholders()...)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		q := p.Param(name)
		return q != nil && q.Required
	})
}

func (c Column) cell(s snapshot, r *Row) widget.Cell {
	switch c.Key {
	case kindColumn:
		return KindCell(s.shows.Titles, r.Entity)
	case nameColumn:
		return nameCell(s.shows, s.pattern, r)
	case aboutColumn:
		return aboutCell(s, r)
	}
	return s.value(r, c.Key)
}

func (s snapshot) value(r *Row, path string) widget.Cell {
	cell := s.shows.Cell(r.Entity, path, r.Item)
	isExpiredState := strings.HasSuffix(strings.ToLower(cell.Text), "expired")
	if !s.showsExpiry || r.Entity == nil || r.Entity.Lifecycle(path) == nil || cell.Text == present.NoValue || isExpiredState {
		return cell
	}
	if at, expires := s.pattern.Table.Expires(r.Item); expires && !at.After(s.shows.Now) { // DynamoDB deletes it within days.
		cell.Text, cell.Role = cell.Text+", expired", widget.RoleWarn
	}
	return cell
}

// KindCell returns the cell that names an entity. Plain is for role support, which reads its title.
func KindCell(plain bool, e *models.Entity) widget.Cell {
	switch {
	case e == nil:
		return widget.Cell{Text: "? unknown", Role: widget.RoleWarn}
	case plain:
		return widget.Cell{Text: present.EntityName(e), Role: widget.RoleKey}
	}
	return widget.Cell{Text: e.Name, Role: widget.RoleKey}
}

func nameCell(p present.Presenter, pattern *accesspatterns.Pattern, r *Row) widget.Cell {
	if r.Entity == nil {
		return widget.Cell{Text: models.PrintableCell(pattern.Table.KeyText(r.Item), present.CellRunes)}
	}
	if title, ok := itemTitle(r.Entity, r.Item); ok {
		return widget.Cell{Text: models.PrintableCell(title, present.CellRunes)}
	}
	return p.Cell(r.Entity, columnsOf(r.Entity)[0], r.Item)
}

func itemTitle(e *models.Entity, it models.Item) (string, bool) {
	if e.ItemTitle.IsZero() {
		return "", false
	}
	for _, name := range e.ItemTitle.Placeholders() {
		if v, ok := it.At(name); !ok || models.IsMasked(v) {
			return "", false
		}
	}
	text, err := e.ItemTitle.Format(it.Text)
	return text, err == nil
}

func aboutCell(s snapshot, r *Row) widget.Cell {
	if s.shows.Times == present.Dated {
		s.shows.Times = present.Ageless // The gap before an age looks like the gap between two attributes.
	}
	parts := models.MapSlice(details(s, r), func(f fact) string {
		return f.label + " " + models.PrintableCell(f.value.Text, maxDetail)
	})
	return widget.Cell{Text: models.PrintableCell(strings.Join(parts, detailGap), maxDetails), Role: widget.RoleMuted}
}

const (
	detailGap  = " · "
	maxDetail  = 40  // maximum width of a value in the details, in cells
	maxDetails = 600 // maximum width of the details, in cells
)

// A fact is an attribute of an item with its label.
type fact struct {
	label string
	value widget.Cell
}

func details(s snapshot, r *Row) (facts []fact) {
	listed := models.MapSlice(s.pattern.Table.PrimaryKeys(), func(k models.Key) string { return k.Name })
	if r.Entity != nil {
		listed = columnsOf(r.Entity)
	}
	paths, isDeclared := listed, r.Entity != nil && r.Entity.ByName == nil
	if !isDeclared {
		paths = slices.DeleteFunc(r.Item.Names(), func(name string) bool {
			return r.Entity != nil && models.IsMasked(r.Item[name]) || slices.Contains(listed, name) || hasColumn(s.shown, name)
		})
	}
	for i, path := range paths {
		if isDeclared && (i == 0 || isRequiredParam(s.pattern, path) || isInAllEntities(s.pattern, path)) {
			continue // The attribute has its own column, or all rows share the value.
		}
		if c := s.value(r, path); c.Text != present.NoValue {
			facts = append(facts, fact{s.shows.Label(r.Entity, path), c})
		}
	}
	return facts
}

func (c Column) sortKey(row *searchRow) rows.SortKey {
	switch c.Key {
	case kindColumn:
		return rows.TextKey(KindCell(row.snapshot.shows.Titles, row.Entity).Text)
	case nameColumn:
		if row.Entity == nil {
			return rows.TextKey(row.snapshot.pattern.Table.KeyText(row.Item()))
		}
		if title, ok := itemTitle(row.Entity, row.Item()); ok {
			return rows.TextKey(title)
		}
		return rows.KeyOf(row, columnsOf(row.Entity)[0])
	case aboutColumn:
		return rows.TextKey(aboutCell(*row.snapshot, &Row{Item: row.Item(), Entity: row.Entity}).Text)
	}
	return rows.KeyOf(row, c.Key)
}

const (
	// MinColumnWidth is the minimum width, in cells, of a column that the user resizes.
	MinColumnWidth = 4
	// MaxColumnWidth is the maximum width, in cells, of a column that the user resizes.
	MaxColumnWidth = 200
)

// A Layout contains the columns of a pattern's rows.
type Layout struct {
	pattern *accesspatterns.Pattern
	All     []Column // in the user's order
	Shown   []Column // visible columns, pinned ones first
	Paths   []string // attributes in Shown
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

// maxFound is the maximum number of columns for attributes that the schema does not choose.
const maxFound = 6

// isSchemaless reports whether the schema does not declare the attributes of the rows of these entities.
func isSchemaless(list []*models.Entity) bool { return len(list) == 1 && list[0].ByName != nil }

// defaultColumns returns the default and the undeclared columns. If it omits any, the last column shows details.
func (r *Rows) defaultColumns() []Column {
	cols := DefaultColumns(r.Pattern)
	at := slices.IndexFunc(cols, func(c Column) bool { return c.Key == aboutColumn })
	if len(r.undeclaredPaths) == 0 || at < 0 {
		return cols
	}
	cols = slices.Delete(cols, at, at+1)
	for i, path := range r.undeclaredPaths {
		if i < maxFound {
			cols = slices.Insert(cols, at+i, Column{Key: path})
		}
	}
	return append(cols, Column{Key: aboutColumn, Hidden: len(r.undeclaredPaths) <= maxFound})
}

// undeclaredAttributes returns the undeclared attributes of the rows, scalars first and then by frequency.
func (r *Rows) undeclaredAttributes() []string {
	if !isSchemaless(r.Pattern.Returns) {
		return nil
	}
	count, nested, declared := map[string]int{}, map[string]int{}, DefaultColumns(r.Pattern)
	for i := range r.Items.Len() {
		it := r.env.Session.Masker().Item(r.Pattern.Table, r.Items.At(i))
		for name, v := range it {
			if hasColumn(declared, name) || models.IsMasked(v) {
				continue
			}
			count[name]++
			if _, scalar := models.ValueText(v); !scalar || models.ValueType(v) == models.TypeB {
				nested[name] = 1
			}
		}
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(nested[a]-nested[b], count[b]-count[a], strings.Compare(a, b))
	})
}

// SetLayout sets the columns.
func (r *Rows) SetLayout(cols []Column) {
	r.Layout.set(cols)
	r.cache.clear()
}

// LoadLayout restores the columns that the user saved.
func (r *Rows) LoadLayout() {
	var saved []Column
	// Invalid JSON comes from another version, so keep the default.
	if json.Unmarshal(r.env.History.Layout(r.Layout.name()), &saved) == nil && len(saved) > 0 {
		known := DefaultColumns(r.Pattern)
		for _, c := range saved {
			if isSchemaless(r.Pattern.Returns) && c.path() != "" && !hasColumn(known, c.Key) {
				known = append(known, c)
			}
		}
		r.SetLayout(RestoreColumns(saved, known))
	}
}

// SaveLayout saves the columns, or deletes the saved ones if they equal the default.
func (r *Rows) SaveLayout() {
	var text []byte
	if !slices.Equal(r.Layout.All, r.defaultColumns()) {
		text, _ = json.Marshal(r.Layout.All) // Plain fields always encode.
	}
	r.env.History.SetLayout(r.Layout.name(), text)
}

// RestoreColumns returns the saved columns that the schema still contains, followed by new columns.
func RestoreColumns(saved, known []Column) []Column {
	var cols []Column
	for _, s := range saved {
		if hasColumn(known, s.Key) && !hasColumn(cols, s.Key) {
			if s.Width != 0 {
				s.Width = min(max(s.Width, MinColumnWidth), MaxColumnWidth)
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
		return known // A grid needs at least one column.
	}
	return cols
}

func hasColumn(cols []Column, key string) bool {
	return slices.ContainsFunc(cols, func(c Column) bool { return c.Key == key })
}

// Columns returns the visible columns for the grid. Unless the user sorts, an arrow marks the column that orders the
// result.
func (r *Rows) Columns() []widget.Column {
	cols := make([]widget.Column, len(r.Layout.Shown))
	sortAttributes := sortKeyAttributes(r.Pattern)
	for i, c := range r.Layout.Shown {
		a := r.Layout.attribute(c.path())
		w := widget.Column{Title: r.Title(c), Weight: 1, Max: 40, Width: c.Width, Frozen: c.Pinned, Whole: r.Layout.isWhole(a)}
		switch {
		case c.Key == r.SortOrder.Key:
			w.Sorted = r.SortOrder.Order
		case r.SortOrder.Order == widget.Unsorted && len(sortAttributes) > 0 && c.Key == sortAttributes[0]:
			w.Sorted = map[bool]widget.Order{true: widget.Descending, false: widget.Ascending}[r.Pattern.Read.Descending]
		}
		switch c.Key {
		case kindColumn:
			w.Max, w.Whole = 24, true
		case nameColumn:
			w.Max, w.Middle = 40, true
		case aboutColumn:
			w.Min, w.Max = 36, 80
		}
		if i == 0 && !w.Whole {
			w.Min = 20
		}
		if a != nil && a.Type == models.TypeN && !a.Format.IsTime() {
			w.Align = widget.AlignRight
		}
		w.Middle = w.Middle || a != nil && !w.Whole && (a.Refers != "" || r.Layout.isInKey(a) || r.isReference(a))
		cols[i] = w
	}
	return cols
}

// HasTimes reports whether a column shows times in the screens' zone.
func (r *Rows) HasTimes() bool {
	return slices.ContainsFunc(r.Layout.Shown, func(c Column) bool {
		a := r.Layout.attribute(c.Key)
		return a != nil && a.Format.IsTime() && !a.Format.IsDay() && !a.Format.IsPeriod()
	})
}

func (l *Layout) isWhole(a *models.Attribute) bool {
	if a == nil {
		return false
	}
	isState := func(e *models.Entity) bool { return e.Lifecycle(a.Path) != nil }
	return slices.ContainsFunc(l.pattern.Returns, isState) ||
		a.Format.IsTime() || a.Type == models.TypeN || a.Type == models.TypeBOOL || len(a.Enum) > 0
}

func (r *Rows) isReference(a *models.Attribute) bool {
	return slices.ContainsFunc(r.env.Session.Profile().Entities, func(e *models.Entity) bool { return e.IDName() == a.Path })
}

func (l *Layout) isInKey(a *models.Attribute) bool {
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
