package store_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// A doer answers requests by a function.
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

// answer is a response with a JSON body.
func answer(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// failing is an answer of DynamoDB that names an error.
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

func TestEmptyListIsAPage(t *testing.T) {
	page, err := fetch(t.Context(), doer(func(*http.Request) (*http.Response, error) {
		return answer(200, `{"Items":[],"Count":0,"ScannedCount":7,"ConsumedCapacity":{"CapacityUnits":0.5,"TableName":"orders"}}`), nil
	}))
	if err != nil || page.Count != 0 || page.Scanned != 7 || page.Capacity != 0.5 || page.LastKey != nil {
		t.Errorf("got %+v, %v", page, err)
	}
}
