package lint

import (
	_ "embed"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/models"
)

func inIndex(e *models.Entity, x *models.Index) (partition, sort keyTemplates, ok bool) {
	partition, ok = templatesOf(e, x.PartitionKeys)
	if ok {
		sort, ok = templatesOf(e, x.SortKeys)
	}
	return partition, sort, ok
}

// keyTemplates contains the templates of the attributes of a partition or sort key.
type keyTemplates []models.Template

func templatesOf(e *models.Entity, keys []models.Key) (list keyTemplates, ok bool) {
	for _, k := range keys {
		t, ok := e.KeyTemplate(k.Name)
		if !ok {
			return nil, false
		}
		list = append(list, t)
	}
	return list, true
}

func (l keyTemplates) placeholders() []string {
	var names []string
	for _, t := range l {
		for _, name := range t.Placeholders() {
			names = models.AppendOnce(names, name)
		}
	}
	return names
}

func (l keyTemplates) String() string {
	return strings.Join(models.MapSlice(l, models.Template.String), ", ")
}

var resourceName = models.LazyRegexp(`^[A-Za-z0-9_.-]{3,255}$`)

// nameRefused finds names that DynamoDB rejects. Source: DynamoDB Developer Guide, "Naming rules and data types".
func nameRefused(_ *linter, t *models.Table, report reporter) {
	check := func(part, kind, name string) {
		if !resourceName().MatchString(name) {
			report(part, "use 3 to 255 letters, digits, -, _ and .", "DynamoDB refuses the %s name %q", kind, models.Printable(name))
		}
	}
	check("name", "table", t.Name)
	for _, x := range t.Indexes {
		check("indexes."+x.Name, "index", x.Name)
	}
}

func indexNotWritten(l *linter, t *models.Table, x *models.Index, report reporter) {
	entities := l.EntitiesOf(t)
	for _, e := range entities {
		if _, _, ok := inIndex(e, x); ok {
			return
		}
	}
	if len(entities) > 0 {
		report("", "remove the index, or write its keys", "no entity writes the keys of index %s, so the index is always empty", x.Name)
	}
}

// projectionUnknown finds indexes without a documented projection, because reading an index returns only projected
// attributes. Source: Amazon DynamoDB Developer Guide, "Attribute projections".
func projectionUnknown(_ *linter, _ *models.Table, x *models.Index, report reporter) {
	if x.Projection == models.ProjectionUnknown {
		report("", "write projection: ALL, KEYS_ONLY or INCLUDE",
			"the projection of index %s is not documented; only the live table shows it", x.Name)
	}
}

func indexSamePartition(_ *linter, t *models.Table, x *models.Index, report reporter) {
	if len(x.PartitionKeys) == 1 && x.PartitionKeys[0].Name == t.PartitionKey.Name && !x.Local {
		report("partition_key", "write local: true for a local secondary index, or use another partition key to search across partitions",
			"index %s has the partition key of the table (%s), so it cannot list items across more than one %s", x.Name,
			t.PartitionKey.Name, t.PartitionKey.Name)
	}
}

func eachEntityIndex(check func(*linter, *models.Entity, *models.Index, reporter)) func(*linter, func(defect)) {
	return eachEntity(func(l *linter, e *models.Entity, report reporter) {
		for _, x := range e.Table.Indexes {
			if _, _, ok := inIndex(e, x); ok {
				check(l, e, x, report)
			}
		}
	})
}

// tenant returns the first placeholder of a partition key that all entities share, if its name suggests a tenant.
func (l *linter) tenant(t *models.Table) string {
	return once(l.tenants, t, func() string { return l.sharedTenant(t) })
}

func (l *linter) sharedTenant(t *models.Table) string {
	entities := l.EntitiesOf(t)
	if len(entities) < 2 {
		return ""
	}
	shared := ""
	for i, e := range entities {
		partition, _ := e.KeyTemplate(t.PartitionKey.Name)
		names := partition.Placeholders()
		if len(names) == 0 || i > 0 && names[0] != shared {
			return ""
		}
		shared = names[0]
	}
	if !tenantWord().MatchString(shared) {
		return "" // a user or a case is not a tenant
	}
	return shared
}

// tenantWord matches names that schemas use to separate tenants.
var tenantWord = models.LazyRegexp(
	`(?i)tenant|org|account|client|customer|company|workspace|ecosystem|merchant|agency|business|site|shop|store`,
)

// indexWithoutTenant finds index partitions that mix tenants, because unfiltered queries return other tenants' data.
func indexWithoutTenant(l *linter, e *models.Entity, x *models.Index, report reporter) {
	tenant := l.tenant(e.Table)
	partition, _, _ := inIndex(e, x)
	if tenant == "" || slices.Contains(partition.placeholders(), tenant) {
		return
	}
	report("keys."+x.PartitionKeys[0].Name, "begin it with {"+tenant+"}, or filter by "+e.Table.PartitionKey.Name,
		"index %s does not contain {%s}; partition %s contains the items of every %s", x.Name, tenant, partition, tenant)
}

// listsOthers reports whether another entity writes to the same index partitions, which then list items together that
// the table does not. It returns true for an inverted index, because an item cannot omit the table's keys.
func (l *linter) listsOthers(e *models.Entity, x *models.Index) bool {
	same := func(s, t models.Template) bool {
		return s.String() == t.String() || s.LiteralPrefix() != "" && form(s) == form(t)
	}
	partition, _, _ := inIndex(e, x)
	isInverted := models.KeyPosition(e.Table.PrimaryKeys(), x.PartitionKeys[0].Name) >= 0
	return isInverted || slices.ContainsFunc(l.EntitiesOf(e.Table), func(o *models.Entity) bool {
		other, _, ok := inIndex(o, x)
		return ok && o != e && slices.EqualFunc(partition, other, same) && !repeatsTable(o, x)
	})
}

func indexOneItem(l *linter, e *models.Entity, x *models.Index, report reporter) {
	partition, _, _ := inIndex(e, x)
	var names []string
	for _, t := range primaryTemplates(e) {
		names = append(names, t.Placeholders()...)
	}
	groupsItems := func(s models.Segment) bool { // months, shards and quotients group items; digests do not
		return !s.Format.IsPeriod() && (!s.Format.IsComputed() || slices.Contains(models.Digests(), string(s.Format)))
	}
	for _, n := range names {
		if !slices.ContainsFunc(partition, func(t models.Template) bool {
			return slices.ContainsFunc(t.Segments(), func(s models.Segment) bool { return s.Name == n && groupsItems(s) })
		}) {
			return
		}
	}
	if len(names) > 0 && !l.listsOthers(e, x) {
		report("keys."+x.PartitionKeys[0].Name, "use the attribute you search by as the partition key",
			"index partition %s repeats the key of %s; each partition contains one item, so %s cannot list items", partition, e.Name, x.Name)
	}
}

func singletonIndexed(_ *linter, e *models.Entity, x *models.Index, report reporter) {
	for _, t := range primaryTemplates(e) {
		if len(t.Placeholders()) > 0 {
			return
		}
	}
	if partition, _, _ := inIndex(e, x); len(partition.placeholders()) > 0 {
		report("keys."+x.PartitionKeys[0].Name, "use a separate item for each "+strings.Join(partition.placeholders(), ", "),
			"all values share one item %s, so %s finds it only by its latest {%s}", primaryText(e), x.Name,
			strings.Join(partition.placeholders(), "}, {"))
	}
}

// indexRepeatsTable finds index keys that repeat the table's key, because the table returns the same rows for less.
func indexRepeatsTable(l *linter, e *models.Entity, x *models.Index, report reporter) {
	if repeatsTable(e, x) && !l.listsOthers(e, x) {
		report("keys."+x.PartitionKeys[0].Name, "remove the index keys",
			"index %s repeats the keys of the table for %s; it adds cost and no new access path", x.Name, e.Name)
	}
}

func repeatsTable(e *models.Entity, x *models.Index) bool {
	partition, sort, _ := inIndex(e, x)
	base := primaryTemplates(e)
	return len(sort) > 0 && len(base) == 2 && partition.String() == base[0].String() && sort.String() == base[1].String()
}

// reservedText is the list "Reserved words in DynamoDB" of the Amazon DynamoDB Developer Guide.
//
//go:embed reserved.txt
var reservedText string

var reservedWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(reservedText) {
		words[w] = true
	}
	return words
})

// A use is an attribute of one entity.
type use struct {
	entity    *models.Entity
	attribute *models.Attribute
}

func (l *linter) sameName(t *models.Table) (names []string, uses map[string][]use) {
	uses = map[string][]use{}
	for _, e := range l.EntitiesOf(t) {
		for _, a := range e.Attributes {
			if uses[a.Name] == nil {
				names = append(names, a.Name)
			}
			uses[a.Name] = append(uses[a.Name], use{e, a})
		}
	}
	return names, uses
}

func (l *linter) reportDifferences(
	t *models.Table, text func(*models.Entity, *models.Attribute) string, report func(name, difference string, d defect),
) {
	names, uses := l.sameName(t)
	for _, name := range names {
		var found []string
		entities := map[string][]string{}
		for _, u := range uses[name] {
			if s := text(u.entity, u.attribute); s != "" {
				if entities[s] == nil {
					found = append(found, s)
				}
				entities[s] = append(entities[s], u.entity.Name)
			}
		}
		if len(found) < 2 {
			continue
		}
		d := defect{path: "entities." + entities[found[1]][0], tables: []string{t.ID}}
		parts := make([]string, 0, len(found))
		for _, s := range found {
			d.entities = append(d.entities, entities[s]...)
			parts = append(parts, s+" in "+strings.Join(entities[s], ", "))
		}
		report(name, strings.Join(parts, "; "), d)
	}
}

// enumDiffers finds enums of the same name with common values, because code must check the entity first.
func enumDiffers(l *linter, t *models.Table, found func(defect)) {
	type value struct{ attribute, text string }
	entityCounts := map[value]int{} // entities with the value in their enum
	for _, e := range l.EntitiesOf(t) {
		for _, a := range e.Attributes {
			for i, v := range a.Enum {
				if !slices.Contains(a.Enum[:i], v) {
					entityCounts[value{a.Path, v}]++
				}
			}
		}
	}
	values := func(e *models.Entity, a *models.Attribute) string {
		if e.Distinguishes(a.Path) || a.Required && len(a.Enum) == 1 && !a.OpenEnum {
			return "" // it identifies the entity, so it differs on purpose
		}
		if !slices.ContainsFunc(a.Enum, func(v string) bool { return entityCounts[value{a.Path, v}] > 1 }) {
			return ""
		}
		list := append([]string{}, a.Enum...)
		sort.Strings(list)
		return strings.Join(list, ", ")
	}
	l.reportDifferences(t, values, func(name, difference string, d defect) {
		d.reporter(found)("attributes."+name, "check the entity of the item before you compare values, or use two names",
			"attribute %s has different values within one table: %s", name, difference)
	})
}

// formatDiffers finds attributes with one name but several formats, because an index cannot compare their values.
func formatDiffers(l *linter, t *models.Table, found func(defect)) {
	format := func(_ *models.Entity, a *models.Attribute) string {
		f := a.Format
		if target := l.referencedAttribute(a); f == models.NoFormat {
			f = target.Format
		}
		return strings.TrimSpace(string(a.Type) + " " + string(f))
	}
	l.reportDifferences(t, format, func(name, difference string, d defect) {
		d.reporter(found)("attributes."+name, "use one format, or two attribute names",
			"attribute %s has different types or formats within one table: %s", name, difference)
	})
}

func twoSpellings(_ *linter, e *models.Entity, report reporter) {
	for _, a := range e.Attributes {
		var keys []string
		var format models.Format
		for _, k := range e.KeyNames() {
			t, _ := e.KeyTemplate(k)
			for _, s := range t.Segments() {
				if s.Name == a.Name && s.Format.IsTime() && !s.Format.IsPeriod() && !s.Format.IsReversed() && s.Format != a.Format {
					keys, format = models.AppendOnce(keys, k), s.Format
				}
			}
		}
		if len(keys) > 0 {
			report("attributes."+a.Name, "use one format",
				"%s has format %s in key %s but format %s in its attribute; the two texts cannot be compared", a.Name, format,
				strings.Join(keys, ", "), a.Format)
		}
	}
}

// reservedNames lists reserved words. ddbdesk sends every name as an alias, but other programs may not.
func reservedNames(l *linter, found func(defect)) {
	var names []string
	var walk func([]*models.Attribute)
	walk = func(list []*models.Attribute) {
		for _, a := range list {
			if !a.KeyOnly && reservedWords()[strings.ToUpper(a.Name)] {
				names = models.AppendOnce(names, a.Name)
			}
			walk(a.Attributes)
		}
	}
	for _, e := range l.Entities {
		walk(e.Attributes)
	}
	if len(names) > 0 {
		sort.Strings(names)
		defect{path: "entities"}.reporter(found)("", "use a #name from ExpressionAttributeNames",
			"DynamoDB refuses these reserved words in expressions unless they are aliased: %s", strings.Join(names, ", "))
	}
}

func inEachTable(check func(*linter, *models.Table, func(defect))) func(*linter, func(defect)) {
	return func(l *linter, found func(defect)) {
		for _, t := range l.Tables {
			check(l, t, found)
		}
	}
}
