package session

import (
	"context"
	"fmt"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// Follow implements store.Reader.
func (r guardedReader) Follow(ctx context.Context, table string, since time.Time) (store.Follower, error) {
	if r.refusal != nil {
		return nil, r.refusal
	}
	f, err := r.Reader.Follow(ctx, table, since)
	if err != nil {
		return nil, r.recordResult(TablePermission("DescribeTable", table), err)
	}
	return &guardedStream{Follower: f, guardedRecords: guardedRecords{d: r, table: table}}, nil
}

// Lookback implements store.Reader.
func (r guardedReader) Lookback(ctx context.Context, table string) (store.Lookback, error) {
	if r.refusal != nil {
		return nil, r.refusal
	}
	b, err := r.Reader.Lookback(ctx, table)
	if err != nil {
		return nil, r.recordResult(TablePermission("DescribeTable", table), err)
	}
	return &guardedLookback{b, guardedRecords{d: r, table: table}}, nil
}

// A guardedStream is a stream that the session reads through the guardedReader.
type guardedStream struct {
	store.Follower
	guardedRecords

	gap bool // reported with the held records
}

// Next implements store.Follower.
func (s *guardedStream) Next(ctx context.Context) (records []store.Record, gap bool, err error) {
	records, err = s.next(ctx, func(ctx context.Context) ([]store.Record, error) {
		found, gap, err := s.Follower.Next(ctx)
		s.gap = s.gap || gap
		return found, err
	})
	if err == nil {
		gap, s.gap = s.gap, false
	}
	return records, gap, err
}

// A guardedLookback is the past of a stream that the session reads through the guardedReader.
type guardedLookback struct {
	store.Lookback
	guardedRecords
}

// Next implements store.Lookback.
func (b *guardedLookback) Next(ctx context.Context) ([]store.Record, error) {
	return b.next(ctx, b.Lookback.Next)
}

// guardedRecords holds the records of a read that the journal could not record. They come with the next read, because a
// stream does not return records again.
type guardedRecords struct {
	d     guardedReader
	table string
	held  []store.Record
}

func (g *guardedRecords) next(
	ctx context.Context, read func(context.Context) ([]store.Record, error),
) (records []store.Record, err error) {
	err = g.d.read(ctx, TablePermission("GetRecords", g.table), func(ctx context.Context) (page accesspatterns.Page, err error) {
		found, err := read(ctx)
		if g.held = append(g.held, found...); err != nil {
			return page, err
		}
		for i := range g.held {
			page.Items = append(page.Items, g.held[i].Item())
		}
		return page, nil
	})
	switch {
	case isUnrecorded(err):
		return nil, fmt.Errorf("stream of table %s: %w", g.table, err)
	case err == nil:
		records, g.held = g.held, nil
	}
	return records, err
}
