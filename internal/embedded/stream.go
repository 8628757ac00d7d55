package embedded

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

const (
	// streamRetention is how long a record can be read, and a stream that is disabled.
	// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
	streamRetention = 24 * time.Hour
	// shardLifetime is the age at which the open shard of a stream gets a successor. The service does not document
	// it; four hours is what its users observe.
	shardLifetime = 4 * time.Hour

	streamInfix = "/stream/" // between the name of a table and the label, in an ARN
	// labelFormat is the form of a label: the time of creation.
	labelFormat = "2006-01-02T15:04:05.000"
)

// streamSpec is the setting of the stream of a table.
type streamSpec struct {
	StreamEnabled  bool
	StreamViewType string `json:",omitempty"`
}

func (sp *streamSpec) stored() (*streamSpec, error) {
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

// stream is the stored definition of a stream. It outlives its table, or the setting of the table, by streamRetention.
type stream struct {
	Table   string
	TableID string
	Label   string
	View    string
	Keys    []keyElement
	Created time.Time
	Ended   time.Time `json:",omitzero"`  // when it was disabled
	Last    uint64    `json:",omitempty"` // the last sequence number of a stream that is disabled
	Shards  []shard   // in the order of their records; only the last one can be open
}

// shard is a range of the records of a stream. It ends before the next shard.
type shard struct {
	ID    string
	First uint64 // a sequence number that no record has
	Began time.Time
}

func (st *stream) name() string { return st.Table + streamInfix + st.Label }

func (st *stream) arn() string { return arnPrefix + st.name() }

func (st *stream) place() []byte { return streamPlace(st.TableID, st.Label) }

func streamPlace(tableID, label string) []byte { return []byte(tableID + streamInfix + label) }

func (st *stream) enabled() bool { return st.Ended.IsZero() }

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
	return st.Last, !st.enabled()
}

func (st *stream) lost(from, oldest uint64) bool {
	for n := from; n < oldest; n++ {
		if !st.begins(n) {
			return true
		}
	}
	return false
}

func (st *stream) begins(n uint64) bool {
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
		taken, err := definitions.get([]byte(st.name()))
		if err != nil {
			return err
		}
		if taken == nil {
			break
		}
	}
	tb.StreamLabel = st.Label
	if err := t.createBucket(bucketRecords, st.place()); err != nil {
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
	if st.Last, err = t.lastNumber(st.place()); err != nil {
		return err
	}
	return t.saveStream(st)
}

func (t *tx) dropStream(st *stream) error {
	t.written = true
	if err := t.dropBucket(bucketRecords, st.place()); err != nil {
		return err
	}
	definitions, err := t.system(bucketStreams)
	if err != nil {
		return err
	}
	return definitions.delete([]byte(st.name()))
}

func (t *tx) addShard(st *stream, now time.Time) error {
	first, err := t.nextNumber(st.place())
	if err != nil {
		return err
	}
	// newTableID is random; its start tells apart shards that begin at the same time.
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

// sequenceBytes is the length of the key of a record.
const sequenceBytes = 8

func recordKey(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// numberFloor makes sequence numbers as long as those of the service: at least 21 digits.
const numberFloor = "1"

func sequenceNumber(n uint64) string { return fmt.Sprintf("%s%020d", numberFloor, n) }
