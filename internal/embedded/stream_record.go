package embedded

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// The view types of streams: what a record has besides the key of the item.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_StreamSpecification.html
const (
	viewKeys = "KEYS_ONLY"
	viewNew  = "NEW_IMAGE"
	viewOld  = "OLD_IMAGE"
	viewBoth = "NEW_AND_OLD_IMAGES"
)

// changeKind is what happened to the item of a record.
type changeKind byte

const (
	changeInsert changeKind = iota + 1
	changeModify
	changeRemove
	// changeExpire is a removal by the sweep.
	changeExpire
)

// changeRecord is one change of an item, as its stream keeps it. The images are those of the view type.
type changeRecord struct {
	kind           changeKind
	at             time.Time
	keys, old, new attribute.Item
}

func (t *tx) write(tb *table, key []byte, before, after attribute.Item) error {
	if err := t.replace(tb, key, before, after); err != nil {
		return err
	}
	switch {
	case tb.Stream == nil || before.Equal(after):
		// "If you perform a PutItem or UpdateItem operation that does not change any data in an item, DynamoDB
		// Streams does not write a stream record for that operation."
		// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
		return nil
	case before == nil:
		return t.record(tb, changeInsert, before, after)
	case after == nil:
		return t.record(tb, changeRemove, before, after)
	}
	return t.record(tb, changeModify, before, after)
}

func (t *tx) expire(tb *table, key []byte, it attribute.Item) error {
	if err := t.replace(tb, key, it, nil); err != nil || tb.Stream == nil {
		return err
	}
	return t.record(tb, changeExpire, it, nil)
}

func (t *tx) record(tb *table, kind changeKind, before, after attribute.Item) error {
	place := streamPlace(tb.ID, tb.StreamLabel)
	records, err := t.records(place, tb.Name)
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

func (t *tx) records(place []byte, table string) (*bucket, error) {
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
