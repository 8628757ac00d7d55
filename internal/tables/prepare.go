package tables

import (
	"context"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// Create creates the missing tables of the schema and returns their real names. It takes the connection because
// a session's store cannot write. After an error the tables before it exist.
func Create(ctx context.Context, p *profiles.Profile, c *store.Connection) ([]string, error) {
	live, err := c.Reader().Tables(ctx)
	if err != nil {
		return nil, session.NameSchema(session.SchemaName(p), err)
	}
	var created []string
	for _, t := range p.Tables {
		if slices.Contains(live, t.Name) {
			continue
		}
		if err := c.Admin().CreateTable(ctx, t); err != nil {
			return created, session.NameSchema(session.SchemaName(p), err)
		}
		created = append(created, t.Name)
	}
	return created, nil
}

// Seed writes the sample data of the schema and returns how many items it wrote. It replaces items with the same
// keys, so that writing the same data again changes nothing. After an error, n counts the tables before it.
func Seed(ctx context.Context, p *profiles.Profile, c *store.Connection, o sample.Options) (int, error) {
	samples, err := sample.Items(p, o)
	if err != nil {
		return 0, err
	}
	byTable := map[*models.Table][]models.Item{}
	for _, s := range samples {
		byTable[s.Table] = append(byTable[s.Table], s.Item)
	}
	n := 0
	for _, t := range p.Tables {
		items := byTable[t]
		if len(items) == 0 {
			continue
		}
		if err := c.Admin().PutItems(ctx, t.Name, items); err != nil {
			return n, session.NameSchema(session.SchemaName(p), err)
		}
		n += len(items)
	}
	return n, nil
}
