// Package snapshot reads exports of DynamoDB to S3 as a database: it checks them and loads their items into an empty embedded
// store. What is in the files, and which files are complete, is the business of itemfile.
package snapshot

import (
	"context"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/itemfile"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Load checks the exports in a folder, then creates the tables of a profile on a connection and writes the items. It writes nothing
// if an export is incomplete, damaged or of another table. Progress is called for each item with the number of items so far
// and in all; it may be nil. After an error the store is of no use.
func Load(ctx context.Context, conn *store.Connection, p *profiles.Profile, dir string, progress func(done, all int)) ([]*itemfile.Export, error) {
	list, err := itemfile.OpenExports(dir, p)
	if err != nil {
		return nil, err
	}
	all, done := 0, 0
	for _, x := range list {
		if err := x.Verify(ctx); err != nil {
			return nil, err
		}
		all += x.Items
	}
	if _, err := tables.Create(ctx, p, conn); err != nil {
		return nil, err
	}
	l := tables.NewLoader(p, conn)
	for _, x := range list {
		if err := x.Read(p, func(r itemfile.Record) error {
			if done++; progress != nil {
				progress(done, all)
			}
			return l.Add(ctx, r.Table, r.Item)
		}); err != nil {
			return nil, err
		}
	}
	if err := l.Flush(ctx); err != nil {
		return nil, err
	}
	if n := l.Done().Skipped; n > 0 {
		return nil, fmt.Errorf("%w: %d items of the export have the key of another one; copy the export again", itemfile.ErrDamaged, n)
	}
	return list, nil
}
