// If pages of the file are damaged, a read returns an error or all items, never fewer.

package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/ddbdesk/ddbdesk/internal/embedded/pagefile"
)

// countAll returns the number of items in a scan of the table "bench" or of one of its indexes.
func countAll(t *testing.T, s *Store, index string) int {
	t.Helper()
	n, err := countUntilError(t, s, index)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// countUntilError counts the items page by page until an error.
func countUntilError(t *testing.T, s *Store, index string) (n int, err error) {
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
			t.Fatalf("the scan failed: %d %s", status, out)
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
	s := filledStoreIn(t, whole, items)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(whole, fileName))
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	refused, reported, harmless := 0, 0, 0
	// The first two pages alternately contain the header of the last transaction. If the later one is damaged, the file
	// has the state of the previous transaction, as after a crash.
	for at := 2 * page; at < len(good); at += page {
		for name, damaged := range map[string][]byte{
			"zeros": make([]byte, page), "ones": bytes.Repeat([]byte{0xff}, page),
			"another": good[len(good)/2/page*page:][:page],
		} {
			dir := t.TempDir()
			content := append(append(append([]byte{}, good[:at]...), damaged...), good[at+page:]...)
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
					t.Errorf("page %d, %s: Open changed the file: %v", at/page, name, err)
				}
				continue
			}
			failed := false
			for _, index := range []string{"", `,"IndexName":"byG1"`} {
				n, err := countUntilError(t, s, index)
				if err == nil && n != items {
					t.Errorf("page %d, %s: got %d of %d items without an error", at/page, name, n, items)
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
	t.Logf("%d files were rejected, %d had failing scans, %d were read completely", refused, reported, harmless)
	if refused == 0 || reported == 0 {
		t.Errorf("%d files were rejected and %d had failing scans, want both", refused, reported)
	}
}

// filledStoreIn returns a store in dir with the table of filledStore.
func filledStoreIn(t *testing.T, dir string, n int) *Store {
	t.Helper()
	s := openStore(t, Options{Path: dir})
	fill(t, s, n)
	return s
}

// fillAgedStore fills a store in dir, and changes it often enough that the file contains pages with old versions of the
// items.
func fillAgedStore(t *testing.T, dir string) {
	t.Helper()
	s := openStore(t, Options{Path: dir})
	fill(t, s, 400)
	for i := range 400 {
		switch i % 8 {
		case 0:
			mustCall(t, s, "DeleteItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}}}`, i))
		case 1, 2, 3:
			mustCall(t, s, "UpdateItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}},
				"UpdateExpression":"SET changed = :t, G1 = :g",
				"ExpressionAttributeValues":{":t":{"N":"%d"},":g":{"S":"STATE#%d"}}}`, i, i*7, i%5))
		}
	}
	mustCall(t, s, "CreateTable", `{"TableName":"other","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
	mustCall(t, s, "TransactWriteItems", `{"ClientRequestToken":"once","TransactItems":[{"Put":{"TableName":"other","Item":{"PK":{"S":"a"}}}}]}`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkedRequest is a request whose response must be correct or an error.
type checkedRequest struct{ target, body string }

func checkedRequests() []checkedRequest {
	all := []checkedRequest{
		{"ListTables", `{}`},
		{"DescribeTable", `{"TableName":"bench"}`},
		{"GetItem", `{"TableName":"other","Key":{"PK":{"S":"a"}}}`},
		{"GetItem", `{"TableName":"other","Key":{"PK":{"S":"b"}}}`},
	}
	for i := 0; i < 400; i += 9 {
		all = append(all, checkedRequest{"GetItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}}}`, i)})
	}
	for _, index := range []string{"", `,"IndexName":"byG1"`} {
		all = append(all, checkedRequest{"Scan", `{"TableName":"bench"` + index + `}`},
			checkedRequest{"Scan", `{"TableName":"bench","Segment":1,"TotalSegments":3` + index + `}`})
	}
	for state := range 8 {
		for _, forward := range []string{"true", "false"} {
			all = append(all, checkedRequest{"Query", fmt.Sprintf(`{"TableName":"bench","IndexName":"byG1","KeyConditionExpression":"G1 = :g",
				"ScanIndexForward":%s,"ExpressionAttributeValues":{":g":{"S":"STATE#%d"}}}`, forward, state)},
				checkedRequest{"Query", fmt.Sprintf(`{"TableName":"bench","Limit":20,"KeyConditionExpression":"PK = :p AND SK > :s","ScanIndexForward":%s,
				"ExpressionAttributeValues":{":p":{"S":"CUSTOMER#0000"},":s":{"S":"ORDER#%06d"}}}`, forward, state*50)})
		}
	}
	// This request is last, because it writes if the token is lost.
	return append(all, checkedRequest{
		"TransactWriteItems",
		`{"ClientRequestToken":"once","TransactItems":[{"Put":{"TableName":"other","Item":{"PK":{"S":"a"}}}}],"ReturnConsumedCapacity":"TOTAL"}`,
	})
}

// randomBits returns n random bits of the whole file, and n random bits of page headers and first elements, which
// contain the locations of all other data.
func randomBits(random *rand.Rand, size, n int) []int {
	page := os.Getpagesize()
	var bits []int
	for range n {
		bits = append(bits, random.IntN(size*8))
	}
	for range n {
		bits = append(bits, (random.IntN(size/page)*page+random.IntN(96))*8+random.IntN(8))
	}
	return bits
}

// sameJSON compares responses. The attributes of an item are unordered.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	if bytes.Equal(a, b) {
		return true
	}
	var left, right any
	if err := errors.Join(json.Unmarshal(a, &left), json.Unmarshal(b, &right)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(left, right)
}

// If single bits of the file are damaged, each response is correct or an error.
func TestFlippedBitsNeverChangeResponse(t *testing.T) {
	whole := t.TempDir()
	fillAgedStore(t, whole)
	good, err := os.ReadFile(filepath.Join(whole, fileName))
	if err != nil {
		t.Fatal(err)
	}
	list := checkedRequests()
	answers := make([][]byte, len(list))
	s := openStore(t, Options{Path: whole})
	for i, q := range list {
		answers[i] = mustCall(t, s, q.target, q.body)
	}
	seed := rand.Uint64()
	t.Logf("seed %d, %d bytes", seed, len(good))
	n := 60
	if testing.Short() {
		n = 15
	}
	dir := t.TempDir()
	file := filepath.Join(dir, fileName)
	refused, failed, right := 0, 0, 0
	for _, bit := range randomBits(rand.New(rand.NewPCG(seed, 0)), len(good), n) {
		content := bytes.Clone(good)
		content[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := Check(dir)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(Options{Path: dir, NoSync: true})
		if err != nil {
			refused++
			if report.Sound() {
				t.Errorf("bit %d: Open rejects the file (%v), but Check finds nothing", bit, err)
			}
			continue
		}
		damaged := 0
		for i, q := range list {
			status, out := call(t, s, q.target, q.body)
			switch {
			case status == http.StatusInternalServerError:
				damaged++
			case status != http.StatusOK || !sameJSON(t, out, answers[i]):
				t.Fatalf("bit %d of byte %d of page %d: %s %.150s: %d\n%.150s\nwant\n%.150s", bit%8, bit/8%os.Getpagesize(), bit/8/os.Getpagesize(),
					q.target, q.body, status, out, answers[i])
			}
		}
		if damaged > 0 {
			failed++
			if report.Sound() {
				t.Errorf("bit %d: reads fail, but Check finds nothing", bit)
			}
		} else {
			right++
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d files were rejected, %d had failing requests, %d returned only correct responses", refused, failed, right)
	if failed == 0 {
		t.Error("no file had a failing request, want at least one")
	}
}

func TestCheckFindsDamageWithValidChecksums(t *testing.T) {
	// remove deletes the first entry of a bucket together with its checksum, like an error in this program.
	remove := func(parent []byte) func(*bbolt.Tx) error {
		return func(b *bbolt.Tx) error {
			t := &tx{bolt: b}
			return b.Bucket(parent).ForEachBucket(func(name []byte) error {
				part, err := t.bucket(parent, name, "")
				if err != nil {
					return err
				}
				c := part.entries.Cursor()
				c.First()
				if e := part.next(c); !e.isHead() {
					return part.delete(e.key)
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
		fillAgedStore(t, dir)
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

// setCount stores a wrong count for the table bench.
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
	return counts.put(bucketName(tables[0], nil), binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, 1), 1))
}

// Check rejects a file of another format, but does not report it as damaged, because no backup is needed.
func TestCheckRefusesOtherFormats(t *testing.T) {
	for _, format := range []string{"4", "6"} {
		dir := t.TempDir()
		fillAgedStore(t, dir)
		changeFile(t, dir, toFormat(format))
		if report, err := Check(dir); err == nil || !strings.Contains(err.Error(), "it has format \""+format) {
			t.Errorf("format %s: got %+v, %v", format, report, err)
		}
	}
}

func TestCheckNeedsDatabaseThatIsNotInUse(t *testing.T) {
	dir := t.TempDir()
	if _, err := Check(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty directory: got %v", err)
	}
	openStore(t, Options{Path: dir})
	if _, err := Check(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("an open database: got %v", err)
	}
}

// A free list that lacks a free page or contains a page in use does not change a response until a write overwrites
// data.
func TestCheckFindsFlippedBitsOfFreeList(t *testing.T) {
	dir := t.TempDir()
	fillAgedStore(t, dir)
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
			t.Fatalf("seed %d, bit %d of byte %d: Check found nothing: %v", seed, bit%8, bit/8, err)
		}
	}
}

// A copy that failed, for example because the disk was full, leaves a file of 0 bytes.
func TestCheckReportsFileWithoutContent(t *testing.T) {
	file := filepath.Join(t.TempDir(), fileName)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Check(filepath.Dir(file)); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("got %+v, %v", r, err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() > 0 {
		t.Errorf("Check changed the file: %v, %v", info, err)
	}
}

// A process that ended while it created the database leaves an empty one.
func TestCheckAcceptsEmptyFile(t *testing.T) {
	dir := t.TempDir()
	db, err := openFile(filepath.Join(dir, fileName), false)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Check(dir); err != nil || !r.Sound() {
		t.Errorf("got %+v, %v, want no problems", r, err)
	}
}
