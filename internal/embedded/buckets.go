package embedded

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

func (t *tx) system(name []byte) (*bucket, error) { return t.bucket(nil, name, string(name)) }

func (t *tx) rows(tb *table) (*bucket, error) {
	return t.bucket(bucketRows, place(tb, nil), "table "+tb.Name)
}

func (t *tx) entries(tb *table, ix *index) (*bucket, error) {
	return t.bucket(bucketIndexes, place(tb, ix), "index "+ix.Name+" of table "+tb.Name)
}

func (t *tx) bucket(parent, name []byte, title string) (*bucket, error) {
	id := string(blocksName(parent, name))
	if b, ok := t.buckets[id]; ok {
		return b, nil
	}
	b := &bucket{title: title, entries: t.bolt.Bucket(name), blocks: child(t.bolt.Bucket(bucketChecksums), []byte(id))}
	if parent != nil {
		b.entries = child(t.bolt.Bucket(parent), name)
	}
	if b.entries == nil || b.blocks == nil {
		return nil, b.damaged("data is missing")
	}
	if t.bolt.Writable() {
		b.emptied = func(start []byte) {
			t.emptied = append(t.emptied, func() error { return b.dropEmpty(start) })
		}
	}
	if t.buckets == nil {
		t.buckets = map[string]*bucket{}
	}
	t.buckets[id] = b
	return b, nil
}

func blocksName(parent, name []byte) []byte {
	if parent == nil {
		return name
	}
	return fmt.Appendf(nil, "%s/%s", parent, name)
}

func child(parent *bbolt.Bucket, name []byte) *bbolt.Bucket {
	if parent == nil {
		return nil
	}
	return parent.Bucket(name)
}

func (t *tx) createBucket(parent, name []byte) error {
	if parent != nil {
		_, err := t.bolt.Bucket(parent).CreateBucket(name)
		if errors.Is(err, bolterrors.ErrBucketExists) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	blocks, err := t.bolt.Bucket(bucketChecksums).CreateBucket(blocksName(parent, name))
	if err != nil {
		return err
	}
	return blocks.Put(firstBlock, emptyChecksum())
}

func (t *tx) dropBucket(parent, name []byte) error {
	id := blocksName(parent, name)
	delete(t.buckets, string(id))
	if err := t.bolt.Bucket(parent).DeleteBucket(name); err != nil {
		return err
	}
	if err := t.bolt.Bucket(bucketChecksums).DeleteBucket(id); err != nil {
		return err
	}
	counts, err := t.system(bucketCounts)
	if err != nil {
		return err
	}
	return counts.delete(name)
}

func (t *tx) finish() error {
	if err := t.saveCounts(); err != nil {
		return err
	}
	for _, drop := range t.emptied {
		if err := drop(); err != nil {
			return err
		}
	}
	return nil
}
