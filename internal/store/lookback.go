package store

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// StreamRetention is how long a stream keeps records. Source: Amazon DynamoDB Developer Guide,
// "Change data capture for DynamoDB Streams".
const StreamRetention = 24 * time.Hour

// A Lookback reads what the stream of a table has of the past, the newest shards first, so that what is left out when the
// caller stops is the oldest part. It is not safe for concurrent use, and needs no closing.
type Lookback interface {
	// Next sends one GetRecords, and returns its records, which can be none. Those of one shard are in the order of their
	// changes. After an error the call can be repeated.
	Next(ctx context.Context) ([]Record, error)
	// More reports whether there may be more records.
	More() bool
	// Complete returns the time from which every change until now was returned; it is after now if there is no such time yet.
	Complete(now time.Time) time.Time
	// View is what the stream has of each change.
	View() models.StreamView
}

// lookback implements Lookback.
type lookback struct {
	*follower
	created time.Time // of the stream; zero before it was described
	past    []*passed // the newest first
}

// A passed shard is read from its first record to its last.
type passed struct {
	followed
	children []*passed
	first    time.Time // of its first record, zero if none was read
	quiet    int       // responses without records since the last record
	done     bool
}

// quietEnd is how many responses without records in succession are the end of an open shard. DynamoDB does not tell where a
// shard ends that is still written to, and returns empty responses before it.
const quietEnd = 3

// Lookback implements Reader.
func (r *reader) Lookback(ctx context.Context, table string) (Lookback, error) {
	f, err := r.follow(ctx, table)
	if err != nil {
		return nil, err
	}
	return &lookback{follower: f}, nil
}

// Next implements Lookback.
func (b *lookback) Next(ctx context.Context) ([]Record, error) {
	if b.begun.IsZero() {
		if err := b.find(ctx); err != nil {
			return nil, err
		}
		b.begun = b.conn.now()
	}
	i := slices.IndexFunc(b.past, func(sh *passed) bool { return !sh.done })
	if i < 0 {
		return nil, nil
	}
	sh := b.past[i]
	records, ended, err := b.read(ctx, &sh.followed)
	if len(records) > 0 {
		sh.quiet = 0
		if sh.first.IsZero() {
			sh.first = records[0].At
		}
	} else if err == nil {
		sh.quiet++
	}
	sh.done = err == nil && (ended || sh.quiet == quietEnd)
	return records, err
}

func (b *lookback) find(ctx context.Context) error {
	all, created, err := b.describe(ctx)
	if err != nil {
		return err
	}
	b.created = created
	byID := map[string]*passed{}
	for _, sh := range all {
		id := aws.ToString(sh.ShardId)
		byID[id] = &passed{followed: followed{id: id, from: streams.ShardIteratorTypeTrimHorizon}}
	}
	for _, sh := range all {
		if parent := byID[aws.ToString(sh.ParentShardId)]; parent != nil {
			parent.children = append(parent.children, byID[aws.ToString(sh.ShardId)])
		}
	}
	var add func(sh *passed)
	added := map[*passed]bool{}
	add = func(sh *passed) {
		if added[sh] {
			return
		}
		added[sh] = true
		for _, child := range sh.children {
			add(child)
		}
		b.past = append(b.past, sh)
	}
	for _, sh := range slices.Backward(all) {
		add(byID[aws.ToString(sh.ShardId)])
	}
	return nil
}

// More implements Lookback.
func (b *lookback) More() bool {
	return b.begun.IsZero() || slices.ContainsFunc(b.past, func(sh *passed) bool { return !sh.done })
}

// Complete implements Lookback. A record of a shard that was not read is older than the first one of its children. Records
// have whole seconds, so that those of the same second may be missing.
func (b *lookback) Complete(now time.Time) time.Time {
	if b.begun.IsZero() || b.created.IsZero() {
		return now.Add(StreamRetention)
	}
	complete := later(b.created, now.Add(-StreamRetention)).Add(time.Second - 1).Truncate(time.Second)
	for _, sh := range b.past {
		if !sh.done {
			complete = later(complete, sh.before(now.Add(StreamRetention)).Truncate(time.Second).Add(time.Second))
		}
	}
	return complete
}

func (sh *passed) before(at time.Time) time.Time {
	for _, child := range sh.children {
		begins := child.first
		if begins.IsZero() {
			begins = child.before(at)
		}
		if begins.Before(at) {
			at = begins
		}
	}
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
