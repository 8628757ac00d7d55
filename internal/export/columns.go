package export

import (
	"iter"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A columnChoice selects the columns of a format if the Shape has none.
type columnChoice int

const (
	noColumns     columnChoice = iota // the format has no columns
	entityColumns                     // those of the entities
	allColumns                        // one for each attribute
)

// kindColumn is the title of the column with the entity of an item.
const kindColumn = "entity"

// A layout is the shape of the output and its columns, which are chosen once.
type layout struct {
	Shape
	choice  columnChoice
	columns []string
	known   map[string]bool // of columns; nil before they are chosen
	left    map[string]bool // attributes without a column, which came after the first page
}

// choose chooses the columns, unless that is done; see Shape.
func (l *layout) choose(pages iter.Seq[[]models.Item]) {
	if l.choice == noColumns || l.known != nil {
		return
	}
	l.known, l.left = map[string]bool{}, map[string]bool{}
	l.add(l.Columns...)
	if len(l.columns) > 0 {
		return
	}
	for _, e := range l.Entities {
		l.add(e.Columns...)
	}
	if l.choice == entityColumns && len(l.columns) > 0 {
		return
	}
	if l.Table != nil {
		for _, k := range l.Table.KeyAttributes() {
			l.add(k.Name)
		}
	}
	for _, e := range l.Entities {
		for _, a := range e.Attributes {
			if !a.KeyOnly {
				l.add(a.Name)
			}
		}
	}
	for items := range pages {
		for _, it := range items {
			l.add(it.Names()...)
		}
	}
}

// add appends columns that the layout does not have yet.
func (l *layout) add(names ...string) {
	for _, name := range names {
		if !l.known[name] {
			l.known[name] = true
			l.columns = append(l.columns, name)
		}
	}
}

// titles returns the titles of the columns.
func (l *layout) titles() []string {
	if l.Kind == nil {
		return slices.Clone(l.columns)
	}
	return append([]string{kindColumn}, l.columns...)
}

// record returns the cells of an item. Each passes through guard, except numbers.
func (l *layout) record(it models.Item, guard func(string) string) []string {
	if l.choice == allColumns && len(l.Columns) == 0 {
		for name := range it {
			if !l.known[name] {
				l.left[name] = true
			}
		}
	}
	cells := make([]string, 0, len(l.columns)+1)
	if l.Kind != nil {
		cells = append(cells, guard(l.Kind(it)))
	}
	it = l.masked(it)
	for _, c := range l.columns {
		v, _ := it.At(c)
		cell := cellText(v)
		if models.ValueType(v) != models.TypeN {
			cell = guard(cell)
		}
		cells = append(cells, cell)
	}
	return cells
}

// cellText returns the text of a cell: the exact text of a scalar, JSON of a
// document or a set, nothing for NULL or a missing attribute.
func cellText(v types.AttributeValue) string {
	if v == nil {
		return ""
	}
	if text, ok := models.ValueText(v); ok {
		return text
	}
	if _, null := v.(*types.AttributeValueMemberNULL); null {
		return ""
	}
	return string(models.AppendValueJSON(nil, v))
}
