package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/ddbdesk/ddbdesk/internal/embedded/pagefile"
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
		"":                           func(*bbolt.Tx) error { return nil },
		"index byG1: 349 entries":    remove(bucketIndexes),
		"an entry has no item":       remove(bucketRows),
		"has no definition":          func(b *bbolt.Tx) error { return (&tx{bolt: b}).createBucket(bucketRows, []byte("lost")) },
		"count is 1 items":           setCount,
		`invalid format version "x"`: func(b *bbolt.Tx) error { return b.Bucket(bucketMeta).Put(keyFormat, []byte("x")) },
		"stream that has no":         func(b *bbolt.Tx) error { return (&tx{bolt: b}).createBucket(bucketRecords, []byte("lost")) },
		"tables: data is missing":    func(b *bbolt.Tx) error { return b.DeleteBucket(bucketTables) },
		"do not match their check":   func(b *bbolt.Tx) error { return b.Bucket(bucketTokens).Put([]byte("new"), []byte("unknown")) },
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

// A file of another format is not damaged: nobody should restore a backup because of it.
func TestCheckRefusesOtherFormats(t *testing.T) {
	for _, format := range []string{"3", "5"} {
		dir := t.TempDir()
		agedIn(t, dir)
		changeFile(t, dir, toFormat(format))
		if report, err := Check(dir); err == nil || !strings.Contains(err.Error(), "it has format \""+format) {
			t.Errorf("format %s: %+v %v", format, report, err)
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

// A list that misses a free page or has a page in use does not change an answer, until a write overwrites data.
func TestCheckFindsFlippedBitsOfTheFreeList(t *testing.T) {
	dir := t.TempDir()
	agedIn(t, dir)
	file := filepath.Join(dir, fileName)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	h, err := pagefile.LatestHeader(bytes.NewReader(good), page)
	if err != nil {
		t.Fatal(err)
	}
	const pageHeader = 16 // bytes
	list := good[int(h.FreeList)*page:]
	used := pageHeader + 8*int(binary.NativeEndian.Uint16(list[10:]))
	if used == pageHeader {
		t.Fatal("the file has no free pages")
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	n := 150
	if testing.Short() {
		n = 20
	}
	for range n {
		bit := random.IntN(used * 8)
		content := bytes.Clone(good)
		content[int(h.FreeList)*page+bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if report, err := Check(dir); err != nil || report.Sound() {
			t.Fatalf("seed %d, bit %d of byte %d of the list: not found, %v", seed, bit%8, bit/8, err)
		}
	}
}
