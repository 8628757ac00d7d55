// Package reading runs the read patterns of a schema: pages and page tokens, whole reads within a budget, estimates and
// counts, and single items. It returns unmasked items, which the caller must mask. It writes nothing.
package reading

import (
	"context"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Reader runs the patterns of a session's schema. It is safe for concurrent use.
type Reader struct {
	s      *session.Viewer
	tables *tables.Catalog

	mu     sync.Mutex
	pacers map[string]*store.Pacer // by real table name
}

// New returns a reader for a session. It sends no requests.
func New(s *session.Viewer, t *tables.Catalog) *Reader {
	return &Reader{s: s, tables: t, pacers: map[string]*store.Pacer{}}
}

// Pattern returns the pattern with an ID. The error wraps session.ErrInput and names the closest ID.
func (rd *Reader) Pattern(id string) (*accesspatterns.Pattern, error) {
	if p := rd.s.Profile().Pattern(id); p != nil {
		return p, nil
	}
	hint := models.DidYouMean(id, rd.s.Profile().PatternIDs())
	if hint == "" {
		hint = "; list them with ddbdesk pattern list " + session.SchemaName(rd.s.Profile())
	}
	return nil, session.InputErrorf("%s has no pattern %q%s", rd.s.Profile().Name, models.Printable(id), hint)
}

// Entity returns the entity with a name. The error wraps session.ErrInput and names the closest name.
func (rd *Reader) Entity(name string) (*models.Entity, error) {
	p := rd.s.Profile()
	if e := p.Entity(name); e != nil {
		return e, nil
	}
	names := models.MapSlice(p.Entities, func(e *models.Entity) string { return e.Name })
	hint := models.DidYouMean(name, names)
	if hint == "" {
		hint = "; entities: " + strings.Join(names, ", ")
	}
	return nil, session.InputErrorf("%s has no entity %q%s", p.Name, models.Printable(name), hint)
}

// Get reads an item by its key, strongly consistent. It returns nil if there is no item. The cost is 1 RCU per 4 KB,
// and at least 1 even without an item. If the session journals reads, the entry contains a digest of the key.
func (rd *Reader) Get(ctx context.Context, table *models.Table, key models.Item) (models.Item, error) {
	ctx, end := rd.s.BeginLookup(ctx, &session.Lookup{Subject: "item of " + table.Name, Arguments: table.KeyText(key)})
	page, err := rd.s.Store().Fetch(ctx, accesspatterns.GetLeg(table, key), nil, 0)
	err = end(err)
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return page.Items[0], nil
}

func (rd *Reader) beginLookup(ctx context.Context, r *accesspatterns.Request) (context.Context, func(error) error) {
	subject, narrowed := r.Pattern.FullID(), rd.CheckNarrowed(r, "") != nil
	if r.Pattern.ID == "" {
		subject = "scan of " + r.Pattern.Table.Name
	}
	return rd.s.BeginLookup(ctx, &session.Lookup{Subject: subject, Arguments: r.Given, Always: narrowed})
}

// Related returns the patterns that the item can fill, in the schema's order. It returns none if no entity matches the item.
// It sends no requests.
func (rd *Reader) Related(table *models.Table, it models.Item) []accesspatterns.Related {
	return rd.relations(table, it, accesspatterns.Relations)
}

// NearlyRelated returns the patterns for which the item fills some, but not all, required parameters.
func (rd *Reader) NearlyRelated(table *models.Table, it models.Item) []accesspatterns.Related {
	return rd.relations(table, it, accesspatterns.IncompleteRelations)
}

func (rd *Reader) relations(
	table *models.Table, it models.Item,
	find func([]*accesspatterns.Pattern, []*models.Entity, accesspatterns.View) []accesspatterns.Related,
) []accesspatterns.Related {
	r, ok := rd.s.Recognize(table, it)
	if !ok {
		return nil
	}
	return find(rd.s.Profile().Patterns, rd.s.Profile().Entities, accesspatterns.ItemView(r.Entity, it))
}
