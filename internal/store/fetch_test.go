package store_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
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
	local := dialed(t, server.URL)

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
			"query as far as it goes", local,
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
			"the limit asked for wins", inProcess,
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
			"scan as far as it goes", inProcess,
			accesspatterns.Leg{Scan: &dynamodb.ScanInput{TableName: aws.String("t")}},
			nil, 0,
			map[string]any{},
		},
		{
			"scan of a server on this machine in small pages", local,
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
