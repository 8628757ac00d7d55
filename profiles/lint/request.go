package lint

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func (r request) keys() (partition, sort []models.Key) {
	return r.pattern.Table.KeysOf(r.read.Index)
}

func (r request) condition(name string) (accesspatterns.KeyCondition, bool) {
	for _, c := range r.read.Key {
		if c.Attribute.Name == name {
			return c, true
		}
	}
	return accesspatterns.KeyCondition{}, false
}

func (r request) isQuery() bool {
	return r.read.Operation == accesspatterns.Query || r.read.Operation == accesspatterns.Count
}

func (r request) target() string {
	if r.read.Index != nil {
		return r.read.Index.Name
	}
	return r.pattern.Table.ID
}

// partitionKeyMissing finds queries without an exact value for the partition key, as DynamoDB rejects even a range.
// Source: Amazon DynamoDB Developer Guide, "Key condition expressions for the Query operation".
func partitionKeyMissing(_ *linter, r request, report reporter) {
	if !r.isQuery() {
		return
	}
	partition, _ := r.keys()
	for _, k := range partition {
		c, ok := r.condition(k.Name)
		switch {
		case !ok:
			report("key", "give "+k.Name+" a value, or use a scan with a filter",
				"partition key %s of %s has no value; DynamoDB refuses a query without it", k.Name, r.target())
		case !isEquality(c):
			report("key."+k.Name, "give the full value of "+k.Name,
				"partition key %s is compared with %s; DynamoDB allows only equality", k.Name, c.Compare)
		}
	}
}

func isEquality(c accesspatterns.KeyCondition) bool {
	return c.Compare == accesspatterns.Matches || c.Compare == accesspatterns.Equal
}

// sortKeySkipped finds gaps before a sort key condition. Source: Developer Guide, "Multi-attribute keys pattern".
func sortKeySkipped(_ *linter, r request, report reporter) {
	if !r.isQuery() {
		return
	}
	_, sort := r.keys()
	before := ""
	for _, k := range sort {
		c, ok := r.condition(k.Name)
		if ok && before != "" {
			report("key."+k.Name, "give "+before+" a value, or make it a filter",
				"%s follows %s in the sort key of %s, which has no equality; DynamoDB refuses the condition", k.Name, before, r.target())
		}
		if before == "" && (!ok || !isEquality(c)) {
			before = k.Name
		}
	}
}

func keyNotInIndex(_ *linter, r request, report reporter) {
	if r.read.Operation == accesspatterns.Scan {
		return
	}
	partition, sort := r.keys()
	for _, c := range r.read.Key {
		name := c.Attribute.Name
		if models.KeyPosition(partition, name) >= 0 || models.KeyPosition(sort, name) >= 0 {
			continue
		}
		suggestion := "make it a filter"
		for _, x := range r.pattern.Table.Indexes {
			if x.HasKey(name) {
				suggestion = "query index " + x.Name
				break
			}
		}
		report("key."+name, suggestion, "%s is not a key attribute of %s; DynamoDB refuses the condition", name, r.target())
	}
}

// prefixOfNumber finds begins_with on numbers. Source: DynamoDB API Reference, "Query", KeyConditionExpression.
func prefixOfNumber(_ *linter, r request, report reporter) {
	for _, c := range r.read.Key {
		if c.Compare == accesspatterns.BeginsWith && c.Attribute.Type == models.TypeN {
			report("key."+c.Attribute.Name, "use range: with from: and to:",
				"begins_with on %s, which is a number; DynamoDB refuses the condition", c.Attribute.Name)
		}
	}
}

// getOnIndex finds GetItem on an index, which DynamoDB does not support because index keys are not unique.
func getOnIndex(_ *linter, r request, report reporter) {
	if r.read.Operation == accesspatterns.Get && r.read.Index != nil {
		report("index", "query the index and write expect: one",
			"GetItem cannot read index %s; it reads only tables", r.read.Index.Name)
	}
}

// getNeedsWholeKey finds an incomplete key. Source: Amazon DynamoDB API Reference, "GetItem", Key.
func getNeedsWholeKey(_ *linter, r request, report reporter) {
	if r.read.Operation != accesspatterns.Get || r.read.Index != nil {
		return
	}
	for _, k := range r.pattern.Table.PrimaryKeys() {
		if c, ok := r.condition(k.Name); !ok || !isEquality(c) {
			report("key", "give "+k.Name+" its full value, or use a query",
				"GetItem has no value for %s; DynamoDB needs the full primary key", k.Name)
		}
	}
}

// keyNeverWritten finds keys that no item can have. DynamoDB accepts such requests but always returns nothing.
func keyNeverWritten(l *linter, r request, report reporter) {
	if r.read.Operation == accesspatterns.Scan {
		return
	}
	entities := r.pattern.Returns
	if len(entities) == 0 {
		entities = l.EntitiesOf(r.pattern.Table)
	}
	for _, k := range slices.Concat(r.keys()) {
		c, ok := r.condition(k.Name)
		if !ok {
			continue
		}
		has := func(e *models.Entity) bool {
			_, ok := e.KeyTemplate(k.Name)
			return ok && e.Table == r.pattern.Table
		}
		if slices.ContainsFunc(entities, func(e *models.Entity) bool { return has(e) && l.writes(e, r, c) }) {
			continue
		}
		var templates, names []string
		for _, e := range entities {
			if t, ok := e.KeyTemplate(k.Name); ok && has(e) && len(names) < maxNames {
				templates, names = models.AppendOnce(templates, t.String()), append(names, e.Name)
			}
		}
		if len(templates) > 0 {
			report("key."+k.Name, "write "+strings.Join(templates, " or "),
				"no %s has a %s of the form %s; DynamoDB accepts the request and always returns nothing", strings.Join(names, " or "),
				k.Name, conditionText(c))
			return
		}
	}
}

func unusedParameter(_ *linter, r request, report reporter) {
	p := r.pattern
	for _, q := range p.Params {
		isUsed := func(v accesspatterns.Variant) bool {
			return slices.Contains(v.When, q.Name) || v.Read.Has(q.Name) || v.Read.FanOut != nil && v.Read.FanOut.Placeholder == q.Name
		}
		decides := func(other *accesspatterns.Param) bool {
			return slices.ContainsFunc(other.DefaultWhen, func(w accesspatterns.DefaultWhen) bool { return w.Param == q.Name })
		}
		if !isUsed(accesspatterns.Variant{Read: p.Read}) && !slices.ContainsFunc(p.Variants, isUsed) && q.Type != accesspatterns.Token &&
			q.Name != p.PageParam && !slices.ContainsFunc(p.Params, decides) {
			report("parameters."+q.Name, "use it in key: or filter:, or remove it", "no part of the request uses {%s}", q.Name)
		}
	}
}

func conditionText(c accesspatterns.KeyCondition) string {
	if c.Compare == accesspatterns.Range {
		return c.KeyTemplate.String()
	}
	return c.Template.String()
}

// oneOfManyIndexed finds index keys with one of several names, because a query finds an item only by its indexed name.
func oneOfManyIndexed(_ *linter, r request, report reporter) {
	if r.read.Index == nil || !r.isQuery() {
		return
	}
	for _, k := range r.read.Index.PartitionKeys {
		if c, ok := r.condition(k.Name); ok {
			r.reportOneOfMany(c, report)
		}
	}
}

func (r request) reportOneOfMany(c accesspatterns.KeyCondition, report reporter) {
	for _, e := range r.pattern.Returns {
		t, _ := e.KeyTemplate(c.Attribute.Name)
		for _, name := range t.Placeholders() {
			if a := e.Attribute(name); a != nil && a.KeyOnly && len(a.Enum) > 1 && len(t.Placeholders()) > 1 {
				report("key."+c.Attribute.Name, "write one item for each value, or search by another key",
					"an item has one %s, so the index lists it under one %s only (%s); a query for another value does not find it",
					c.Attribute.Name, name, strings.Join(a.Enum, ", "))
				return
			}
		}
	}
}

// maxNames is the maximum number of entities that a message names.
const maxNames = 20

func returnsOthers(l *linter, r request, report reporter) {
	if r.read.Operation == accesspatterns.Get || len(r.pattern.Returns) == 0 {
		return
	}
	partition, _ := r.keys()
	if r.isQuery() && slices.ContainsFunc(partition, func(k models.Key) bool {
		_, ok := r.condition(k.Name)
		return !ok
	}) {
		return // already rejected
	}
	keys := slices.Concat(r.keys())
	filters := slices.DeleteFunc(slices.Clone(r.read.Filter), r.isSkipped)
	var others []string
	more := 0
	for _, e := range l.readableEntities(r) {
		switch {
		case slices.Contains(r.pattern.Returns, e) || l.sharesKeys(e, r.pattern.Returns) || !l.reads(e, r, keys, filters):
		case len(others) < maxNames:
			others = append(others, e.Name)
		default:
			more++
		}
	}
	if more > 0 {
		others = append(others, english.Plural(more, "other entity", "other entities"))
	}
	if len(others) > 0 {
		suggestion, noun := "use a sort key prefix that only "+r.pattern.Returns[0].Name+" has", "query"
		if r.read.Operation == accesspatterns.Scan {
			noun = "scan"
		}
		report("key", suggestion, "the %s of %s also returns %s", noun, r.target(), strings.Join(others, ", "))
	}
}

func (l *linter) reads(e *models.Entity, r request, keys []models.Key, filters []accesspatterns.FilterCondition) bool {
	for _, k := range keys {
		if _, ok := e.KeyTemplate(k.Name); !ok {
			return false // a sparse index
		}
		if c, ok := r.condition(k.Name); ok && !l.mayWrite(e, r, c) {
			return false
		}
	}
	return !slices.ContainsFunc(filters, func(f accesspatterns.FilterCondition) bool { return l.excludesEntity(e, r, f) })
}

func (l *linter) excludesEntity(e *models.Entity, r request, f accesspatterns.FilterCondition) bool {
	if f.Any != nil {
		return !slices.ContainsFunc(f.Any, func(o accesspatterns.FilterCondition) bool { return !l.excludesEntity(e, r, o) })
	}
	t, isKey := e.KeyTemplate(f.Attribute)
	if !isKey {
		exempt := f.Compare == accesspatterns.NotExists || f.Compare == accesspatterns.NotEqual
		return e.Attribute(f.Attribute) == nil && !e.Undocumented && !exempt
	}
	if f.Compare != accesspatterns.Equal && f.Compare != accesspatterns.BeginsWith || f.Size {
		return false
	}
	c := accesspatterns.KeyCondition{Attribute: models.Key{Name: f.Attribute}, Compare: f.Compare, Template: f.Values[0]}
	return !t.IsZero() && !l.writes(e, r, c)
}

func (r request) isSkipped(f accesspatterns.FilterCondition) bool {
	return slices.ContainsFunc(f.Placeholders(), func(name string) bool {
		q := r.pattern.Param(name)
		return q != nil && !q.Required && q.Default == ""
	})
}

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

// filterOnKey finds filters of a query on its own key. Source: DynamoDB API Reference, "Query", FilterExpression.
func filterOnKey(_ *linter, r request, report reporter) {
	if !r.isQuery() {
		return // a scan may filter on keys
	}
	keys := slices.Concat(r.keys())
	for part, f := range r.filters() {
		if name, _, _ := strings.Cut(f.Attribute, "."); models.KeyPosition(keys, name) >= 0 {
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
			case a != nil && (a.Documented || a.Sensitive != models.NotSensitive):
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
				report(fmt.Sprintf("filter.%d", i), "remove "+e.Name+" from returns:, or read it with its own pattern",
					"%s has no attribute %s, so the filter drops every %s", e.Name, f.Attribute, e.Name)
			}
		}
	}
}

func isKey(t *models.Table, name string) bool {
	return slices.ContainsFunc(t.KeyAttributes(), func(k models.Key) bool { return k.Name == name })
}

func entityNames(list []*models.Entity) string {
	return strings.Join(models.MapSlice(list, func(e *models.Entity) string { return e.Name }), ", ")
}

// limitBeforeFilter finds limits that apply before a filter. Source: DynamoDB API Reference, "Query", Limit.
func limitBeforeFilter(_ *linter, r request, report reporter) {
	if r.limited && len(r.read.Filter) > 0 {
		report("limit", "use stop_after: to read until enough rows match",
			"the limit applies before the filter on %s, so pages are short or empty and matches are missed", r.read.Filters()[0].Attribute)
	}
}

// pageTokenWithFilter finds tokens of filtered patterns, because LastEvaluatedKey may come after the caller's last row.
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

// filterReadsAll finds filters on attributes outside the key, because DynamoDB reads and charges for the items that
// they discard. Source: Amazon DynamoDB Developer Guide, "Filter expressions for the Query operation".
func filterReadsAll(_ *linter, r request, report reporter) {
	for _, f := range r.read.Filters() {
		if r.isQuery() && !r.isWholeKey() && !isKey(r.pattern.Table, f.Attribute) {
			report("filter", "give "+f.Attribute+" a place in a key if the partition is large",
				"the filter on %s applies after reading; DynamoDB reads and charges the whole partition", f.Attribute)
			return
		}
	}
}

func (r request) isWholeKey() bool {
	_, open := r.openSort()
	return !open
}

// openSort returns the first sort key without an equality, the zero Key if there is no sort key, or otherwise false.
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
			"no key or index supports this request, so it scans all items of %s", r.target())
	}
}

func timeAttribute(e *models.Entity) *models.Attribute {
	return models.First(e.Attributes, func(a *models.Attribute) bool {
		return a.Format.IsTime() && a.Required && a.Name != e.Table.TTL
	})
}

func (r request) sortOfMany() (*models.Entity, models.Template, bool) {
	sort, open := r.openSort()
	if !r.isQuery() || r.read.Operation == accesspatterns.Count || sort.Name == "" || len(r.pattern.Returns) != 1 {
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
	hasID := false
	for _, name := range t.Placeholders() {
		a := e.Attribute(name)
		if a == nil || a.Format.IsTime() || a.Format.IsTimedID() || a.Type == models.TypeN {
			return
		}
		hasID = hasID || len(a.Enum) == 0
	}
	if timeAttr := timeAttribute(e); timeAttr != nil && hasID {
		report("order", "put a time such as "+timeAttr.Name+" before the ID in the sort key",
			"rows are sorted by key %s, not by time", t)
	}
}

// timeOrderRestsOnID finds orders that only UUIDv7 keeps: its first bits are a time. Source: RFC 9562, section 5.7.
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
			"rows are sorted by time only if every %s is a UUIDv7, and then by the time in the ID, not by %s", a.Name,
			timeAttribute(e).Name)
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
