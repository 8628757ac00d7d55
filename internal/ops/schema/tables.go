package schema

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/interchange"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// DefaultSample is the default number of items, approximately, to read from each table.
const DefaultSample = 1024

// DraftOptions determines the data to read. With the zero value, FromTables describes the tables and reads no items.
type DraftOptions struct {
	Name string // name of the schema; "" uses that of the first table
	// Sample is the approximate number of items to read from each table; 0 reads none. It does not limit the size of
	// the items, so the cost in RCU depends on them.
	Sample int
	// Examples allows the schema's text to contain attribute values that are not sensitive.
	Examples bool
	Note     func(format string, args ...any) // receives progress notes; may be nil
}

// FromTables drafts a schema of tables. names must not be empty. Errors are *store.Error, except the one for two
// tables with the same ID. If a table's TTL cannot be described for lack of permission, the draft contains a note.
func FromTables(ctx context.Context, r store.Reader, names []string, o DraftOptions) (*draft.Draft, error) {
	names = slices.Compact(slices.Clone(names))
	o.Name = cmp.Or(o.Name, draft.Kebab(names[0]))
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	d := drafter{&draft.Draft{Profile: &draft.Profile{Name: o.Name}, Items: map[string][]models.Item{}}}
	d.Profile.Notes = draft.Notes(o.Name, len(names))
	for _, name := range names {
		if err := d.table(ctx, r, name, o); err != nil {
			return nil, err
		}
	}
	return d.Draft, nil
}

// A drafter drafts a schema.
type drafter struct{ *draft.Draft }

func (d drafter) table(ctx context.Context, r store.Reader, name string, o DraftOptions) error {
	t, err := describe(ctx, r, name)
	if err != nil {
		return err
	}
	p := d.Profile
	if p.Table(t.ID) != nil {
		return fmt.Errorf("two tables have the ID %s", t.ID)
	}
	stored := &draft.Profile{}
	var items []models.Item
	if o.Sample > 0 {
		var capacity float64
		if items, capacity, err = tables.Sample(ctx, r, &t.Table, o.Sample); err != nil {
			return err
		}
		o.Note("table %s: read %s for %g RCU", name, english.Plural(len(items), "item", ""), reading.Round(capacity))
		if stored, err = storedSchema(ctx, r, t, o); err != nil {
			return err
		}
	}
	d.Items[t.ID] = items
	for _, e := range stored.Entities {
		completeEntity(t, e, slices.DeleteFunc(slices.Clone(items), func(it models.Item) bool { return !e.Has(it) }))
	}
	others := slices.DeleteFunc(slices.Clone(items), func(it models.Item) bool {
		return slices.ContainsFunc(stored.Entities, func(e *draft.Entity) bool { return e.Has(it) })
	})
	if len(others) > 0 || len(stored.Entities) == 0 {
		draft.Infer(p, draft.Sample{Table: t, Items: others}, draft.InferOptions{Examples: o.Examples, Empty: o.Sample > 0})
	} else {
		p.Tables = append(p.Tables, t)
	}
	p.Entities = append(stored.Entities, p.Entities...)
	draft.InferPatterns(p, t)
	return nil
}

func storedSchema(ctx context.Context, r store.Reader, t *draft.Table, o DraftOptions) (*draft.Profile, error) {
	key := models.Item{t.PartitionKey.Name: &types.AttributeValueMemberS{Value: "_schema"}}
	if t.SortKey.Name != "" {
		key[t.SortKey.Name] = &types.AttributeValueMemberS{Value: "_schema:Current"}
	}
	empty := &draft.Profile{}
	if t.PartitionKey.Type != models.TypeS || t.SortKey.Name != "" && t.SortKey.Type != models.TypeS {
		return empty, nil
	}
	page, err := r.Fetch(ctx, accesspatterns.GetLeg(&t.Table, key), nil, 0)
	if err != nil || len(page.Items) == 0 {
		return empty, err
	}
	file := interchange.File{Name: t.Name, Text: page.Items[0].AppendJSON(nil)}
	in, err := interchange.Find("onetable").Read([]interchange.File{file}, interchange.Options{Table: t.Name})
	if err != nil {
		o.Note("table %s: the item _schema:Current is not a OneTable schema: %v", t.Name, err)
		return empty, nil
	}
	o.Note("table %s: %s of the OneTable schema in the table", t.Name, english.Plural(len(in.Profile.Entities), "entity", "entities"))
	for _, e := range in.Profile.Entities {
		e.Table = t.ID
		e.Notes = append(e.Notes, "from the OneTable schema in the table")
	}
	return in.Profile, nil
}

// completeEntity prefers the items' types to the schema's, because OneTable can store the defaults of its parameters.
func completeEntity(t *draft.Table, e *draft.Entity, items []models.Item) {
	if len(items) == 0 {
		return
	}
	sample := &draft.Profile{}
	draft.Infer(sample, draft.Sample{Table: t, Groups: []draft.Group{{Name: e.Name, Items: items}}}, draft.InferOptions{})
	for _, inferred := range sample.Entities {
		for _, a := range inferred.Attributes {
			switch existing := e.Attribute(a.Name); {
			case a.KeyOnly || slices.ContainsFunc(e.Keys, func(k draft.Key) bool { return k.Attribute == a.Name }):
			case existing == nil:
				e.Attributes = append(e.Attributes, a)
			case existing.Type != a.Type:
				existing.Note = draft.JoinNotes(existing.Note, draft.CheckNote("the stored schema has type %s", existing.Type))
				existing.Type, existing.Format = a.Type, a.Format
			}
		}
	}
}

// otherTables returns advice for a table that does not exist, and that no schema can create. The store's advice after
// "or" applies to any table.
func otherTables(ctx context.Context, r store.Reader, name, advice string) string {
	const maxNames = 8
	names, err := r.Tables(ctx)
	nearest, ok := models.Nearest(name, names)
	switch {
	case err != nil:
		return "list the tables with ddbdesk table list"
	case ok:
		return fmt.Sprintf("did you mean %q?", nearest)
	case len(names) == 0:
		_, advice, _ = strings.Cut(advice, ", or ")
		return "it has no tables; " + cmp.Or(advice,
			"to use another database, add --context, --profile, --region, --endpoint-url or --embedded=DIR")
	}
	return "tables: " + strings.Join(models.Limited(slices.Sorted(slices.Values(names)), maxNames), ", ")
}

func describe(ctx context.Context, r store.Reader, name string) (*draft.Table, error) {
	info, err := r.DescribeTable(ctx, name)
	if missing, ok := errors.AsType[*store.Error](err); ok && missing.Class == store.TableMissing {
		withAdvice := *missing
		withAdvice.Advice = otherTables(ctx, r, name, missing.Advice)
		return nil, &withAdvice
	}
	if err != nil {
		return nil, err
	}
	t := &draft.Table{Table: models.Table{
		ID: draft.Kebab(name), Name: name, PartitionKey: info.PartitionKey, SortKey: info.SortKey,
		Billing: map[bool]string{true: "on-demand", false: "provisioned"}[info.Billing == "PAY_PER_REQUEST"],
	}}
	if v := models.StreamView(info.Stream); slices.Contains(models.StreamViews(), v) {
		t.Stream = v
	}
	for _, x := range info.Indexes {
		t.Indexes = append(t.Indexes, &x.Index)
	}
	ttl, enabled, err := r.DescribeTTL(ctx, name)
	switch {
	case store.ClassOf(err) == store.AccessDenied:
		t.Notes = append(t.Notes, draft.CheckNote("no permission to read the TTL attribute; add ttl: if the table has one"))
	case err != nil:
		return nil, err
	case enabled:
		t.TTL = ttl
	}
	return t, nil
}

// Schemaless returns a schema derived from a table's description: its keys and indexes, one entity with plain keys, and
// the patterns get, query, query-INDEX and scan. It masks attributes by their names, and wherever a known schema masks them
// in this table, whatever the values of the schema's variables. Its name is the name of the table, and it has no file.
// key is the key of a table that the session may not describe, or nil. Errors are *store.Error, or those of a schema
// that fails to load.
func Schemaless(
	ctx context.Context, r store.Reader, table string, known []*profiles.Profile, key []models.Key,
) (*profiles.Profile, error) {
	t, err := describe(ctx, r, table)
	keyEntered := store.ClassOf(err) == store.AccessDenied && len(key) > 0
	if keyEntered {
		t, err = &draft.Table{Table: models.Table{Name: table, PartitionKey: key[0]}}, nil
		if len(key) > 1 {
			t.SortKey = key[1]
		}
	}
	if err != nil {
		return nil, err
	}
	t.ID, t.Notes = "table", nil
	guess := sensitivityGuesser(table, known)
	e := &draft.Entity{Name: "Item", Table: t.ID}
	previous := map[string]bool{}
	types := t.KeyAttributes()
	if t.TTL != "" {
		types = append(types, models.Key{Name: t.TTL, Type: models.TypeN})
	}
	for _, k := range types {
		if previous[k.Name] {
			continue
		}
		previous[k.Name] = true
		a := &draft.Attribute{}
		a.Name, a.Type, a.Documented, a.Required = k.Name, k.Type, true, k == t.PartitionKey || k == t.SortKey
		a.Sensitive = guess(k.Name)
		if k.Name == t.TTL {
			a.Format = models.EpochSeconds
		}
		e.Attributes = append(e.Attributes, a)
	}
	d := &draft.Profile{Name: "table", Title: table, Tables: []*draft.Table{t}, Entities: []*draft.Entity{e}}
	d.Patterns = []*draft.Pattern{{ID: "scan", Title: "All items", Operation: "scan", Returns: []string{e.Name}, Documented: true}}
	p, err := profiles.Load("", d.Text(), nil)
	if err != nil {
		return nil, err
	}
	p.KeyEntered = keyEntered
	p.Name = table // Table and index names may contain characters that schema names may not.
	entity := p.Entities[0]
	entity.ByName = guess
	scan := p.Patterns[0]
	scan.Profile = table
	list := []*accesspatterns.Pattern{
		schemalessQuery(scan, entity, nil, accesspatterns.Get),
		schemalessQuery(scan, entity, nil, accesspatterns.Query),
	}
	for _, x := range entity.Table.Indexes {
		list = append(list, schemalessQuery(scan, entity, x, accesspatterns.Query))
	}
	p.Patterns = append(list, scan)
	return p, nil
}

func sensitivityGuesser(table string, schemas []*profiles.Profile) func(name string) models.Sensitivity {
	declared, covered := map[string]models.Sensitivity{}, false
	for _, p := range schemas {
		for _, e := range p.Entities {
			if !p.MayName(e.Table, table) {
				continue
			}
			covered = covered || e.Table.Name == table
			for _, k := range e.Table.KeyAttributes() {
				declared[k.Name] = e.Stricter(declared[k.Name], []string{k.Name})
			}
			addDeclared(declared, e.Attributes)
		}
	}
	return func(name string) models.Sensitivity {
		switch s, known := declared[name]; {
		case s != models.NotSensitive:
			return s
		case covered && !known:
			return models.PII // Not everybody may see attributes that a schema does not declare.
		}
		return draft.Sensitivity(name, nil)
	}
}

func addDeclared(declared map[string]models.Sensitivity, list []*models.Attribute) {
	for _, a := range list {
		if s := a.Strictest(); s == models.Secret || declared[a.Name] == models.NotSensitive {
			declared[a.Name] = s
		}
		addDeclared(declared, a.Attributes)
	}
}

// schemalessQuery accepts the partition key, then the sort key from the left, or a prefix of a text sort key.
func schemalessQuery(scan *accesspatterns.Pattern, e *models.Entity, x *models.Index, o accesspatterns.Operation) *accesspatterns.Pattern {
	q := *scan
	q.ID, q.Title = "query", "Items of a partition"
	partition, sort := q.Table.KeysOf(x)
	switch {
	case o == accesspatterns.Get:
		q.ID, q.Title, partition, sort = "get", "Item by its key", q.Table.PrimaryKeys(), nil
	case x != nil:
		q.ID, q.Title = "query-"+x.Name, "Items through "+x.Name
	}
	equalCondition := func(k models.Key, name string, required bool) accesspatterns.KeyCondition {
		a := e.Attribute(k.Name)
		p := &accesspatterns.Param{
			Name: name, Type: accesspatterns.String, Required: required, Sensitive: a.Sensitive,
			Attribute: a, Entity: e,
		}
		if k.Type == models.TypeN {
			p.Type = accesspatterns.Number
		}
		q.Params = append(q.Params, p)
		return accesspatterns.KeyCondition{Attribute: k, Compare: accesspatterns.Equal, Template: models.Placeholder(name, a)}
	}
	q.Read, q.Params, q.Variants = accesspatterns.Read{Operation: o, Index: x}, nil, nil
	for _, k := range partition {
		q.Read.Key = append(q.Read.Key, equalCondition(k, k.Name, true))
	}
	whole, label := q.Read, []string(nil)
	for _, k := range sort {
		whole.Key, label = append(slices.Clone(whole.Key), equalCondition(k, k.Name, false)), append(slices.Clone(label), k.Name)
		q.Variants = slices.Insert(q.Variants, 0, accesspatterns.Variant{When: label, Read: whole})
	}
	if len(sort) > 0 && sort[0].Type == models.TypeS {
		prefixCondition := equalCondition(sort[0], sort[0].Name+" begins with", false)
		prefixCondition.Compare = accesspatterns.BeginsWith
		q.Read.Key = append(q.Read.Key, prefixCondition)
	}
	return &q
}
