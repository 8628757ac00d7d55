// Damaged pages of the file: a read returns an error or all items, never fewer.

package embedded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// countAll returns the number of items in a scan of the table "bench" or of one of its indexes.
func countAll(t *testing.T, s *Store, index string) int {
	t.Helper()
	n, err := count1(t, s, index)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// count1 counts the items page by page until an error.
func count1(t *testing.T, s *Store, index string) (n int, err error) {
	t.Helper()
	for start := ""; ; {
		status, out := call(t, s, "Scan", `{"TableName":"bench"`+index+start+`}`)
		if status == http.StatusInternalServerError {
			return n, fmt.Errorf("%s", out)
		}
		var page struct {
			Items            []json.RawMessage
			LastEvaluatedKey json.RawMessage
		}
		if err := json.Unmarshal(out, &page); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, out)
		}
		n += len(page.Items)
		if page.LastEvaluatedKey == nil {
			return n, nil
		}
		start = `,"ExclusiveStartKey":` + string(page.LastEvaluatedKey)
	}
}

func TestDamagedPagesAreReported(t *testing.T) {
	const items = 150
	whole := t.TempDir()
	s := filledIn(t, whole, items)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(whole, fileName))
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	refused, reported, harmless := 0, 0, 0
	// The first two pages identify the last transaction alternately. If the later one is
	// damaged, the file has the state of the transaction before, as after a crash.
	for at := 2 * page; at < len(good); at += page {
		for name, spoilt := range map[string][]byte{
			"zeros": make([]byte, page), "ones": bytes.Repeat([]byte{0xff}, page),
			"another": good[len(good)/2/page*page:][:page],
		} {
			dir := t.TempDir()
			content := append(append(append([]byte{}, good[:at]...), spoilt...), good[at+page:]...)
			if bytes.Equal(content, good) {
				continue
			}
			file := filepath.Join(dir, fileName)
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(Options{Path: dir, NoSync: true})
			if err != nil {
				refused++
				if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, content) {
					t.Errorf("page %d, %s: the file was changed: %v", at/page, name, err)
				}
				continue
			}
			failed := false
			for _, index := range []string{"", `,"IndexName":"byG1"`} {
				n, err := count1(t, s, index)
				if err == nil && n != items {
					t.Errorf("page %d, %s: %d items of %d, and no error", at/page, name, n, items)
				}
				failed = failed || err != nil
			}
			// A write may succeed or fail, but it must return.
			call(t, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(1000)+`}`)
			if failed {
				reported++
			} else {
				harmless++
			}
			if err := s.Close(); err != nil {
				t.Errorf("page %d, %s: %v", at/page, name, err)
			}
		}
	}
	t.Logf("%d files were refused, %d answered with errors, %d had lost nothing", refused, reported, harmless)
	if refused == 0 || reported == 0 {
		t.Error("the damage was not detected")
	}
}

// filledIn returns a store in dir with the table of filled.
func filledIn(t *testing.T, dir string, n int) *Store {
	t.Helper()
	s := openStore(t, Options{Path: dir})
	fill(t, s, n)
	return s
}
