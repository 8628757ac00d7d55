package interchange

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// schemaPatterns adds the patterns of one entity.
type schemaPatterns struct {
	*reader
	table  *draft.Table
	name   string
	from   *schemaEntity
	entity *draft.Entity
}

func (w schemaPatterns) add(a schemaPattern) {
	q := &draft.Pattern{
		ID: draft.Kebab(a.Name), Title: models.Printable(a.Description), Table: w.table.ID, Returns: []string{w.name}, Documented: true,
		Source: []string{"pattern " + fmt.Sprint(a.ID)},
	}
	q.Title = cmp.Or(q.Title, a.Name)
	switch a.Operation {
	case "GetItem":
		q.Operation = "get"
	case "Query":
		q.Operation = "query"
	case "Scan":
		q.Operation = "scan"
	case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems":
		q.Operation, q.Writes, q.Returns = "write", a.Operation, []string{w.name}
	default:
		w.warnf("pattern %s: operation %s was left out", q.ID, models.Printable(a.Operation))
		return
	}
	if a.Index != "" && w.table.Index(a.Index) == nil {
		w.warnf("pattern %s was left out: its index %s is not in the file, or was left out", q.ID, models.Printable(a.Index))
		return
	}
	if q.Operation == "get" || q.Operation == "query" {
		w.keys(q, a)
	}
	if q.Operation == "query" || q.Operation == "scan" {
		w.filter(q, a.Filter)
	}
	index := w.table.Index(a.Index)
	switch {
	case !a.Consistent || q.Operation == "get": // A get is always consistent.
	case index != nil && !index.Local:
		q.NotInTheLanguage = append(q.NotInTheLanguage, "strongly consistent read, which a global index does not have")
	default:
		q.Consistent = true
	}
	w.addPattern(q)
}

func (r *reader) addPattern(q *draft.Pattern) {
	p, id := r.profile(), q.ID
	for n := 2; slices.ContainsFunc(p.Patterns, func(other *draft.Pattern) bool { return other.ID == q.ID }); n++ {
		q.ID = id + "-" + strconv.Itoa(n)
	}
	p.Patterns = append(p.Patterns, q)
}

func (w schemaPatterns) keys(q *draft.Pattern, a schemaPattern) {
	index := w.table.Index(a.Index)
	pk, sk := w.table.KeysOf(index)
	if index != nil {
		q.Index = index.Name
	}
	partition := ""
	for _, k := range pk {
		q.Key = append(q.Key, draft.Field{Key: k.Name, Value: w.entity.Template(k.Name)})
		partition += w.entity.Template(k.Name)
	}
	for _, k := range sk {
		if !w.sortKey(q, a, k, partition) {
			return
		}
	}
}

// sortKey reports whether the condition is an equality, after which the next attribute may have one.
func (w schemaPatterns) sortKey(q *draft.Pattern, a schemaPattern, sk models.Key, partition string) bool {
	template := w.entity.Template(sk.Name)
	if template == "" {
		return false
	}
	var given, ranged []string
	for _, p := range a.Parameters {
		switch {
		case strings.Contains(partition, "{"+p.Name+"}"):
		case strings.Contains(template, "{"+p.Name+"}"):
			given = append(given, p.Name)
		case !w.filters(a.Filter, p.Name):
			ranged = append(ranged, p.Name)
		}
	}
	prefix, on := upTo(template, given)
	switch {
	case a.Range != "" && on != "" && len(ranged) > 0:
		q.Key = append(q.Key, draft.Field{Key: sk.Name, Value: w.ranged(q, a, prefix, on, ranged)})
	case on == "" || q.Operation == "get":
		q.Key = append(q.Key, draft.Field{Key: sk.Name, Value: template})
	case prefix != "":
		q.Key = append(q.Key, draft.Field{Key: sk.Name, Value: draft.Map{{Key: "begins_with", Value: prefix}}})
	}
	if a.Range == "" && len(ranged) > 0 {
		q.NotInTheLanguage = append(q.NotInTheLanguage, "parameter "+strings.Join(ranged, ", "))
	}
	return on == ""
}

func upTo(template string, given []string) (prefix, next string) {
	rest := template
	for {
		head, tail, ok := strings.Cut(rest, "{")
		prefix += head
		if !ok {
			return prefix, ""
		}
		name, after, _ := strings.Cut(tail, "}")
		bare, _, _ := strings.Cut(name, ":")
		if !slices.Contains(given, bare) {
			return prefix, bare
		}
		prefix += "{" + name + "}"
		rest = after
	}
}

// ranged writes < and > as <= and >= with a note: the language has inclusive ranges only.
func (w schemaPatterns) ranged(q *draft.Pattern, a schemaPattern, prefix, on string, params []string) draft.Map {
	if w.entity.Attribute(on) != nil {
		for _, p := range params {
			q.Define(p, w.name+"."+on)
		}
	}
	quoted := func(i int) string { return "{" + params[min(i, len(params)-1)] + "}" }
	switch a.Range {
	case "begins_with":
		return draft.Map{{Key: "begins_with", Value: prefix + quoted(0)}}
	case "between":
		return draft.Map{{Key: "range", Value: on}, {Key: "from", Value: quoted(0)}, {Key: "to", Value: quoted(1)}}
	case ">", "<":
		q.NotInTheLanguage = append(q.NotInTheLanguage, "the end of the range is not part of it ("+a.Range+")")
	}
	if strings.HasPrefix(a.Range, "<") {
		return draft.Map{{Key: "range", Value: on}, {Key: "to", Value: quoted(0)}}
	}
	return draft.Map{{Key: "range", Value: on}, {Key: "from", Value: quoted(0)}}
}

func (w schemaPatterns) filters(f *schemaFilter, name string) bool {
	if f == nil {
		return false
	}
	for _, c := range f.Conditions {
		if c.Param == name || c.Param2 == name || slices.Contains(c.Params, name) {
			return true
		}
	}
	return false
}

// filter lists conditions without words in the language in NotInTheLanguage: a filter that is left out without notice
// would return other rows.
func (w schemaPatterns) filter(q *draft.Pattern, f *schemaFilter) {
	if f == nil {
		return
	}
	if f.Logical == "OR" && len(f.Conditions) > 1 {
		q.NotInTheLanguage = append(q.NotInTheLanguage, "conditions joined by OR")
		return
	}
	for _, c := range f.Conditions {
		m := draft.Map{{Key: "attribute", Value: c.Field}}
		param := func(name string) string {
			if w.entity.Attribute(name) == nil && w.entity.Attribute(c.Field) != nil {
				q.Define(name, w.name+"."+c.Field)
			}
			return "{" + name + "}"
		}
		switch c.Operator + c.Function {
		case "=":
			m = append(m, draft.Field{Key: "equals", Value: param(c.Param)})
		case ">=":
			m = append(m, draft.Field{Key: "from", Value: param(c.Param)})
		case "<=":
			m = append(m, draft.Field{Key: "to", Value: param(c.Param)})
		case "between":
			m = append(m, draft.Field{Key: "from", Value: param(c.Param)}, draft.Field{Key: "to", Value: param(c.Param2)})
		case "begins_with":
			m = append(m, draft.Field{Key: "begins_with", Value: param(c.Param)})
		case "attribute_exists", "attribute_not_exists":
			m = append(m, draft.Field{Key: "exists", Value: c.Function == "attribute_exists"})
		default:
			q.NotInTheLanguage = append(q.NotInTheLanguage, "condition "+models.Printable(c.Operator+c.Function)+" on "+c.Field)
			continue
		}
		q.Filter = append(q.Filter, m)
	}
}
