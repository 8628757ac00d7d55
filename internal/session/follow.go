package session

import (
	"context"
	"fmt"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// Follow implements store.Reader.
func (d door) Follow(ctx context.Context, table string, since time.Time) (store.Follower, error) {
	if d.refused != nil {
		return nil, d.refused
	}
	f, err := d.Reader.Follow(ctx, table, since)
	if err != nil {
		return nil, d.ended([]accesspatterns.Permission{{Action: "dynamodb:DescribeTable", Table: table}}, err)
	}
	return &followed{f, d, table}, nil
}

// followed is a stream that is read through the door.
type followed struct {
	store.Follower
	d     door
	table string
}

// Next implements store.Follower. What the journal does not record is not returned.
func (f *followed) Next(ctx context.Context) (records []store.Record, gap bool, err error) {
	needed := []accesspatterns.Permission{{Action: "dynamodb:GetRecords", Table: f.table}}
	err = f.d.read(ctx, needed, func(ctx context.Context) (items []models.Item, err error) {
		if records, gap, err = f.Follower.Next(ctx); err != nil {
			return nil, err
		}
		for i := range records {
			items = append(items, records[i].Item())
		}
		return items, nil
	})
	if lost(err) {
		return nil, false, fmt.Errorf("stream of table %s: %w", f.table, err)
	}
	return records, gap, err
}
