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

// The names of the fields. Those of key attributes and filters are prefixes.
const (
	tableField    = "table"
	indexField    = "index"
	partPrefix    = "p."
	comparePrefix = "o."
	sortPrefix    = "s."
	filterPrefix  = "f."
	orderField    = "order"
	limitField    = "limit"

	orderAscending  = "ascending"
	orderDescending = "descending"
)

// maxFilters is how many filters the form has room for.
const maxFilters = 8

// The widths of fields in cells. A partition key has a line of its own.
const (
	keyWidth    = 44
	filterWidth = 62
)

// sortOperators are those that DynamoDB compares a sort key with.
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

// filters is how many fields of filters there are: those with a value, and one more.
func (d *Dialog) filters(values map[string]string) int {
	n := 1
	for i := range maxFilters {
		if values[filterPrefix+strconv.Itoa(i)] != "" {
			n = min(i+2, maxFilters)
		}
	}
	return n
}

// A fieldList makes fields of declared parameters, with words of their own.
type fieldList struct {
	d    *Dialog
	list []widget.FormField
}

func (l *fieldList) add(q *accesspatterns.Param, label string, refine func(f *widget.FormField)) {
	f := present.Form{Table: l.d.table}.Fields(l.d.env, q)[0]
	f.Label, f.Past = label, nil
	if f.Placeholder == "any" {
		f.Placeholder = ""
	}
	if refine != nil {
		refine(&f)
	}
	l.list = append(l.list, f)
}

func (l *fieldList) choice(name, label, first string, options []widget.Option) {
	q := &accesspatterns.Param{Name: name, Type: accesspatterns.Enum, Default: first}
	l.add(q, label, func(f *widget.FormField) { f.Options, f.Validate = options, nil })
}

func (d *Dialog) fields(values map[string]string) []widget.FormField {
	l := &fieldList{d: d}
	tables := models.Each(d.env.Session.Profile().Tables, func(t *models.Table) widget.Option {
		return widget.Option{Value: t.ID, Label: t.Name}
	})
	if len(tables) > 1 {
		l.choice(tableField, "table", d.table.ID, tables)
	}
	indexes := []widget.Option{{Value: "0", Label: "the table"}}
	at := "0"
	for i, x := range d.table.Indexes {
		indexes = append(indexes, widget.Option{Value: strconv.Itoa(i + 1), Label: x.Name})
		if x == d.index {
			at = strconv.Itoa(i + 1)
		}
	}
	if len(indexes) > 1 {
		l.choice(indexField, "index", at, indexes)
	}
	partition, sort := d.keys()
	for _, k := range partition {
		l.key(partPrefix, k, models.PrintableCell(k.Name, 24), "empty: the whole table is read")
	}
	for _, k := range sort {
		var operators []widget.Option
		for _, o := range sortOperators {
			if o.compare != accesspatterns.BeginsWith || k.Type != models.TypeN {
				operators = append(operators, widget.Option{Value: string(o.compare), Label: o.word})
			}
		}
		l.choice(comparePrefix+k.Name, models.PrintableCell(k.Name, 24), string(accesspatterns.Equal), operators)
		l.key(sortPrefix, k, "", "between takes A and B")
	}
	for i := range d.filters(values) {
		q := &accesspatterns.Param{Name: filterPrefix + strconv.Itoa(i), Type: accesspatterns.String}
		l.add(q, "filter", func(f *widget.FormField) {
			f.Width, f.Placeholder = filterWidth, "NAME OP VALUE"
			f.Help = "= != < <= > >= begins-with contains exists missing, between A and B · a.b is a path · total:N forces a type"
			f.Validate = func(text string) error {
				_, err := raw.ParseComparison(text)
				return plain(err)
			}
		})
	}
	l.choice(orderField, "order", orderAscending, []widget.Option{{Value: orderAscending}, {Value: orderDescending}})
	limit := &accesspatterns.Param{Name: limitField, Type: accesspatterns.Integer, Minimum: "1", Maximum: "1000"}
	l.add(limit, "limit", func(f *widget.FormField) { f.Placeholder, f.Help = "100", "items of a page; press n for the next page" })
	return l.list
}

func (l *fieldList) key(prefix string, k models.Key, label, help string) {
	q := &accesspatterns.Param{Name: prefix + k.Name, Type: accesspatterns.String}
	l.add(q, label, func(f *widget.FormField) {
		f.Help, f.Label, f.Width = "type "+string(k.Type)+" · "+help, label, keyWidth
		if prefix == partPrefix {
			f.Width = widest
		}
		if label == "" {
			f.Label = " "
		}
		f.Validate = func(text string) error {
			if prefix == sortPrefix && strings.Contains(text, " and ") {
				return nil // The request describes the problem with the bounds of between.
			}
			_, err := models.ScalarValue(k.Type, text)
			return err
		}
	})
}

func plain(err error) error {
	if p, ok := err.(*accesspatterns.ParamError); ok { //nolint:errorlint // ParseComparison returns it unwrapped
		return reason(p.Reason)
	}
	return err
}

// reason is an error without the text that it is about, which stands above it.
type reason string

func (r reason) Error() string { return string(r) }

func (d *Dialog) valuesOf(own accesspatterns.OwnQuery) map[string]string {
	values := map[string]string{}
	partition, sort := d.keys()
	for _, text := range own.Key {
		a, err := raw.ParseAssignment(text)
		switch {
		case err != nil || len(a.Path) != 1:
		case models.KeyNamed(partition, a.Path[0]) >= 0:
			values[partPrefix+a.Path[0]] = a.Value
		case models.KeyNamed(sort, a.Path[0]) >= 0:
			values[sortPrefix+a.Path[0]] = a.Value
		}
	}
	filters := 0
	for _, text := range own.Where {
		c, err := raw.ParseComparison(text)
		if err == nil && len(c.Path) == 1 && c.Type == "" && d.comparesSort(c, sort, values) {
			continue
		}
		values[filterPrefix+strconv.Itoa(filters)] = text
		filters++
	}
	if own.Descending {
		values[orderField] = orderDescending
	}
	if own.Limit > 0 {
		values[limitField] = strconv.Itoa(own.Limit)
	}
	return values
}

// comparesSort fills the fields of a part of the sort key, if the comparison is about one without a value.
func (d *Dialog) comparesSort(c raw.Comparison, sort []models.Key, values map[string]string) bool {
	name := c.Path[0]
	if models.KeyNamed(sort, name) < 0 || values[sortPrefix+name] != "" || len(c.Values) == 0 {
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
