package query

import (
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// These are the names of the form fields, or their prefixes for key attributes and filters.
const (
	tableField      = "table"
	indexField      = "index"
	partitionPrefix = "p."
	comparePrefix   = "o."
	sortPrefix      = "s."
	filterPrefix    = "f."
	orderField      = "order"
	limitField      = "limit"

	orderAscending  = "ascending"
	orderDescending = "descending"
)

// maxFilters is the maximum number of filter fields.
const maxFilters = 8

// These are the field widths in cells. A partition key has its own line.
const (
	keyWidth    = 44
	filterWidth = 80 // leaves the next line to the order and the limit
)

// sortOperators contains the comparisons that DynamoDB supports for a sort key.
var sortOperators = []struct {
	compare accesspatterns.Operator
	word    string
}{
	{accesspatterns.Equal, "="},
	{accesspatterns.BeginsWith, "begins-with"},
	{accesspatterns.Less, "<"},
	{accesspatterns.LessOrEqual, "<="},
	{accesspatterns.Greater, ">"},
	{accesspatterns.GreaterOrEqual, ">="},
	{accesspatterns.Between, "between"},
}

// filterCount returns the number of filter fields to show: the used fields and an empty one.
func (d *Dialog) filterCount(values map[string]string) int {
	n := 1
	for i := range maxFilters {
		if values[filterPrefix+strconv.Itoa(i)] != "" {
			n = min(i+2, maxFilters)
		}
	}
	return n
}

func choiceField(name, label, first string, options []widget.Option) widget.FormField {
	return widget.FormField{Name: name, Label: label, Kind: widget.FieldEnum, Default: first, Options: options}
}

func (d *Dialog) fields(values map[string]string) []widget.FormField {
	var list []widget.FormField
	tables := models.MapSlice(d.env.Session.Profile().Tables, func(t *models.Table) widget.Option {
		return widget.Option{Value: t.ID, Label: t.Name}
	})
	if len(tables) > 1 {
		list = append(list, choiceField(tableField, "table", d.table.ID, tables))
	}
	indexes := []widget.Option{{Value: "0", Label: "the table"}}
	selected := "0"
	for i, x := range d.table.Indexes {
		indexes = append(indexes, widget.Option{Value: strconv.Itoa(i + 1), Label: x.Name})
		if x == d.index {
			selected = strconv.Itoa(i + 1)
		}
	}
	if len(indexes) > 1 {
		list = append(list, choiceField(indexField, "index", selected, indexes))
	}
	partition, sort := d.keys()
	for _, k := range partition {
		list = append(list, keyField(partitionPrefix, k, models.PrintableCell(k.Name, 24), "empty: read all items"))
	}
	for _, k := range sort {
		var operators []widget.Option
		for _, o := range sortOperators {
			if o.compare != accesspatterns.BeginsWith || k.Type != models.TypeN {
				operators = append(operators, widget.Option{Value: string(o.compare), Label: o.word})
			}
		}
		compare := choiceField(comparePrefix+k.Name, models.PrintableCell(k.Name, 24), string(accesspatterns.Equal), operators)
		compare.NewLine = true
		list = append(list, compare, keyField(sortPrefix, k, "value", "between needs two values, A and B"))
	}
	for i := range d.filterCount(values) {
		list = append(list, widget.FormField{
			Name: filterPrefix + strconv.Itoa(i), Label: "filter", Width: filterWidth, Placeholder: "attribute = value",
			Help: "= != < <= > >= begins-with contains exists missing · between A and B · a.b is a path · n:N is a number",
			Validate: func(text string) error {
				_, err := raw.ParseComparison(text)
				return withoutValue(err)
			},
		})
	}
	limit := &accesspatterns.Param{Name: limitField, Type: accesspatterns.Integer, Minimum: "1", Maximum: "1000"}
	return append(list, choiceField(orderField, "order", orderAscending,
		[]widget.Option{{Value: orderAscending}, {Value: orderDescending}}),
		widget.FormField{
			Name: limitField, Label: "limit", Kind: widget.FieldNumber, Placeholder: "100",
			Help:     "items per page; press n for the next page",
			Validate: func(text string) error { return present.ValidateParam(d.env, limit, text) },
		})
}

func keyField(prefix string, k models.Key, label, help string) widget.FormField {
	width := keyWidth
	if prefix == partitionPrefix {
		width = maxTextWidth
	}
	return widget.FormField{
		Name: prefix + k.Name, Label: label, Help: "type " + string(k.Type) + " · " + help, Width: width,
		Validate: func(text string) error {
			if prefix == sortPrefix && strings.Contains(text, " and ") {
				return nil // Validate reports the problem with the bounds of between.
			}
			_, err := models.ScalarValue(k.Type, text)
			return err
		},
	}
}

func withoutValue(err error) error {
	if p, ok := err.(*accesspatterns.ParamError); ok { //nolint:errorlint // ParseComparison returns it unwrapped
		text, _, _ := strings.Cut(p.Reason, "; the operators are") // The help line lists them.
		return textError(text)
	}
	return err
}

// A textError is an error text without the value, which the form shows above it.
type textError string

func (r textError) Error() string { return string(r) }

func (d *Dialog) valuesOf(query accesspatterns.CustomQuery) map[string]string {
	values := map[string]string{}
	partition, sort := d.keys()
	for _, text := range query.Key {
		a, err := raw.ParseAssignment(text)
		switch {
		case err != nil || len(a.Path) != 1:
		case models.KeyPosition(partition, a.Path[0]) >= 0:
			values[partitionPrefix+a.Path[0]] = a.Value
		case models.KeyPosition(sort, a.Path[0]) >= 0:
			values[sortPrefix+a.Path[0]] = a.Value
		}
	}
	filterIndex := 0
	for _, text := range query.Where {
		c, err := raw.ParseComparison(text)
		if err == nil && len(c.Path) == 1 && c.Type == "" && d.fillSortKey(c, sort, values) {
			continue
		}
		values[filterPrefix+strconv.Itoa(filterIndex)] = text
		filterIndex++
	}
	if query.Descending {
		values[orderField] = orderDescending
	}
	if query.Limit > 0 {
		values[limitField] = strconv.Itoa(query.Limit)
	}
	return values
}

// fillSortKey fills the empty fields of a sort key attribute from a comparison. It reports whether it did.
func (d *Dialog) fillSortKey(c raw.Comparison, sort []models.Key, values map[string]string) bool {
	name := c.Path[0]
	if models.KeyPosition(sort, name) < 0 || values[sortPrefix+name] != "" || len(c.Values) == 0 {
		return false
	}
	for _, o := range sortOperators {
		if o.compare != c.Compare {
			continue
		}
		values[comparePrefix+name], values[sortPrefix+name] = string(c.Compare), c.Values[0]
		if c.Compare == accesspatterns.Between {
			_, values[sortPrefix+name], _ = strings.Cut(raw.Comparison{
				Name: c.Name, Compare: c.Compare,
				Values: c.Values,
			}.String(), " between ")
		}
		return true
	}
	return false
}
