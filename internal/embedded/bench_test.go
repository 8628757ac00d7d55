// These benchmarks call the handler in process, without the cost of the AWS client.

package embedded

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// send passes a request body to the handler.
func send(t testing.TB, s *Store, target, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://embedded.invalid/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := streamOperations[target]; ok {
		r.Header.Set("X-Amz-Target", streamPrefix+target)
	} else {
		r.Header.Set("X-Amz-Target", targetPrefix+target)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local")
	resp, err := s.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// call returns the status and the body of the response.
func call(t testing.TB, s *Store, target, body string) (int, []byte) {
	t.Helper()
	resp := send(t, s, target, body)
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, out
}

// measure sends a request and checks only the status.
func measure(b *testing.B, s *Store, target, body string) {
	b.Helper()
	resp := send(b, s, target, body)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		b.Fatalf("%s: status %d", target, resp.StatusCode)
	}
}

func mustCall(t testing.TB, s *Store, target, body string) []byte {
	t.Helper()
	status, out := call(t, s, target, body)
	if status != http.StatusOK {
		t.Fatalf("%s failed: %d %s", target, status, out)
	}
	return out
}

// filledStore returns a store with a table "bench" of n items of about 400 bytes, 1,000 in each partition.
func filledStore(t testing.TB, n int) *Store {
	t.Helper()
	s := openStore(t, Options{})
	fill(t, s, n)
	return s
}

// fill creates the table of filledStore and puts its items.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	mustCall(t, s, "CreateTable", `{"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"G1","AttributeType":"S"}],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
		"GlobalSecondaryIndexes":[{"IndexName":"byG1","KeySchema":[{"AttributeName":"G1","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}`)
	for i := 0; i < n; {
		var puts []string
		for ; len(puts) < maxBatchWrite && i < n; i++ {
			puts = append(puts, `{"PutRequest":{"Item":`+benchItem(i)+`}}`)
		}
		mustCall(t, s, "BatchWriteItem", `{"RequestItems":{"bench":[`+strings.Join(puts, ",")+`]}}`)
	}
}

func benchItem(i int) string {
	return fmt.Sprintf(`{"PK":{"S":"CUSTOMER#%04d"},"SK":{"S":"ORDER#%06d"},"G1":{"S":"STATE#%d"},"total":{"N":"%d.5"},"createdAt":{"S":"2026-11-21T10:00:00Z"},`+
		`"address":{"M":{"city":{"S":"Utrecht"},"zip":{"S":"3511"}}},"paid":{"BOOL":true},"note":{"S":"%s"}}`, i/1000, i, i%7, i, strings.Repeat("x", 250))
}

func BenchmarkPut(b *testing.B) {
	s := filledStore(b, 1000)
	for i := 0; b.Loop(); i++ {
		measure(b, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(i%1000)+`}`)
	}
}

func BenchmarkGet(b *testing.B) {
	s := filledStore(b, 1000)
	for i := 0; b.Loop(); i++ {
		measure(b, s, "GetItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}}}`, i%1000))
	}
}

func BenchmarkQueryPage(b *testing.B) {
	s := filledStore(b, 10000)
	for i := 0; b.Loop(); i++ {
		measure(b, s, "Query", fmt.Sprintf(`{"TableName":"bench","Limit":50,"KeyConditionExpression":"PK = :p AND begins_with(SK, :s)",
			"ExpressionAttributeValues":{":p":{"S":"CUSTOMER#%04d"},":s":{"S":"ORDER#"}}}`, i%10))
	}
}

func BenchmarkQueryIndexPage(b *testing.B) {
	s := filledStore(b, 10000)
	for i := 0; b.Loop(); i++ {
		measure(b, s, "Query", fmt.Sprintf(`{"TableName":"bench","IndexName":"byG1","Limit":50,"KeyConditionExpression":"G1 = :g",
			"ExpressionAttributeValues":{":g":{"S":"STATE#%d"}}}`, i%7))
	}
}

// BenchmarkScan reads 100,000 items in pages.
func BenchmarkScan(b *testing.B) {
	s := filledStore(b, 100000)
	for b.Loop() {
		n, start := 0, ""
		for {
			var page struct {
				Count            int
				LastEvaluatedKey json.RawMessage
			}
			if err := json.Unmarshal(mustCall(b, s, "Scan", `{"TableName":"bench"`+start+`}`), &page); err != nil {
				b.Fatal(err)
			}
			n += page.Count
			if page.LastEvaluatedKey == nil {
				break
			}
			start = `,"ExclusiveStartKey":` + string(page.LastEvaluatedKey)
		}
		if n != 100000 {
			b.Fatalf("scanned %d items, want 100000", n)
		}
	}
}
