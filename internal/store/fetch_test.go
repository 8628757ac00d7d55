package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestFetchSends(t *testing.T) {
	var sent map[string]any
	record := func(r *http.Request) {
		sent = nil
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
	}
	const empty = `{"Items":[],"Count":0,"ScannedCount":0}`
	inProcess := connect(t, doer(func(r *http.Request) (*http.Response, error) {
		record(r)
		return answer(200, empty), nil
	})).Reader()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record(r)
		fmt.Fprint(w, empty)
	}))
	defer server.Close()
	local := readerOf(t, server.URL)

	start := item(attrs{"PK": "p"})
	startJSON := map[string]any{"PK": map[string]any{"S": "p"}}
	for _, test := range []struct {
		name   string
		reader store.Reader
		leg    accesspatterns.Leg
		start  models.Item
		limit  int
		want   map[string]any
	}{
		{
			"query", inProcess,
			accesspatterns.Leg{Query: &dynamodb.QueryInput{TableName: aws.String("t")}},
			start, 7,
			map[string]any{"ExclusiveStartKey": startJSON, "Limit": 7.0},
		},
		{
			"query without a limit", local,
			accesspatterns.Leg{Query: &dynamodb.QueryInput{TableName: aws.String("t")}},
			nil, 0,
			map[string]any{},
		},
		{
			"the leg's own limit", inProcess,
			accesspatterns.Leg{Query: &dynamodb.QueryInput{TableName: aws.String("t"), Limit: aws.Int32(3)}},
			nil, 0,
			map[string]any{"Limit": 3.0},
		},
		{
			"the requested limit overrides the leg's limit", inProcess,
			accesspatterns.Leg{Query: &dynamodb.QueryInput{TableName: aws.String("t"), Limit: aws.Int32(3)}},
			nil, 2,
			map[string]any{"Limit": 2.0},
		},
		{
			"a limit beyond 32 bits", inProcess,
			accesspatterns.Leg{Scan: &dynamodb.ScanInput{TableName: aws.String("t")}},
			nil, math.MaxInt,
			map[string]any{"Limit": float64(math.MaxInt32)},
		},
		{
			"scan without a limit", inProcess,
			accesspatterns.Leg{Scan: &dynamodb.ScanInput{TableName: aws.String("t")}},
			nil, 0,
			map[string]any{},
		},
		{
			"scan of a local server in small pages", local,
			accesspatterns.Leg{Scan: &dynamodb.ScanInput{TableName: aws.String("t")}},
			start, 0,
			map[string]any{"ExclusiveStartKey": startJSON, "Limit": 1000.0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := test.reader.Fetch(t.Context(), test.leg, test.start, test.limit); err != nil {
				t.Fatal(err)
			}
			test.want["TableName"], test.want["ReturnConsumedCapacity"] = "t", "TOTAL"
			if diff := cmp.Diff(test.want, sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

// batchGet reads items by their keys.
func batchGet(ctx context.Context, r store.Reader, table string, keys []models.Item) ([]models.Item, error) {
	page, err := r.Fetch(ctx, accesspatterns.BatchLeg(&models.Table{Name: table}, keys), nil, 0)
	return page.Items, err
}

var discard = log.New(io.Discard, "", 0)

func someItems(n int) []models.Item {
	items := make([]models.Item, n)
	for i := range items {
		items[i] = item(attrs{"PK": fmt.Sprint(i)})
	}
	return items
}

func TestBatchGetUntilAllAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := doer(func(r *http.Request) (*http.Response, error) {
			var in struct {
				RequestItems map[string]struct{ Keys []json.RawMessage }
			}
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			keys := in.RequestItems["orders"].Keys
			if len(keys) > 100 {
				t.Errorf("a request has %d keys, want at most 100", len(keys))
			}
			n := min(7, len(keys))
			out := map[string]any{
				"Responses":        map[string]any{"orders": keys[:n]},
				"UnprocessedKeys":  map[string]any{},
				"ConsumedCapacity": []any{map[string]any{"TableName": "orders", "CapacityUnits": n}},
			}
			if n < len(keys) {
				out["UnprocessedKeys"] = map[string]any{"orders": map[string]any{"Keys": keys[n:]}}
			}
			body, err := json.Marshal(out)
			if err != nil {
				t.Error(err)
			}
			return answer(200, string(body)), nil
		})
		ctx, sum := withUsage(t.Context())
		got, err := batchGet(ctx, connect(t, d).Reader(), "orders", someItems(130))
		if err != nil || len(got) != 130 {
			t.Fatalf("got %d items, %v, want 130", len(got), err)
		}
		for i, want := range someItems(130) {
			if !models.EqualItems(want, got[i]) {
				t.Fatalf("item %d: got %s", i, got[i].AppendJSON(nil))
			}
		}
		if sum.requests < 19 || sum.units != 130 || sum.retries == 0 {
			t.Errorf("got usage %+v", sum)
		}
	})
}

// A usage is the cost of the requests in a context.
type usage struct {
	requests, retries int
	units             float64
}

// withUsage returns a context that adds up the cost of its requests.
func withUsage(ctx context.Context) (context.Context, *usage) {
	var sum usage
	return store.WithTrace(ctx, store.Trace{
		Called:  func(c store.Call) { sum.requests++; sum.units += c.Capacity },
		Retried: func(store.Retry) { sum.retries++ },
	}), &sum
}

func TestNestedTracesReceiveEveryCall(t *testing.T) {
	r := connect(t, doer(func(*http.Request) (*http.Response, error) {
		return answer(200, `{"Items":[],"ConsumedCapacity":{"TableName":"orders","CapacityUnits":2.5}}`), nil
	})).Reader()
	outer, one := withUsage(t.Context())
	inner, two := withUsage(outer)
	for range 3 {
		if _, err := r.Fetch(inner, leg(), nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if want := (usage{requests: 3, units: 7.5}); *one != want || *two != want {
		t.Errorf("got %+v and %+v, want %+v", *one, *two, want)
	}
}

func TestTablesReadsEveryPage(t *testing.T) {
	pages := []string{
		`{"TableNames":["a","b"],"LastEvaluatedTableName":"b"}`, `{"TableNames":["c"],"LastEvaluatedTableName":"c"}`, `{"TableNames":[]}`,
	}
	names, err := connect(t, doer(func(*http.Request) (*http.Response, error) {
		page := pages[0]
		pages = pages[1:]
		return answer(200, page), nil
	})).Reader().Tables(t.Context())
	if err != nil || fmt.Sprint(names) != "[a b c]" {
		t.Errorf("got %v, %v", names, err)
	}
}

// slowStore creates tables, and describes them with the next of several descriptions.
type slowStore struct {
	t         *testing.T
	requests  []string
	created   map[string]any
	describes []string
}

// Do implements store.Doer.
func (s *slowStore) Do(r *http.Request) (*http.Response, error) {
	operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810.")
	s.requests = append(s.requests, operation)
	switch operation {
	case "CreateTable":
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &s.created)
		}
		if err != nil {
			s.t.Error(err)
		}
		return answer(200, `{"TableDescription":{}}`), nil
	case "DescribeTable":
		next := s.describes[0]
		if len(s.describes) > 1 {
			s.describes = s.describes[1:]
		}
		if next == "" {
			return failing(400, "ResourceNotFoundException", "not yet"), nil
		}
		return answer(200, next), nil
	}
	return answer(200, `{}`), nil
}

func smallTable() *models.Table {
	pk := models.Key{Name: "PK", Type: models.TypeS}
	return &models.Table{
		Name: "orders", PartitionKey: pk, TTL: "ttl",
		Indexes: []*models.Index{
			{Name: "byDay", PartitionKeys: models.KeyList(models.Key{Name: "day", Type: models.TypeN}), SortKeys: models.KeyList(pk)},
		},
	}
}

const (
	indexCreating = `{"Table":{"TableStatus":"ACTIVE","GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"CREATING"}]}}`
	allActive     = `{"Table":{"TableStatus":"ACTIVE","GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"ACTIVE"}]}}`
)

func TestCreateTableWaitsUntilTableIsActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{t: t, describes: []string{"", `{"Table":{"TableStatus":"CREATING"}}`, indexCreating, allActive}}
		if err := connect(t, s).Admin().CreateTable(t.Context(), smallTable()); err != nil {
			t.Fatal(err)
		}
		want := []string{"CreateTable", "DescribeTable", "DescribeTable", "DescribeTable", "DescribeTable", "UpdateTimeToLive"}
		if diff := cmp.Diff(want, s.requests); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if indexes, ok := s.created["GlobalSecondaryIndexes"].([]any); !ok || len(indexes) != 1 {
			t.Errorf("created the indexes %v, want 1", s.created["GlobalSecondaryIndexes"])
		}
		// DynamoDB rejects definitions of attributes that are not keys.
		definitions := []any{
			map[string]any{"AttributeName": "PK", "AttributeType": "S"},
			map[string]any{"AttributeName": "day", "AttributeType": "N"},
		}
		if diff := cmp.Diff(definitions, s.created["AttributeDefinitions"]); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
	})
}

func TestCreateTableStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := &slowStore{t: t, describes: []string{indexCreating}}
		err := connect(t, s).Admin().CreateTable(t.Context(), smallTable())
		if err == nil || !strings.Contains(err.Error(), "timed out") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 10*time.Minute {
			t.Errorf("the wait ended after %s, want 10m", took)
		}
	})
}

func TestPutNewReplacesNothing(t *testing.T) {
	db, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	line := faults.New(db)
	c := connect(t, line)
	table := &models.Table{ID: "orders", Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}, Indexes: []*models.Index{
		{Name: "byDay", PartitionKeys: []models.Key{{Name: "day", Type: models.TypeS}}, Projection: models.ProjectionAll},
	}}
	if err := c.Admin().CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	numbered := func(from, to, version int, text string) []models.Item {
		var list []models.Item
		for i := from; i < to; i++ {
			list = append(list, item(attrs{"id": fmt.Sprint(i), "version": version, "text": text}))
		}
		return list
	}
	for _, step := range []struct {
		items   []models.Item
		written int
	}{
		{nil, 0},
		{numbered(0, 250, 1, ""), 250},
		{numbered(0, 250, 2, ""), 0},
		{numbered(240, 251, 2, ""), 1},
		{numbered(0, 260, 3, ""), 9},
		{numbered(300, 320, 1, strings.Repeat("x", 390_000)), 20}, // more than the size limit of a transaction
	} {
		written, _, err := c.Admin().PutNew(t.Context(), table, step.items)
		if err != nil || written != step.written {
			t.Errorf("%d items: wrote %d, %v, want %d", len(step.items), written, err, step.written)
		}
	}
	found, err := batchGet(t.Context(), c.Reader(), "orders", []models.Item{item(attrs{"id": "7"}), item(attrs{"id": "250"})})
	if err != nil || len(found) != 2 {
		t.Fatalf("got items %v, %v, want 2", found, err)
	}
	for i, want := range []string{"1", "2"} {
		if n, ok := found[i]["version"].(*types.AttributeValueMemberN); !ok || n.Value != want {
			t.Errorf("got version %v, want %s", found[i]["version"], want)
		}
	}
	line.Set(faults.Writes(faults.After(1, faults.Named("refused"))))
	written, _, err := c.Admin().PutNew(t.Context(), table, numbered(1000, 1250, 1, ""))
	if written != 100 || store.ClassOf(err) != store.Unreachable || strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("wrote %d items and returned %v", written, err)
	}
	line.Set(nil)
	bad := numbered(2000, 2250, 1, "")
	bad[230]["day"] = &types.AttributeValueMemberNULL{Value: true}
	var existed int
	written, existed, err = c.Admin().PutNew(t.Context(), table, bad)
	e, ok := errors.AsType[*store.Error](err)
	if written != 200 || existed != 0 || !ok || e.Class != store.Validation || len(e.Failures) != 1 || e.Failures[0].Index != 230 ||
		!strings.HasPrefix(e.Problem, "DynamoDB rejected the item: ") || !strings.Contains(e.Problem, "Type mismatch for Index Key day") {
		t.Errorf("wrote %d items, %d existed, %v", written, existed, err)
	}
	if written, existed, err := c.Admin().PutNew(t.Context(), table, bad); written != 0 || existed != 200 || err == nil {
		t.Errorf("the second call: wrote %d items, %d existed, %v", written, existed, err)
	}
	table.Name = "missing"
	if _, _, err := c.Admin().PutNew(t.Context(), table, numbered(0, 1, 1, "")); store.ClassOf(err) != store.TableMissing {
		t.Errorf("got %v, want a missing table", err)
	}
}
