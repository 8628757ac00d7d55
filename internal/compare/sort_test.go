package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// drained returns the keys of a sorter in their order, and fails when a record lost its digest or entity.
func drained(t rapid.TB, s *sorter) [][]byte {
	var keys [][]byte
	for r, err := range s.sorted() {
		if err != nil {
			t.Fatal(err)
		}
		if r.digest != sha256.Sum256(r.key) || int(r.entity) != len(r.key)%7 {
			t.Fatalf("the record of %q is another one", r.key)
		}
		keys = append(keys, r.key)
	}
	return keys
}

func TestSorterSortsInMemoryAndInFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSorter()
		s.limit = rapid.SampledFrom([]int{1, 100, 1000, sortBytes}).Draw(t, "limit")
		defer func() {
			if err := s.close(); err != nil {
				t.Fatal(err)
			}
		}()
		keys := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 60).Draw(t, "keys")
		for _, k := range keys {
			if err := s.add(record{k, uint16(len(k) % 7), sha256.Sum256(k)}); err != nil {
				t.Fatal(err)
			}
		}
		got := drained(t, s)
		slices.SortFunc(keys, bytes.Compare)
		if !slices.EqualFunc(got, keys, bytes.Equal) {
			t.Fatalf("%q, want %q", got, keys)
		}
	})
}

// Keys can be personal data: they are not in the files, and the files are removed.
func TestFilesOfKeysAreEncryptedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := newSorter()
	s.limit = 1
	key := []byte(`{"PK":{"S":"EMAIL#jane.doe@example.com"}}`)
	for range 3 {
		if err := s.add(record{key: key, digest: sha256.Sum256(key)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.files) != 3 {
		t.Fatal(s.files)
	}
	if left, err := os.ReadDir(dir); runtime.GOOS != "windows" && (err != nil || len(left) > 0) {
		t.Errorf("a kill leaves %v, %v", left, err)
	}
	var texts [][]byte
	for _, f := range s.files {
		text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
		if err != nil || len(text) == 0 || bytes.Contains(text, []byte("jane")) || bytes.Contains(text, []byte("EMAIL")) {
			t.Errorf("%s: %v, %d bytes with the key", f.Name(), err, len(text))
		}
		texts = append(texts, text)
	}
	if bytes.Equal(texts[0], texts[1]) {
		t.Error("the same records are encrypted equally in two files")
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// What a sorter keeps in memory does not depend on the number of records.
func TestSorterKeepsLittle(t *testing.T) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most := live(), uint64(0)
	s := newSorter()
	s.limit = 1 << 20
	const n = 120_000
	for i := range n {
		key := make([]byte, 100)
		binary.BigEndian.PutUint64(key, uint64(i)*0x9e3779b97f4a7c15)
		if err := s.add(record{key, uint16(len(key) % 7), sha256.Sum256(key)}); err != nil {
			t.Fatal(err)
		}
	}
	last, count := []byte(nil), 0
	for r, err := range s.sorted() {
		if err != nil || bytes.Compare(r.key, last) <= 0 {
			t.Fatal(count, err)
		}
		last = r.key
		if count++; count%(n/4) == 1 {
			most = max(most, live())
		}
	}
	if err := s.close(); err != nil || count != n {
		t.Error(count, err)
	}
	if most > before+6<<20 {
		t.Errorf("%d KB are kept of %d records", (most-before)>>10, n)
	}
}

// Two items have the same digest exactly if DynamoDB takes them for equal.
func TestDigestsAreEqualForEqualItems(t *testing.T) {
	list := []string{
		`{"n":{"N":"1"}}`, `{"n":{"N":"1.0"}}`, `{"n":{"N":"1e0"}}`, `{"n":{"S":"1"}}`, `{"n":{"SS":["a","b"]}}`, `{"n":{"SS":["b","a"]}}`,
		`{"n":{"NS":["1","2.50"]}}`, `{"n":{"NS":["2.5","1"]}}`, `{"n":{"BS":["YQ==","Yg=="]}}`, `{"n":{"BS":["Yg==","YQ=="]}}`,
		`{"n":{"L":[{"N":"1"},{"SS":["b","a"]}]}}`, `{"n":{"L":[{"N":"1.0"},{"SS":["a","b"]}]}}`, `{"n":{"L":[{"SS":["a","b"]},{"N":"1"}]}}`,
		`{"n":{"M":{"x":{"N":"10"}}}}`, `{"n":{"M":{"x":{"N":"1e1"}}}}`, `{"n":{"M":{"y":{"N":"10"}}}}`, `{"n":{"NULL":true}}`, `{"n":{"BOOL":true}}`, `{}`,
	}
	for _, a := range list {
		for _, b := range list {
			x, err := models.ParseItem([]byte(a))
			if err != nil {
				t.Fatal(a, err)
			}
			y, err := models.ParseItem([]byte(b))
			if err != nil {
				t.Fatal(b, err)
			}
			if equal := digestOf(x) == digestOf(y); equal != models.EqualItems(x, y) {
				t.Errorf("%s and %s: digests equal %v", a, b, equal)
			}
		}
	}
}
