// Single damaged bits of the file: each answer is right, or an error.

package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// agedIn fills a store in dir, and changes it often enough that the file has pages with old
// versions of the items.
func agedIn(t *testing.T, dir string) {
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

// question is a request whose answer must be right or an error.
type question struct{ target, body string }

func questions() []question {
	all := []question{
		{"ListTables", `{}`},
		{"DescribeTable", `{"TableName":"bench"}`},
		{"GetItem", `{"TableName":"other","Key":{"PK":{"S":"a"}}}`},
		{"GetItem", `{"TableName":"other","Key":{"PK":{"S":"b"}}}`},
	}
	for i := 0; i < 400; i += 9 {
		all = append(all, question{"GetItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}}}`, i)})
	}
	for _, index := range []string{"", `,"IndexName":"byG1"`} {
		all = append(all, question{"Scan", `{"TableName":"bench"` + index + `}`},
			question{"Scan", `{"TableName":"bench","Segment":1,"TotalSegments":3` + index + `}`})
	}
	for state := range 8 {
		for _, forward := range []string{"true", "false"} {
			all = append(all, question{"Query", fmt.Sprintf(`{"TableName":"bench","IndexName":"byG1","KeyConditionExpression":"G1 = :g",
				"ScanIndexForward":%s,"ExpressionAttributeValues":{":g":{"S":"STATE#%d"}}}`, forward, state)},
				question{"Query", fmt.Sprintf(`{"TableName":"bench","Limit":20,"KeyConditionExpression":"PK = :p AND SK > :s","ScanIndexForward":%s,
				"ExpressionAttributeValues":{":p":{"S":"CUSTOMER#0000"},":s":{"S":"ORDER#%06d"}}}`, forward, state*50)})
		}
	}
	// At the end, because it writes if the token is lost.
	return append(all, question{
		"TransactWriteItems",
		`{"ClientRequestToken":"once","TransactItems":[{"Put":{"TableName":"other","Item":{"PK":{"S":"a"}}}}],"ReturnConsumedCapacity":"TOTAL"}`,
	})
}

// flips returns n random bits of the whole file, then n random bits of headers of pages and
// their first elements, which say where everything else is.
func flips(random *rand.Rand, size, n int) []int {
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

// sameJSON compares answers. The attributes of an item have no order.
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

func TestFlippedBitsNeverChangeAnAnswer(t *testing.T) {
	whole := t.TempDir()
	agedIn(t, whole)
	good, err := os.ReadFile(filepath.Join(whole, fileName))
	if err != nil {
		t.Fatal(err)
	}
	asked := questions()
	answers := make([][]byte, len(asked))
	s := openStore(t, Options{Path: whole})
	for i, q := range asked {
		answers[i] = mustCall(t, s, q.target, q.body)
	}
	seed := rand.Uint64()
	t.Logf("seed %d, %d bytes", seed, len(good))
	n := 220
	if testing.Short() {
		n = 15
	}
	dir := t.TempDir()
	file := filepath.Join(dir, fileName)
	refused, failed, right := 0, 0, 0
	for _, bit := range flips(rand.New(rand.NewPCG(seed, 0)), len(good), n) {
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
				t.Errorf("bit %d: the file is refused (%v), and the check finds nothing", bit, err)
			}
			continue
		}
		damaged := 0
		for i, q := range asked {
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
				t.Errorf("bit %d: reads fail, and the check finds nothing", bit)
			}
		} else {
			right++
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d files were refused, %d answered with errors, %d answered right", refused, failed, right)
	if failed == 0 {
		t.Error("no damage was detected")
	}
}
