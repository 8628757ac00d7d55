package store_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

// A doer is a function that answers requests.
type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

func connect(t testing.TB, d store.Doer) *store.Connection {
	t.Helper()
	c, err := store.Connect(t.Context(), store.Options{Embedded: d})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer returns a response with a JSON body.
func answer(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// failing returns an error response of DynamoDB.
func failing(status int, code, message string) *http.Response {
	return answer(status, `{"__type":"com.amazonaws.dynamodb.v20120810#`+code+`","message":"`+message+`"}`)
}

func leg() accesspatterns.Leg {
	return accesspatterns.Leg{Query: &dynamodb.QueryInput{
		TableName: aws.String("orders"), IndexName: aws.String("byDay"), KeyConditionExpression: aws.String("#k = :v"),
	}}
}

func fetch(ctx context.Context, d store.Doer) (accesspatterns.Page, error) {
	c, err := store.Connect(ctx, store.Options{Embedded: d})
	if err != nil {
		return accesspatterns.Page{}, err
	}
	return c.Reader().Fetch(ctx, leg(), nil, 0)
}

func TestEmptyListIsPage(t *testing.T) {
	page, err := fetch(t.Context(), doer(func(*http.Request) (*http.Response, error) {
		return answer(200, `{"Items":[],"Count":0,"ScannedCount":7,"ConsumedCapacity":{"CapacityUnits":0.5,"TableName":"orders"}}`), nil
	}))
	if err != nil || page.Count != 0 || page.Scanned != 7 || page.Capacity != 0.5 || page.LastKey != nil {
		t.Errorf("got %+v, %v", page, err)
	}
}

// BenchmarkQueryPage reads one page of 50 items alternately through a Reader and the bare SDK, and reports the ratio of
// their times.
func BenchmarkQueryPage(b *testing.B) {
	s, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	c := connect(b, s)
	table := &models.Table{
		Name: "bench", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS},
	}
	if err := c.Admin().CreateTable(b.Context(), table); err != nil {
		b.Fatal(err)
	}
	var items []models.Item
	for i := range 60 {
		items = append(items, item(attrs{
			"PK": "p", "SK": fmt.Sprintf("%03d", i), "status": "open", "total": num("12.50"), "note": big(200),
			"address": attrs{"city": "Ulm", "zip": "89073"},
		}))
	}
	if err := stored.Put(b.Context(), c.Writer(), table.Name, items); err != nil {
		b.Fatal(err)
	}
	in := &dynamodb.QueryInput{
		TableName: aws.String(table.Name), KeyConditionExpression: aws.String("PK = :pk"),
		ExpressionAttributeValues: values(attrs{":pk": "p"}),
	}
	limited := *in
	limited.Limit = aws.Int32(50)
	raw := dynamodb.New(dynamodb.Options{
		HTTPClient: s, BaseEndpoint: aws.String("http://embedded.invalid"), Region: "local",
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	r := c.Reader()

	var ours, bare time.Duration
	for b.Loop() {
		start := time.Now()
		page, err := r.Fetch(b.Context(), accesspatterns.Leg{Query: in}, nil, 50)
		if err != nil || page.Count != 50 {
			b.Fatal(page.Count, err)
		}
		middle := time.Now()
		out, err := raw.Query(b.Context(), &limited)
		if err != nil || out.Count != 50 {
			b.Fatal(err)
		}
		ours, bare = ours+middle.Sub(start), bare+time.Since(middle)
	}
	b.ReportMetric(float64(ours)/float64(bare), "ours/sdk")
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "µs/page")
}
