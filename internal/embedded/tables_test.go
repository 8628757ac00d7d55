package embedded

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

func TestDescribeTableCountsItems(t *testing.T) {
	c := withOrders(t)
	out, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("orders")})
	if err != nil {
		t.Fatal(err)
	}
	if out.Table.TableStatus != types.TableStatusActive || *out.Table.ItemCount != 0 || len(out.Table.GlobalSecondaryIndexes) != 2 {
		t.Errorf("got %+v, want an active table with 2 indexes", out.Table)
	}
	counts := func() string {
		t.Helper()
		out, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("orders")})
		if err != nil {
			t.Fatal(err)
		}
		s := fmt.Sprintf("%d items %d bytes", *out.Table.ItemCount, *out.Table.TableSizeBytes)
		for _, ix := range out.Table.GlobalSecondaryIndexes {
			s += fmt.Sprintf(", %s %d/%d", *ix.IndexName, *ix.ItemCount, *ix.IndexSizeBytes)
		}
		return s
	}
	put(t, c, av{"PK": str("a"), "SK": str("1"), "G1": str("g"), "G2": num("1"), "note": str("12345")})
	put(t, c, av{"PK": str("b"), "SK": str("1")})
	// 2+1 + 2+1 + 2+1 + 2+2 + 4+5 = 22 bytes; only the keys: 9.
	if diff := cmp.Diff("2 items 28 bytes, byStatus 1/22, keysOnly 1/9", counts()); diff != "" {
		t.Error(diff)
	}
	put(t, c, av{"PK": str("a"), "SK": str("1"), "G1": str("g")})
	if diff := cmp.Diff("2 items 15 bytes, byStatus 0/0, keysOnly 1/9", counts()); diff != "" {
		t.Error(diff)
	}
	for _, pk := range []string{"a", "b", "absent"} {
		if _, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("orders"), Key: orderKey(pk)}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff("0 items 0 bytes, byStatus 0/0, keysOnly 0/0", counts()); diff != "" {
		t.Error(diff)
	}
}

func TestExpiredItemsAreSwept(t *testing.T) {
	now := &clock{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	s := openStore(t, Options{Clock: now.Now})
	c := clientOf(s)
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	ttl := func(name string, enabled bool) error {
		_, err := c.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
			TableName:               aws.String("orders"),
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(name), Enabled: aws.Bool(enabled)},
		})
		return err
	}
	if err := ttl("expires", true); err != nil {
		t.Fatal(err)
	}
	wantError(t, ttl("expires", true), "ValidationException", "TimeToLive is already enabled")
	wantError(
		t, ttl("other", true), "ValidationException",
		"TimeToLive is active on a different AttributeName: current AttributeName is expires",
	)
	at := func(d time.Duration) types.AttributeValue { return num(fmt.Sprint(now.now.Add(d).Unix())) }
	for sk, v := range map[string]types.AttributeValue{
		"expired": at(-2 * time.Minute), "just expired": at(-30 * time.Second), "future": at(time.Hour),
		"ancient": at(-6 * 365 * 24 * time.Hour),
		"text":    str("1"), "fraction": num("1.5"),
	} {
		put(t, c, av{"PK": str("p"), "SK": str(sk), "expires": v, "G1": str("g")})
	}
	put(t, c, av{"PK": str("p"), "SK": str("never")})
	rest := func() string {
		t.Helper()
		out, err := c.Query(t.Context(), query("PK = :p", av{":p": str("p")}))
		if err != nil {
			t.Fatal(err)
		}
		return names(out.Items)
	}
	if got := rest(); got != "ancient expired fraction future just expired never text" {
		t.Errorf("before the sweep: got %s", got)
	}
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
	if got := rest(); got != "ancient fraction future just expired never text" {
		t.Errorf("after the sweep: got %s", got)
	}
	in := query("G1 = :g", av{":g": str("g")})
	in.IndexName = aws.String("keysOnly")
	if out, err := c.Query(t.Context(), in); err != nil || out.Count != 5 {
		t.Errorf("the index contains %v, want 5 items: %v", out, err)
	}
	if err := ttl("expires", false); err != nil {
		t.Fatal(err)
	}
	now.now = now.now.Add(time.Hour)
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
	if got := rest(); got != "ancient fraction future just expired never text" {
		t.Errorf("with TTL disabled: got %s", got)
	}
}

func TestSweepDeletesMoreThanOneBatch(t *testing.T) {
	now := &clock{now: time.Unix(1_800_000_000, 0)}
	s := openStore(t, Options{Clock: now.Now})
	mustCall(t, s, "CreateTable", `{"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
	mustCall(t, s, "UpdateTimeToLive", `{"TableName":"bench","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}`)
	for i := range sweepBatch + 20 {
		mustCall(t, s, "PutItem", fmt.Sprintf(`{"TableName":"bench","Item":{"PK":{"S":"%d"},"ttl":{"N":"1799990000"}}}`, i))
	}
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
	if got := string(mustCall(t, s, "Scan", `{"TableName":"bench"}`)); got != `{"Items":[],"Count":0,"ScannedCount":0}` {
		t.Errorf("items remain after the sweep: %.200s", got)
	}
}

// DescribeTable returns the settings of CreateTable. UpdateTable accepts each setting alone. Settings that would change
// the table's behavior are rejected.
func TestDescribeTableReturnsSettings(t *testing.T) {
	s := openStore(t, Options{})
	create := func(name, settings string) (int, string) {
		t.Helper()
		status, out := call(t, s, "CreateTable", `{"TableName":"`+name+`","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],`+
			`"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"`+settings+`}`)
		return status, string(out)
	}
	const index = `,"GlobalSecondaryIndexes":[{"IndexName":"other","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],` +
		`"Projection":{"ProjectionType":"ALL"},"OnDemandThroughput":{"MaxReadRequestUnits":7}}]`
	status, out := create("kept", index+`,"SSESpecification":{"Enabled":true},"OnDemandThroughput":{"MaxReadRequestUnits":5,"MaxWriteRequestUnits":-1},`+
		`"WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000}`)
	if status != 200 {
		t.Fatal(out)
	}
	described := string(mustCall(t, s, "DescribeTable", `{"TableName":"kept"}`))
	for _, want := range []string{
		`"SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:aws:kms:local:000000000000:alias/aws/dynamodb"}`,
		`"OnDemandThroughput":{"MaxReadRequestUnits":5,"MaxWriteRequestUnits":-1}`, `"OnDemandThroughput":{"MaxReadRequestUnits":7}`,
		`"WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,"Status":"ACTIVE"}`,
	} {
		if !strings.Contains(out, want) || !strings.Contains(described, want) {
			t.Errorf("%s is missing: %d %s\n%s", want, status, out, described)
		}
	}
	for change, want := range map[string]string{
		`"SSESpecification":{"Enabled":true,"KMSMasterKeyId":"arn:aws:kms:x"}`: `"KMSMasterKeyArn":"arn:aws:kms:x"`,
		`"OnDemandThroughput":{"MaxReadRequestUnits":9}`:                       `"OnDemandThroughput":{"MaxReadRequestUnits":9,"MaxWriteRequestUnits":-1}`,
		`"WarmThroughput":{"ReadUnitsPerSecond":13000}`:                        `"ReadUnitsPerSecond":13000,"WriteUnitsPerSecond":4000`,
		`"DeletionProtectionEnabled":true`:                                     `"DeletionProtectionEnabled":true`,
	} {
		if out := string(mustCall(t, s, "UpdateTable", `{"TableName":"kept",`+change+`}`)); !strings.Contains(out, want) {
			t.Errorf("%s: got %s", change, out)
		}
	}
	if out := string(mustCall(t, s, "UpdateTable", `{"TableName":"kept","SSESpecification":{"Enabled":false}}`)); strings.Contains(out, "SSEDescription") {
		t.Error(out)
	}
	if status, out := create("vectors", `,"VectorIndexes":[{"IndexName":"v"}]`); status != 400 || !strings.Contains(out, "VectorIndexes is not supported by ddbdesk serve") {
		t.Errorf("got %d %s, want 400", status, out)
	}
}

func TestHealthCheck(t *testing.T) {
	w := httptest.NewRecorder()
	openStore(t, Options{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), "healthy: ") {
		t.Errorf("got %d %s, want a healthy store", w.Code, w.Body)
	}
}
