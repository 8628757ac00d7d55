package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// These are DynamoDB's limits on reading streams.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html
const (
	maxRecords     = 1000
	maxRecordBytes = 1 << 20
	maxIterator    = 2048
	minSequence    = 21
	maxSequence    = 40
	// iteratorLifetime is the time for which an iterator is valid.
	iteratorLifetime = 15 * time.Minute
)

// These are the possible start positions of an iterator.
const (
	iterateOldest = "TRIM_HORIZON"
	iterateNewest = "LATEST"
	iterateAt     = "AT_SEQUENCE_NUMBER"
	iterateAfter  = "AFTER_SEQUENCE_NUMBER"
)

// iterator is a position in a shard. Clients receive it in encoded form.
type iterator struct {
	Shard  string
	Next   uint64    // next sequence number to read
	Issued time.Time // it expires after iteratorLifetime
	stream string    // ARN
}

// iteratorSeparator separates the stream ARN and the position in an encoded iterator, and contains a version.
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

// getShardIteratorInput is the request for an iterator at a position in a shard.
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
	oldest, err := t.oldestNumber(st, now)
	if err != nil {
		return 0, err
	}
	first := st.Shards[at].First
	last, closed := st.end(at)
	if !closed {
		if last, err = t.lastNumber(st.recordBucketName()); err != nil {
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
	if st.isLost(n, oldest) {
		return 0, trimmedError()
	}
	return n, nil
}

func trimmedError() error {
	return apierror.Refused("TrimmedDataAccessException", "The data you are trying to access has been trimmed.")
}

// getRecordsInput is the request to read the records of a shard, starting at an iterator.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html
type getRecordsInput struct {
	ShardIterator *string
	Limit         *int64
}

// getRecordsOutput omits the iterator after the last record of a closed shard.
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

// recordIdentity is present if DynamoDB itself changed an item.
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
	oldest, err := t.oldestNumber(st, now)
	if err != nil {
		return nil, err
	}
	at := st.shard(it.Shard)
	if at < 0 || st.isLost(it.Next, oldest) {
		return nil, trimmedError()
	}
	records, err := t.recordBucket(st.recordBucketName(), st.Table)
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
		record, err := decodeRecord(data)
		if err != nil {
			return false, err
		}
		if bytes += record.size(); bytes > maxRecordBytes && len(out.Records) > 0 {
			full = true
			return false, nil
		}
		number := binary.BigEndian.Uint64(key)
		out.Records = append(out.Records, record.response(st, number))
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

// eventNames maps the kinds of changes to their names.
var eventNames = map[changeKind]string{
	changeInsert: "INSERT", changeModify: "MODIFY", changeRemove: "REMOVE", changeExpire: "REMOVE",
}

func (r *changeRecord) response(st *stream, number uint64) streamRecord {
	id := sha256.Sum256(append(st.recordBucketName(), recordKey(number)...))
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

// A stream's view type determines the images that a record contains in addition to the item's key.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_StreamSpecification.html
const (
	viewKeys = "KEYS_ONLY"
	viewNew  = "NEW_IMAGE"
	viewOld  = "OLD_IMAGE"
	viewBoth = "NEW_AND_OLD_IMAGES"
)

// changeKind is the kind of a change in a record.
type changeKind byte

const (
	changeInsert changeKind = iota + 1
	changeModify
	changeRemove
	// changeExpire is a removal by the sweep.
	changeExpire
)

// changeRecord is one change of an item in a stream. It contains the images of the stream's view type.
type changeRecord struct {
	kind           changeKind
	at             time.Time
	keys, old, new attribute.Item
}

func (t *tx) write(tb *table, key []byte, before, after attribute.Item) error {
	if err := t.replaceItem(tb, key, before, after); err != nil {
		return err
	}
	switch {
	case tb.Stream == nil || before.Equal(after):
		// "If you perform a PutItem or UpdateItem operation that does not change any data in an item, DynamoDB
		// Streams does not write a stream record for that operation."
		// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
		return nil
	case before == nil:
		return t.addRecord(tb, changeInsert, before, after)
	case after == nil:
		return t.addRecord(tb, changeRemove, before, after)
	}
	return t.addRecord(tb, changeModify, before, after)
}

func (t *tx) expireItem(tb *table, key []byte, it attribute.Item) error {
	if err := t.replaceItem(tb, key, it, nil); err != nil || tb.Stream == nil {
		return err
	}
	return t.addRecord(tb, changeExpire, it, nil)
}

func (t *tx) addRecord(tb *table, kind changeKind, before, after attribute.Item) error {
	place := streamBucketName(tb.ID, tb.StreamLabel)
	records, err := t.recordBucket(place, tb.Name)
	if err != nil {
		return err
	}
	number, err := t.nextNumber(place)
	if err != nil {
		return err
	}
	r := changeRecord{kind: kind, at: t.clock(), keys: attribute.Item{}}
	for _, k := range tb.Keys {
		if r.keys[k.Name] = before[k.Name]; before == nil {
			r.keys[k.Name] = after[k.Name]
		}
	}
	view := tb.Stream.StreamViewType
	if view == viewOld || view == viewBoth {
		r.old = before
	}
	if view == viewNew || view == viewBoth {
		r.new = after
	}
	return records.put(recordKey(number), r.encode())
}

func (t *tx) recordBucket(place []byte, table string) (*bucket, error) {
	return t.bucket(bucketRecords, place, "stream of table "+table)
}

func (r *changeRecord) encode() []byte {
	data := binary.BigEndian.AppendUint64([]byte{byte(r.kind)}, uint64(r.at.UnixNano()))
	for _, it := range []attribute.Item{r.keys, r.old, r.new} {
		if it == nil {
			data = binary.AppendUvarint(data, 0)
			continue
		}
		encoded := attribute.EncodeItem(it)
		data = append(binary.AppendUvarint(data, uint64(len(encoded))), encoded...)
	}
	return data
}

const recordHeader = 9 // bytes: the kind and the time

func recordTime(data []byte) (time.Time, error) {
	if len(data) < recordHeader {
		return time.Time{}, fmt.Errorf("record of a stream: %w", errDamaged)
	}
	return time.Unix(0, int64(binary.BigEndian.Uint64(data[1:]))), nil
}

func decodeRecord(data []byte) (*changeRecord, error) {
	at, err := recordTime(data)
	if err != nil {
		return nil, err
	}
	r := &changeRecord{kind: changeKind(data[0]), at: at}
	rest := data[recordHeader:]
	for _, it := range []*attribute.Item{&r.keys, &r.old, &r.new} {
		size, width := binary.Uvarint(rest)
		if width <= 0 || size > uint64(len(rest)-width) {
			return nil, fmt.Errorf("record of a stream: %w", errDamaged)
		}
		encoded := rest[width : width+int(size)]
		rest = rest[width+int(size):]
		if size == 0 {
			continue
		}
		if *it, err = attribute.DecodeItem(encoded); err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 || r.keys == nil || r.kind < changeInsert || r.kind > changeExpire {
		return nil, fmt.Errorf("record of a stream: %w", errDamaged)
	}
	return r, nil
}

func (r *changeRecord) size() int { return r.keys.Size() + r.old.Size() + r.new.Size() }

func (t *tx) oldestNumber(st *stream, now time.Time) (uint64, error) {
	records, err := t.recordBucket(st.recordBucketName(), st.Table)
	if err != nil {
		return 0, err
	}
	number, err := t.lastNumber(st.recordBucketName())
	if err != nil {
		return 0, err
	}
	number++
	err = records.walk(keyRange{}, false, func(key, data []byte) (bool, error) {
		at, err := recordTime(data)
		if err != nil || !at.After(now.Add(-streamRetention)) {
			return err == nil, err
		}
		number = binary.BigEndian.Uint64(key)
		return false, nil
	})
	return number, err
}

func (t *tx) trimStreams(now time.Time) (more bool, err error) {
	streams, err := t.streams()
	if err != nil {
		return false, err
	}
	for _, st := range streams {
		if !st.isEnabled() && now.Sub(st.Ended) >= streamRetention {
			if err := t.dropStream(st); err != nil {
				return false, err
			}
			continue
		}
		full, err := t.trimRecords(st, now)
		if err != nil {
			return false, err
		}
		more = more || full
		if err := t.renewShards(st, now); err != nil {
			return false, err
		}
	}
	return more, nil
}

func (t *tx) trimRecords(st *stream, now time.Time) (full bool, err error) {
	records, err := t.recordBucket(st.recordBucketName(), st.Table)
	if err != nil {
		return false, err
	}
	var old [][]byte // collected first, because a walk does not allow changes of its bucket
	err = records.walk(keyRange{}, false, func(key, data []byte) (bool, error) {
		at, err := recordTime(data)
		if err != nil || at.After(now.Add(-streamRetention)) {
			return false, err
		}
		old = append(old, slices.Clone(key))
		return len(old) < sweepBatch, nil
	})
	if err != nil {
		return false, err
	}
	for _, key := range old {
		t.written = true
		if err := records.delete(key); err != nil {
			return false, err
		}
	}
	return len(old) == sweepBatch, nil
}

func (t *tx) renewShards(st *stream, now time.Time) error {
	changed := false
	for len(st.Shards) > 1 && now.Sub(st.Shards[1].Began) >= streamRetention {
		st.Shards, changed = st.Shards[1:], true
	}
	last, err := t.lastNumber(st.recordBucketName())
	if err != nil {
		return err
	}
	openShard := st.Shards[len(st.Shards)-1]
	if st.isEnabled() && last > openShard.First && now.Sub(openShard.Began) >= shardLifetime {
		if err := t.addShard(st, now); err != nil {
			return err
		}
		changed = true
	}
	if !changed {
		return nil
	}
	return t.saveStream(st)
}
