package draft

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Sample is a table and some of its items. More items give better evidence. Infer does not modify the items.
type Sample struct {
	Table  *Table
	Items  []models.Item
	Groups []Group // known groups of items; Items contains the others
}

// A Group contains the items of one entity.
type Group struct {
	Name  string
	Items []models.Item
	// Hints maps key attributes to the names that the source gives to the parts of their values, such as SubId#SKU.
	Hints map[string]string
}

// InferOptions determines the data that Infer may write.
type InferOptions struct {
	// Empty means that the caller read the sample and found no items.
	Empty bool
	// Now is the reference time for deciding whether numbers are times; zero means the current time.
	Now time.Time
	// Examples adds values of attributes that are neither personal data nor part of a key.
	Examples bool
}

func (o InferOptions) now() time.Time {
	if o.Now.IsZero() {
		return time.Now()
	}
	return o.Now
}

func (o InferOptions) unknown() string {
	if o.Empty {
		return "attributes and key templates are unknown, because the sample has no items"
	}
	return "attributes and key templates are unknown; ddbdesk schema init reads them from a table"
}

// Infer adds a table and its entities to a draft. It always adds the table. Without items, it adds one entity with
// undocumented attributes. It adds a number to names that already exist in the draft. See [InferPatterns] for access
// patterns.
func Infer(p *Profile, s Sample, o InferOptions) {
	p.Tables = append(p.Tables, s.Table)
	a := &analysis{profile: p, table: s.Table, options: o, labels: map[string][]string{}, heads: map[string][]string{}}
	for _, k := range s.Table.KeyAttributes() {
		a.labels[k.Name] = labels(s.all(), k.Name)
		a.heads[k.Name] = append(heads(s.all(), k.Name), a.labels[k.Name]...)
	}
	clusters := a.joinIndistinguishable(s.clusters())
	if len(clusters) == 0 {
		a.addUndocumentedEntity()
	}
	for _, g := range clusters {
		a.addEntity(g)
	}
	p.addReferences()
}

// An analysis is the state of inferring the entities of one table.
type analysis struct {
	profile *Profile
	table   *Table
	options InferOptions
	labels  map[string][]string // labels by key attribute; see labels
	heads   map[string][]string // labels and other words that begin the keys of one entity, by key attribute
}

func (a *analysis) addUndocumentedEntity() {
	e := &Entity{
		Name: a.freeName(entityName(a.table.ID)), Table: a.table.ID, Undocumented: true,
		Notes: []string{CheckNote("%s", a.options.unknown())},
	}
	for i, k := range a.table.KeyAttributes() {
		d := &Attribute{Attribute: models.Attribute{
			Name: k.Name, Type: k.Type, Required: i == 0 || k.Name == a.table.SortKey.Name, Documented: true,
		}}
		d.GuessSensitivity(k.Name)
		e.Attributes = append(e.Attributes, d)
	}
	a.addTTL(e)
	a.profile.Entities = append(a.profile.Entities, e)
}

func (a *analysis) addTTL(e *Entity) {
	if ttl := a.table.TTL; ttl != "" && e.Attribute(ttl) == nil {
		e.Attributes = append(e.Attributes, &Attribute{Attribute: models.Attribute{
			Name: ttl, Type: models.TypeN, Format: models.EpochSeconds, Documented: true,
		}})
	}
}

func (a *analysis) addEntity(c cluster) {
	e, parts := a.draftEntity(c)
	e.Name = a.freeName(e.Name)
	a.addAttributes(e, c)
	a.recordSample(e, c, parts)
	a.profile.Entities = append(a.profile.Entities, e)
}

// draftEntity returns an entity with its keys, and the values that occur only in keys.
func (a *analysis) draftEntity(c cluster) (e *Entity, parts map[string]map[int]string) {
	e, parts = &Entity{Name: c.name, Table: a.table.ID}, map[string]map[int]string{}
	e.Notes = append(e.Notes, fmt.Sprintf("inferred from %s", english.Plural(len(c.items), "item", "")))
	for _, k := range a.table.KeyAttributes() {
		a.addKey(e, c, k, parts)
	}
	for _, k := range e.Keys {
		if c.composed == nil && slices.ContainsFunc(e.Keys, func(other Key) bool { return hasPlaceholder(other.Template, k.Attribute) }) {
			c.composed = models.MapSlice(e.Keys, func(k Key) string { return k.Attribute })
			return a.draftEntity(c)
		}
	}
	if c.kind != "" {
		e.Equals = Map{{Key: c.discriminator, Value: c.kind}}
	}
	return e, parts
}

func hasPlaceholder(template, name string) bool {
	return strings.Contains(template, "{"+name+"}") || strings.Contains(template, "{"+name+":")
}

// addKey adds to parts the values that occur only in the key, and uses the values from earlier keys.
func (a *analysis) addKey(e *Entity, c cluster, k models.Key, parts map[string]map[int]string) {
	var rows []row
	for i, it := range c.items {
		if text, ok := it.Text(k.Name); ok && models.ValueType(it[k.Name]) == cmp.Or(k.Type, models.TypeS) {
			rows = append(rows, row{text, it, i})
		}
	}
	texts := models.MapSlice(rows, func(r row) string { return r.key })
	if len(rows) == 0 || k.Type == models.TypeB {
		return
	}
	discriminator := c.discriminator
	if c.kind == "" {
		discriminator = "" // The entity's items have several discriminator values.
	}
	l := keyMatcher{
		table: a.table, attribute: k.Name, discriminator: discriminator, hint: c.hints[k.Name], parts: parts, composed: c.composed,
		sparse: len(rows) < len(c.items) && len(rows) > 2, labels: a.labels[k.Name],
	}
	t, copied := l.derivedLayout(rows)
	isPlain := !copied && (k.Type == models.TypeN || !isGeneric(k.Name) && formatOf(texts) != "")
	if !copied && !isPlain {
		t = l.optionalLayout(rows, l.findLayout(rows))
	}
	if isPlain || !copied && !t.isWorthwhile(k.Name, a.heads[k.Name]) {
		return // a plain attribute
	}
	key := Key{Attribute: k.Name, Template: t.text(), Note: t.note}
	if len(rows) < len(c.items) {
		note := fmt.Sprintf("in %d of %d items", len(rows), len(c.items))
		var unexplained int
		if key.When, unexplained = condition(c, k.Name, key.Template, e.Keys); len(key.When) > 0 {
			note = CheckNote("%s, exactly those that meet this condition", note)
		} else if unexplained > 0 {
			note = CheckNote("%s; drift reports the %d others, which no condition explains; add when:", note, unexplained)
		}
		key.Note = JoinNotes(key.Note, note)
	}
	e.Keys = append(e.Keys, key)
	for _, part := range t.keyOnly() {
		if parts[part.name] == nil {
			parts[part.name] = map[int]string{}
		}
		for i, r := range rows {
			parts[part.name][r.index] = part.values[i]
		}
		if e.Attribute(part.name) == nil {
			e.Attributes = append(e.Attributes, &Attribute{Attribute: models.Attribute{
				Name: part.name, Type: models.TypeS, Format: part.attributeFormat(),
				Required: k == a.table.PartitionKey || k == a.table.SortKey,
				KeyOnly:  true, Sensitive: Sensitivity(part.name, part.values),
			}, Note: "only in the key"})
		}
	}
}

// These constants are the minimum numbers of items that must have, and that must lack, an index key to prove a
// condition by values or by presence.
const conditionItems, presenceItems = 3, 8

// condition returns a condition that exactly separates the items with an index key. A wrong condition would remove
// items from an index, so condition proves it in both directions and marks it CHECK. A template needs no condition if
// the other items lack its attributes. Without a condition, unexplained is the number of items that lack the key.
func condition(c cluster, key, template string, others []Key) (m Map, unexplained int) {
	t, err := models.ParseTemplate(template, nil)
	if err != nil {
		return nil, 0
	}
	needed := slices.DeleteFunc(t.Placeholders(), func(name string) bool {
		return slices.Contains(t.Optional(), name) || !slices.ContainsFunc(c.items,
			func(it models.Item) bool { _, ok := it.Text(name); return ok })
	})
	var present, absent []models.Item
	for _, it := range c.items {
		if it[key] != nil {
			present = append(present, it)
		} else if !slices.ContainsFunc(needed, func(name string) bool { _, ok := it.Text(name); return !ok }) {
			absent = append(absent, it)
		}
	}
	if len(present) < conditionItems || len(absent) < conditionItems {
		return nil, 0
	}
	for _, k := range others {
		if t, err := models.ParseTemplate(k.Template, nil); err == nil {
			if m := presence(t.Placeholders(), present, absent); len(m) == 1 && m[0].Key == "has" {
				return m, 0 // The other key of the index contains the attribute.
			}
		}
	}
	candidates := slices.DeleteFunc(names(c.items), func(name string) bool { return name == key || isGeneric(name) })
	for _, name := range candidates {
		texts := map[string]bool{}
		for _, it := range present {
			text, _ := it.Text(name)
			texts[text] = true
		}
		values := slices.Sorted(maps.Keys(texts))
		if stateWords().MatchString(name) && len(present) >= enumTimes*len(values) && !slices.ContainsFunc(values, func(v string) bool {
			return !plainWord().MatchString(v) || Sensitivity(name, []string{v}) != models.NotSensitive
		}) && !slices.ContainsFunc(absent, func(it models.Item) bool { text, _ := it.Text(name); return texts[text] }) {
			return Map{{Key: name, Value: values}}, 0
		}
	}
	if m = presence(candidates, present, absent); m == nil {
		unexplained = len(absent)
	}
	return m, unexplained
}

// presence returns an attribute that only items with the key have, one that only they lack, or both; the first by name.
func presence(candidates []string, with, without []models.Item) Map {
	if len(with) < presenceItems || len(without) < presenceItems {
		return nil
	}
	hasNames, lacksNames := []string{""}, []string{""} // Shorter conditions come first.
	for _, name := range candidates {
		if !slices.ContainsFunc(with, func(it models.Item) bool { return it[name] == nil }) {
			hasNames = append(hasNames, name)
		} else if !slices.ContainsFunc(with, func(it models.Item) bool { return it[name] != nil }) {
			lacksNames = append(lacksNames, name)
		}
	}
	for _, x := range hasNames {
		for _, y := range lacksNames {
			if slices.ContainsFunc(without, func(it models.Item) bool { return (x == "" || it[x] != nil) && it[y] == nil }) {
				continue
			}
			m := Map{{Key: "has", Value: []string{x}}, {Key: "lacks", Value: []string{y}}}
			return slices.DeleteFunc(m, func(f Field) bool { return f.Value.([]string)[0] == "" })
		}
	}
	return nil
}

func names(items []models.Item) []string {
	seen := map[string]bool{}
	var list []string
	for _, it := range items {
		for name := range it {
			if !seen[name] {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return list
}

// InferPatterns adds the patterns that a table's keys allow: a get for each entity, and a query for each partition of
// the table and its indexes that contains several items. Call it once, after you have added all entities of the table.
// A second call adds everything again under other IDs.
func InferPatterns(p *Profile, t *Table) {
	w := &patternWriter{profile: p, table: t}
	for _, e := range w.entities() {
		w.addGet(e)
	}
	if t.SortKey.Name != "" {
		w.addQueries(nil)
	}
	for _, x := range t.Indexes {
		w.addQueries(x)
	}
}

// A patternWriter adds the patterns of one table.
type patternWriter struct {
	profile *Profile
	table   *Table
}

func (w *patternWriter) entities() []*Entity {
	return slices.DeleteFunc(slices.Clone(w.profile.Entities), func(e *Entity) bool { return e.Table != w.table.ID })
}

func (w *patternWriter) add(q *Pattern) {
	q.ID = uniqueName(q.ID, func(id string) bool {
		return slices.ContainsFunc(w.profile.Patterns, func(other *Pattern) bool { return other.ID == id })
	})
	if w.profile.Table(w.table.ID) != w.profile.Tables[0] || len(w.entities()) == 0 {
		q.Table = w.table.ID
	}
	w.profile.Patterns = append(w.profile.Patterns, q)
}

func (w *patternWriter) addGet(e *Entity) {
	q := &Pattern{ID: "get-" + Kebab(e.Name), Title: titleOf(e.Name), Operation: "get", Returns: []string{e.Name}}
	if w.table.SortKey.Name == "" || e.Template(w.table.SortKey.Name) != "" {
		w.addCondition(q, e, w.table.PartitionKey, "")
		w.addCondition(q, e, w.table.SortKey, "")
		w.add(q)
	}
}

func (w *patternWriter) addCondition(q *Pattern, e *Entity, k models.Key, prefix string) {
	t := e.Template(k.Name)
	switch {
	case k.Name == "" || t == "":
	case prefix != "":
		q.Key = append(q.Key, Field{Key: k.Name, Value: Map{{Key: "begins_with", Value: prefix}}})
	default:
		if t == "{"+k.Name+"}" && !placeholderText().MatchString(k.Name) {
			name := Camel(k.Name)
			q.Define(name, e.Name+"."+k.Name)
			t = "{" + name + "}"
		}
		q.Key = append(q.Key, Field{Key: k.Name, Value: t})
	}
}

// addQueries adds one query for each form of partition key, and one for each entity with its own sort key literal.
func (w *patternWriter) addQueries(x *models.Index) {
	pk, sk := w.table.KeysOf(x)
	byTemplate := map[string][]*Entity{}
	var order []string
	isMissing := func(e *Entity) func(models.Key) bool {
		return func(k models.Key) bool { return e.Template(k.Name) == "" }
	}
	for _, e := range w.entities() {
		t := strings.Join(models.MapSlice(pk, func(k models.Key) string { return e.partition(k.Name) }), "\x00")
		if !slices.ContainsFunc(slices.Concat(pk, sk), isMissing(e)) {
			if byTemplate[t] == nil {
				order = append(order, t)
			}
			byTemplate[t] = append(byTemplate[t], e)
		}
	}
	for _, t := range order {
		list := byTemplate[t]
		if x != nil || !w.isSingleton(list) {
			w.add(w.query(list, x, pk))
		}
		w.addPrefixQueries(list, x, pk, sk)
	}
}

// query returns the query of a partition that contains the entities.
func (w *patternWriter) query(list []*Entity, x *models.Index, pk []models.Key) *Pattern {
	name := plural(list[0].Name)
	q := &Pattern{Operation: "query", ID: "list-" + Kebab(name), Title: titleOf(name)}
	q.Returns = models.MapSlice(list, func(e *Entity) string { return e.Name })
	if len(list) > 1 {
		q.ID, q.Title = "list-"+Kebab(list[0].Name), "Item collection of "+english.WordSeries(q.Returns, "and")
	}
	if x != nil {
		q.ID, q.Title, q.Index = q.ID+"-"+Kebab(x.Name), q.Title+" through "+x.Name, x.Name
	}
	if len(list) > 1 {
		q.ID += "-partition"
	}
	for _, k := range pk {
		w.addCondition(q, list[0], k, "")
	}
	setFanOut(q)
	return q
}

// partition replaces references by their attributes, so that ORG#{owner} and ORG#{orgId} are the same partition.
func (e *Entity) partition(key string) string {
	t := e.Template(key)
	for _, a := range e.Attributes {
		if _, attribute, ok := strings.Cut(a.Refers, "."); ok {
			t = strings.ReplaceAll(t, "{"+a.Name+"}", "{"+attribute+"}")
		}
	}
	return t
}

func setFanOut(q *Pattern) {
	wholeNames, shards := map[string]bool{}, []string{}
	for _, f := range q.Key {
		text, _ := f.Value.(string)
		t, err := models.ParseTemplate(text, nil)
		if err != nil {
			continue
		}
		for _, s := range t.Segments() {
			switch n := len(s.Format.Shards()); {
			case n == 0:
				wholeNames[s.Name] = true
			case n <= maxFannedOut && !slices.Contains(shards, s.Name):
				shards = append(shards, s.Name)
			}
		}
	}
	shards = slices.DeleteFunc(shards, func(name string) bool { return wholeNames[name] })
	if len(shards) != 1 {
		return
	}
	q.FanOut = Map{{Key: "placeholder", Value: shards[0]}, {Key: "values", Value: "shards"}}
	q.Parameters = append(q.Parameters, Field{Key: shards[0], Value: Map{{Key: "required", Value: false}}})
}

// maxFannedOut is the maximum number of partitions that a fan-out of a schema may read.
const maxFannedOut = 400

func (w *patternWriter) isSingleton(list []*Entity) bool {
	return len(list) == 1 && !strings.Contains(list[0].Template(w.table.SortKey.Name), "{")
}

func (w *patternWriter) addPrefixQueries(list []*Entity, x *models.Index, pk, sk []models.Key) {
	if len(sk) == 0 || len(list) == 1 {
		return
	}
	for _, e := range list {
		if literal, _, ok := strings.Cut(e.Template(sk[0].Name), "{"); ok && literal != "" {
			q := w.query([]*Entity{e}, x, pk)
			w.addCondition(q, e, sk[0], literal)
			w.add(q)
		}
	}
}

func titleOf(name string) string {
	return title(strings.Join(words(name), " "))
}
