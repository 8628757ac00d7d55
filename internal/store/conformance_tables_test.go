package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

var tableCases = []conformanceCase{
	{"table/keys and indexes", func(t *testing.T, e *env) {
		info, err := e.reader.DescribeTable(t.Context(), e.main.Name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Name != e.main.Name || info.Status != "ACTIVE" || info.Billing != "PAY_PER_REQUEST" {
			t.Errorf("got %+v", info)
		}
		if info.PartitionKey != e.main.PartitionKey || info.SortKey != e.main.SortKey {
			t.Errorf("the keys are %v and %v", info.PartitionKey, info.SortKey)
		}
		if len(info.Indexes) != 3 {
			t.Fatalf("got %d indexes, want 3", len(info.Indexes))
		}
		for _, want := range e.main.Indexes {
			got, ok := info.Index(want.Name)
			projection := want.Projection
			if projection == models.ProjectionUnknown {
				projection = models.ProjectionAll
			}
			if !ok || got.Status != "ACTIVE" || !slices.Equal(got.PartitionKeys, want.PartitionKeys) ||
				!slices.Equal(got.SortKeys, want.SortKeys) || got.Projection != projection {
				t.Errorf("index %s is %+v", want.Name, got)
			}
			if diff := cmp.Diff(want.Include, got.Include); len(want.Include) > 0 && diff != "" {
				t.Errorf("index %s includes (-want +got):\n%s", want.Name, diff)
			}
		}
	}},
	{"table/no sort key", func(t *testing.T, e *env) {
		info, err := e.reader.DescribeTable(t.Context(), e.single.Name)
		if err != nil || info.SortKey.Name != "" || info.PartitionKey != e.single.PartitionKey || len(info.Indexes) != 0 {
			t.Errorf("got %+v, %v", info, err)
		}
	}},
	{"table/TTL", func(t *testing.T, e *env) {
		attribute, enabled, err := e.reader.DescribeTTL(t.Context(), e.main.Name)
		if err != nil || attribute != "expiresAt" || !enabled {
			t.Errorf("got %q, %v, %v", attribute, enabled, err)
		}
		attribute, enabled, err = e.reader.DescribeTTL(t.Context(), e.single.Name)
		if err != nil || attribute != "" || enabled {
			t.Errorf("without TTL: got %q, %v, %v", attribute, enabled, err)
		}
	}},
	{"table/listed", func(t *testing.T, e *env) {
		names, err := e.reader.Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range []*models.Table{e.main, e.numbers, e.single, e.scanned} {
			if !slices.Contains(names, table.Name) {
				t.Errorf("%s is missing in %q", table.Name, names)
			}
		}
	}},
	{"table/exists", func(t *testing.T, e *env) {
		err := e.admin.CreateTable(t.Context(), e.single)
		wantClass(t, err, store.TableExists)
		wantText(t, err, e.single.Name)
	}},
}

func wantText(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not contain %q", err, part)
		}
	}
}

// invalid is a case with a query that the store must reject.
func invalid(name string, r request, change func(*dynamodb.QueryInput)) conformanceCase {
	return conformanceCase{"error/" + name, func(t *testing.T, e *env) {
		leg := e.query(r)
		if change != nil {
			change(leg.Query)
		}
		page, err := e.reader.Fetch(t.Context(), leg, nil, 0)
		wantClass(t, err, store.Validation)
		if page.Items != nil {
			t.Error("Fetch returned items and an error")
		}
	}}
}

var errorCases = []conformanceCase{
	{"error/missing table", func(t *testing.T, e *env) {
		const missing = "ddbdesk-test-missing"
		key := values(attrs{"PK": "a", "SK": "b"})
		legs := map[string]accesspatterns.Leg{
			"Scan":    {Scan: &dynamodb.ScanInput{TableName: aws.String(missing)}},
			"GetItem": {Get: &dynamodb.GetItemInput{TableName: aws.String(missing), Key: key}},
			"Query": {Query: &dynamodb.QueryInput{
				TableName: aws.String(missing), KeyConditionExpression: aws.String("PK = :a"),
				ExpressionAttributeValues: values(attrs{":a": "a"}),
			}},
		}
		failures := map[string]error{}
		for operation, leg := range legs {
			_, failures[operation] = e.reader.Fetch(t.Context(), leg, nil, 0)
		}
		_, failures["DescribeTable"] = e.reader.DescribeTable(t.Context(), missing)
		_, _, failures["DescribeTimeToLive"] = e.reader.DescribeTTL(t.Context(), missing)
		_, failures["BatchGetItem"] = batchGet(t.Context(), e.reader, missing, []models.Item{key})
		failures["PutItem"] = stored.Put(t.Context(), e.writer, missing, []models.Item{key})
		for operation, err := range failures {
			if store.ClassOf(err) != store.TableMissing {
				t.Errorf("%s: got class %q: %v", operation, store.ClassOf(err), err)
				continue
			}
			wantText(t, err, "table "+missing+" does not exist in ", "ddbdesk table create SCHEMA")
		}
	}},
	{"error/missing index", func(t *testing.T, e *env) {
		_, err := e.reader.Fetch(t.Context(),
			e.query(request{index: "nowhere", key: "A1 = :a", values: attrs{":a": "x"}}), nil, 0)
		wantClass(t, err, store.IndexMissing)
		wantText(t, err, "nowhere", e.main.Name)
		_, err = e.reader.Fetch(t.Context(), accesspatterns.Leg{Scan: &dynamodb.ScanInput{
			TableName: aws.String(e.main.Name), IndexName: aws.String("nowhere"),
		}}, nil, 0)
		wantClass(t, err, store.IndexMissing)
	}},
	invalid("no partition key", request{}, func(in *dynamodb.QueryInput) {
		in.KeyConditionExpression = aws.String("SK = :pk")
	}),
	invalid("key in the filter", request{filter: "SK = :s", values: attrs{":s": "a"}}, nil),
	invalid("syntax", request{filter: "n = = :s", values: attrs{":s": "a"}}, nil),
	{"error/start key without a sort key", func(t *testing.T, e *env) {
		_, err := e.reader.Fetch(t.Context(), e.query(request{}), item(attrs{"PK": e.partition}), 0)
		wantClass(t, err, store.Validation)
	}},
	{"error/incomplete key", func(t *testing.T, e *env) {
		_, err := e.reader.Fetch(t.Context(), accesspatterns.Leg{Get: &dynamodb.GetItemInput{
			TableName: aws.String(e.main.Name), Key: values(attrs{"PK": "x"}),
		}}, nil, 0)
		wantClass(t, err, store.Validation)
	}},
}

// write returns a conditional update in a transaction.
func (e *env) write(set, condition string, given attrs) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(e.main.Name), Key: values(attrs{"PK": e.partition, "SK": "1"}),
		UpdateExpression: aws.String(set), ConditionExpression: aws.String(condition),
		ExpressionAttributeValues:           values(given),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}
