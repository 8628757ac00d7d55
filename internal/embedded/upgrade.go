package embedded

import (
	"go.etcd.io/bbolt"
)

// upgrade adds the checksums to a file of format 1, in one transaction: the file has one format
// or the other. It reads all of the file once.
func upgrade(b *bbolt.Tx) error {
	if _, err := b.CreateBucketIfNotExists(bucketBlocks); err != nil {
		return err
	}
	t := &tx{bolt: b}
	for _, name := range [][]byte{bucketTables, bucketCounts, bucketTokens} {
		if err := t.sealBucket(nil, name); err != nil {
			return err
		}
	}
	tables, err := t.tables()
	if err != nil {
		return err
	}
	for _, tb := range tables {
		if err := t.sealBucket(bucketRows, place(tb, nil)); err != nil {
			return err
		}
		for _, ix := range tb.Indexes {
			if err := t.sealBucket(bucketIndexes, place(tb, ix)); err != nil {
				return err
			}
		}
	}
	return b.Bucket(bucketMeta).Put(keyFormat, []byte(formatVersion))
}

// sealBucket adds the checksums of one bucket.
func (t *tx) sealBucket(parent, name []byte) error {
	if _, err := t.bolt.Bucket(bucketBlocks).CreateBucket(blocksName(parent, name)); err != nil {
		return err
	}
	b, err := t.bucket(parent, name, string(name))
	if err != nil {
		return err
	}
	return b.seal()
}
