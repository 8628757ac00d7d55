package lint

import (
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func filterOnKey(_ *linter, r request, report reporter) {
	if !r.queries() {
		return // a scan may filter on keys
	}
	partition, sort := r.keys()
	for i, f := range r.read.Filter {
		if name, _, _ := strings.Cut(f.Attribute, "."); name == partition.Name || name == sort.Name {
			report(fmt.Sprintf("filter.%d", i), "make it a condition under key",
				"the filter names %s, a key attribute of %s: DynamoDB refuses that in a query", name, r.asked())
		}
	}
}

// filterUndocumented finds filters on attributes that no returned entity has
// by the document.
func filterUndocumented(_ *linter, r request, report reporter) {
	for i, f := range r.read.Filter {
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
			report(fmt.Sprintf("filter.%d", i), "write "+f.Attribute+" with the items, or filter by another attribute",
				"the document gives %s no %s, so the filter finds nothing", entityNames(r.pattern.Returns), f.Attribute)
		}
	}
}

// filterMissesEntity finds filters that drop every item of one of the returned
// entities.
func filterMissesEntity(_ *linter, r request, report reporter) {
	for i, f := range r.read.Filter {
		if isKey(r.pattern.Table, f.Attribute) || f.Exists != nil {
			continue
		}
		for _, e := range r.pattern.Returns {
			if e.Attribute(f.Attribute) == nil && !e.Undocumented {
				report(fmt.Sprintf("filter.%d", i), "leave "+e.Name+" out of returns, or ask for it with a pattern of its own",
					"%s has no %s: the filter drops every %s", e.Name, f.Attribute, e.Name)
			}
		}
	}
}

func isKey(t *models.Table, name string) bool {
	for _, k := range t.KeyAttributes() {
		if k.Name == name {
			return true
		}
	}
	return false
}

func entityNames(list []*models.Entity) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
	}
	return strings.Join(names, ", ")
}

func limitBeforeFilter(_ *linter, r request, report reporter) {
	if r.limited && len(r.read.Filter) > 0 {
		report("limit", "read on until enough rows pass the filter (stop_after)",
			"the limit counts items before the filter on %s drops them: rows are missed, a page may even be empty", r.read.Filter[0].Attribute)
	}
}

func pageTokenWithFilter(_ *linter, r request, report reporter) {
	if len(r.read.Filter) == 0 || r.documented {
		return
	}
	for _, q := range r.pattern.Params {
		if q.Type == accesspatterns.Token {
			report("parameters."+q.Name, "make the cursor from the last row that was shown",
				"pages are filtered and go on at the cursor {%s}: they are short or empty, and a cursor from DynamoDB skips the rows that were cut off", q.Name)
			return
		}
	}
}

func filterReadsAll(_ *linter, r request, report reporter) {
	for _, f := range r.read.Filter {
		if r.queries() && !r.wholeKey() && !isKey(r.pattern.Table, f.Attribute) {
			report("filter", "give "+f.Attribute+" a place in a key when the partition is large",
				"the filter on %s applies after reading: the whole of the partition is read and paid for", f.Attribute)
			return
		}
	}
}

// wholeKey reports whether the request asks for one key alone.
func (r request) wholeKey() bool {
	_, sort := r.keys()
	c, ok := r.condition(sort.Name)
	return ok && (c.Compare == accesspatterns.Matches || c.Compare == accesspatterns.Equal)
}

func fullScan(_ *linter, r request, report reporter) {
	if r.read.Operation == accesspatterns.Scan {
		report("operation", "add an index whose partition is what is asked for",
			"no key or index leads to this: the whole table %s is read by a scan", r.pattern.Table.ID)
	}
}

// timeAttribute returns an attribute of the entity that says when, nil without.
func timeAttribute(e *models.Entity) *models.Attribute {
	for _, a := range e.Attributes {
		if a.Format.IsTime() && a.Required && a.Name != e.Table.TTL {
			return a
		}
	}
	return nil
}

// sortOfMany returns the sort key's template when the request returns many
// items of the first returned entity in its order.
func (r request) sortOfMany() (*models.Entity, models.Template, bool) {
	_, sort := r.keys()
	if !r.queries() || r.read.Operation == accesspatterns.Count || sort.Name == "" || len(r.pattern.Returns) != 1 {
		return nil, models.Template{}, false
	}
	if r.wholeKey() || r.pattern.ExpectOne {
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
		if a == nil || a.Format.IsTime() || a.Format == models.UUID7 || a.Type == models.TypeN {
			return
		}
		id = id || len(a.Enum) == 0
	}
	if when := timeAttribute(e); when != nil && id {
		report("order", "put a time such as "+when.Name+" before the id in the sort key",
			"rows come in the order of the key %s, not in the order of time", t)
	}
}

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
		report("order", "put "+timeAttribute(e).Name+" before the id in the sort key",
			"rows are in the order of time only while every %s is a UUIDv7, and then by the time in the id, not by %s", a.Name, timeAttribute(e).Name)
	}
}

func optionalIndexUsed(_ *linter, r request, report reporter) {
	if x := r.read.Index; x != nil && x.Optional && !r.documented {
		report("index", "create the index, or ask the table", "the index %s may be missing in a live table: then DynamoDB refuses the request", x.Name)
	}
}

func indexNotUnique(_ *linter, r request, report reporter) {
	if x := r.read.Index; x != nil && r.pattern.ExpectOne && !r.documented {
		report("index", "expect a list, or keep uniqueness in an item of its own",
			"one row is expected of the index %s, but an index does not keep its keys unique", x.Name)
	}
}
