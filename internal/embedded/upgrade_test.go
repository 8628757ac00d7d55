package embedded

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// changeFile applies a change to the file of a closed store.
func changeFile(t *testing.T, dir string, change func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, fileName), fileMode, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(change), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// toFormat3 makes a file of format 3, which had no streams. The file must have none.
func toFormat3(b *bbolt.Tx) error {
	return errors.Join(b.Bucket(bucketChecksums).DeleteBucket(bucketStreams), withoutStreams(b, format3))
}

// withoutStreams removes the buckets of streams.
func withoutStreams(b *bbolt.Tx, format string) error {
	return errors.Join(b.DeleteBucket(bucketStreams), b.DeleteBucket(bucketRecords), b.Bucket(bucketMeta).Put(keyFormat, []byte(format)))
}

// toFormat1 makes a file of format 1.
func toFormat1(b *bbolt.Tx) error {
	return errors.Join(rowKeysInIndexes(b), b.DeleteBucket(bucketChecksums), withoutStreams(b, format1))
}

// toFormat2 makes a file of format 2, which had 16 entries in a block.
func toFormat2(b *bbolt.Tx) error {
	if err := toFormat1(b); err != nil {
		return err
	}
	sums, err := b.CreateBucket(bucketSums)
	if err != nil {
		return err
	}
	sum := func(parent, name []byte, entries *bbolt.Bucket) error {
		to, err := sums.CreateBucket(blocksName(parent, name))
		if err != nil {
			return err
		}
		start, found := firstBlock, total{}
		err = entries.ForEach(func(key, value []byte) error {
			if found.count == 16 {
				if err := to.Put(start, found.sum()); err != nil {
					return err
				}
				start, found = bytes.Clone(key), total{}
			}
			found.add(key, value)
			return nil
		})
		return errors.Join(err, to.Put(start, found.sum()))
	}
	for _, name := range [][]byte{bucketTables, bucketCounts, bucketTokens} {
		if err := sum(nil, name, b.Bucket(name)); err != nil {
			return err
		}
	}
	for _, parent := range [][]byte{bucketRows, bucketIndexes} {
		err := b.Bucket(parent).ForEachBucket(func(name []byte) error {
			return sum(parent, name, b.Bucket(parent).Bucket(name))
		})
		if err != nil {
			return err
		}
	}
	return b.Bucket(bucketMeta).Put(keyFormat, []byte(format2))
}

// rowKeysInIndexes gives the entries of all indexes the values of formats 1 and 2.
func rowKeysInIndexes(b *bbolt.Tx) error {
	tables, err := (&tx{bolt: b}).tables()
	if err != nil {
		return err
	}
	for _, tb := range tables {
		for _, ix := range tb.Indexes {
			entries := b.Bucket(bucketIndexes).Bucket(place(tb, ix))
			values := map[string][]byte{}
			err := entries.ForEach(func(key, value []byte) (err error) {
				values[string(key)], err = tb.rowKeyOf(ix, key, value)
				return err
			})
			if err != nil {
				return err
			}
			for key, value := range values {
				if err := entries.Put([]byte(key), value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// earlierFormats make files of earlier formats of one of this format.
var earlierFormats = map[string]func(*bbolt.Tx) error{format1: toFormat1, format2: toFormat2, format3: toFormat3}

func TestOpenUpgradesEarlierFormats(t *testing.T) {
	for format, downgrade := range earlierFormats {
		dir := t.TempDir()
		agedIn(t, dir)
		s := openStore(t, Options{Path: dir})
		var want [][]byte
		for _, q := range questions() {
			want = append(want, mustCall(t, s, q.target, q.body))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		changeFile(t, dir, downgrade)
		for range 2 { // the second time is that of the new format
			s = openStore(t, Options{Path: dir})
			for i, q := range questions() {
				if got := mustCall(t, s, q.target, q.body); !sameJSON(t, got, want[i]) {
					t.Errorf("format %s: %s %s: got %.200s, want %.200s", format, q.target, q.body, got, want[i])
				}
			}
			mustCall(t, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(0)+`}`)
			mustCall(t, s, "UpdateItem", `{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#000000"}},
				"UpdateExpression":"SET G1 = :g","ExpressionAttributeValues":{":g":{"S":"moved"}}}`)
			mustCall(t, s, "DeleteItem", `{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#000000"}}}`)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if report, err := Check(dir); err != nil || !report.Sound() || report.Format != formatVersion {
			t.Errorf("format %s: after the upgrade: %+v %v", format, report, err)
		}
		kept := t.TempDir()
		if err := os.Rename(filepath.Join(dir, fileName+".format-"+format), filepath.Join(kept, fileName)); err != nil {
			t.Fatal(err)
		}
		if report, err := Check(kept); err != nil || !report.Sound() || report.Format != format {
			t.Errorf("the copy of format %s: %+v %v", format, report, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// An upgrade must not give damaged data a checksum that it satisfies.
func TestUpgradeKeepsDamageOfFormat2(t *testing.T) {
	dir := t.TempDir()
	agedIn(t, dir)
	changeFile(t, dir, func(b *bbolt.Tx) error {
		if err := toFormat2(b); err != nil {
			return err
		}
		return b.Bucket(bucketRows).ForEachBucket(func(name []byte) error {
			rows := b.Bucket(bucketRows).Bucket(name)
			c := rows.Cursor()
			key, value := c.First()
			for range 40 {
				if next, data := c.Next(); next != nil {
					key, value = next, data
				}
			}
			spoilt := bytes.Clone(value)
			spoilt[len(spoilt)-1] ^= 1
			return rows.Put(bytes.Clone(key), spoilt)
		})
	})
	for range 2 {
		report, err := Check(dir)
		if err != nil || report.Sound() {
			t.Fatalf("the damage was not found: %+v %v", report, err)
		}
		s := openStore(t, Options{Path: dir})
		if _, err := count1(t, s, ""); err == nil {
			t.Error("a scan returned damaged items")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenRejectsOtherFormats(t *testing.T) {
	for name, change := range map[string]func(*bbolt.Tx) error{
		`newer version of ddbdesk: it has format "5"`: func(b *bbolt.Tx) error { return b.Bucket(bucketMeta).Put(keyFormat, []byte("5")) },
		`invalid format version ""`:                   func(b *bbolt.Tx) error { return b.Bucket(bucketMeta).Delete(keyFormat) },
		"format is missing":                           func(b *bbolt.Tx) error { return b.DeleteBucket(bucketMeta) },
		"data is missing":                             func(b *bbolt.Tx) error { return b.DeleteBucket(bucketChecksums) },
	} {
		dir := t.TempDir()
		agedIn(t, dir)
		changeFile(t, dir, change)
		before, err := os.ReadFile(filepath.Join(dir, fileName))
		if err != nil {
			t.Fatal(err)
		}
		if s, err := Open(Options{Path: dir}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want %q, got %v", name, err)
			if s != nil {
				_ = s.Close()
			}
		}
		if after, err := os.ReadFile(filepath.Join(dir, fileName)); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed: %v", name, err)
		}
	}
}
