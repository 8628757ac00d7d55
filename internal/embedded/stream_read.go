package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// Limits of reading.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html
const (
	maxRecords     = 1000
	maxRecordBytes = 1 << 20
	maxIterator    = 2048
	minSequence    = 21
	maxSequence    = 40
	// iteratorLifetime is how long an iterator can be used.
	iteratorLifetime = 15 * time.Minute
)

// The positions that an iterator can begin at.
const (
	iterateOldest = "TRIM_HORIZON"
	iterateNewest = "LATEST"
	iterateAt     = "AT_SEQUENCE_NUMBER"
	iterateAfter  = "AFTER_SEQUENCE_NUMBER"
)

// iterator is a position in a shard. Clients see it encoded.
type iterator struct {
	Shard  string
	Next   uint64    // the sequence number to continue with
	Issued time.Time // it expires after iteratorLifetime
	stream string    // ARN
}

// iteratorSeparator is between the parts of an encoded iterator: the ARN of the stream, a version, and the position.
const iteratorSeparator = "|1|"

func (it iterator) encode() string {
	position, _ := json.Marshal(it) // cannot fail
	return it.stream + iteratorSeparator + base64.StdEncoding.EncodeToString(position)
}

func decodeIterator(text string) (it iterator, err error) {
	arn, encoded, ok := strings.Cut(text, iteratorSeparator)
	position, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || json.Unmarshal(position, &it) != nil {
		return it, apierror.Invalid("Invalid ShardIterator")
	}
	it.stream = arn
	return it, nil
}

// getShardIteratorInput returns an iterator for a position in a shard.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetShardIterator.html
type getShardIteratorInput struct {
	StreamArn         string
	ShardId           string //nolint:revive // the service's spelling
	ShardIteratorType string
	SequenceNumber    *string
}

type getShardIteratorOutput struct{ ShardIterator string }

func (in *getShardIteratorInput) check(c *checks) {
	c.streamARN(in.StreamArn, "streamArn")
	if in.ShardId == "" {
		c.present(false, "shardId")
	} else {
		c.length(in.ShardId, len(in.ShardId), "shardId", minShardID, maxShardID)
	}
	c.present(in.ShardIteratorType != "", "shardIteratorType")
	c.oneOf(in.ShardIteratorType, "shardIteratorType", iterateAfter, iterateNewest, iterateAt, iterateOldest)
	if n := in.SequenceNumber; n != nil {
		c.length(*n, len(*n), "sequenceNumber", minSequence, maxSequence)
	}
	needsNumber := in.ShardIteratorType == iterateAt || in.ShardIteratorType == iterateAfter
	switch {
	case needsNumber && in.SequenceNumber == nil:
		c.refuse(apierror.InvalidParameter("Invalid SequenceNumber"))
	case !needsNumber && in.SequenceNumber != nil:
		c.refuse(apierror.InvalidParameter("SequenceNumber should not be passed for this iterator type"))
	}
}

func (in *getShardIteratorInput) run(_ context.Context, s *Store) (any, error) {
	it := iterator{Shard: in.ShardId, Issued: s.now().UTC(), stream: in.StreamArn}
	err := s.storage.view(func(t *tx) error {
		st, err := t.stream(in.StreamArn)
		if err != nil {
			return err
		}
		at := st.shard(in.ShardId)
		if at < 0 {
			return apierror.Refused("ResourceNotFoundException", "Shard does not exist")
		}
		it.Next, err = in.position(t, st, at, s.now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return &getShardIteratorOutput{it.encode()}, nil
}

func (in *getShardIteratorInput) position(t *tx, st *stream, at int, now time.Time) (uint64, error) {
	oldest, err := t.oldest(st, now)
	if err != nil {
		return 0, err
	}
	first := st.Shards[at].First
	last, closed := st.end(at)
	if !closed {
		if last, err = t.lastNumber(st.place()); err != nil {
			return 0, err
		}
	}
	switch in.ShardIteratorType {
	case iterateOldest:
		return max(first, min(oldest, last+1)), nil
	case iterateNewest:
		return last + 1, nil
	}
	digits, ok := strings.CutPrefix(*in.SequenceNumber, numberFloor)
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil || n < first || n > last {
		return 0, apierror.InvalidParameter("Invalid SequenceNumber")
	}
	if in.ShardIteratorType == iterateAfter {
		n++
	}
	if st.lost(n, oldest) {
		return 0, trimmed()
	}
	return n, nil
}

func trimmed() error {
	return apierror.Refused("TrimmedDataAccessException", "The data you are trying to access has been trimmed.")
}

// getRecordsInput reads the records of a shard from an iterator on.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html
type getRecordsInput struct {
	ShardIterator *string
	Limit         *int64
}

// getRecordsOutput has no iterator after the last record of a shard that is closed.
type getRecordsOutput struct {
	Records           []streamRecord
	NextShardIterator string `json:",omitempty"`
}

type streamRecord struct {
	AwsRegion    string          `json:"awsRegion"`
	Change       recordChange    `json:"dynamodb"`
	EventID      string          `json:"eventID"`
	EventName    string          `json:"eventName"`
	EventSource  string          `json:"eventSource"`
	EventVersion string          `json:"eventVersion"`
	UserIdentity *recordIdentity `json:"userIdentity,omitempty"`
}

type recordChange struct {
	ApproximateCreationDateTime int64
	Keys                        attribute.Item
	NewImage                    attribute.Item `json:",omitempty"`
	OldImage                    attribute.Item `json:",omitempty"`
	SequenceNumber              string
	SizeBytes                   int
	StreamViewType              string
}

// recordIdentity is present where the service itself changed an item.
type recordIdentity struct {
	PrincipalID string `json:"PrincipalId"`
	Type        string
}

func (in *getRecordsInput) check(c *checks) {
	if in.ShardIterator == nil {
		c.present(false, "shardIterator")
	} else {
		c.length(*in.ShardIterator, len(*in.ShardIterator), "shardIterator", 1, maxIterator)
	}
	if in.Limit != nil {
		c.number(*in.Limit, "limit", 1, maxRecords)
	}
}

func (in *getRecordsInput) run(ctx context.Context, s *Store) (any, error) {
	it, err := decodeIterator(*in.ShardIterator)
	if err != nil {
		return nil, err
	}
	now := s.now()
	if now.Sub(it.Issued) > iteratorLifetime {
		return nil, apierror.Refused("ExpiredIteratorException", "The provided iterator exceeds the maximum age allowed.")
	}
	var out *getRecordsOutput
	err = s.storage.view(func(t *tx) error {
		out, err = in.read(ctx, t, it, now)
		return err
	})
	return out, err
}

func (in *getRecordsInput) read(ctx context.Context, t *tx, it iterator, now time.Time) (*getRecordsOutput, error) {
	st, err := t.stream(it.stream)
	if err != nil {
		return nil, err
	}
	oldest, err := t.oldest(st, now)
	if err != nil {
		return nil, err
	}
	at := st.shard(it.Shard)
	if at < 0 || st.lost(it.Next, oldest) {
		return nil, trimmed()
	}
	records, err := t.records(st.place(), st.Table)
	if err != nil {
		return nil, err
	}
	out, bytes, full := &getRecordsOutput{Records: []streamRecord{}}, 0, false
	last, closed := st.end(at)
	r := keyRange{from: recordKey(it.Next)}
	if closed {
		r.to = recordKey(last + 1)
	}
	err = records.walk(r, false, func(key, data []byte) (bool, error) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		one, err := decodeRecord(data)
		if err != nil {
			return false, err
		}
		if bytes += one.size(); bytes > maxRecordBytes && len(out.Records) > 0 {
			full = true
			return false, nil
		}
		number := binary.BigEndian.Uint64(key)
		out.Records = append(out.Records, one.response(st, number))
		it.Next = number + 1
		full = len(out.Records) == pageSize(in.Limit, maxRecords)
		return !full, nil
	})
	if err != nil {
		return nil, err
	}
	if !closed || full && it.Next <= last {
		it.Issued = now.UTC()
		out.NextShardIterator = it.encode()
	}
	return out, nil
}

// eventNames are the names of the kinds of changes.
var eventNames = map[changeKind]string{
	changeInsert: "INSERT", changeModify: "MODIFY", changeRemove: "REMOVE", changeExpire: "REMOVE",
}

func (r *changeRecord) response(st *stream, number uint64) streamRecord {
	id := sha256.Sum256(append(st.place(), recordKey(number)...))
	out := streamRecord{
		AwsRegion: "local", EventID: hex.EncodeToString(id[:16]), EventName: eventNames[r.kind],
		EventSource: "aws:dynamodb", EventVersion: "1.1",
		Change: recordChange{
			ApproximateCreationDateTime: r.at.Unix(), Keys: r.keys, NewImage: r.new, OldImage: r.old,
			SequenceNumber: sequenceNumber(number), SizeBytes: r.size(), StreamViewType: st.View,
		},
	}
	if r.kind == changeExpire {
		// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
		out.UserIdentity = &recordIdentity{"dynamodb.amazonaws.com", "Service"}
	}
	return out
}
