package items

import (
	"iter"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A columnChoice determines the columns of a format if the Shape does not specify them.
type columnChoice int

const (
	noColumns     columnChoice = iota // the format has no columns
	entityColumns                     // the columns of the entities
	allColumns                        // one column for each attribute
)

// A layout is a Shape with its columns, which are chosen once.
type layout struct {
	Shape
	choice      columnChoice
	showsLabels bool // values include their labels
	columns     []string
	known       map[string]bool // set of columns; nil until they are chosen
	omitted     map[string]bool // attributes without a column, because they first appeared after the first page
	cells       []string        // buffer that record reuses
	lossyValues int             // number of values that load would read differently

	declared map[string][]*models.Attribute // attributes of the entities by name; nil until countRetyped needs them
	keyTypes map[string]models.Type         // types of the table's key attributes; load can convert these without an entity
}

func (l *layout) chooseColumns(pages iter.Seq[[]models.Item]) {
	if l.choice == noColumns || l.known != nil {
		return
	}
	l.known, l.omitted, l.keyTypes = map[string]bool{}, map[string]bool{}, map[string]models.Type{}
	if l.Table != nil {
		for _, k := range l.Table.KeyAttributes() {
			l.keyTypes[k.Name] = k.Type
		}
	}
	l.add(l.Columns...)
	if len(l.columns) > 0 {
		return
	}
	for _, e := range l.Entities {
		l.add(e.Columns...)
	}
	if l.choice == entityColumns && len(l.columns) > 0 {
		for _, e := range l.Entities {
			if len(e.Columns) == 0 {
				l.addAttributes(e)
			}
		}
		return
	}
	if l.Table != nil {
		for _, k := range l.Table.KeyAttributes() {
			if l.choice == allColumns || l.hasKey(k) {
				l.add(k.Name)
			}
		}
	}
	for _, e := range l.Entities {
		l.addAttributes(e)
	}
	for items := range pages {
		for _, it := range items {
			if !l.covers(it) {
				row := l.Masker.Lazy(l.Table, it)
				l.add(row.Item().Names()...)
			}
		}
	}
}

func (l *layout) hasKey(k models.Key) bool {
	return len(l.Entities) == 0 || slices.Contains(l.Table.PrimaryKeys(), k) ||
		slices.ContainsFunc(l.Entities, func(e *models.Entity) bool {
			return slices.Contains(e.KeyNames(), k.Name) || e.Attribute(k.Name) != nil
		})
}

func (l *layout) encoder() *models.ItemEncoder {
	enc := l.Masker.Encoder(l.Table, false)
	if l.WithEntity {
		enc.WithEntityField()
	}
	return enc
}

func (l *layout) covers(it models.Item) bool {
	for name := range it {
		if !l.known[name] {
			return false
		}
	}
	return true
}

func (l *layout) add(names ...string) {
	for _, name := range names {
		if !l.known[name] {
			l.known[name] = true
			l.columns = append(l.columns, name)
		}
	}
}

func (l *layout) addAttributes(e *models.Entity) {
	for _, a := range e.Attributes {
		if !a.KeyOnly {
			l.add(a.Name)
		}
	}
}

func (l *layout) titles() []string {
	if !l.WithEntity {
		return slices.Clone(l.columns)
	}
	return append([]string{models.EntityField}, l.columns...)
}

// record returns an item's cells. All except numbers pass through guard. The next call overwrites the result.
func (l *layout) record(it models.Item, guard func(string) string) []string {
	row := l.Masker.Lazy(l.Table, it)
	if l.choice == allColumns && len(l.Columns) == 0 && !l.covers(it) {
		for name := range row.Item() {
			if !l.known[name] {
				l.omitted[name] = true
			}
		}
	}
	cells := l.cells[:0]
	if l.WithEntity {
		name := ""
		if row.Entity != nil {
			name = row.Entity.Name
		}
		cells = append(cells, guard(name))
	}
	for _, c := range l.columns {
		v, _ := row.At(c)
		cell := cellText(v)
		if l.showsLabels && row.Entity != nil {
			cell = row.Entity.Attribute(c).Labeled(cell)
			if s := row.Entity.Lifecycle(c); s != nil && l.Plain {
				cell = s.Title(cell)
			}
		}
		text := cell
		if models.ValueType(v) != models.TypeN {
			cell = guard(text)
		}
		changesText := cell != text && removeGuard(cell) != text || text == "" && v != nil
		if changesText || v != nil && l.choice == allColumns && !l.keepsType(row.Entity, c, v, text) {
			l.lossyValues++
		}
		cells = append(cells, cell)
	}
	l.cells = cells
	return cells
}

func cellText(v types.AttributeValue) string {
	if v == nil || models.ValueType(v) == models.TypeNULL {
		return ""
	}
	if text, ok := models.ValueText(v); ok {
		return text
	}
	return string(models.AppendValueJSON(nil, v))
}
