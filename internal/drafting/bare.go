package drafting

import (
	"context"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Bare returns the schema that the description of a table is: its keys and indexes, one entity with the keys as they are,
// and the patterns get, query, query-INDEX and scan. Attributes are masked by their names. Its name is that of the table,
// and it has no file. Errors are *store.Error, and those of a profile that cannot be loaded.
func Bare(ctx context.Context, r store.Reader, table string) (*profiles.Profile, error) {
	t, err := describe(ctx, r, table)
	if err != nil {
		return nil, err
	}
	t.ID, t.Notes = "table", nil
	e := &draft.Entity{Name: "Item", Table: t.ID}
	seen := map[string]bool{}
	types := t.KeyAttributes()
	if t.TTL != "" {
		types = append(types, models.Key{Name: t.TTL, Type: models.TypeN})
	}
	for _, k := range types {
		if seen[k.Name] {
			continue
		}
		seen[k.Name] = true
		a := &draft.Attribute{}
		a.Name, a.Type, a.Documented, a.Required = k.Name, k.Type, true, k == t.PartitionKey || k == t.SortKey
		a.Sensitive = draft.Sensitivity(k.Name, nil)
		if k.Name == t.TTL {
			a.Format = models.EpochSeconds
		}
		e.Attributes = append(e.Attributes, a)
	}
	d := &draft.Profile{Name: "table", Title: table, Tables: []*draft.Table{t}, Entities: []*draft.Entity{e}}
	d.Patterns = append(d.Patterns, bareQuery(t, nil, "get", "get"), bareQuery(t, nil, "query", "query"))
	for _, x := range t.Indexes {
		d.Patterns = append(d.Patterns, bareQuery(t, x, fmt.Sprintf("query-x%d", len(d.Patterns)), "query"))
	}
	d.Patterns = append(d.Patterns, &draft.Pattern{ID: "scan", Title: "All items", Operation: "scan", Returns: []string{e.Name}, Documented: true})
	p, err := profiles.Load("", d.Text(), nil)
	if err != nil {
		return nil, err
	}
	p.Name = table // Names of tables and indexes may have letters that those of a profile may not.
	for _, q := range p.Patterns {
		if x := q.Read.Index; x != nil {
			q.ID = "query-" + x.Name
		}
	}
	for _, e := range p.Entities {
		e.ByName = func(name string) models.Sensitivity { return draft.Sensitivity(name, nil) }
	}
	return p, nil
}

// bareQuery takes the whole partition key, and of a sort key that is a text what it begins with.
func bareQuery(t *draft.Table, x *models.Index, id, operation string) *draft.Pattern {
	q := &draft.Pattern{ID: id, Operation: operation, Returns: []string{"Item"}, Documented: true}
	partition, sort := t.KeysOf(x)
	switch {
	case operation == "get":
		q.Title = "Item by its key"
		partition, sort = t.PrimaryKeys(), nil
	case x == nil:
		q.Title = "Items of a partition"
	default:
		q.Index, q.Title = x.Name, "Items through "+x.Name
	}
	for _, k := range partition {
		q.Key = append(q.Key, draft.Field{Key: k.Name, Value: placeholder(q, k.Name)})
	}
	if len(sort) > 0 && sort[0].Type == models.TypeS {
		text := placeholder(q, sort[0].Name)
		q.Key = append(q.Key, draft.Field{Key: sort[0].Name, Value: draft.Map{{Key: "begins_with", Value: text}}})
		q.Parameters = append(q.Parameters, draft.Field{Key: text[1 : len(text)-1], Value: draft.Map{{Key: "required", Value: false}}})
	}
	return q
}

// placeholder returns the template of a key attribute as it is. A name that a template cannot contain gets a parameter of
// another name.
func placeholder(q *draft.Pattern, key string) string {
	name := key
	if _, err := models.ParseTemplate("{"+key+"}", nil); err != nil {
		name = draft.Camel(key)
		q.Define(name, "Item."+key)
	}
	return "{" + name + "}"
}
