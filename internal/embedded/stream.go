package embedded

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

const (
	// streamRetention is the time for which clients can read records, and streams after their end.
	// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
	streamRetention = 24 * time.Hour
	// shardLifetime is the age at which the open shard of a stream gets a successor. DynamoDB does not document it;
	// users observe four hours.
	shardLifetime = 4 * time.Hour

	streamInfix = "/stream/" // separates the table name and the label in an ARN
	// labelFormat is the format of a label, which is the creation time.
	labelFormat = "2006-01-02T15:04:05.000"
)

// streamSpec is the stream setting of a table.
type streamSpec struct {
	StreamEnabled  bool
	StreamViewType string `json:",omitempty"`
}

func (sp *streamSpec) normalize() (*streamSpec, error) {
	if sp == nil {
		return nil, nil
	}
	var c checks
	c.oneOf(sp.StreamViewType, "streamSpecification.streamViewType", viewNew, viewOld, viewBoth, viewKeys)
	if err := c.err(); err != nil {
		return nil, err
	}
	switch {
	case !sp.StreamEnabled && sp.StreamViewType != "":
		return nil, apierror.InvalidParameter("Table is being created with a stream disabled, UpdateViewType should not be specified")
	case !sp.StreamEnabled:
		return nil, nil
	case sp.StreamViewType == "":
		return nil, apierror.InvalidParameter("Table is being created with a stream enabled, UpdateViewType should be specified")
	}
	return sp, nil
}

// stream is the stored definition of a stream. The store keeps it for streamRetention after a client disables the
// stream or deletes its table.
type stream struct {
	Table   string
	TableID string
	Label   string
	View    string
	Keys    []keyElement
	Created time.Time
	Ended   time.Time `json:",omitzero"`  // time at which a client disabled the stream
	Last    uint64    `json:",omitempty"` // last sequence number of a disabled stream
	Shards  []shard   // shards in record order; only the last one can be open
}

// shard is a range of a stream's records. It ends before the next shard.
type shard struct {
	ID    string
	First uint64 // lower bound, which is not the number of a record
	Began time.Time
}

func (st *stream) name() string { return st.Table + streamInfix + st.Label }

func (st *stream) arn() string { return arnPrefix + st.name() }

func (st *stream) recordBucketName() []byte { return streamBucketName(st.TableID, st.Label) }

func streamBucketName(tableID, label string) []byte { return []byte(tableID + streamInfix + label) }

func (st *stream) isEnabled() bool { return st.Ended.IsZero() }

func (st *stream) shard(id string) int {
	for i := range st.Shards {
		if st.Shards[i].ID == id {
			return i
		}
	}
	return -1
}

func (st *stream) end(shard int) (last uint64, ok bool) {
	if shard+1 < len(st.Shards) {
		return st.Shards[shard+1].First - 1, true
	}
	return st.Last, !st.isEnabled()
}

func (st *stream) isLost(from, oldest uint64) bool {
	for n := from; n < oldest; n++ {
		if !st.isShardStart(n) {
			return true
		}
	}
	return false
}

func (st *stream) isShardStart(n uint64) bool {
	for i := range st.Shards {
		if st.Shards[i].First == n {
			return true
		}
	}
	return false
}

func (t *tx) stream(arn string) (*stream, error) {
	if !strings.HasPrefix(arn, "arn:") || !strings.Contains(arn, streamInfix) {
		return nil, apierror.Invalid("Invalid StreamArn")
	}
	definitions, err := t.system(bucketStreams)
	if err != nil {
		return nil, err
	}
	name, isOurs := strings.CutPrefix(arn, arnPrefix)
	if isOurs {
		definition, err := definitions.get([]byte(name))
		if err != nil {
			return nil, err
		}
		if definition != nil {
			return decodeStream(name, definition)
		}
	}
	return nil, apierror.Refused("ResourceNotFoundException", "Requested resource not found: Stream: %s not found", arn)
}

func (t *tx) streams() ([]*stream, error) {
	definitions, err := t.system(bucketStreams)
	if err != nil {
		return nil, err
	}
	var out []*stream
	err = definitions.walk(keyRange{}, false, func(name, definition []byte) (bool, error) {
		st, err := decodeStream(string(name), definition)
		out = append(out, st)
		return err == nil, err
	})
	return out, err
}

func decodeStream(name string, definition []byte) (*stream, error) {
	st := &stream{}
	if err := json.Unmarshal(definition, st); err != nil || len(st.Shards) == 0 {
		return nil, fmt.Errorf("stream %s: definition: %w", name, errDamaged)
	}
	return st, nil
}

func (t *tx) saveStream(st *stream) error {
	t.written = true
	definition, err := json.Marshal(st)
	if err != nil {
		return err
	}
	definitions, err := t.system(bucketStreams)
	if err != nil {
		return err
	}
	return definitions.put([]byte(st.name()), definition)
}

func (t *tx) openStream(tb *table, now time.Time) error {
	t.written = true
	definitions, err := t.system(bucketStreams)
	if err != nil {
		return err
	}
	now = now.UTC()
	st := &stream{Table: tb.Name, TableID: tb.ID, View: tb.Stream.StreamViewType, Keys: keyElements(tb.Keys, 1), Created: now}
	for label := now; ; label = label.Add(time.Millisecond) {
		st.Label = label.Format(labelFormat)
		existing, err := definitions.get([]byte(st.name()))
		if err != nil {
			return err
		}
		if existing == nil {
			break
		}
	}
	tb.StreamLabel = st.Label
	if err := t.createBucket(bucketRecords, st.recordBucketName()); err != nil {
		return err
	}
	if err := t.addShard(st, now); err != nil {
		return err
	}
	return t.saveStream(st)
}

func (t *tx) closeStream(tb *table, now time.Time) error {
	st, err := t.stream(tb.streamARN())
	if err != nil {
		return err
	}
	st.Ended = now.UTC()
	if st.Last, err = t.lastNumber(st.recordBucketName()); err != nil {
		return err
	}
	return t.saveStream(st)
}

func (t *tx) dropStream(st *stream) error {
	t.written = true
	if err := t.dropBucket(bucketRecords, st.recordBucketName()); err != nil {
		return err
	}
	definitions, err := t.system(bucketStreams)
	if err != nil {
		return err
	}
	return definitions.delete([]byte(st.name()))
}

func (t *tx) addShard(st *stream, now time.Time) error {
	first, err := t.nextNumber(st.recordBucketName())
	if err != nil {
		return err
	}
	// newTableID is random; its first digits distinguish shards that begin at the same time.
	id := fmt.Sprintf("shardId-%020d-%s", now.UnixMilli(), newTableID()[:8])
	st.Shards = append(st.Shards, shard{ID: id, First: first, Began: now.UTC()})
	return nil
}

func (t *tx) lastNumber(place []byte) (uint64, error) {
	counts, err := t.system(bucketCounts)
	if err != nil {
		return 0, err
	}
	stored, err := counts.count(place)
	return uint64(stored.items + t.deltas[string(place)].items), err
}

func (t *tx) nextNumber(place []byte) (uint64, error) {
	last, err := t.lastNumber(place)
	if err != nil {
		return 0, err
	}
	d := t.deltas[string(place)]
	d.items++
	t.deltas[string(place)] = d
	return last + 1, nil
}

// sequenceBytes is the length of a record's key.
const sequenceBytes = 8

func recordKey(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// numberFloor makes sequence numbers as long as DynamoDB's: at least 21 digits.
const numberFloor = "1"

func sequenceNumber(n uint64) string { return fmt.Sprintf("%s%020d", numberFloor, n) }

// streamOperations contains the operations of DynamoDB Streams, which is a separate API.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html
var streamOperations = map[string]operation{
	"ListStreams":      {reader[listStreamsInput](), false},
	"DescribeStream":   {reader[describeStreamInput](), false},
	"GetShardIterator": {reader[getShardIteratorInput](), false},
	"GetRecords":       {reader[getRecordsInput](), false},
}

// These are limits of the operations.
const (
	maxStreamPage = 100 // streams or shards
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

func pageSize(limit *int64, maximum int) int {
	if limit == nil {
		return maximum
	}
	return int(*limit)
}

// listStreamsInput is the request to list the streams of one table or all tables, ordered by ARN. It includes streams
// that were disabled in the last 24 hours.
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

// describeStreamInput is the request to describe a stream with a page of its shards.
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
	if st.isEnabled() {
		d.StreamStatus = "ENABLED"
	}
	for i := in.first(st); i < len(st.Shards); i++ {
		if len(d.Shards) == pageSize(in.Limit, maxStreamPage) {
			d.LastEvaluatedShardId = d.Shards[len(d.Shards)-1].ShardId
			break
		}
		if one := st.describe(i); in.includes(one) {
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

func (in *describeStreamInput) includes(d shardDescription) bool {
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
