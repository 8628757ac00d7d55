package embedded

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

func TestCheckFindsWhatChecksumsCannot(t *testing.T) {
	// remove deletes the first entry of a bucket together with its checksum, as an error in this
	// program would.
	remove := func(parent []byte) func(*bbolt.Tx) error {
		return func(b *bbolt.Tx) error {
			t := &tx{bolt: b}
			return b.Bucket(parent).ForEachBucket(func(name []byte) error {
				part, err := t.bucket(parent, name, "")
				if err != nil {
					return err
				}
				if key, _ := part.entries.Cursor().First(); key != nil {
					return part.delete(key)
				}
				return nil
			})
		}
	}
	for want, change := range map[string]func(*bbolt.Tx) error{
		"":                         func(*bbolt.Tx) error { return nil },
		"index byG1: 349 entries":  remove(bucketIndexes),
		"an entry has no item":     remove(bucketRows),
		"has no definition":        func(b *bbolt.Tx) error { return (&tx{bolt: b}).createBucket(bucketRows, []byte("lost")) },
		"count is 1 items":         setCount,
		`file has format "4"`:      func(b *bbolt.Tx) error { return b.Bucket(bucketMeta).Put(keyFormat, []byte("4")) },
		"tables: data is missing":  func(b *bbolt.Tx) error { return b.DeleteBucket(bucketTables) },
		"do not match their check": func(b *bbolt.Tx) error { return b.Bucket(bucketTokens).Put([]byte("new"), []byte("unknown")) },
	} {
		dir := t.TempDir()
		agedIn(t, dir)
		changeFile(t, dir, change)
		report, err := Check(dir)
		if err != nil {
			t.Fatal(err)
		}
		problems := report.Problems
		for _, tb := range report.Tables {
			problems = append(problems, tb.Problems...)
		}
		if got := strings.Join(problems, "\n"); !strings.Contains(got, want) || report.Sound() != (want == "") {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

// setCount stores a wrong count of the table bench.
func setCount(b *bbolt.Tx) error {
	t := &tx{bolt: b}
	tables, err := t.tables()
	if err != nil {
		return err
	}
	counts, err := t.system(bucketCounts)
	if err != nil {
		return err
	}
	return counts.put(place(tables[0], nil), binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, 1), 1))
}

func TestCheckOfEarlierFormatsChangesNothing(t *testing.T) {
	for format, downgrade := range earlierFormats {
		dir := t.TempDir()
		agedIn(t, dir)
		changeFile(t, dir, downgrade)
		for range 2 {
			report, err := Check(dir)
			if err != nil || !report.Sound() || report.Format != format || len(report.Tables) != 2 {
				t.Errorf("format %s: %+v %v", format, report, err)
			}
		}
	}
}

func TestCheckNeedsADatabaseThatIsNotInUse(t *testing.T) {
	dir := t.TempDir()
	if _, err := Check(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
	openStore(t, Options{Path: dir})
	if _, err := Check(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("an open database: %v", err)
	}
}
