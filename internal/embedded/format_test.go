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

// toFormat gives a file another format.
func toFormat(format string) func(*bbolt.Tx) error {
	return func(b *bbolt.Tx) error { return b.Bucket(bucketMeta).Put(keyFormat, []byte(format)) }
}

func TestOpenRejectsOtherFormats(t *testing.T) {
	for name, change := range map[string]func(*bbolt.Tx) error{
		`newer version of ddbdesk: it has format "5"`:      toFormat("5"),
		`before its first release: it has format "3", and`: toFormat("3"),
		`invalid format version ""`:                        toFormat(""),
		`invalid format version "-1"`:                      toFormat("-1"),
		"format is missing":                                func(b *bbolt.Tx) error { return b.DeleteBucket(bucketMeta) },
		"data is missing":                                  func(b *bbolt.Tx) error { return b.DeleteBucket(bucketChecksums) },
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
