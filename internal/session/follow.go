package session

import (
	"context"
	"fmt"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// Follow implements store.Reader.
func (d guardedReader) Follow(ctx context.Context, table string, since time.Time) (store.Follower, error) {
	if d.refused != nil {
		return nil, d.refused
	}
	f, err := d.Reader.Follow(ctx, table, since)
	if err != nil {
		return nil, d.noStream(table, err)
	}
	return &guardedStream{f, d, table}, nil
}

func (d guardedReader) noStream(table string, err error) error {
	return d.recordResult([]accesspatterns.Permission{{Action: "dynamodb:DescribeTable", Table: table}}, err)
}

// Lookback implements store.Reader.
func (d guardedReader) Lookback(ctx context.Context, table string) (store.Lookback, error) {
	if d.refused != nil {
		return nil, d.refused
	}
	b, err := d.Reader.Lookback(ctx, table)
	if err != nil {
		return nil, d.noStream(table, err)
	}
	return &guardedLookback{b, d, table}, nil
}

// A guardedStream is a stream that the session reads through the guardedReader.
type guardedStream struct {
	store.Follower
	d     guardedReader
	table string
}

// Next implements store.Follower.
func (f *guardedStream) Next(ctx context.Context) (records []store.Record, gap bool, err error) {
	records, err = f.d.records(ctx, f.table, func(ctx context.Context) (found []store.Record, err error) {
		found, gap, err = f.Follower.Next(ctx)
		return found, err
	})
	return records, gap, err
}

// A guardedLookback is the past of a stream that the session reads through the guardedReader.
type guardedLookback struct {
	store.Lookback
	d     guardedReader
	table string
}

// Next implements store.Lookback.
func (b *guardedLookback) Next(ctx context.Context) ([]store.Record, error) {
	return b.d.records(ctx, b.table, b.Lookback.Next)
}

// records returns no records if the journal could not record the read.
func (d guardedReader) records(
	ctx context.Context, table string, read func(context.Context) ([]store.Record, error),
) (records []store.Record, err error) {
	needed := []accesspatterns.Permission{{Action: "dynamodb:GetRecords", Table: table}}
	err = d.read(ctx, needed, func(ctx context.Context) (page accesspatterns.Page, err error) {
		if records, err = read(ctx); err != nil {
			return page, err
		}
		for i := range records {
			page.Items = append(page.Items, records[i].Item())
		}
		return page, nil
	})
	if isUnrecorded(err) {
		return nil, fmt.Errorf("stream of table %s: %w", table, err)
	}
	return records, err
}
