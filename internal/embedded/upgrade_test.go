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

// downgrade makes a file of format 1.
func downgrade(b *bbolt.Tx) error {
	return errors.Join(b.DeleteBucket(bucketBlocks), b.Bucket(bucketMeta).Put(keyFormat, []byte(formatBefore)))
}

func TestOpenUpgradesFormat1(t *testing.T) {
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
	for range 2 { // the second time is that of format 2
		s = openStore(t, Options{Path: dir})
		for i, q := range questions() {
			if got := mustCall(t, s, q.target, q.body); !sameJSON(t, got, want[i]) {
				t.Errorf("%s %s: got %.200s, want %.200s", q.target, q.body, got, want[i])
			}
		}
		mustCall(t, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(0)+`}`)
		mustCall(t, s, "DeleteItem", `{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#000000"}}}`)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenRejectsOtherFormats(t *testing.T) {
	for name, change := range map[string]func(*bbolt.Tx) error{
		`file has format "3"`: func(b *bbolt.Tx) error { return b.Bucket(bucketMeta).Put(keyFormat, []byte("3")) },
		`file has format ""`:  func(b *bbolt.Tx) error { return b.Bucket(bucketMeta).Delete(keyFormat) },
		"format is missing":   func(b *bbolt.Tx) error { return b.DeleteBucket(bucketMeta) },
		"data is missing":     func(b *bbolt.Tx) error { return b.DeleteBucket(bucketBlocks) },
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
