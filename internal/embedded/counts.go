package embedded

import (
	"encoding/binary"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// count is the number and size of the items in a table or index.
type count struct{ items, bytes int64 }

func (t *tx) count(tb *table, ix *index, before, after attribute.Item) {
	name := string(place(tb, ix))
	d := t.deltas[name]
	if before != nil {
		d.items--
		d.bytes -= int64(ix.view(before).Size())
	}
	if after != nil {
		d.items++
		d.bytes += int64(ix.view(after).Size())
	}
	t.deltas[name] = d
}

func (t *tx) saveCounts() error {
	counts, err := t.system(bucketCounts)
	if err != nil {
		return err
	}
	for name, d := range t.deltas {
		if d == (count{}) {
			continue
		}
		c, err := counts.count([]byte(name))
		if err != nil {
			return err
		}
		data := binary.BigEndian.AppendUint64(nil, uint64(c.items+d.items))
		data = binary.BigEndian.AppendUint64(data, uint64(c.bytes+d.bytes))
		if err := counts.put([]byte(name), data); err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) count(name []byte) (count, error) {
	data, err := b.get(name)
	switch {
	case err != nil || data == nil:
		return count{}, err
	case len(data) != 16:
		return count{}, b.damaged("invalid count")
	}
	return count{
		items: int64(binary.BigEndian.Uint64(data)),
		bytes: int64(binary.BigEndian.Uint64(data[8:])),
	}, nil
}

func (t *tx) size(tb *table, ix *index) (count, error) {
	counts, err := t.system(bucketCounts)
	if err != nil {
		return count{}, err
	}
	return counts.count(place(tb, ix))
}
