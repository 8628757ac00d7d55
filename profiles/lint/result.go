package lint

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func (r request) filters() iter.Seq2[string, accesspatterns.FilterCondition] {
	return func(yield func(string, accesspatterns.FilterCondition) bool) {
		eachFilter("filter", r.read.Filter, yield)
	}
}

func eachFilter(path string, list []accesspatterns.FilterCondition, yield func(string, accesspatterns.FilterCondition) bool) bool {
	for i, f := range list {
		part := fmt.Sprintf("%s.%d", path, i)
		if f.Any == nil && !yield(part, f) || !eachFilter(part+".any", f.Any, yield) {
			return false
		}
	}
	return true
}

// filterOnKey finds filters of a query on its own key. Source: Amazon DynamoDB API Reference, "Query",
// FilterExpression.
func filterOnKey(_ *linter, r request, report reporter) {
	if !r.queries() {
		return // a scan may filter on keys
	}
	keys := slices.Concat(r.keys())
	for part, f := range r.filters() {
		if name, _, _ := strings.Cut(f.Attribute, "."); models.KeyNamed(keys, name) >= 0 {
			report(part, "move it to key:",
				"the filter uses %s, a key attribute of %s; DynamoDB refuses that in a query", name, r.target())
		}
	}
}

func filterUndocumented(_ *linter, r request, report reporter) {
	for part, f := range r.filters() {
		known, assumed := false, false
		for _, e := range r.pattern.Returns {
			switch a := e.Attribute(f.Attribute); {
			case e.Undocumented || isKey(r.pattern.Table, f.Attribute):
				known = true
			case a != nil && (a.Documented || a.Sensitive != models.Open):
				known = true
			case a != nil:
				assumed = true
			}
		}
		if assumed && !known {
			report(part, "write "+f.Attribute+" on the items, or filter by another attribute",
				"%s has no documented attribute %s, so the filter matches nothing", entityNames(r.pattern.Returns), f.Attribute)
		}
	}
}

func filterMissesEntity(_ *linter, r request, report reporter) {
	for i, f := range r.read.Filter {
		if f.Any != nil || isKey(r.pattern.Table, f.Attribute) || f.Compare == accesspatterns.NotEqual ||
			f.Compare == accesspatterns.Exists || f.Compare == accesspatterns.NotExists {
			continue
		}
		for _, e := range r.pattern.Returns {
			if e.Attribute(f.Attribute) == nil && !e.Undocumented {
				report(fmt.Sprintf("filter.%d", i), "leave "+e.Name+" from returns:, or read it with its own pattern",
					"%s has no attribute %s, so the filter drops every %s", e.Name, f.Attribute, e.Name)
			}
		}
	}
}

func isKey(t *models.Table, name string) bool {
	return slices.ContainsFunc(t.KeyAttributes(), func(k models.Key) bool { return k.Name == name })
}

func entityNames(list []*models.Entity) string {
	return strings.Join(models.NamesOf(list, func(e *models.Entity) string { return e.Name }), ", ")
}

// limitBeforeFilter finds filtered requests with a limit, which counts the items that DynamoDB evaluates, not those
// that match. Source: Amazon DynamoDB API Reference, "Query", Limit.
func limitBeforeFilter(_ *linter, r request, report reporter) {
	if r.limited && len(r.read.Filter) > 0 {
		report("limit", "use stop_after: to read until enough rows match",
			"the limit applies before the filter on %s, so pages are short or empty and matches are missed", r.read.Filters()[0].Attribute)
	}
}

// pageTokenWithFilter finds filtered patterns that continue at a token from the caller. LastEvaluatedKey is the last
// item read, which may be after the last row that the caller got.
func pageTokenWithFilter(_ *linter, r request, report reporter) {
	if len(r.read.Filter) == 0 || r.documented {
		return
	}
	for _, q := range r.pattern.Params {
		if q.Type == accesspatterns.Token {
			report("parameters."+q.Name, "build the next token from the last row shown",
				"filtered pages continue at {%s}; they can be short or empty, and DynamoDB's own token skips rows cut off from "+
					"the page", q.Name)
			return
		}
	}
}

// filterReadsAll finds filters on no part of a key: items that they drop are read and charged as well. Source: Amazon
// DynamoDB Developer Guide, "Filter expressions for the Query operation".
func filterReadsAll(_ *linter, r request, report reporter) {
	for _, f := range r.read.Filters() {
		if r.queries() && !r.wholeKey() && !isKey(r.pattern.Table, f.Attribute) {
			report("filter", "give "+f.Attribute+" a place in a key if the partition is large",
				"the filter on %s applies after reading; DynamoDB reads and charges the whole partition", f.Attribute)
			return
		}
	}
}

func (r request) wholeKey() bool {
	_, open := r.openSort()
	return !open
}

// openSort returns a key without a name when there is no sort key, and false when the request gives the full one.
func (r request) openSort() (models.Key, bool) {
	_, sort := r.keys()
	for _, k := range sort {
		if c, ok := r.condition(k.Name); !ok || !isEquality(c) {
			return k, true
		}
	}
	return models.Key{}, len(sort) == 0
}

func fullScan(_ *linter, r request, report reporter) {
	if r.read.Operation == accesspatterns.Scan {
		report("operation", "add an index with the searched attribute as its partition key",
			"no key or index supports this request, so it scans the whole table %s", r.pattern.Table.ID)
	}
}

func timeAttribute(e *models.Entity) *models.Attribute {
	for _, a := range e.Attributes {
		if a.Format.IsTime() && a.Required && a.Name != e.Table.TTL {
			return a
		}
	}
	return nil
}

func (r request) sortOfMany() (*models.Entity, models.Template, bool) {
	sort, open := r.openSort()
	if !r.queries() || r.read.Operation == accesspatterns.Count || sort.Name == "" || len(r.pattern.Returns) != 1 {
		return nil, models.Template{}, false
	}
	if !open || r.pattern.ExpectOne {
		return nil, models.Template{}, false
	}
	e := r.pattern.Returns[0]
	t, ok := e.KeyTemplate(sort.Name)
	return e, t, ok
}

func unorderedResult(_ *linter, r request, report reporter) {
	e, t, ok := r.sortOfMany()
	if !ok || r.documented {
		return
	}
	id := false
	for _, name := range t.Placeholders() {
		a := e.Attribute(name)
		if a == nil || a.Format.IsTime() || a.Format.IsTimedID() || a.Type == models.TypeN {
			return
		}
		id = id || len(a.Enum) == 0
	}
	if when := timeAttribute(e); when != nil && id {
		report("order", "put a time such as "+when.Name+" before the ID in the sort key",
			"rows are sorted by key %s, not by time", t)
	}
}

// timeOrderRestsOnID finds lists that are sorted by time only because of the version of their IDs. The first bits of
// a UUIDv7 are a time; those of a UUIDv4 are random. Source: RFC 9562, section 5.7.
func timeOrderRestsOnID(_ *linter, r request, report reporter) {
	e, t, ok := r.sortOfMany()
	if !ok || r.documented {
		return
	}
	names := t.Placeholders()
	if len(names) == 0 || timeAttribute(e) == nil {
		return
	}
	if a := e.Attribute(names[0]); a != nil && a.Format == models.UUID7 {
		report("order", "put "+timeAttribute(e).Name+" before the ID in the sort key",
			"rows are sorted by time only if every %s is a UUIDv7, and then by the time in the ID, not by %s", a.Name, timeAttribute(e).Name)
	}
}

func optionalIndexUsed(_ *linter, r request, report reporter) {
	if x := r.read.Index; x != nil && x.Optional && !r.documented {
		report("index", "create the index, or query the table",
			"index %s is optional; DynamoDB refuses the request if the live table lacks it", x.Name)
	}
}

func indexNotUnique(_ *linter, r request, report reporter) {
	if x := r.read.Index; x != nil && r.pattern.ExpectOne && !r.documented {
		report("index", "expect a list, or enforce uniqueness with a separate item",
			"the pattern expects one row from index %s, but an index does not enforce unique keys", x.Name)
	}
}
