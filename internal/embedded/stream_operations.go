package embedded

import (
	"context"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// streamOperations are the operations of DynamoDB Streams, which has an API of its own.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html
var streamOperations = map[string]operation{
	"ListStreams":      {reader[listStreamsInput](), false},
	"DescribeStream":   {reader[describeStreamInput](), false},
	"GetShardIterator": {reader[getShardIteratorInput](), false},
	"GetRecords":       {reader[getRecordsInput](), false},
}

// Limits of the operations.
const (
	maxStreamPage = 100 // streams, or shards
	minStreamARN  = 37
	maxStreamARN  = 1024
	minShardID    = 28
	maxShardID    = 65
)

func (c *checks) streamARN(arn, field string) {
	if arn == "" {
		c.present(false, field)
		return
	}
	c.length(arn, len(arn), field, minStreamARN, maxStreamARN)
}

func (c *checks) pageLimit(limit *int64) {
	if limit != nil {
		c.number(*limit, "limit", 1, maxStreamPage)
	}
}

func pageSize(limit *int64, most int) int {
	if limit == nil {
		return most
	}
	return int(*limit)
}

// listStreamsInput lists streams, of one table or of all, ordered by ARN. Streams that were disabled in the last 24 hours
// are among them.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_ListStreams.html
type listStreamsInput struct {
	TableName               *string
	Limit                   *int64
	ExclusiveStartStreamArn string
}

type listStreamsOutput struct {
	Streams                []streamSummary
	LastEvaluatedStreamArn string `json:",omitempty"`
}

type streamSummary struct{ StreamArn, TableName, StreamLabel string }

func (in *listStreamsInput) check(c *checks) {
	if in.TableName != nil {
		c.table(in.TableName, "tableName")
	}
	c.pageLimit(in.Limit)
	if in.ExclusiveStartStreamArn != "" {
		c.streamARN(in.ExclusiveStartStreamArn, "exclusiveStartStreamArn")
	}
}

func (in *listStreamsInput) run(_ context.Context, s *Store) (any, error) {
	start := in.ExclusiveStartStreamArn
	if start != "" && (!strings.HasPrefix(start, "arn:") || !strings.Contains(start, streamInfix)) {
		return nil, apierror.Invalid("Invalid StreamArn")
	}
	var found []*stream
	err := s.storage.view(func(t *tx) (err error) {
		found, err = t.streams()
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &listStreamsOutput{Streams: []streamSummary{}}
	for _, st := range found {
		if st.arn() <= start || in.TableName != nil && st.Table != tableName(*in.TableName) {
			continue
		}
		if len(out.Streams) == pageSize(in.Limit, maxStreamPage) {
			out.LastEvaluatedStreamArn = out.Streams[len(out.Streams)-1].StreamArn
			break
		}
		out.Streams = append(out.Streams, streamSummary{st.arn(), st.Table, st.Label})
	}
	return out, nil
}

// describeStreamInput describes a stream with a page of its shards.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_DescribeStream.html
type describeStreamInput struct {
	StreamArn             string
	Limit                 *int64
	ExclusiveStartShardId string //nolint:revive // the service's spelling
	ShardFilter           *struct {
		Type    string
		ShardId string //nolint:revive // the service's spelling
	}
}

type describeStreamOutput struct{ StreamDescription streamDescription }

type streamDescription struct {
	StreamArn               string
	StreamLabel             string
	StreamStatus            string
	StreamViewType          string
	CreationRequestDateTime float64
	TableName               string
	KeySchema               []keyElement
	Shards                  []shardDescription
	LastEvaluatedShardId    string `json:",omitempty"` //nolint:revive // the service's spelling
}

// shardDescription has no parent if the parent was trimmed, and no ending number while the shard is open.
type shardDescription struct {
	ShardId             string //nolint:revive // the service's spelling
	SequenceNumberRange sequenceRange
	ParentShardId       string `json:",omitempty"` //nolint:revive // the service's spelling
}

type sequenceRange struct {
	StartingSequenceNumber string
	EndingSequenceNumber   string `json:",omitempty"`
}

func (in *describeStreamInput) check(c *checks) {
	c.streamARN(in.StreamArn, "streamArn")
	c.pageLimit(in.Limit)
	if in.ExclusiveStartShardId != "" {
		c.length(in.ExclusiveStartShardId, len(in.ExclusiveStartShardId), "exclusiveStartShardId", minShardID, maxShardID)
	}
	if f := in.ShardFilter; f != nil {
		c.oneOf(f.Type, "shardFilter.type", "CHILD_SHARDS")
		if f.ShardId != "" {
			c.length(f.ShardId, len(f.ShardId), "shardFilter.shardId", minShardID, maxShardID)
		}
	}
}

func (in *describeStreamInput) run(_ context.Context, s *Store) (any, error) {
	var st *stream
	err := s.storage.view(func(t *tx) (err error) {
		st, err = t.stream(in.StreamArn)
		return err
	})
	if err != nil {
		return nil, err
	}
	d := streamDescription{
		StreamArn: st.arn(), StreamLabel: st.Label, StreamStatus: "DISABLED", StreamViewType: st.View,
		CreationRequestDateTime: timestamp(st.Created), TableName: st.Table, KeySchema: st.Keys, Shards: []shardDescription{},
	}
	if st.enabled() {
		d.StreamStatus = "ENABLED"
	}
	for i := in.first(st); i < len(st.Shards); i++ {
		if len(d.Shards) == pageSize(in.Limit, maxStreamPage) {
			d.LastEvaluatedShardId = d.Shards[len(d.Shards)-1].ShardId
			break
		}
		if one := st.describe(i); in.wants(one) {
			d.Shards = append(d.Shards, one)
		}
	}
	return &describeStreamOutput{d}, nil
}

func (in *describeStreamInput) first(st *stream) int {
	if in.ExclusiveStartShardId == "" {
		return 0
	}
	if at := st.shard(in.ExclusiveStartShardId); at >= 0 {
		return at + 1
	}
	return len(st.Shards)
}

func (in *describeStreamInput) wants(d shardDescription) bool {
	return in.ShardFilter == nil || in.ShardFilter.ShardId == "" || d.ParentShardId == in.ShardFilter.ShardId
}

func (st *stream) describe(i int) shardDescription {
	d := shardDescription{ShardId: st.Shards[i].ID}
	d.SequenceNumberRange.StartingSequenceNumber = sequenceNumber(st.Shards[i].First)
	if last, closed := st.end(i); closed {
		d.SequenceNumberRange.EndingSequenceNumber = sequenceNumber(last)
	}
	if i > 0 {
		d.ParentShardId = st.Shards[i-1].ID
	}
	return d
}
