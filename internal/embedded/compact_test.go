package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// largeItem is an item of 20 KB.
func largeItem(writer, n int) string {
	return fmt.Sprintf(`{"PK":{"S":"large%d"},"SK":{"S":"%03d"},"G1":{"S":"g"},"note":{"S":"%s"}}`, writer, n, strings.Repeat("x", 20000))
}

func TestCompactKeepsEveryAnswer(t *testing.T) {
	dir := t.TempDir()
	agedIn(t, dir)
	s := openStore(t, Options{Path: dir})
	var want [][]byte
	for _, q := range questions() {
		want = append(want, mustCall(t, s, q.target, q.body))
	}
	for i := range 40 {
		mustCall(t, s, "PutItem", `{"TableName":"bench","Item":`+largeItem(0, i)+`}`)
	}
	for i := range 40 {
		mustCall(t, s, "DeleteItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"large0"},"SK":{"S":"%03d"}}}`, i))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := Compact(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Size() != c.After || c.After >= c.Before {
		t.Errorf("%+v, %v %v", c, info, err)
	}
	if report, err := Check(dir); err != nil || !report.Sound() || report.Format != strconv.Itoa(formatVersion) {
		t.Errorf("%+v %v", report, err)
	}
	s = openStore(t, Options{Path: dir})
	for i, q := range questions() {
		if got := mustCall(t, s, q.target, q.body); !sameJSON(t, got, want[i]) {
			t.Errorf("%s %s: got %.200s, want %.200s", q.target, q.body, got, want[i])
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCompactChangesNothingOnAnError(t *testing.T) {
	dir := t.TempDir()
	if _, err := Compact(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
	agedIn(t, dir)
	file := filepath.Join(dir, fileName)
	s := openStore(t, Options{Path: dir})
	if _, err := Compact(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("an open database: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	changeFile(t, dir, func(b *bbolt.Tx) error {
		return b.Bucket(bucketRows).ForEachBucket(func(name []byte) error {
			return b.Bucket(bucketRows).Bucket(name).Put([]byte("unknown"), []byte("entry"))
		})
	})
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compact(dir); !errors.Is(err, errDamaged) {
		t.Errorf("a damaged database: %v", err)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed: %v", err)
	}
	if _, err := os.Stat(file + compactSuffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was left: %v", err)
	}
}
